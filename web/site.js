// One site: is it well, what are its templates, and how is it watched?

import {h} from "./dom.js";
import {address, find, get, lines, listPlace, mayWrite, post, remove, saved,
	siteApi, templateApi} from "./api.js";
import {sparkline, strip} from "./charts.js";
import {badge, button, bytes, choice, count, dateTime, duration, empty, experts,
	facts, field, figures, form, go, head, help, kindText, link, linkIfSaved, notice,
	outside, pageLink, pagePath, panel, path, percent, say, sitePath, table, tabs,
	templateLink, templatePath, urlOf, when} from "./parts.js";
import {colourHelp, healthBadge, healthOf, incidentLines, pauseText}
	from "./sites.js";
import {incidentTitles, textChanges, usefulCandidates} from "./story.js";
import {siteThresholdTab} from "./threshold.js";
import {siteSettingsTab} from "./site_settings.js";

const siteRows = 500;
const siteEventsShown = 300;
const fieldTemplates = 20;

// What the states of guards mean: [colour, word].
const guardWords = {
	"ok": ["good", "found"],
	"firing": ["bad", "gone"],
	"never held": ["warn", "never found"],
	"suspended": ["warn", "takes too long"],
	"unmatched": ["warn", "its pages no longer exist"],
	"alternates": ["warn", "found now and then"],
	"checking": ["busy", "is being checked"],
	"learning": ["busy", "learns what changes at each visit"],
};

function guardBadge(guard) {
	const [kind, word] = isTextGuard(guard) && guard.state === "ok"
		? ["good", "watched"] : guardWords[guard.state] || ["", guard.state];

	return badge(kind, word);
}

function isTextGuard(guard) {
	return guard.language === "text";
}

function guardName(guard) {
	return guard.name || `guard ${guard.id}`;
}

// What a guard looks at: a place in pages, or the text of one page or of all.
function guardSubject(guard) {
	if (!isTextGuard(guard))
		return h("code", null, guard.selector);
	return guard.selector === "all" ? "the text of all pages of the template"
		: h("span", null, "the text of ", pageLink(guard.selector));
}

// Health at a glance.

const siteStates = {
	alternating: "It shows two editions in turn.",
	blocked: "It answers our visits only with errors or challenges.",
	crawling: "Its pages are being visited.",
	exhausted: "A limit is reached; see the settings.",
	missing: "All of its pages are missing.",
	moved: "It has moved to another address.",
	no_credentials: "Its headers must be set again; see the settings.",
	selecting: "Its pages are being chosen.",
	unreachable: "It does not answer.",
	watching: "",
};

function siteVerdict(site, open) {
	const {state, reason, firing_guards, firing_fields} = healthOf(site);
	const kind = {ok: "good", alert: "bad", new: "good", paused: "good",
		offline: "good"}[state] || "warn";
	const said = reason && reason.replace(/\.?$/, ".");
	const rest = said || site.reason || siteStates[site.state] || "";

	if (open.length > 0 && state !== "alert")
		return h("p", {class: "verdict warn"}, h("strong", null,
			count(open.length, "open incident")), open.every(one =>
			one.acknowledged) ? ", which you have seen." : ".");
	if (open.length > 0 || state === "alert")
		return h("p", {class: "verdict bad"}, h("strong", null,
			open.length > 0 ? count(open.length, "open incident")
				: "It needs you"), ". ",
		firing_guards > 0 && `${count(firing_guards, "guarded value is",
			"guarded values are")} gone. `,
		firing_fields > 0 && `${count(firing_fields, "field")} lost ` +
			`${firing_fields === 1 ? "its" : "their"} values. `);
	return h("p", {class: `verdict ${kind}`}, h("strong", null,
		state === "ok" ? "All is well." : state === "new" ? "It is being learned."
			: "Look at it."), " ", rest);
}

function siteDays(site) {
	const days = healthOf(site).days || [];
	const visits = days.map(day => day.visits);
	const sum = visits.reduce((all, some) => all + some, 0);

	return days.length > 0 && h("div", {class: "days"},
		h("figure", null, strip(days, healthOf(site).state === "ok"),
			h("figcaption", {class: "soft small"},
				`The last ${days.length} days, today at the right `,
				colourHelp())),
		h("figure", null, sparkline(visits, `Visits a day: ${count(sum)} in ` +
			`${days.length} days, ${count(visits.at(-1))} today`),
		h("figcaption", {class: "soft small"},
			`${count(sum, "visit")}, ${count(visits.at(-1))} today`)));
}

function siteProgress(site) {
	const visited = Math.min(site.tried, site.max_pages);

	return site.pending > 0 && h("p", null, h("progress", {max: 1,
		"aria-label": "Visited pages",
		value: visited / Math.max(1, visited + site.pending)}), " ",
	`${count(site.tried, "page")} visited, ${count(site.pending)} to go.`);
}

// `isWhole`: with the last days and the progress.
async function siteHealth(site, incidents, isWhole) {
	const open = incidents.filter(incident => incident.state !== "ended");
	const titles = await incidentTitles(open);

	return [
		siteVerdict(site, open),
		site.paused && notice("warn",
			`Visits are paused: ${site.paused.replace(/\.?$/, ".")}`),
		open.length > 0 && incidentLines(open, titles),
		isWhole && [siteDays(site), siteProgress(site)],
	];
}

function siteFigures(site) {
	const odd = Object.entries(site.classes || {}).filter(
		([name]) => name !== "page");

	return figures([
		["Pages", count(site.pages),
			odd.map(([name, number]) => `${count(number)} ${name}`).join(", ")],
		["Templates", count(site.templates), "kinds of pages that look alike"],
		["Visited", count(site.tried),
			`of ${count(site.max_pages)} at most`],
		["Failed visits", count(site.failed), site.failed > 0
			? "an error, or no answer" : ""],
		["Data read", bytes(site.spent_bytes), pauseText(site)],
	]);
}

// The tabs of a site.

const siteTabs = [
	["", "Templates", null, true],
	["guards", "Guards", "guards", false],
	["patterns", "Addresses", "patterns", false],
	["events", "Events", null, true],
	["threshold", "Grouping", "thresholds", false],
	["settings", "Settings", null, false],
];

// A saved report shows the tabs for which it has an answer; readers see the tabs
// that the API allows.
function siteTabList(host, isWriter) {
	return siteTabs.filter(([name, , part, isForAll]) =>
		saved === null ? isWriter || isForAll
			: isForAll || part !== null && siteApi(host, part) in saved.answers)
		.map(([name, text]) =>
			[name === "" ? sitePath(host) : sitePath(host, name), text]);
}

async function siteTemplatesTab(host) {
	const {templates} = await get(siteApi(host, "templates"));
	const all = templates.reduce((sum, one) => sum + one.pages, 0);

	return [
		h("p", {class: "soft"}, "Pages that look alike are one template. ",
			"The largest comes first."),
		table("Templates, the largest first", [
			{head: "Template", cell: one => h("span", null,
				templateLink(one.id, one.name), " ",
				!one.has_template && badge("", "too few pages"))},
			{head: "Pages", class: "num", cell: one => count(one.pages)},
			{head: "Share", class: "num",
				cell: one => percent(one.pages / Math.max(1, all))},
			{head: "Such as", cell: one => h("ul", null,
				one.sample.slice(0, 3).map(page =>
					h("li", null, pageLink(page.url, page.title))))},
			{head: "Since", cell: one => when(one.created)},
			{head: "Changed", cell: one => when(one.changed)},
		], templates.slice(0, siteRows), "It has no pages yet."),
		templates.length > siteRows && h("p", {class: "soft"},
			`And ${count(templates.length - siteRows)} smaller ones.`),
	];
}

// Patterns of addresses.

const patternWords = {
	complete: ["good", "all visited"],
	exhausted: ["warn", "limit reached"],
	open: ["busy", "being visited"],
	saturated: ["good", "nothing new"],
};

async function sitePatternsTab(host) {
	const {patterns} = await get(siteApi(host, "patterns"));

	return [
		h("p", {class: "soft"}, "Addresses that differ only in numbers or ",
			"words are one pattern. A pattern whose pages show nothing new ",
			"is not visited further; the settings say after how many pages. ",
			help("a pattern", "{n} is any number and {w} any word: /{n}.html is ",
				"/1.html, /2.html and so on. A wider one only counts the ",
				"parts of an address: /+1.html.")),
		table("Patterns of its addresses", [
			{head: "Pattern", cell: one => h("span", null,
				h("code", null, one.pattern), " ",
				one.kind === "coarse" && badge("", "wider"))},
			{head: "State", cell: one => badge(...patternWords[one.state] ||
				["", one.state])},
			{head: "Found", class: "num", cell: one => count(one.found)},
			{head: "Visited", class: "num", cell: one => count(one.visited)},
			{head: "With a template", class: "num",
				cell: one => count(one.learned)},
			{head: "Last news", cell: one => when(one.news)},
			{head: "Template",
				cell: one => templateLink(one.cluster, one.template_name)},
		], patterns.slice(0, siteRows), "No address is known yet."),
		patterns.length > siteRows && h("p", {class: "soft"},
			`And ${count(patterns.length - siteRows)} more.`),
	];
}

// Guards.

// What a new guard found on the stored pages.
function sayGuard(guard) {
	say(`The guard is added. It holds on ${count(guard.holding)} of ` +
		`${count(guard.checked, "page")}.${guard.warning
			? ` ${guard.warning}` : ""}`, guard.warning ? "warn" : "");
}

async function addSiteGuard(host, guard) {
	const added = await post(siteApi(host, "guards"), guard);

	sayGuard(added);
	return added;
}

// What alerts can be about, and how to add them.
export function watchWays(host, templates, url) {
	const sample = templates.find(one => one.sample.length > 0)?.sample[0].url;
	const way = () => sample ? link(pagePath(sample), "click on it in a page")
		: "wait until the first page is here";

	return h("ul", {class: "ways"},
		h("li", null, h("strong", null, "A value changes"),
			", such as a price from 79.50 to 69.50: ", way()),
		h("li", null, h("strong", null, "A value is gone"),
			", because a page has a new design, for example: ", way()),
		h("li", null, h("strong", null, "The text of a page changes"), ": ",
			form([field("Address of the page", "page",
				{required: true, wide: true, value: url || ""})],
			"Watch the text", ({page}) => post(siteApi(host, "guards"),
				{text: urlOf(page.trim())}),
			{kind: "", done: "The text is watched."})));
}

function newGuardForm(host, templates) {
	return h("details", null, h("summary", null,
		"For experts: a value by its selector"),
		form([
			field("Selector", "selector", {wide: true, required: true,
				placeholder: "h1.title", spellcheck: "false", maxlength: 4096,
				about: "It selects elements: .price selects the elements with the " +
					"class price. An XPath begins with / or (."}),
			field("Name", "name", {maxlength: 64, placeholder: "price",
				about: "Alerts contain it."}),
			field("Matches on a page", "expect", {value: "1",
				pattern: "[0-9]+(\\.\\.[0-9]*)?", about: "How many elements a " +
					"page must have: 1, 0 (none), 1.. (one or more), or 2..5."}),
			choice("Template", "cluster", [["", "all pages"], ...templates.map(
				one => [one.id.slice(one.id.lastIndexOf("/") + 1),
					one.name || one.id])], "",
			"The guard checks only pages of this template."),
		], "Watch it", ({selector, name, expect, cluster}, sent) =>
			addSiteGuard(host, {
				[/^\s*[/(]/.test(selector) ? "xpath" : "css"]: selector.trim(),
				expect: expect || "1", ...name && {name},
				...cluster && {cluster: Number(cluster)},
			}).then(() => sent.reset())));
}

// The fields whose new values are alerts, with their templates.
async function watchedFields(host, templates) {
	const lists = await Promise.all(templates.slice(0, fieldTemplates).map(
		async one => (await find(siteApi(host, "templates", one.id.slice(
			one.id.lastIndexOf("/") + 1), "fields")))?.fields || []));

	return lists.flatMap((fields, i) => fields.filter(one => one.watched)
		.map(one => ({...one, template: templates[i]})));
}

function watchedTable(fields) {
	return fields.length > 0 && [
		h("h2", null, "Values that you watch for changes ", help("a watched value",
			"You get an alert about each new value on a page. To end this, ",
			"press Change in the fields of the template.")),
		table("Values that you watch for changes", [
			{head: "Value", cell: one => linkIfSaved(
				templateApi(one.template.id, "fields"),
				templatePath(one.template.id, "fields"), one.name)},
			{head: "State", cell: one => one.firing ? badge("bad", "gone")
				: badge("good", "watched")},
			{head: "For example", cell: one => one.example || ""},
			{head: "Template", cell: one =>
				templateLink(one.template.id, one.template.name)},
		], fields, "")];
}

async function siteGuardsTab(host, isWriter) {
	const [{guards}, answer] = await Promise.all([
		get(siteApi(host, "guards")), find(siteApi(host, "templates"))]);
	const templates = answer?.templates || [];

	return [
		h("p", {class: "soft"}, "A guard alerts you when a value is gone from the ",
			"pages, or when a text changes."),
		table("Guards", [
			{head: "Guard", cell: one => linkIfSaved(
				siteApi(host, "guards", String(one.id)),
				sitePath(host, "guards", String(one.id)), guardName(one))},
			{head: "State", cell: guardBadge},
			{head: "Looks at", cell: guardSubject},
			{head: "Pages", class: "num",
				cell: one => isTextGuard(one) && one.pages === 0 ? ""
					: count(one.pages)},
			{head: "Gone from", class: "num", cell: one => isTextGuard(one) ? ""
				: count(one.failing)},
			{head: "Template", cell: one =>
				templateLink(one.cluster, one.template_name) || "all pages"},
		], guards.slice(0, siteRows), "This site has no guards."),
		watchedTable(await watchedFields(host, templates)),
		isWriter && panel("Get an alert when …", watchWays(host, templates),
			newGuardForm(host, templates)),
	];
}

// The request for a guard like `guard`, with another selector.
function sameGuard(guard, selector) {
	return {css: selector, expect: guard.expect,
		...guard.name && {name: guard.name},
		...guard.cluster && {cluster: Number(
			guard.cluster.slice(guard.cluster.lastIndexOf("/") + 1))}};
}

// Names are unique, so the old guard goes first; it comes back if the new one
// is refused.
export async function replaceGuard(guard, selector) {
	let added;

	await remove(siteApi(guard.site, "guards", String(guard.id)));
	try {
		added = await addSiteGuard(guard.site, sameGuard(guard, selector));
	} catch (error) {
		await post(siteApi(guard.site, "guards"), {...sameGuard(guard),
			[guard.language]: guard.selector});
		throw error;
	}
	return added;
}

function guardCandidates(guard, isWriter) {
	const candidates = usefulCandidates(guard.candidates);

	return candidates.length > 0 && [
		h("h2", null, "Where it is now, probably"),
		table("Where it is now, probably", [
			{head: "Value there", cell: one => one.example},
			{head: "Found on", class: "num",
				cell: one => count(one.pages, "page")},
			{head: "Likeness", class: "num", cell: one => percent(one.score)},
			{head: "Selector", cell: one => h("code", null, one.selector)},
			isWriter && {head: "Actions", class: "act", cell: one => [
				button("Use instead", () => replaceGuard(guard, one.selector)
					.then(added => go(sitePath(guard.site, "guards",
						String(added.id)))),
					{sure: `Delete the guard ${guardName(guard)}, and guard ` +
						`${one.selector} instead?`}), " ",
				button("Add a guard", () => addSiteGuard(guard.site,
					{...sameGuard(guard, one.selector), name: undefined}))]},
		].filter(Boolean), candidates, ""),
	];
}

function guardPages(guard) {
	if (guard.failing === 0)
		return `found on all of ${count(guard.pages, "page")}`;
	return `gone from ${count(guard.failing)} of ${count(guard.pages, "page")}`;
}

function guardFacts(guard) {
	return facts([
		isTextGuard(guard) ? ["Looks at", guardSubject(guard)]
			: ["Pages", guardPages(guard)],
		["Where", templateLink(guard.cluster, guard.template_name) ||
			(isTextGuard(guard) ? null : "all pages of the site")],
		["Added", when(guard.created)],
		["In this state since", when(guard.changed)],
	]);
}

function guardExperts(guard) {
	return !isTextGuard(guard) && experts(facts([
		["Selector", h("span", null, h("code", null, guard.selector), " ",
			h("span", {class: "soft"}, guard.language === "css" ? "CSS" : "XPath"))],
		["Elements on a page", guard.expect],
		["Visits", `${count(guard.agreed)} of the last ${count(guard.seen)} ` +
			"confirm the state"],
	]));
}

const guardChangesShown = 5;

// The last changes of the text that a guard watches.
async function guardTexts(guard) {
	if (!isTextGuard(guard))
		return null;
	const events = (await lines("/v1/events", {site: guard.site,
		kinds: "guard.changed", newest: 1, limit: 200}))
		.filter(event => event.guard === guard.id)
		.slice(-guardChangesShown).reverse();

	return [
		h("h2", null, "What changed"),
		events.length === 0 && empty("The text has not changed since it has been ",
			"watched."),
		events.map(event => h("section", null, h("h3", null,
			event.url && [pageLink(event.url), ", "], dateTime(event.time)),
		textChanges(event.detail || {}, "h4"))),
	];
}

// Whether each new value of the guarded place is an alert, too.
async function changeWatch(guard) {
	const fields = guard.cluster && guard.name
		? await find(templateApi(guard.cluster, "fields")) : null;
	const one = fields?.fields.find(each => each.name === guard.name);

	if (!guard.cluster || !guard.name)
		return null;
	return h("p", {class: "actions"}, one?.watched
		? ["Each new value is an alert, too. ",
			link(templatePath(guard.cluster, "fields"), "Change this")]
		: [button("Alert me when it changes, too",
			() => post(templateApi(guard.cluster, "fields"), {name: guard.name,
				[guard.language === "css" ? "selector" : "xpath"]: guard.selector,
				watched: true}),
			{done: "It is watched: each new value on a page is an alert."}),
		help("the difference", "A guard alerts you when the value is gone. ",
			"Press this, and you hear of each new value, too, such as a price ",
			"that goes from 79.50 to 69.50.")]);
}

export async function guardView({host, number}) {
	const [guard, isWriter] = await Promise.all([
		get(siteApi(host, "guards", number)), mayWrite()]);
	const texts = await guardTexts(guard);

	return [
		head(`Guard: ${guardName(guard)}`, {
			crumbs: [saved === null && link("/", "Sites"),
				link(sitePath(host), host),
				link(sitePath(host, "guards"), "Guards")].filter(Boolean),
			actions: [guardBadge(guard), isWriter && button("Delete", async () => {
				await remove(siteApi(host, "guards", number));
				go(sitePath(host, "guards"));
			}, {kind: "danger", done: "The guard is deleted.",
				sure: `Delete the guard ${guardName(guard)}?`})],
		}),
		guardFacts(guard),
		isWriter && !isTextGuard(guard) && await changeWatch(guard),
		guardCandidates(guard, isWriter),
		texts,
		texts === null && guard.sample?.length > 0 && [
			h("h2", null, "Pages"),
			table("Pages that were checked", [
				{head: "Page", cell: one => pageLink(one.url)},
				{head: "Found now", class: "num",
					cell: one => count(one.matches, "time")},
				{head: "Last value", cell: one => one.value},
				{head: "Last found", cell: one => when(one.good)},
			], guard.sample, ""),
		],
		guardExperts(guard),
	];
}

// Events.

const eventChoices = [
	["", "What matters", "site.*,template.*,guard.*,field.*,incident.*"],
	["alerts", "Alerts", "alerts"],
	["all", "Everything", null],
];

function eventKind(event) {
	return event.alert ? "bad" : /resolved|back|ok|restored|healed|learned/
		.test(event.kind) ? "good" : "";
}

function eventActions(event) {
	if (!event.alert || event.acknowledged)
		return event.acknowledged ? badge("", "acknowledged") : "";
	return [
		button("Acknowledge", () => post(`/v1/events/${event.seq}/ack`),
			{done: "Acknowledged."}), " ",
		event.silenced ? badge("", "silenced")
			: button("Silence", () => post("/v1/silences", {event: event.seq}),
				{done: "Silenced: alerts like this one are no longer sent."}),
	];
}

function eventWhat(event) {
	return h("span", null,
		event.cluster && [templateLink(event.cluster, event.template_name), " "],
		event.summary && event.summary !== kindText(event.kind) && event.summary,
		event.other && [" → ", templateLink(event.other)],
		event.url && !event.summary?.includes(event.url) &&
			[" ", pageLink(event.url)]);
}

async function siteEventsTab(host, isWriter, show) {
	const shown = saved === null ? show || "" : "";
	const [, , kinds] = eventChoices.find(([name]) => name === shown) ||
		eventChoices[0];
	const place = listPlace("/v1/events",
		{site: host, kinds, newest: 1, limit: siteEventsShown});

	if (saved !== null && !(place in saved.answers))
		return empty("This report has no events.");
	const events = await lines(place);
	const newest = events.slice(-siteEventsShown).reverse();

	return [
		saved === null && h("p", {class: "filters"}, eventChoices.map(
			([name, text]) => h("a", {href: address(sitePath(host, "events"),
				{show: name}), class: "button",
			"aria-current": name === shown ? "true" : null}, text))),
		table("Events, the newest first", [
			{head: "When", cell: one => when(one.time)},
			{head: "Event", cell: one => saved !== null
				? badge(eventKind(one), kindText(one.kind))
				: h("a", {class: `badge ${eventKind(one)}`,
					href: path("alerts", String(one.seq))}, kindText(one.kind))},
			{head: "What", cell: eventWhat},
			isWriter && {head: "Actions", class: "act", cell: eventActions},
		].filter(Boolean), newest, "Nothing has happened yet."),
		events.length >= siteEventsShown && h("p", {class: "soft"},
			`These are the newest ${siteEventsShown}.`),
	];
}

// The page.

function siteHead(site, isWriter) {
	return head(site.host, {
		crumbs: saved === null ? [link("/", "Sites")] : [],
		actions: [healthBadge(site), saved === null && isWriter &&
			h("a", {class: "button", href: siteApi(site.host, "report")},
				"Report to keep")],
		lede: ["Watched since ", when(site.added), ", from ", outside(site.url),
			"; last visit ", when(site.seen), ".", site.revisit_interval_s > 0 &&
				` Each page is visited again after ${
					duration(site.revisit_interval_s)}, those that change often ` +
				"sooner.",
			saved !== null && [" As of ", dateTime(saved.made), "."]],
	});
}

function siteTab(site, isWriter, {tab, show}) {
	switch (tab) {
	case "guards":
		return siteGuardsTab(site.host, isWriter);
	case "patterns":
		return sitePatternsTab(site.host);
	case "events":
		return siteEventsTab(site.host, isWriter, show);
	case "threshold":
		return siteThresholdTab(site, isWriter);
	case "settings":
		return siteSettingsTab(site);
	default:
		return siteTemplatesTab(site.host);
	}
}

function unknownSite(host, isWriter) {
	return [head(host, {crumbs: [link("/", "Sites")]}),
		empty("This site is not watched. ", isWriter && link(
			address("/ui/add", {url: host}), "Watch it"))];
}

// Read-only clients see only the incidents, templates and events of a site.
async function readerView(host, incidents, parameters) {
	const open = incidents.filter(incident => incident.state !== "ended");

	if (await find(siteApi(host, "templates")) === null)
		return unknownSite(host, false);
	return [
		head(host, {crumbs: [link("/", "Sites")]}),
		open.length > 0 ? incidentLines(open, await incidentTitles(open))
			: h("p", {class: "verdict good"},
			h("strong", null, "No open incident.")),
		tabs(siteTabList(host, false), "Parts of the site"),
		parameters.tab === "events"
			? await siteEventsTab(host, false, parameters.show)
			: await siteTemplatesTab(host),
	];
}

export async function siteView({host, ...parameters}) {
	const isWriter = await mayWrite();
	const [site, answer] = await Promise.all([
		isWriter || saved !== null ? find(siteApi(host)) : null,
		find(listPlace("/v1/incidents", {site: host}))]);
	const incidents = answer?.incidents || [];

	if (site === null)
		return isWriter ? unknownSite(host, true)
			: readerView(host, incidents, parameters);
	const isFirst = !parameters.tab;

	return [
		siteHead(site, isWriter),
		await siteHealth(site, incidents, isFirst),
		isFirst && siteFigures(site),
		tabs(siteTabList(host, isWriter), "Parts of the site"),
		await siteTab(site, isWriter, parameters),
	];
}
