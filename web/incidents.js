// Incidents: the list, one incident as a story, and the event behind an alert.

import {h} from "./dom.js";
import {ApiError, address, find, get, lines, listPlace, mayWrite, post, remove,
	saved, siteApi, templateApi} from "./api.js";
import {badge, button, choice, count, dateTime, duration, empty, experts, facts,
	field, form, go, head, help, kindText, link, notice, outside, pageLink, panel,
	path, percent, say, sitePath, table, templateLink, templatePath, when}
	from "./parts.js";
import {replaceGuard} from "./site.js";
import {anyFacts, bestCandidate, clip, eventLink, evidenceNode, evidenceTitle,
	findingOfEntry, findingOfEvent, hasMoves, hasTextChanges, incidentTitle,
	incidentTitles, likelyScore, listOf, movedUrlTable, movesNode, pagesTable,
	quoted, regionsTable, sentences, textChanges, thingName, usefulCandidates}
	from "./story.js";

const incidentsShown = 300;
const eventsRead = 1000;
const valuesShown = 100;
const evidenceShown = 40;
const guardsShown = 20;

// What the main finding of an incident asks for.
const adviceWords = {
	"incident.changed": "Check what you read from these pages: the selectors of " +
		"a scraper, the feed of a shop, the fields below.",
	"incident.split": "If you read these pages, look at those with the new design.",
	"incident.removed": "Check whether your list of addresses is still right, " +
		"and whether links lead to these pages.",
	"incident.added": "Check whether you want to watch or read this part, too.",
	"incident.moved": "Watch the new address, and delete the old site here.",
	"incident.down": "Wait, or tell the owner. You get a message when the site " +
		"is back. If it only blocks our visits, visit it less often.",
	"incident.alternates": "If the site tests a new design with some visitors, " +
		"wait. Otherwise some of its servers may have another version.",
	"incident.text": "Read what changed below. Nothing is to be repaired.",
	"incident.guard": "Look at the page. If the value only moved, say so below. " +
		"If it is gone, repair the page; the incident ends when the value is back.",
	"incident.field": "Teach the field again, or accept the new place below.",
};

function severityBadge(severity) {
	return severity === "alert" ? badge("bad", "alert")
		: badge(severity === "notice" ? "warn" : "", severity);
}

function stateBadges(incident) {
	return [
		incident.state === "ended" ? badge("good", "ended")
			: badge("busy", incident.state === "collecting" ? "collecting"
				: "open"),
		incident.acknowledged && [" ", badge("", "acknowledged")],
		incident.silenced && [" ", badge("", "silenced")],
	];
}

function lasted(incident) {
	const end = incident.ended ? Date.parse(incident.ended) : Date.now();

	return duration(Math.max(1, (end - Date.parse(incident.began)) / 1000));
}

function ackIncident(incident) {
	return button("Acknowledge",
		() => post(`/v1/incidents/${incident.id}/ack`),
		{done: "Acknowledged: you have seen it."});
}

function ackEvent(number) {
	return button("Acknowledge", () => post(`/v1/events/${number}/ack`),
		{done: "Acknowledged: you have seen it."});
}

function silenceEvent(number) {
	return button("Silence similar", () => post("/v1/silences", {event: number}), {
		done: "Alerts of this kind, about the same thing on this site, are no " +
			"longer sent until you end the silence."});
}

// The list.

// The newest alerts that belong to no incident: watched values.
async function valueAlerts(site, isAll) {
	const events = await lines("/v1/events", {newest: 1, limit: valuesShown, site,
		kinds: "field.changed,field.healed", firing: isAll ? null : 1});

	return events.reverse();
}

// Where the filters lead. Links of a saved report have no query.
function listAddress(filters) {
	return saved === null ? address("/ui/incidents", filters) : path("incidents");
}

function filterForm({all, site, severity}, hosts) {
	return h("form", {class: "fields filter-form", role: "search",
		"aria-label": "Filter the incidents",
		onsubmit: event => {
			const given = new FormData(event.currentTarget);

			event.preventDefault();
			go(listAddress({all, site: given.get("site"),
				severity: given.get("severity")}));
		}},
	choice("Site", "site", [["", "all sites"],
		...hosts.map(host => [host, host])], site || ""),
	choice("Severity", "severity", [["", "all"], ["alert", "alerts"],
		["notice", "notices"]], severity || "",
	"An alert is a change that breaks what reads the site: a new design, a site " +
		"that is down, a lost value. A notice is good to know."),
	h("button", null, "Filter"),
	(site || severity) && link(listAddress({all}), "No filter"));
}

function incidentTable(incidents, titles, emptyText, isWriter) {
	return table("Incidents", [
		{head: "Severity", cell: incident => severityBadge(incident.severity)},
		{head: "What", cell: incident => h("div", null,
			link(path("incidents", String(incident.id)),
				titles.get(incident.id)),
			/^incident\.(guard|text)$/.test(incident.kind) ? null
				: h("div", {class: "soft small"},
					clip(incident.summary || "", 300)))},
		{head: "Site", class: "name",
			cell: incident => link(sitePath(incident.site), incident.site)},
		{head: "Began", cell: incident => when(incident.began)},
		{head: "Duration", cell: lasted},
		{head: "State", cell: incident => h("div", null, stateBadges(incident))},
		isWriter && {head: "Actions", class: "act", cell: incident =>
			incident.alert && !incident.acknowledged && incident.state !== "ended"
				? ackIncident(incident) : ""},
	].filter(Boolean), incidents, emptyText);
}

function noIncident(isAll, site, severity) {
	if (severity)
		return "No incident is of this severity. The other ones are shown " +
			"without the filter.";
	if (!isAll)
		return site ? "No incident of this site is open."
			: "No incident is open: all is well.";
	return "Nothing has happened yet. You will find here what one cause changed " +
		"on a site.";
}

function valueTable(events, isWriter) {
	return events.length > 0 && h("section", null,
		h("h2", null, "Watched values ", help("a watched value",
			"Fields that you watch, such as a price. You get an alert about each ",
			"new value. Acknowledge it, and it leaves this list.")),
		table("Watched values", [
			{head: "When", cell: event => when(event.time)},
			{head: "What", cell: event => h("div", null,
				sentences(findingOfEvent(event)).slice(0, 2)
					.map(parts => h("div", null, parts)),
				link(path("alerts", String(event.seq)), "Details"))},
			{head: "Site", class: "name",
				cell: event => link(sitePath(event.site), event.site)},
			isWriter && {head: "Actions", class: "act", cell: event =>
				event.acknowledged || event.silenced ? badge("", "seen")
					: h("div", null, ackEvent(event.seq), " ",
						silenceEvent(event.seq))},
		].filter(Boolean), events, ""));
}

function listTabs(filters) {
	const {all, site, severity} = filters;

	return saved === null && h("nav", {"aria-label": "Which incidents"},
		h("ul", {class: "tabs"}, [["Open", null], ["All", "1"]].map(
			([text, value]) => h("li", null, h("a", {
				href: listAddress({all: value, site, severity}),
				"aria-current": Boolean(value) === Boolean(all) ? "page" : null,
			}, text)))));
}

// `all` as well shows incidents that have ended; `site`, `severity`: only those.
export async function incidentsView({all, site, severity}) {
	const isAll = Boolean(all) || saved !== null;
	const host = saved === null ? site : saved.host;
	const [answer, values, sites, session, isWriter] = await Promise.all([
		get(listPlace("/v1/incidents", {open: isAll ? null : 1, site: host,
			limit: incidentsShown})),
		saved === null && severity !== "alert" ? valueAlerts(host, isAll) : [],
		saved === null ? find("/v1/sites", {limit: 500}) : null,
		saved === null ? find("/v1/session") : null,
		mayWrite(),
	]);
	const incidents = answer.incidents.reverse().filter(
		incident => !severity || incident.severity === severity);
	const hosts = (sites?.sites || []).map(each => each.host);
	const titles = await incidentTitles(incidents);

	if (host && !hosts.includes(host))
		hosts.push(host);
	return [
		head("Incidents", {lede: ["What one cause changed on a site: a new design, ",
			"an outage, a lost value. One cause is one incident, and one alert. ",
			help("to acknowledge", "You have seen it. The overview no longer ",
				"lists it; nothing is repaired, and it stays open until its ",
				"cause has ended.")]}),
		session?.node && notice("", "Only those of sites that this node owns or ",
			"copies. The other nodes show theirs."),
		listTabs({all, site, severity}),
		saved === null && filterForm({all, site, severity}, hosts.sort()),
		incidentTable(incidents, titles, noIncident(isAll, site, severity),
			isWriter),
		answer.incidents.length === incidentsShown && h("p", {class: "soft"},
			`Only the newest ${incidentsShown} are shown. Choose a site to see ` +
			"older ones."),
		valueTable(values, isWriter),
		isWriter && h("p", null, link(path("settings", "silences"),
			"What is silenced, and how to end it")),
	];
}

// New places of guards and fields, and the buttons that accept them.

// The values that the pages had, by which the daemon finds the new place.
function examplesOf(finding) {
	return listOf(finding?.detail.pages).filter(page => page.url && page.old)
		.slice(0, 8).map(({url, old}) => Array.isArray(old)
			? {url, values: old} : {url, value: String(old)});
}

async function teachField(entry, examples) {
	const answer = await post(templateApi(entry.template, "fields"),
		{name: entry.field, examples});

	say(`${entry.field} is read at its new place.` +
		(answer.warning ? ` ${answer.warning}` : ""),
	answer.warning ? "warn" : "");
}

const scoreHelp = () => help("how sure the new place is",
	"How much the element at this place is like the one that was lost: its text, ",
	"its neighbours, its names. Below ", percent(likelyScore), " it is a guess.");

function candidateTable(name, candidates, actions) {
	return table(`Probable new places of ${name}`, [
		{head: "Value there", cell: candidate => clip(candidate.example || "", 160)},
		{head: "Selector", cell: candidate =>
			h("code", null, clip(candidate.selector, 200))},
		{head: "Found on", class: "num", cell: candidate =>
			candidate.pages === undefined ? "" : count(candidate.pages, "page")},
		{head: "Sure", class: "num", cell: candidate =>
			candidate.score === undefined ? "" : percent(candidate.score)},
		actions && {head: "Actions", class: "act", cell: actions},
	].filter(Boolean), candidates, "No new place was found.");
}

const guardStates = {ok: ["good", "found"], firing: ["bad", "not found"],
	checking: ["busy", "is being checked"], alternates: ["warn", "now and then"],
	unmatched: ["warn", "its pages are gone"],
	suspended: ["warn", "takes too long"],
	learning: ["busy", "learns what changes at each visit"]};

// "once", "2 to 5 times", of how often a selector must match.
function expectText(expect) {
	const [from, to] = expect.split("..");

	if (expect === "0" || expect === "1")
		return expect === "0" ? "never" : "once";
	if (to === undefined)
		return `${from} times`;
	return to === "" ? `${from} times or more` : `${from} to ${to} times`;
}

// Whether the guard still needs a new place.
function isLost(guard) {
	return guard !== null && guard.state !== "ok";
}

// "Is “79.50 EUR” still the price?", and the button that says yes.
function acceptNode(guard, best, thing) {
	const value = best.example ? quoted(clip(best.example, 60)) : null;

	return [
		h("p", null, value ? ["The pages have ", value, " at another place now. " +
			`Is that still ${thing}?`]
			: "It is probably at another place of the pages now."),
		h("p", null, button(value ? `Yes, ${value} is still ${thing}`
			: "Use the new place", () => replaceGuard(guard, best.selector),
		{kind: "main"}), " ", help("yes", "The guard then looks at the new place ",
			"on all pages, and the incident ends when it finds the value there. ",
			"If it is something else, leave it, and repair the page."))];
}

function guardSelector(guard, entry) {
	return [h("p", null, "Its selector is ", h("code", null,
		clip(guard?.selector || entry.selector || "?", 300)),
	guard?.expect && ` and must match ${expectText(guard.expect)} on a page`,
	entry.reason && `. ${entry.reason}`, ".")];
}

// `entry` is what the incident says; `guard` what the guard is now, or null;
// `all` the guards of the site.
function guardPanel(site, entry, guard, all) {
	const candidates = usefulCandidates(guard?.candidates?.length > 0
		? guard.candidates : entry.candidates);
	const best = bestCandidate(candidates);
	const [kind, word] = guardStates[guard?.state] || ["", guard?.state || ""];
	const name = entry.name || guard?.name;
	const texts = listOf(entry.texts);
	const after = guard === null && name
		? all.find(each => each.name === name) : null;
	const accept = isLost(guard) ? candidate => button("Use this",
		() => replaceGuard(guard, candidate.selector)) : null;

	return h("section", {class: "panel"},
		h("div", {class: "head"}, h("h3", null, "Guard ",
			guard === null ? quoted(name || entry.selector || "")
				: link(sitePath(site, "guards", String(guard.id)),
					quoted(name || guard.selector))),
		word && texts.length === 0 && badge(kind, word)),
		texts.map(text => [h("p", null, "On ", pageLink(text.url), ":"),
			textChanges(text, "h4")]),
		after && h("p", null, "It was replaced by ", link(sitePath(site, "guards",
			String(after.id)), quoted(after.selector)), "."),
		guard === null && !after && saved === null && all.length > 0 &&
			h("p", {class: "soft"}, "This guard was deleted."),
		accept && best && acceptNode(guard, best, thingName({name,
			selector: guard.selector})),
		accept && !best && h("p", null, "No likely new place of it was found."),
		texts.length === 0 && experts(guardSelector(guard, entry),
			candidates.length > 0 && after === null && [
				h("h4", null, "Probable new places ", scoreHelp()),
				candidateTable(`${name || entry.selector || "the value"}, ` +
					`guard ${entry.guard || guard?.id}`, candidates, accept)]));
}

function fieldPanel(entry, finding, now, isWriter) {
	const proposal = finding?.detail.proposal || entry.proposal;
	const examples = examplesOf(finding);
	const mayAccept = isWriter && now?.firing && proposal && examples.length > 0;

	return h("section", {class: "panel"},
		h("div", {class: "head"}, h("h3", null, "Field ",
			link(templatePath(entry.template, "fields"), quoted(entry.field))),
		entry.what === "resolved" || (now && !now.firing)
			? badge("good", "has values") : badge("bad", "no values")),
		h("p", null, "Of the template ", templateLink(entry.template, finding?.name),
			entry.reason && `; ${entry.reason}`, "."),
		experts(facts([
			["Type", entry.type],
			["Place now", now?.addresses?.map(place =>
				h("div", null, h("code", null, clip(place, 200))))],
			["Probable new place", proposal?.addresses?.map(place =>
				h("div", null, h("code", null, clip(place, 200))))],
			["Pages that confirm it", proposal && proposal.tested > 0
				? `${count(proposal.agreed)} of ${count(proposal.tested)}` : null],
		])),
		mayAccept && h("p", null, "Its values are probably at another place now."),
		mayAccept && h("p", null, button(`Yes, read ${entry.field} from there`,
			() => teachField(entry, examples), {kind: "main"}), " ",
		help("accepting a new place", "The values that the pages had before ",
			"are searched, and the field is read from there from now on.")),
		isWriter && now?.firing && !mayAccept && h("p", null,
			link(templatePath(entry.template, "fields"),
				"Teach the field again: show its value on a page")));
}

// Reading an incident.

// {events: finding by number, later: events about the incident itself}
async function incidentEvents(incident) {
	const detail = incident.detail || {};
	const numbers = new Set(detail.events || []);
	const first = Math.min(incident.id, ...numbers);

	for (const list of [detail.templates, detail.guards, detail.fields])
		for (const entry of list || [])
			if (entry.evidence > 0)
				numbers.add(entry.evidence);
	let events = [];
	try {
		events = await lines(listPlace("/v1/events", {since: first - 1,
			limit: eventsRead, site: incident.site,
			kinds: "template.*,guard.*,field.*,site.*,incident.*"}));
	} catch (error) {
		if (!(error instanceof ApiError) || error.status === 0)
			throw error;
	}
	return {
		findings: events.filter(event => numbers.has(event.seq))
			.map(findingOfEvent),
		later: events.filter(event => event.detail?.incident === incident.id),
	};
}

// All findings, in the order of time; those whose event is deleted, too.
function incidentFindings(incident, findings) {
	const {templates = [], guards = [], fields = [], state, reason} =
		incident.detail || {};
	const known = new Set(findings.map(finding => finding.number));
	const missing = [["template", templates], ["guard", guards], ["field", fields]]
		.flatMap(([what, list]) => list.filter(
			entry => !known.has(entry.evidence)).map(
			entry => findingOfEntry(what, entry, incident)));

	if (state && !findings.some(finding => finding.kind.startsWith("site.")))
		missing.push({...findingOfEntry("site", {what: state, reason}, incident)});
	return [...findings, ...missing].sort(
		(a, b) => Date.parse(a.time) - Date.parse(b.time));
}

// Where the alert went. `hooks` is null for read-only clients.
function sentWords(incident, hooks) {
	if (incident.silenced)
		return ["The alert was not sent, because it is silenced."];
	const here = hooks?.filter(hook => !hook.site || hook.site === incident.site);

	return here?.length === 0 ? ["The alert is only shown here, because alerts are ",
	"sent nowhere: ", link(path("settings"), "choose where they go"), "."]
		: ["An alert was sent."];
}

function laterSteps(incident, later, hooks) {
	const steps = later.filter(event => event.seq !== incident.alert &&
		event.time !== incident.ended).map(event => ({time: event.time,
		parts: [[event.kind === "incident.updated"
			? "More pages and findings belong to it."
			: `${kindText(event.kind)}.`]]}));

	if (incident.sent)
		steps.push({time: incident.sent, parts: [sentWords(incident, hooks)]});
	if (incident.ended)
		steps.push({time: incident.ended,
			parts: [[`It ended, after ${lasted(incident)}.`]]});
	return steps;
}

// The steps in the order of time; those of one minute are one.
function storyNode(incident, findings, later, hooks) {
	const steps = [
		...findings.map(finding => ({time: finding.time,
			parts: sentences(finding)})),
		...laterSteps(incident, later, hooks),
		...(incident.comments || []).map(({time, text}) => ({time,
			parts: [[h("q", null, text)]], isComment: true})),
	].sort((a, b) => Date.parse(a.time) - Date.parse(b.time));
	const groups = [];

	for (const step of steps) {
		const minute = step.time.slice(0, 16);

		if (groups.at(-1)?.minute !== minute)
			groups.push({minute, time: step.time, steps: []});
		groups.at(-1).steps.push(step);
	}
	return h("ol", {class: "timeline story"}, groups.map(group => h("li", null,
		h("p", {class: "soft small"}, "On ", dateTime(group.time)),
		group.steps.flatMap(step => step.isComment
			? [h("p", {class: "comment"}, "You noted: ", step.parts[0])]
			: [h("p", null, step.parts.flatMap(
				(parts, i) => i === 0 ? parts : [" ", parts]))]))));
}

function incidentVerdict(incident) {
	const isOver = incident.state === "ended";
	const kind = isOver ? "good" : incident.severity === "alert" ? "bad" : "warn";

	if (incident.kind === "incident.text" && isOver)
		return h("p", {class: "verdict"}, "It changed on ",
			dateTime(incident.began), ".");
	return h("p", {class: `verdict ${kind}`}, h("strong", null,
		isOver ? "It is over. " : "It goes on. "),
	"It began on ", dateTime(incident.began), isOver
		? [", lasted ", lasted(incident), " and ended on ",
			dateTime(incident.ended), "."]
		: [`, ${lasted(incident)} ago.`]);
}

// The silences that keep alerts like this event from being sent.
async function silencesOf(event, isWriter) {
	const answer = isWriter ? await find("/v1/silences") : null;

	return (answer?.silences || []).filter(silence =>
		silence.kind === event.kind && silence.site === event.site &&
		(!silence.cluster || silence.cluster === event.cluster) &&
		(!silence.guard || silence.guard === event.guard));
}

// Silence events like this one, or end that.
function silenceAction(event, silences) {
	return silences.length === 0 ? silenceEvent(event.seq) : [
		badge("", "similar ones are silenced"),
		button("End the silence", async () => {
			for (const silence of silences)
				await remove(`/v1/silences/${silence.id}`);
		}, {done: "The silence has ended."})];
}

// Pictures of before and after.

function picture(incident, name, time, url) {
	const source = `/v1/incidents/${incident.id}/screenshots/${name}`;
	const src = saved === null ? source : saved.answers[source];
	const word = name === "before" ? "Before" : "After";

	return typeof src === "string" && /^(\/v1\/|data:image\/)/.test(src) &&
		h("figure", null, h("img", {src, width: 640, height: 800, loading: "lazy",
			alt: `${word}: the top of ${url}`}),
		h("figcaption", {class: "soft small"}, `${word}, `, dateTime(time)));
}

function pictures(incident) {
	const shots = incident.screenshots;

	return shots && [h("p", {class: "soft"}, "The page ", pageLink(shots.url)),
		h("div", {class: "pictures"},
			picture(incident, "before", shots.before, shots.url),
			picture(incident, "after", shots.after, shots.url))];
}

// The trees of before and after: of the event, or of two versions.
async function templateMoves(entry, finding) {
	if (hasMoves(finding?.detail))
		return finding.detail;
	const [from, to] = entry.versions || [];

	if (!from || !to || from === to)
		return null;
	return find(templateApi(entry.template, "diff"), {from, to});
}

const whatWords = {changed: "new design", replaced: "has another template now",
	restored: "is as before", merged: "became one with another",
	split: "some pages differ", removed: "disappeared", added: "new",
	alternates: "two designs in turn"};

function templatesTable(templates, total) {
	return [table("Templates of the incident", [
		{head: "Template", cell: entry =>
			templateLink(entry.template, entry.name)},
		{head: "What", cell: entry => whatWords[entry.what] || entry.what},
		{head: "Now", cell: entry => entry.to ? h("span", null,
			listOf(entry.to).flatMap((id, i) => [i > 0 && ", ",
				templateLink(id)])) : ""},
		{head: "Versions", cell: entry => (entry.versions || []).join(" → ")},
		{head: "Pages", class: "num", cell: entry => count(entry.pages || 0)},
		{head: "Evidence", cell: entry => entry.evidence > 0
			? eventLink(entry.evidence) : ""},
	], templates, ""),
	total > templates.length && h("p", {class: "soft"},
		`and ${count(total - templates.length, "more template")}`)];
}

async function changeSection(incident, findings) {
	const templates = incident.detail?.templates || [];
	const moves = await Promise.all(templates.slice(0, 5).map(async entry =>
		[entry, await templateMoves(entry, findings.find(
			finding => finding.number === entry.evidence))]));
	const regions = templates.flatMap(entry => entry.regions || []);
	const shown = moves.filter(([, detail]) => hasMoves(detail));

	return [
		(incident.screenshots || shown.length > 0) &&
			h("h2", null, "Before and after ", help("the shares",
				"The share of the pages of the template that have this place or ",
				"text. 100 % = all of them.")),
		pictures(incident),
		shown.map(([entry, detail]) => [
			h("details", {class: "panel", open: shown.length === 1 &&
				!incident.screenshots},
			h("summary", null,
				`Places and texts of ${entry.name || entry.template}`),
			movesNode(detail, entry.name || entry.template))]),
		regions.length > 0 && [h("h2", null, "What moved where"),
			regionsTable(regions)],
		incident.detail?.moved?.length > 0 && [h("h2", null, "Moved addresses"),
			movedUrlTable(incident.detail.moved)],
		templates.length > 0 && [h("h2", null, "Templates"),
			templatesTable(templates, incident.detail.template_count || 0)],
	];
}

// Accept all that is likely, with one click.
function acceptAll(pairs) {
	const likely = pairs.map(([entry, guard]) => [guard, isLost(guard) &&
		bestCandidate(guard.candidates?.length > 0 ? guard.candidates
			: entry.candidates)]).filter(([, best]) => best);

	return likely.length > 1 && h("p", null, button(
		`Accept all ${likely.length} new places`, async () => {
			for (const [guard, best] of likely)
				await replaceGuard(guard, best.selector);
		}, {kind: "main"}));
}

async function guardSection(incident, isWriter) {
	const {site, detail} = incident;
	const entries = (detail?.guards || []).slice(0, guardsShown);
	const at = siteApi(site, "guards");

	if (entries.length === 0)
		return null;
	const [all, ...guards] = await Promise.all([
		isWriter ? find(at) : null,
		...entries.map(entry => isWriter ? find(`${at}/${entry.guard}`) : null)]);
	const pairs = entries.map((entry, i) => [entry, guards[i]]);

	return [h("h2", null, "What you guard ", help("a guard", "A value that pages ",
		"must have, such as a price, or a text that must not change. If a value ",
		"is gone, its probable new place is shown here.")),
	acceptAll(pairs),
	pairs.map(([entry, guard]) => guardPanel(site, entry, guard,
		all?.guards || [])),
	(detail.guard_count || 0) > entries.length && h("p", {class: "soft"},
		`and ${count(detail.guard_count - entries.length, "more guard")}`)];
}

async function fieldSection(incident, findings, isWriter) {
	const entries = (incident.detail?.fields || []).slice(0, guardsShown);
	const known = new Map();

	for (const id of new Set(entries.map(entry => entry.template))) {
		const answer = await find(templateApi(id, "fields"));

		for (const each of answer?.fields || [])
			known.set(`${id} ${each.name}`, each);
	}
	return entries.length > 0 && [h("h2", null, "Fields"),
		entries.map(entry => fieldPanel(entry,
			findings.find(finding => finding.number === entry.evidence),
			known.get(`${entry.template} ${entry.field}`), isWriter))];
}

function commentForm(incident) {
	return panel("Add a note", form([
		field("Note", "text", {type: "textarea", wide: true, required: true,
			maxlength: 1000, about: "For yourself and others who look after the " +
				"site: what you found, who works on it. It appears in the story."}),
	], "Add the note", async ({text}, sent) => {
		await post(`/v1/incidents/${incident.id}/comments`, {text});
		sent.reset();
	}, {done: "The note is added."}));
}

const incidentKnown = ["templates", "guards", "fields", "moved", "events",
	"template_count", "guard_count", "field_count", "state", "reason", "incident",
	"severity"];

function evidenceSection(incident, findings) {
	return experts(facts([["Kind", h("code", null, incident.kind)],
		["State", incident.state],
		["Last finding", incident.last_finding && dateTime(incident.last_finding)],
		["Page", incident.url && pageLink(incident.url)],
		["Alert", incident.alert && `event ${incident.alert}`]]),
	anyFacts(incident.detail || {}, incidentKnown),
	findings.slice(0, evidenceShown).map(finding => h("section", null,
		evidenceTitle(finding), evidenceNode(finding))),
	findings.length > evidenceShown && h("p", {class: "soft"},
		`and ${count(findings.length - evidenceShown)} more`));
}

function adviceNode(incident) {
	const text = incident.state !== "ended" && adviceWords[incident.kind];

	return text && h("p", null, h("strong", null, "What to do: "), text);
}

export async function incidentView({number}) {
	const [incident, isWriter] = await Promise.all([
		get(`/v1/incidents/${encodeURIComponent(number)}`), mayWrite()]);
	const read = await incidentEvents(incident);
	const findings = incidentFindings(incident, read.findings);
	const alert = read.later.find(event => event.seq === incident.alert) ||
		{...incident, seq: incident.alert};
	const title = incidentTitle({...incident, detail: {...incident.detail,
		guards: listOf(incident.detail?.guards).map(guard => ({
			checked: findings.find(finding => finding.number === guard.evidence)
				?.detail.checked, ...guard}))}});
	const [guards, fields, changes, silences, answer] = await Promise.all([
		guardSection(incident, isWriter),
		fieldSection(incident, findings, isWriter),
		changeSection(incident, findings),
		silencesOf(alert, isWriter),
		isWriter && saved === null ? find("/v1/hooks") : null,
	]);

	return [
		head(title, {
			crumbs: [link(path("incidents"), "Incidents"),
				link(sitePath(incident.site), incident.site)],
			actions: [severityBadge(incident.severity), stateBadges(incident),
				isWriter && incident.alert && [
					!incident.acknowledged && ackIncident(incident),
					silenceAction(alert, silences)]],
		}),
		incidentVerdict(incident),
		adviceNode(incident),
		h("h2", null, "What happened"),
		storyNode(incident, findings, read.later, answer?.hooks || null),
		guards, fields, changes,
		isWriter && commentForm(incident),
		evidenceSection(incident, findings),
	];
}

// The event behind an alert.

async function eventView(event) {
	const isWriter = await mayWrite();
	const finding = findingOfEvent(event);
	const {detail} = finding;
	const guard = event.guard && isWriter ? await find(
		siteApi(event.site, "guards", String(event.guard))) : null;
	const isOpen = event.alert && isWriter;
	const silences = isOpen ? await silencesOf(event, isWriter) : [];

	return [
		head(kindText(event.kind), {
			crumbs: [link(path("incidents"), "Incidents"), event.site &&
				link(sitePath(event.site), event.site)].filter(Boolean),
			actions: [
				event.acknowledged ? badge("", "acknowledged")
					: isOpen && ackEvent(event.seq),
				event.silenced && badge("", "silenced"),
				isOpen && silenceAction(event, silences)],
		}),
		sentences(finding).map(parts => h("p", null, parts)),
		facts([
			["When", dateTime(event.time)],
			["Template", event.cluster &&
				templateLink(event.cluster, event.template_name)],
			["Page", event.url && pageLink(event.url)],
			["Original", event.url && outside(event.url)],
		]),
		event.kind === "guard.firing" && [h("h2", null, "The guard"),
			guardPanel(event.site, detail, guard, [])],
		detail.regions?.length > 0 && [h("h2", null, "What moved where"),
			regionsTable(detail.regions)],
		hasMoves(detail) && [h("h2", null, "Before and after"), movesNode(detail)],
		hasTextChanges(detail) && [h("h2", null, "What changed in the text"),
			textChanges(detail, "h3")],
		detail.pages?.length > 0 && [h("h2", null, "Pages"),
			pagesTable("Pages", detail.pages)],
		detail.changes?.length > 0 && !hasTextChanges(detail) && [
			h("h2", null, "Values"),
			pagesTable("Values", detail.changes)],
		detail.moved?.length > 0 && [h("h2", null, "Moved addresses"),
			movedUrlTable(detail.moved)],
		experts(facts([["Event", `${event.seq}, ${event.kind}`]]), anyFacts(detail)),
	];
}

// `number` is that of an event; if it is about an incident, show its story.
export async function alertView({number}) {
	const wanted = Number(number);
	const events = Number.isSafeInteger(wanted) && wanted > 0
		? await lines(listPlace("/v1/events", {since: wanted - 1, limit: 1})) : [];
	const event = events.find(each => each.seq === wanted);

	if (event === undefined)
		return [head("Not found"), empty("This event does not exist any longer. ",
			link(path("incidents"), "Show the incidents"))];
	const incident = event.detail?.incident;
	if (incident && await find(`/v1/incidents/${incident}`) !== null)
		return incidentView({number: String(incident)});
	return eventView(event);
}
