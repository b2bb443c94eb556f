// Says what events mean: as sentences for the owner of a shop, and as evidence
// for those who want to know it exactly.

import {h} from "./dom.js";
import {count, dateTime, kindText, link, outside, pagePath, path, percent, sitePath,
	table, templatePath} from "./parts.js";

// Below this score the new place of a value is a guess.
export const likelyScore = 0.6;

const storyTextsShown = 60;
const depthShown = 4;
const lettersShown = 300;

// Return the first letters of a long text.
export function clip(text, size) {
	const letters = [...String(text)];

	return letters.length > size ? letters.slice(0, size).join("") + "…"
		: letters.join("");
}

export function quoted(text) {
	return `“${clip(text, 80)}”`;
}

export function templateLink(id, name) {
	return id ? link(templatePath(id), name || id) : "a template";
}

export function pageLink(url) {
	return link(pagePath(url), clip(url.replace(/^https?:\/\/[^/]*/, "") || url, 90));
}

// The candidate that probably is the new place; null if there is none.
export function bestCandidate(candidates) {
	const best = candidates?.[0];

	return best && (best.score === undefined || best.score >= likelyScore)
		? best : null;
}

// What happened to one thing of an incident. `event` is an event of the daemon.
export function findingOfEvent(event) {
	return {
		kind: event.kind, time: event.time, site: event.site,
		template: event.cluster, name: event.template_name,
		other: event.other, url: event.url, guard: event.guard,
		pages: event.pages, detail: event.detail || {}, number: event.seq,
	};
}

// The same of an entry in the lists of an incident, if its event is deleted.
export function findingOfEntry(what, entry, incident) {
	return {
		kind: `${what}.${entry.what}`, time: incident.began,
		site: incident.site, template: entry.template,
		name: what === "template" ? entry.name : null, other: null,
		url: null, guard: entry.guard || null, pages: entry.pages || 0,
		detail: entry, number: entry.evidence,
	};
}

// Sentences. Each function returns a list of sentences; a sentence is a list of
// texts and nodes.

function guardName({detail, guard, site}) {
	const text = detail.name ? quoted(detail.name)
		: detail.selector ? h("code", null, clip(detail.selector, 80))
			: `Guard ${guard || detail.guard}`;
	const number = guard || detail.guard;

	return number && site ? link(sitePath(site, "guards", String(number)), text)
		: text;
}

// "9 of 14 pages"; `all` may be unknown.
function pagesOf(part, all) {
	return all > 0 && all >= part
		? `${count(part)} of ${count(all, "page")}` : count(part, "page");
}

function because(finding) {
	return finding.detail.reason ? `: ${finding.detail.reason}` : "";
}

function newPlace(best) {
	return ["It is probably now at ", h("code", null, clip(best.selector, 120)),
		best.example ? ` (${quoted(best.example)}).` : "."];
}

function lostGuard(finding) {
	const {detail, pages} = finding;
	const best = bestCandidate(detail.candidates);

	return [
		[guardName(finding), " was no longer found on ",
			pagesOf(detail.failed || pages, detail.checked), "."],
		detail.name && detail.selector && ["The selector ",
			h("code", null, clip(detail.selector, 120)),
			" does not match there as it should."],
		best ? newPlace(best) : ["No likely new place of it is known."],
	];
}

function templateName(finding) {
	return templateLink(finding.template, finding.name);
}

// The templates that have the pages now.
function otherTemplates({detail, other, template}) {
	const given = Array.isArray(detail.to) ? detail.to : [];
	const ids = [...given.map(item => item?.template || item), other]
		.filter(id => typeof id === "string" && id !== template);

	return [...new Set(ids)].slice(0, 4).flatMap(
		(id, i) => [i === 0 ? ": " : ", ", templateLink(id)]);
}

function regionSentence(region) {
	return [region.where ? ["In ", h("code", null, clip(region.where, 100)), ", "]
		: "", h("code", null, clip(region.was, 100)), " is now ",
	h("code", null, clip(region.now, 100)), "."];
}

function changedTemplate(finding) {
	const {detail, pages} = finding;
	const agreed = detail.agreed > 0
		? `: ${pagesOf(detail.agreed, detail.seen)} agree`
		: pages > 0 ? `, on ${count(pages, "page")}` : "";

	return [
		["The pages of ", templateName(finding), " have a new design", agreed, "."],
		...(detail.regions || []).slice(0, 2).map(regionSentence),
		detail.reason && [`Why it is a change: ${detail.reason}.`],
	];
}

function restoredTemplate(finding) {
	const {version, until} = finding.detail.restored || {};

	return [["The pages of ", templateName(finding),
		" look again as they did before",
		version ? ` (version ${version}` : "",
		until ? [", which they had until ", dateTime(until)] : "",
		version ? ")." : "."]];
}

function splitTemplate(finding) {
	const {detail, pages} = finding;

	return [[detail.left > 0
		? `${pagesOf(pages, pages + detail.left)} of ` : "Some pages of ",
	templateName(finding), " have another design now",
	otherTemplates(finding), "."]];
}

function fieldName(finding) {
	const name = finding.detail.field ? quoted(finding.detail.field) : "A field";

	return finding.template
		? link(templatePath(finding.template, "fields"), name) : name;
}

function lostField(finding) {
	const {proposal} = finding.detail;
	const place = proposal?.addresses?.[0];

	return [
		["The field ", fieldName(finding), " of ", templateName(finding),
			" lost its values", because(finding), "."],
		place ? ["They are probably now at ", h("code", null, clip(place, 200)),
			proposal.tested > 0
				? `, as ${pagesOf(proposal.agreed, proposal.tested)} confirm.`
				: "."]
			: ["No other place of the pages has them."],
	];
}

function healedField(finding) {
	const {addresses, agreed, tested} = finding.detail;

	return [
		["The field ", fieldName(finding), " of ", templateName(finding),
			" was found at its new place, and nothing is left to do",
			because(finding), "."],
		addresses?.[0] && ["It is now at ", h("code", null,
			clip(addresses[0], 200)), tested > 0
			? `, as ${pagesOf(agreed, tested)} confirm.` : "."],
	];
}

export function valueText(value) {
	if (value === null || value === undefined)
		return "no value";
	return Array.isArray(value) ? value.map(valueText).join("; ")
		: quoted(typeof value === "object" ? JSON.stringify(value) : value);
}

function changedField(finding) {
	const changes = finding.detail.changes || [];

	return [
		["The field ", fieldName(finding), " has other values on ",
			count(finding.pages || changes.length, "page"), "."],
		...changes.slice(0, 3).map(change => [valueText(change.old), " is now ",
			valueText(change.new), " (", pageLink(change.url), ")."]),
	];
}

function regrouped({detail}) {
	return [["The pages were grouped anew",
		typeof detail.to === "number" && typeof detail.from === "number"
			? `, with the threshold ${detail.to} instead of ${detail.from}` : "",
		because({detail}), "."]];
}

function workingSite({detail}) {
	const words = {unreachable: "It did not answer", blocked: "It blocked visits",
		missing: "Its pages were missing", moved: "It had moved",
		alternates: "It showed two editions in turn"};

	return [["The site answers again."],
		detail.since && [words[detail.state] || "It was not as usual", " since ",
			dateTime(detail.since), "."]];
}

// "The site does not answer: timeout."
function plain(words) {
	return finding => [[words, because(finding), "."]];
}

function ofTemplate(before, after) {
	return finding => [[before, templateName(finding), after,
		otherTemplates(finding), because(finding), "."]];
}

function ofPage(before, after) {
	return ({url}) => [[before, url ? [" ", pageLink(url), " "] : " ", after, "."]];
}

const sentencesOf = {
	"guard.firing": lostGuard,
	"guard.resolved": finding => [[guardName(finding), " is found again."]],
	"guard.unmatched": finding => [["None of the pages that ",
		guardName(finding), " was found on exists any longer."]],
	"guard.suspended": finding => [[guardName(finding),
		" is not checked any longer",
		because(finding) || ": it takes too long", "."]],
	"guard.alternates": finding => [[guardName(finding), " is found at some ",
		"visits and missing at others, as in a test with two editions."]],
	"template.changed": changedTemplate,
	"template.replaced": finding => [["The pages of ", templateName(finding),
		" have another template now", otherTemplates(finding), "."],
	...changedTemplate(finding).slice(1)],
	"template.restored": restoredTemplate,
	"template.merged": ofTemplate("The pages of ", " now look like those of another template"),
	"template.split": splitTemplate,
	"template.removed": ofTemplate("The pages of ", " disappeared"),
	"template.added": finding => [["A new template appeared: ",
		templateName(finding), finding.pages > 0
			? `, with ${count(finding.pages, "page")}.` : "."]],
	"template.alternates": ofTemplate("The pages of ", " show two designs in turn"),
	"template.checked": ofTemplate("", " was checked, and no change was confirmed"),
	"template.rebuilt": ofTemplate("Only generated names changed in the pages of ", ""),
	"field.firing": lostField,
	"field.resolved": finding => [["The field ", fieldName(finding),
		" has values again", because(finding), "."]],
	"field.healed": healedField,
	"field.changed": changedField,
	"site.unreachable": plain("The site did not answer"),
	"site.blocked": plain("The site blocked our visits"),
	"site.missing": plain("The pages of the site are missing"),
	"site.moved": plain("The site has moved to another address"),
	"site.alternates": plain("The site shows two editions in turn"),
	"site.stale": plain("The site was not seen for long"),
	"site.exhausted": plain("A limit of the site is reached"),
	"site.ok": workingSite,
	"site.threshold_changed": regrouped,
	"page.added": ofPage("The page", "was added"),
	"page.changed": ofPage("The text of the page", "changed"),
	"page.removed": ofPage("The page", "disappeared"),
};

// Sentences about a finding, as a list of lists of nodes.
export function sentences(finding) {
	const tell = sentencesOf[finding.kind] || plain(kindText(finding.kind));

	return tell(finding).filter(Boolean);
}

// Evidence.

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

function scalarNode(name, value) {
	if (typeof value === "boolean")
		return value ? "yes" : "no";
	if (typeof value === "number" && name.endsWith("_ms") && value > 1e11)
		return dateTime(new Date(value).toISOString());
	if (typeof value === "number")
		return Number.isInteger(value) ? count(value) : String(value);
	if (isoTime.test(value))
		return dateTime(value);
	if (/^https?:\/\//i.test(value))
		return pageLink(value);
	return clip(value, lettersShown);
}

function isEmpty(value) {
	return value === null || value === undefined || value === "" ||
		(Array.isArray(value) && value.length === 0);
}

function listNode(name, list, depth) {
	return h("ul", {class: "plain"}, list.slice(0, storyTextsShown).map(
		item => h("li", null, anyNode(name, item, depth + 1))),
	list.length > storyTextsShown && h("li", {class: "soft"},
		`and ${count(list.length - storyTextsShown)} more`));
}

// Show a value whose meaning this program does not know.
function anyNode(name, value, depth) {
	if (isEmpty(value))
		return "–";
	if (typeof value !== "object")
		return scalarNode(name, value);
	if (depth >= depthShown)
		return h("code", null, clip(JSON.stringify(value), lettersShown));
	return Array.isArray(value) ? listNode(name, value, depth)
		: anyFacts(value, [], depth + 1);
}

// Show the members of an object, except those in `known`, as facts.
export function anyFacts(object, known = [], depth = 0) {
	const entries = Object.entries(object).filter(
		([name, value]) => !known.includes(name) && !isEmpty(value));

	return entries.length > 0 && h("dl", {class: "facts"}, entries.flatMap(
		([name, value]) => [h("dt", null, name.replaceAll("_", " ")),
			h("dd", null, anyNode(name, value, depth))]));
}

// A tree of paths such as "html>body>main.shop". Elements that are in a path
// only because one of their descendants is are soft.
function pathTree(items) {
	const root = {children: new Map()};

	for (const {text, ratio} of items) {
		let node = root;

		for (const name of text.split(">")) {
			if (!node.children.has(name))
				node.children.set(name, {children: new Map()});
			node = node.children.get(name);
		}
		node.ratio = ratio === undefined ? null : ratio;
	}
	return root;
}

function treeNode(name, node, isAfter) {
	// long chains of elements without a change are one row
	while (node.ratio === undefined && node.children.size === 1) {
		const [[child, next]] = node.children;

		name += " > " + child;
		node = next;
	}
	const isChange = node.ratio !== undefined;

	return h("li", null,
		h("span", {class: "row"},
			h(isChange ? (isAfter ? "ins" : "del") : "span", null,
				h("code", {class: isChange ? "" : "soft"}, clip(name, 200))),
			typeof node.ratio === "number" && h("span", {class: "of"},
				percent(node.ratio))),
		node.children.size > 0 && h("ul", null, [...node.children].map(
			([child, next]) => treeNode(child, next, isAfter))));
}

function moveSide(title, moves, isAfter, isTree) {
	const items = (isAfter ? moves?.come : moves?.gone) || [];
	const total = Math.max(items.length,
		(isAfter ? moves?.come_count : moves?.gone_count) || 0);
	const shown = items.slice(0, storyTextsShown);

	return h("section", {class: `side ${isAfter ? "after" : "before"}`},
		h("h3", null, title, h("span", null, count(total))),
		shown.length === 0 && h("p", {class: "moves soft"}, total > 0
			? "They are not listed." : "Nothing."),
		shown.length > 0 && h("div", {class: "moves", tabindex: 0, role: "region",
			"aria-label": title}, isTree
			? h("ul", {class: "tree"}, [...pathTree(shown).children].map(
				([name, node]) => treeNode(name, node, isAfter)))
			: h("ul", {class: "plain"}, shown.map(item => h("li", null,
				h(isAfter ? "ins" : "del", null, clip(item.text, lettersShown)),
				typeof item.ratio === "number" && h("span",
					{class: "soft small"}, " ", percent(item.ratio)))))),
		total > shown.length && shown.length > 0 && h("p",
			{class: "moves soft"}, `and ${count(total - shown.length)} more`));
}

// Whether the evidence names places or texts that came or went.
export function hasMoves(detail) {
	return [detail?.paths, detail?.fragments].some(moves =>
		moves?.gone?.length > 0 || moves?.come?.length > 0);
}

// What was removed and what was added, side by side, as trees.
export function movesNode(detail) {
	return h("div", {class: "sides"},
		moveSide("Places before", detail.paths, false, true),
		moveSide("Places after", detail.paths, true, true),
		moveSide("Texts before", detail.fragments, false, false),
		moveSide("Texts after", detail.fragments, true, false));
}

const nowWords = {page: "a page", gone: "missing", redirect: "leads elsewhere",
	moved: "moved", blocked: "not readable"};

// The pages that agree on a finding. They are URLs, or objects with "url".
export function pagesTable(list) {
	const pages = list.map(item => typeof item === "string" ? {url: item} : item)
		.filter(page => typeof page?.url === "string").slice(0, storyTextsShown);
	const has = name => pages.some(page => !isEmpty(page[name]));

	return table("Pages that agree", [
		{head: "Page", cell: page => pageLink(page.url)},
		has("now") && {head: "Is now",
			cell: page => nowWords[page.now] || page.now || ""},
		has("template") && {head: "Template",
			cell: page => page.template ? templateLink(page.template) : ""},
		has("to") && {head: "New address",
			cell: page => page.to ? pageLink(page.to) : ""},
		pages.some(page => page.matches !== undefined) && {head: "Matches",
			class: "num", cell: page => count(page.matches || 0)},
		has("value") && {head: "Value before",
			cell: page => page.value ? clip(page.value, 120) : ""},
		has("old") && {head: "Value before", cell: page => valueText(page.old)},
		has("old") && {head: "Value now", cell: page => valueText(page.new)},
		has("good") && {head: "Last found",
			cell: page => page.good ? dateTime(page.good) : ""},
	].filter(Boolean), pages, "No page is named.");
}

// Members that other parts of the page show.
const shownMembers = ["pages", "candidates", "paths", "fragments", "regions",
	"changes", "templates", "guards", "fields", "moved", "events", "reason",
	"incident"];

// All that is known about an event.
export function evidenceNode(finding) {
	const {detail} = finding;
	const pages = Array.isArray(detail.pages) ? detail.pages
		: Array.isArray(detail.changes) ? detail.changes : [];

	return [
		sentences(finding).map(parts => h("p", null, parts)),
		pages.length > 0 && pagesTable(pages),
		hasMoves(detail) && movesNode(detail),
		anyFacts(detail, shownMembers),
	];
}

// The head of the evidence: a link to the event.
export function evidenceTitle(finding) {
	return h("h3", null, kindText(finding.kind), " ", h("span",
		{class: "soft small"}, dateTime(finding.time), finding.number > 0 && [", ",
			link(path("alerts", String(finding.number)),
				`event ${finding.number}`)]));
}

export function movedTable(list) {
	return table("URLs that moved", [
		{head: "From", cell: item => pageLink(item.from)},
		{head: "To", cell: item => pageLink(item.to)},
	], list.filter(item => item?.from && item?.to).slice(0, storyTextsShown),
	"No URL moved.");
}

// What is where now, by the regions of the templates.
export function regionsTable(regions) {
	return table("What moved where", [
		{head: "Part", cell: region => h("code", null,
			clip(region.where || "the page", 160))},
		{head: "Before", cell: region => [h("code", null, clip(region.was, 160)),
			(region.elements || []).map(element => h("div", {class: "soft"},
				h("code", null, clip(element.was, 120))))]},
		{head: "Now", cell: region => [h("code", null, clip(region.now, 160)),
			(region.elements || []).map(element => h("div", {class: "soft"},
				h("code", null, clip(element.now, 120))))]},
		{head: "Pages", class: "num", cell: region => count(region.pages || 0)},
	], regions, "Nothing moved.");
}

export function originalLink(url) {
	return outside(url, clip(url.replace(/^https?:\/\//, ""), 100));
}
