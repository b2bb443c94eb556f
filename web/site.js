// One site: is it well, what are its templates, and how is it watched?

import {h, svg} from "./dom.js";
import {ApiError, address, find, get, lines, mayWrite, post, remove,
	saved} from "./api.js";
import {histogram, sparkline, strip} from "./charts.js";
import {badge, bytes, button, checkbox, choice, confirmed, count, dateTime, empty,
	facts, field, figures, form, go, head, help, kindText, link, notice,
	outside, pagePath, panel, path, percent, say, sitePath, table, tabs,
	templatePath, when} from "./parts.js";
import {healthBadge, healthOf} from "./sites.js";

const siteRows = 500;
const siteEventsShown = 300;

// The path of the API about a site; more parts may follow.
export function siteApi(host, ...more) {
	return "/v1/sites/" + [host, ...more].map(encodeURIComponent).join("/")
		.replaceAll("%3A", ":");
}

// Of "HOST/3" with its name, if it has one. "" if there is no template.
export function templateLink(id, name) {
	if (!id)
		return "";
	return link(templatePath(id), name || h("code", null, id));
}

// A link to a stored page.
export function pageLink(url, title) {
	return link(pagePath(url), title || url.replace(/^https?:\/\/[^/]*/, "") || url);
}

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
			link(path("incidents", String(incident.id)),
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
			{head: "Guard", cell: one => link(sitePath(host, "guards",
				String(one.id)), guardName(one))},
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
			crumbs: [link("/", "Sites"), link(sitePath(host), host),
				link(sitePath(host, "guards"), "Guards")],
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
	const events = await lines("/v1/events",
		{site: host, kinds, newest: 1, limit: siteEventsShown});
	const newest = events.slice(-siteEventsShown).reverse();

	return [
		saved === null && h("p", {class: "filters"}, eventChoices.map(
			([name, text]) => h("a", {href: address(sitePath(host, "events"),
				{show: name}), class: "button",
			"aria-current": name === shown ? "true" : null}, text))),
		table("Events, the newest first", [
			{head: "When", cell: one => when(one.time)},
			{head: "Event", cell: one => h("a", {
				class: `badge ${eventKind(one)}`,
				href: path("alerts", String(one.seq))}, kindText(one.kind))},
			{head: "What", cell: eventWhat},
			isWriter && {head: "Do", class: "act", cell: eventActions},
		].filter(Boolean), newest, "Nothing has happened yet."),
		events.length >= siteEventsShown && h("p", {class: "soft"},
			`These are the newest ${siteEventsShown}.`),
	];
}

// The threshold: how alike pages of one template must be.

function setThreshold(site, threshold) {
	return post("/v1/sites", {url: site.url, threshold});
}

// What a threshold would give, by the curve of the answer.
function thresholdPoint(answer, threshold) {
	return answer.curve.reduce((best, point) =>
		Math.abs(point.threshold - threshold) <
			Math.abs(best.threshold - threshold) ? point : best, answer.curve[0]);
}

function thresholdText(answer, threshold) {
	const point = thresholdPoint(answer, threshold);

	return point ? `gives ${count(point.clusters, "group")}, ` +
		`${count(point.sizable)} of them templates` : "";
}

function thresholdForm(site, answer) {
	const result = h("output", {class: "soft small", "aria-live": "polite"},
		thresholdText(answer, answer.threshold));

	return panel("Set it",
		form([
			field("Threshold", "threshold", {type: "number", min: 0, max: 1,
				step: 0.001, value: String(answer.threshold),
				required: true, oninput: event => {
					result.textContent = thresholdText(answer,
						Number(event.target.value));
				}, about: "0: only pages with the same structure are one " +
					"template. 1: all pages are. It applies at once; no page is " +
					"visited for it."}),
			result,
		], "Group the pages anew", ({threshold}) =>
			setThreshold(site, Number(threshold)),
		{done: "The pages are grouped anew."}),
		h("p", {class: "actions"}, button(
			`Use the suggestion, ${answer.suggestion.threshold}`,
			() => setThreshold(site, answer.suggestion.threshold),
			{done: "The pages are grouped anew."}),
		!answer.auto && button("Let the daemon choose",
			() => setThreshold(site, "auto"),
			{done: "The daemon chooses the threshold from now on."})));
}

const thresholdNames = {
	plateau: "begin of a stable range",
	site: "the whole site",
	suggestion: "suggested",
	template: "in use",
};

// The named thresholds and some of the curve; each threshold is one row.
function thresholdRows(answer) {
	const rows = new Map();

	for (const point of [...answer.thresholds,
		...answer.curve.filter((each, i) => i % 5 === 0)]) {
		const row = rows.get(point.threshold) || {...point, names: []};

		if (point.name)
			row.names.push(point.name);
		rows.set(point.threshold, row);
	}
	return [...rows.values()].sort((a, b) => a.threshold - b.threshold);
}

function thresholdTable(site, answer, isWriter) {
	return table("What other thresholds would give", [
		{head: "Threshold", class: "num", cell: one => h("span", null,
			one.names.map(name => [badge(name === "template" ? "busy" : "",
				thresholdNames[name] || name), " "]),
			one.threshold.toFixed(2))},
		{head: "Groups", class: "num", cell: one => count(one.clusters)},
		{head: "Templates", class: "num", cell: one => count(one.sizable)},
		{head: "Pages in them", class: "num",
			cell: one => count(one.sizable_pages)},
		{head: "Largest, pages", class: "num",
			cell: one => count(one.largest_pages)},
		isWriter && {head: "Do", class: "act", cell: one =>
			one.threshold === answer.threshold ? "" : button("Use",
				() => setThreshold(site, one.threshold),
				{done: "The pages are grouped anew."})},
	].filter(Boolean), thresholdRows(answer), "");
}

// The number of pairs of pages at each distance. Few pairs must be seen beside
// many, so the heights are logarithms.
function thresholdHistogram(answer) {
	const {pairs, gap} = answer.histogram;
	const marks = [[answer.threshold, `in use: ${answer.threshold}`]];

	if (answer.suggestion.threshold !== answer.threshold)
		marks.push([answer.suggestion.threshold,
			`suggested: ${answer.suggestion.threshold}`]);
	return h("figure", {class: "distances"},
		histogram("Pairs of pages by their distance, from 0 to 1. " +
			(gap ? `Hardly any two pages are ${gap[0]} to ${gap[1]} apart. ` : "") +
			marks.map(mark => mark[1]).join(", "),
		pairs.map(value => Math.log1p(value)), marks),
		h("div", {class: "axis", "aria-hidden": "true"}, ["0", "0.25", "0.5", "0.75",
			"1"].map(text => h("span", null, text))),
		h("figcaption", {class: "soft small"}, "Pairs of pages by their ",
			"distance: left, pages that look the same; right, pages that have ",
			"nothing in common (heights are logarithms). The line is the ",
			"threshold in use.",
			gap && ` Hardly any two pages are ${gap[0]} to ${gap[1]} apart.`));
}

// The groups that come together at each distance, the largest first.
function thresholdTree(tree) {
	const leaves = [];
	const rowOf = index => {
		const inside = tree.map((node, i) => node.parent === index ? rowOf(i) : null)
			.filter(row => row !== null);

		if (inside.length === 0)
			leaves.push(index);
		rows[index] = inside.length > 0
			? inside.reduce((sum, row) => sum + row, 0) / inside.length
			: leaves.length - 0.5;
		return rows[index];
	};
	const rows = [];

	tree.forEach((node, i) => node.parent === null && rowOf(i));
	return {leaves, rows};
}

function thresholdDrawing(tree, threshold) {
	const {leaves, rows} = thresholdTree(tree);
	const height = leaves.length * 16;
	const x = share => (100 * share).toFixed(1) + "%";
	const y = row => (16 * row).toFixed(1);

	return svg("svg", {class: "dendrogram", role: "img", width: "100%", height,
		"aria-label": `${count(leaves.length, "group")} of pages, and at which ` +
			"distance they come together"},
	tree.map((node, i) => [
		svg("line", {x1: x(node.height), x2: x(node.end), y1: y(rows[i]),
			y2: y(rows[i])}, svg("title", null,
			`${count(node.pages, "page")}, such as ${node.example}`)),
		node.parent !== null && svg("line", {x1: x(node.end), x2: x(node.end),
			y1: y(rows[i]), y2: y(rows[node.parent])}),
	]).flat().filter(Boolean),
	svg("line", {class: "mark", x1: x(threshold), x2: x(threshold), y1: 0,
		y2: height}, svg("title", null, `in use: ${threshold}`)));
}

function thresholdLede(answer) {
	const reason = answer.suggestion.reason.replace(/\.?$/, ".");

	return [
		h("p", null, "The distance of two pages says how different their ",
			"structure is: 0, they are the same; 1, they have nothing in ",
			"common. Pages up to the ", h("strong", null, "threshold"),
			" apart belong to one template. Too small, and one template falls ",
			"into several; too large, and different templates become one."),
		figures([
			["Threshold in use", answer.threshold,
				answer.auto ? "chosen by the daemon" : "set by hand"],
			["Suggested", answer.suggestion.threshold,
				answer.suggestion.threshold === answer.threshold
					? "as it is" : `gives ${count(answer.suggestion.sizable,
						"template")}`],
			["Pages", count(answer.pages),
				`${count(answer.signatures)} different structures`],
		]),
		h("p", null, h("strong", null, "Why this suggestion: "), reason),
	];
}

async function siteThresholdTab(site, isWriter) {
	let answer;

	try {
		answer = await get(siteApi(site.host, "thresholds"));
	} catch (error) {
		if (!(error instanceof ApiError) || error.status === 0)
			throw error;
		return [empty("The distances cannot be shown: ", error.message)];
	}
	if (answer.pages === 0)
		return [empty("It has no pages yet.")];
	return [
		thresholdLede(answer),
		isWriter && thresholdForm(site, answer),
		h("h2", null, "Distances"),
		answer.histogram && thresholdHistogram(answer),
		answer.tree?.length > 1 && [h("h2", null, "How pages come together"),
			h("div", {class: "scroll drawing", tabindex: 0, role: "region",
				"aria-label": "Groups of pages by distance"},
			thresholdDrawing(answer.tree, answer.threshold))],
		h("h2", null, "Other thresholds"),
		thresholdTable(site, answer, isWriter),
	];
}

// The settings.

const timeUnits = [["1", "seconds"], ["60", "minutes"], ["3600", "hours"],
	["86400", "days"]];
const pauseUnits = [["1", "milliseconds"], ["1000", "seconds"]];
const sizeUnits = [["1", "bytes"], ["1000000", "MB"], ["1048576", "MiB"],
	["1000000000", "GB"], ["1073741824", "GiB"]];

// A number with the largest unit in which it is whole.
function amount(label, name, value, units, about) {
	const unit = [...units].reverse().find(([size]) => value > 0 &&
		value % Number(size) === 0) || units[units === sizeUnits ? 1 : 0];

	return h("div", {class: "field-of"},
		h("label", null, label, h("span", {class: "amount"},
			h("input", {name, type: "number", min: 0, step: "any",
				required: true, value: String(value / unit[0])}),
			h("select", {name: `${name}_unit`, "aria-label": `Unit: ${label}`},
				units.map(([size, text]) => h("option", {value: size,
					selected: size === unit[0]}, text))))),
		help(label, about));
}

function amountOf(values, name) {
	return Math.round(Number(values[name]) * Number(values[`${name}_unit`]));
}

function visitFields(site) {
	return [
		field("Pages, at most", "max_pages", {type: "number", min: 1,
			value: String(site.max_pages), required: true,
			about: "So many pages of the site are visited and kept."}),
		field("Links from the first page, at most", "max_depth", {type: "number",
			min: 0, max: 65535, value: String(site.max_depth), required: true,
			about: "0: only the first page. 2: also pages that are two clicks " +
				"away from it."}),
		amount("Pause between two visits", "delay_ms", site.delay_ms, pauseUnits,
			"The longer the pause, the less the site notices. If its " +
				"robots.txt asks for a longer one, that one holds."),
		amount("Visit each page again after", "revisit_interval_s",
			site.revisit_interval_s, timeUnits, "0: pages are visited once. " +
				"Pages that change often are visited more often."),
		amount("Look for changed templates every", "check_interval_s",
			site.check_interval_s, timeUnits, "Some pages of each template are " +
				"visited so often to see whether it has changed. 0: never."),
		field("Leave a pattern after dull pages", "pattern_stop_after",
			{type: "number", min: 0, max: 1000000, required: true,
				value: String(site.pattern_stop_after),
				about: "If so many pages with similar addresses show nothing " +
					"new, the others are not visited. 0: all are visited."}),
		amount("Bytes of the first round, at most", "max_bytes", site.max_bytes,
			sizeUnits, "The first round of visits ends when so much was " +
				"received. 0: no limit."),
		amount("Time of the first round, at most", "max_seconds",
			site.max_seconds, timeUnits, "0: no limit."),
		field("Threshold, 0 to 1, or auto", "threshold", {required: true,
			value: site.auto ? "auto" : String(site.threshold),
			pattern: "auto|0|1|[01]?\\.[0-9]+", about: "Pages up to this distance " +
				"apart are one template. auto: the daemon chooses it. The tab " +
				"Threshold shows what it does."}),
	];
}

function siteFlags(site) {
	return [
		checkbox("read sitemaps", "sitemaps", site.sitemaps,
			"Sitemaps are lists of pages that sites offer."),
		checkbox("notice pages that are missing without saying so",
			"soft_404_probe", site.soft_404_probe, "An address that cannot " +
				"exist is visited, to learn how the site says: not found."),
		checkbox("return cookies", "cookies", site.cookies,
			"Cookies of the site are sent back to it, as a browser does."),
		checkbox("allow private addresses", "allow_private", site.allow_private,
			"Needed for sites in your own network. Otherwise such addresses " +
				"are refused, so that no site can reach into your network."),
	];
}

function renderFields(site) {
	return [
		choice("Run scripts in a browser", "render", [
			["auto", "if a page needs it"], ["always", "always"],
			["never", "never"]], site.render, "Some pages are empty until their " +
				"scripts run. This takes a browser (render.browser) and more time."),
		field("Wait for", "render_wait", {value: site.render_wait,
			maxlength: 512, spellcheck: "false", placeholder: ".price",
			about: "A CSS selector: the page is complete when it matches. " +
				"Empty: when the page has settled."}),
		field("Click on", "render_click", {value: site.render_click,
			maxlength: 512, spellcheck: "false", placeholder: "#accept",
			about: "A CSS selector: its first element is clicked when the page " +
				"has settled. Empty: nothing is clicked."}),
		checkbox("scroll to the end", "render_scroll", site.render_scroll,
			"For pages that load more while you scroll."),
	];
}

function addressFields(site) {
	const rule = "One pattern a line, as in robots.txt: /news/ means all " +
		"addresses that begin so, * means anything, $ the end.";

	return [
		field("Visit only these addresses", "include", {type: "textarea",
			wide: true, spellcheck: "false", placeholder: "/news/",
			value: site.include.join("\n"), about: rule + " Empty: all."}),
		field("Do not visit these", "exclude", {type: "textarea", wide: true,
			spellcheck: "false", placeholder: "/cart",
			value: site.exclude.join("\n"), about: rule}),
	];
}

function secretFields(site) {
	return [
		field("New headers of each request", "headers", {type: "textarea",
			wide: true, spellcheck: "false", autocomplete: "off",
			placeholder: "Name: value", about: ["One a line. Empty: they stay as ",
				"they are. Now: ", site.headers ? h("code", null, site.headers)
					: "none", ". Values are not shown."]}),
		checkbox("send no headers any longer", "no_headers", false),
		field("New proxy", "proxy", {autocomplete: "off",
			wide: true, placeholder: "http://proxy.example:3128",
			about: ["All visits go through it. Empty: it stays as it is. Now: ",
				site.proxy ? h("code", null, site.proxy) : "none", "."]}),
		checkbox("use no proxy any longer", "no_proxy", false),
	];
}

function linesOf(text) {
	return text.split("\n").map(line => line.trim()).filter(line => line !== "");
}

// {Name: value} of lines "Name: value".
function headersOf(text) {
	return Object.fromEntries(linesOf(text).map(line => {
		const colon = line.indexOf(":");

		if (colon < 1)
			throw new ApiError(400, "bad_header",
				`"${line}" has not the form Name: value.`);
		return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
	}));
}

function siteRequest(site, values) {
	const request = {url: site.url,
		threshold: values.threshold === "auto" ? "auto" : Number(values.threshold),
		include: linesOf(values.include), exclude: linesOf(values.exclude),
		render: values.render, render_wait: values.render_wait.trim(),
		render_click: values.render_click.trim()};

	for (const name of ["max_pages", "max_depth", "pattern_stop_after"])
		request[name] = Number(values[name]);
	for (const name of ["delay_ms", "revisit_interval_s", "check_interval_s",
		"max_bytes", "max_seconds"])
		request[name] = amountOf(values, name);
	for (const name of ["sitemaps", "soft_404_probe", "cookies", "allow_private",
		"render_scroll"])
		request[name] = name in values;
	if ("no_headers" in values)
		request.headers = {};
	else if (values.headers.trim() !== "")
		request.headers = headersOf(values.headers);
	if ("no_proxy" in values)
		request.proxy = "";
	else if (values.proxy.trim() !== "")
		request.proxy = values.proxy.trim();
	return request;
}

function settingsGroup(title, fields) {
	return h("fieldset", {class: "group"}, h("legend", null, title),
		h("div", {class: "fields"}, fields));
}

function siteDeletion(site) {
	return panel("Delete this site",
		h("p", null, "Deletes its pages, templates and guards with all data ",
			"about them. This cannot be undone."),
		h("button", {type: "button", class: "danger", onclick: async () => {
			if (!await confirmed(`Delete ${site.host} and all its data?`,
				"Delete it"))
				return;
			try {
				await remove(siteApi(site.host));
				say(`${site.host} is deleted.`);
				go("/");
			} catch (error) {
				say(error.message, "bad");
			}
		}}, `Delete ${site.host}`));
}

function siteSettingsTab(site) {
	const isWatched = !site.sample && !site.offline;

	return [
		!isWatched && notice("warn", "This site is not watched: its pages were ",
			"given to the daemon or asked for. Saving these settings watches it."),
		h("section", {class: "panel settings"}, form([
			settingsGroup("Visits", visitFields(site)),
			settingsGroup("Also", siteFlags(site)),
			settingsGroup("Browser", renderFields(site)),
			settingsGroup("Addresses", addressFields(site)),
			settingsGroup("Headers and proxy", secretFields(site)),
		], isWatched ? "Save" : "Watch with these settings",
		async values => post("/v1/sites", siteRequest(site, values)),
		{done: "The settings are saved."})),
		h("p", {class: "soft"}, `Pages are compared by the measure ` +
			`${site.measure}${site.shingle_width > 0
				? `, width ${site.shingle_width}` : ""}; this cannot be changed.`),
		panel("Take it with you", h("ul", null,
			h("li", null, link(siteApi(site.host, "report"), "A report to keep"),
				", one file that any browser shows"),
			h("li", null, link(siteApi(site.host, "feed"), "Its alerts as a feed"),
				" for a feed reader"),
			h("li", null, h("a", {href: address(siteApi(site.host, "texts"),
				{format: "csv"}), download: ""}, "The texts of its pages"), ", CSV"),
			h("li", null, h("a", {href: siteApi(site.host, "bundle"), download: ""},
				"Its templates as one file"), " for other programs"))),
		siteDeletion(site),
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
		find(siteApi(host)), find("/v1/incidents", {site: host}), mayWrite()]);

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
