// One site: is it well, what are its templates, and how is it watched?

import {h} from "./dom.js";
import {address, find, get, lines, listPlace, mayWrite, post, remove, saved,
	siteApi} from "./api.js";
import {sparkline, strip} from "./charts.js";
import {badge, button, bytes, choice, count, dateTime, empty, facts, field,
	figures, form, go, head, help, kindText, link, linkIfSaved, notice, outside,
	pageLink, pagePath, panel, path, percent, say, sitePath, table, tabs,
	templateLink, when} from "./parts.js";
import {healthBadge, healthOf} from "./sites.js";
import {siteThresholdTab} from "./threshold.js";
import {siteSettingsTab} from "./site_settings.js";

const siteRows = 500;
const siteEventsShown = 300;

// What the states of guards mean: [colour, word].
const guardWords = {
	"ok": ["good", "matches"],
	"firing": ["bad", "no longer matches"],
	"never held": ["warn", "never matched"],
	"suspended": ["warn", "waits"],
	"unmatched": ["warn", "its pages are gone"],
	"alternates": ["warn", "matches now and then"],
	"checking": ["busy", "is being checked"],
};

function guardBadge(guard) {
	const [kind, word] = guardWords[guard.state] || ["", guard.state];

	return badge(kind, word);
}

function guardName(guard) {
	return guard.name || `guard ${guard.id}`;
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

	if (open.length > 0 || state === "alert")
		return h("p", {class: "verdict bad"}, h("strong", null,
			open.length > 0 ? count(open.length, "open incident")
				: "It needs you"), ". ",
		firing_guards > 0 && `${count(firing_guards, "selector")} no longer ` +
			`${firing_guards === 1 ? "matches" : "match"}. `,
		firing_fields > 0 && `${count(firing_fields, "field")} lost ` +
			`${firing_fields === 1 ? "its" : "their"} values. `);
	return h("p", {class: `verdict ${kind}`}, h("strong", null,
		state === "ok" ? "All is well." : state === "new" ? "It is being learned."
			: "Look at it."), " ", rest);
}

function siteIncidents(open) {
	return open.length > 0 && h("ul", {class: "plain incidents"}, open.map(
		incident => h("li", null,
			badge(incident.severity === "alert" ? "bad" : "warn",
				kindText(incident.kind)), " ",
			linkIfSaved(`/v1/incidents/${incident.id}`,
				path("incidents", String(incident.id)),
				incident.summary || "Show it"), " ",
			h("span", {class: "soft"}, "since ", when(incident.began)),
			incident.acknowledged && [" ", badge("", "acknowledged")])));
}

function siteDays(site) {
	const days = healthOf(site).days || [];
	const visits = days.map(day => day.visits);
	const sum = visits.reduce((all, some) => all + some, 0);

	return days.length > 0 && h("div", {class: "days"},
		h("figure", null, strip(days), h("figcaption", {class: "soft small"},
			`The last ${days.length} days, today at the right `,
			help("a day's colour", "Green: visited, no incident. Red: an ",
				"incident began. Yellow: something may have changed, or no ",
				"visit succeeded. Empty: no visit. Days are those of UTC."))),
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

function siteHealth(site, incidents) {
	const open = incidents.filter(incident => incident.state !== "ended");

	return [
		siteVerdict(site, open),
		site.paused && notice("warn",
			`Visits are paused: ${site.paused.replace(/\.?$/, ".")}`),
		siteIncidents(open),
		siteDays(site),
		siteProgress(site),
	];
}

function siteFigures(site) {
	const odd = Object.entries(site.classes || {}).filter(
		([name]) => name !== "page");

	return figures([
		["Pages", count(site.pages),
			odd.map(([name, number]) => `${count(number)} ${name}`).join(", ")],
		["Templates", count(site.templates),
			`pages up to ${site.threshold} apart`],
		["Visited", count(site.tried),
			`of ${count(site.max_pages)} at most`],
		["Failed visits", count(site.failed),
			site.skipped > 0 && `${count(site.skipped)} others were not needed`],
		["Received", bytes(site.spent_bytes),
			`a pause of ${site.delay_ms / 1000} s between visits`],
	]);
}

// The tabs of a site.

const siteTabs = [
	["", "Templates", null, true],
	["guards", "Guards", "guards", false],
	["patterns", "Addresses", "patterns", false],
	["events", "Events", null, true],
	["threshold", "Threshold", "thresholds", false],
	["settings", "Settings", null, false],
];

// A saved report has the tabs whose answers it has; readers have those that
// the API gives them.
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
			"is not visited further; the settings say after how many pages."),
		table("Patterns of its addresses", [
			{head: "Pattern", cell: one => h("span", null,
				h("code", null, one.pattern), " ",
				one.kind === "coarse" && badge("", "group"))},
			{head: "State", cell: one => badge(...patternWords[one.state] ||
				["", one.state])},
			{head: "Found", class: "num", cell: one => count(one.found)},
			{head: "Visited", class: "num", cell: one => count(one.visited)},
			{head: "Learned", class: "num", cell: one => count(one.learned)},
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

function newGuardForm(host, templates) {
	const sample = templates[0]?.sample[0]?.url;

	return panel("New guard",
		h("p", {class: "soft"}, "A guard checks that each page still has ",
			"something, such as a price, and alerts you when it has not. ",
			sample && ["The easier way: ", link(pagePath(sample), "open a page"),
				" and click what must stay."]),
		form([
			field("Selector", "selector", {wide: true, required: true,
				placeholder: "h1.title", spellcheck: "false", maxlength: 4096,
				about: "It tells which elements are meant: .price are those of " +
					"the class price. An XPath begins with / or (."}),
			field("Name", "name", {maxlength: 64, placeholder: "price",
				about: "It stands in alerts."}),
			field("Matches on a page", "expect", {value: "1",
				pattern: "[0-9]+(\\.\\.[0-9]*)?", about: "How many elements a " +
					"page must have: 1, 0 (none), 1.. (one or more), or 2..5."}),
			choice("Template", "cluster", [["", "all pages"], ...templates.map(
				one => [one.id.slice(one.id.lastIndexOf("/") + 1),
					one.name || one.id])], "",
			"Only pages of this template must have it."),
		], "Guard it", ({selector, name, expect, cluster}, sent) =>
			addSiteGuard(host, {
				[/^\s*[/(]/.test(selector) ? "xpath" : "css"]: selector.trim(),
				expect: expect || "1", ...name && {name},
				...cluster && {cluster: Number(cluster)},
			}).then(() => sent.reset())));
}

async function siteGuardsTab(host, isWriter) {
	const [{guards}, templates] = await Promise.all([
		get(siteApi(host, "guards")), find(siteApi(host, "templates"))]);

	return [
		table("Guards", [
			{head: "Guard", cell: one => linkIfSaved(
				siteApi(host, "guards", String(one.id)),
				sitePath(host, "guards", String(one.id)), guardName(one))},
			{head: "State", cell: guardBadge},
			{head: "Selector", cell: one => h("code", null, one.selector)},
			{head: "Matches", cell: one => one.expect},
			{head: "Pages", class: "num", cell: one => count(one.pages)},
			{head: "Failing", class: "num", cell: one => count(one.failing)},
			{head: "Template", cell: one =>
				templateLink(one.cluster, one.template_name) || "all pages"},
		], guards.slice(0, siteRows), "This site has no guards."),
		isWriter && newGuardForm(host, templates?.templates || []),
	];
}

// A guard that is asked for in place of `guard`.
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
	return guard.candidates?.length > 0 && [
		h("h2", null, "Where it is now, probably"),
		table("Candidates for another selector", [
			{head: "Selector", cell: one => h("code", null, one.selector)},
			{head: "Likeness", class: "num", cell: one => percent(one.score)},
			{head: "Pages", class: "num", cell: one => count(one.pages)},
			{head: "Value", cell: one => one.example},
			isWriter && {head: "Do", class: "act", cell: one => [
				button("Use instead", () => replaceGuard(guard, one.selector)
					.then(added => go(sitePath(guard.site, "guards",
						String(added.id)))),
					{sure: `Delete the guard ${guardName(guard)}, and guard ` +
						`${one.selector} instead?`}), " ",
				button("Guard as well", () => addSiteGuard(guard.site,
					{...sameGuard(guard, one.selector), name: undefined}))]},
		].filter(Boolean), guard.candidates, ""),
	];
}

function guardFacts(guard) {
	return facts([
		["Selector", h("span", null, h("code", null, guard.selector), " ",
			h("span", {class: "soft"}, guard.language === "css" ? "CSS" : "XPath"))],
		["Matches on a page", guard.expect],
		["Pages", `${count(guard.failing)} failing of ${count(guard.pages)}; ` +
			`${count(guard.agreed)} of the last ${count(guard.seen)} agree`],
		["Template", templateLink(guard.cluster, guard.template_name) ||
			"all pages of the site"],
		["Since", h("span", null, when(guard.created), "; state changed ",
			when(guard.changed))],
	]);
}

export async function guardView({host, number}) {
	const [guard, isWriter] = await Promise.all([
		get(siteApi(host, "guards", number)), mayWrite()]);

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
		guardCandidates(guard, isWriter),
		guard.sample?.length > 0 && [
			h("h2", null, "Pages"),
			table("Pages that were checked", [
				{head: "Page", cell: one => pageLink(one.url)},
				{head: "Matches", class: "num", cell: one => count(one.matches)},
				{head: "Value", cell: one => one.value},
				{head: "Last held", cell: one => when(one.good)},
			], guard.sample, ""),
		],
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
			isWriter && {head: "Do", class: "act", cell: eventActions},
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
			"; last visit ", when(site.seen), ".",
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

export async function siteView({host, ...parameters}) {
	const [site, incidents, isWriter] = await Promise.all([
		find(siteApi(host)), find(listPlace("/v1/incidents", {site: host})),
		mayWrite()]);

	// readers may see only its templates and events
	if (site === null && (isWriter ||
	    await find(siteApi(host, "templates")) === null))
		return unknownSite(host, isWriter);
	return [
		site === null ? head(host, {crumbs: [link("/", "Sites")]})
			: siteHead(site, isWriter),
		site !== null && siteHealth(site, incidents?.incidents || []),
		site === null && siteIncidents((incidents?.incidents || []).filter(
			incident => incident.state !== "ended")),
		site !== null && siteFigures(site),
		tabs(siteTabList(host, isWriter), "Parts of the site"),
		await siteTab(site || {host}, isWriter, parameters),
	];
}
