// Says what events mean: as sentences for the owner of a shop, and as evidence
// for those who want to know it exactly.

import {h} from "./dom.js";
import {find, saved, templateApi} from "./api.js";
import {count, dateTime, kindText, link, linkIfSaved, pageLink, path, sitePath,
	table, templateLink, templatePath} from "./parts.js";
import {pathBeginnings, pathSide, textSide} from "./versions.js";

// Below this score the new place of a value is a guess.
export const likelyScore = 0.6;

const itemsShown = 60;
const changesShown = 200;
const depthShown = 4;
const lettersShown = 300;

// Return the first letters of a long text.
export function clip(text, size) {
	const letters = [...String(text)];

	return letters.length > size ? letters.slice(0, size).join("") + "…"
		: letters.join("");
}

// The value if it is a list; otherwise an empty one.
export function listOf(value) {
	return Array.isArray(value) ? value : [];
}

export function quoted(text) {
	return `“${clip(text, 80)}”`;
}

const wholePages = /^(html|head|body)\b/;

function plainText(text) {
	return String(text ?? "").replace(/\s+/g, " ").trim();
}

// The candidates without those that surround a better one, that have the same
// value, or that are the whole page.
export function usefulCandidates(candidates) {
	const kept = [];

	for (const one of listOf(candidates)) {
		const value = plainText(one.example);
		const place = kept.findIndex(better => plainText(better.example) !== "" &&
			value.includes(plainText(better.example)));

		if (wholePages.test(one.selector))
			continue;
		if (place < 0)
			kept.push(one);
		else if (isSteadier(one, kept[place]))
			kept[place] = one;
	}
	return kept;
}

// Whether `one` has the same value as `other`, is about as sure, and does not
// count elements, as "div:nth-of-type(1)" does.
function isSteadier(one, other) {
	return plainText(one.example) === plainText(other.example) &&
		other.selector.includes(":nth-") && !one.selector.includes(":nth-") &&
		other.score - one.score < 0.05;
}

// The candidate that probably is the new place; null if there is none.
export function bestCandidate(candidates) {
	const best = usefulCandidates(candidates)[0];

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

// Titles of incidents.

// "the price" of the name of a guard or a field, or what else is known of it.
export function thingName({name, field, selector}) {
	const given = name || field;

	if (given)
		return /^\p{Ll}[\p{L}\d ]*$/u.test(given) ? `the ${given}`
			: quoted(given);
	return selector ? `the part “${clip(selector, 40)}”` : "a guarded part";
}

function upperFirst(text) {
	return text.replace(/^\p{Ll}/u, letter => letter.toUpperCase());
}

// "the price, the title and 2 more"
function thingNames(things) {
	const names = [...new Set(things.map(thingName))];
	const last = names.length > 3 ? `${names.length - 2} more` : names.at(-1);

	return names.length === 1 ? last : names.slice(0, names.length > 3 ? 2 : -1)
		.join(", ") + ` and ${last}`;
}

function textTitle(guards) {
	const [{name, texts}] = guards;
	const url = listOf(texts)[0]?.url || "";

	return name ? `The text ${quoted(name)} changed`
		: `The text of ${url.replace(/^https?:\/\/[^/]*/, "") || "a page"} changed`;
}

// "The price is gone from 7 of 14 pages." `incident` is whole, with its detail.
export function incidentTitle({kind, detail}) {
	const guards = listOf(detail?.guards), fields = listOf(detail?.fields);
	const templates = listOf(detail?.templates);
	const lost = guards.filter(guard => guard.what === "firing");

	if (kind === "incident.text" && guards.length > 0)
		return textTitle(guards);
	if (kind === "incident.guard" && lost.length > 0) {
		const most = lost.reduce((best, one) => one.pages > best.pages ? one : best);

		return `${upperFirst(thingNames(lost))} ${lost.length > 1 ? "are" : "is"} ` +
			`gone from ${pagesOf(most.pages, most.checked)}`;
	}
	if (kind === "incident.field" && fields.length > 0)
		return `The pages lost ${thingNames(fields)}`;
	if (kind === "incident.changed" && templates.length === 1 && templates[0].name)
		return `“${clip(templates[0].name, 80)}” has a new design`;
	return kindText(kind);
}

const knownTitles = new Map();
const titlesRead = 60, titlesKept = 1000;

// The titles of incidents of a list, by number. Only the newest are read.
export async function incidentTitles(incidents) {
	const newest = [...incidents].sort((a, b) => b.id - a.id).slice(0, titlesRead);
	const titles = new Map(incidents.map(one => [one.id, kindText(one.kind)]));

	await Promise.all(newest.map(async one => {
		const key = `${one.id} ${one.kind} ${one.findings}`;

		if (!knownTitles.has(key)) {
			const whole = saved === null ||
				Object.hasOwn(saved.answers, `/v1/incidents/${one.id}`)
				? await find(`/v1/incidents/${one.id}`) : null;

			if (knownTitles.size >= titlesKept)
				knownTitles.clear();
			knownTitles.set(key, incidentTitle(whole || one));
		}
		titles.set(one.id, knownTitles.get(key));
	}));
	return titles;
}

// Sentences. Each function returns a list of sentences; a sentence is a list of
// texts and nodes.

function guardLink({detail, guard, site}) {
	const text = detail.name ? quoted(detail.name)
		: detail.selector ? h("code", null, clip(detail.selector, 80))
			: `Guard ${guard || detail.guard}`;
	const number = guard || detail.guard;

	return number && site && saved === null
		? link(sitePath(site, "guards", String(number)), text) : text;
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
	return best.example ? ["It is probably still there, at another place: ",
		quoted(best.example), "."]
		: ["It is probably now at ", h("code", null, clip(best.selector, 120)),
			"."];
}

function lostGuard(finding) {
	const {detail, pages} = finding;
	const best = bestCandidate(detail.candidates);

	return [
		[guardLink(finding), " was no longer found on ",
			pagesOf(detail.failed || pages, detail.checked), "."],
		best ? newPlace(best) : ["No likely new place of it is known."],
	];
}

function templateName(finding) {
	return templateLink(finding.template, finding.name) || "a template";
}

// The templates that have the pages now.
function otherTemplates({detail, other, template}) {
	const ids = [...listOf(detail.to).map(item => item?.template || item), other]
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
		...listOf(detail.regions).slice(0, 2).map(regionSentence),
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
		? linkIfSaved(templateApi(finding.template, "fields"),
			templatePath(finding.template, "fields"), name) : name;
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
			" moved", because(finding),
			". It is read at its new place, and nothing is left to do."],
		addresses?.[0] && ["It is now at ", h("code", null,
			clip(addresses[0], 200)), tested > 0
			? `, as ${pagesOf(agreed, tested)} confirm.` : "."],
	];
}

function shownValue(value) {
	if (value === null || value === undefined)
		return "no value";
	return Array.isArray(value) ? value.map(shownValue).join("; ")
		: quoted(typeof value === "object" ? JSON.stringify(value) : value);
}

function changedField(finding) {
	const changes = listOf(finding.detail.changes);

	return [
		["The field ", fieldName(finding), " has other values on ",
			count(finding.pages || changes.length, "page"), "."],
		...changes.slice(0, 3).map(change => [shownValue(change.old), " is now ",
			shownValue(change.new), " (", pageLink(change.url), ")."]),
	];
}

// "The text of the page /a changed: “$20” is now “$25”." and so on.
function changedText(finding) {
	const {detail, url} = finding;
	const given = listOf(detail.texts)[0] || detail;
	const first = listOf(given.changes).find(change => change?.before !==
		undefined || change?.after !== undefined);
	const page = given.url || url;
	const more = Math.max(listOf(given.changes).length - 1, 0);
	const was = first && (first.removed?.[0] || (first.removed ? "" : first.before));
	const now = first && (first.added?.[0] || (first.added ? "" : first.after));

	return [
		["The text of the page", page ? [" ", pageLink(page), " "] : " ",
			"changed", detail.name ? ` (${quoted(detail.name)})` : "", "."],
		first && [was ? quoted(was) : "", was && now ? " is now " : "",
			now ? quoted(now) : "", was && now ? "" : was ? " was removed"
				: " was added", more > 0 ? `, and ${count(more, "passage")} more`
				: "", "."],
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
	return ({url}) => [[before, url ? [" ", pageLink(url), " "] : " ", after,
		"."]];
}

const sentencesOf = {
	"guard.firing": lostGuard,
	"guard.resolved": finding => [[guardLink(finding), " is found again."]],
	"guard.unmatched": finding => [["None of the pages that ",
		guardLink(finding), " was found on exists any longer."]],
	"guard.suspended": finding => [[guardLink(finding),
		" is not checked any longer",
		because(finding) || ": it takes too long", "."]],
	"guard.alternates": finding => [[guardLink(finding), " is found at some ",
		"visits and missing at others, as in a test with two editions."]],
	"template.changed": changedTemplate,
	"template.replaced": finding => [["The pages of ", templateName(finding),
		" have another template now", otherTemplates(finding), "."],
	...changedTemplate(finding).slice(1)],
	"template.restored": restoredTemplate,
	"template.merged": ofTemplate("The pages of ",
		" now look like those of another template"),
	"template.split": splitTemplate,
	"template.removed": ofTemplate("The pages of ", " disappeared"),
	"template.added": finding => [["A new template appeared: ",
		templateName(finding), finding.pages > 0
			? `, with ${count(finding.pages, "page")}.` : "."]],
	"template.alternates": ofTemplate("The pages of ", " show two designs in turn"),
	"template.checked": ofTemplate("", " was checked, and no change was confirmed"),
	"template.rebuilt": ofTemplate("Only generated names changed in the pages of ",
		""),
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
	"page.changed": changedText,
	"guard.changed": changedText,
	"page.removed": ofPage("The page", "disappeared"),
};

// Sentences about a finding, as a list of lists of nodes.
export function sentences(finding) {
	const tell = sentencesOf[finding.kind] || plain(kindText(finding.kind));

	return tell(finding).filter(Boolean);
}

// The text of pages.

// Mark the `words`, lists in the order of the text, as new or removed.
function markWords(text, words, tag) {
	const out = [];
	let at = 0;

	for (const item of words || []) {
		const found = item === "" ? -1 : text.indexOf(item, at);

		if (found < 0)
			continue;
		out.push(text.slice(at, found), h(tag, null, item));
		at = found + item.length;
	}
	out.push(text.slice(at));
	return out;
}

// A passage that was only added or removed is marked as a whole.
function changeSide([title, level], text, words, isAfter) {
	const tag = isAfter ? "ins" : "del";

	return h("div", {class: isAfter ? "after" : "before"},
		h(level, null, title),
		text === null || text === undefined
			? h("p", {class: "soft"}, isAfter ? "The passage was removed."
				: "The passage is new.")
			: h("p", null, words ? markWords(text, words, tag)
				: h(tag, null, text)));
}

// Whether `detail` has changed passages of a text.
export function hasTextChanges(detail) {
	return listOf(detail?.changes).some(change => change?.before !== undefined ||
		change?.after !== undefined);
}

// The changed passages, side by side; their heads are of the `level`.
export function textChanges(detail, level) {
	return h("ul", {class: "plain changes"},
		listOf(detail.changes).slice(0, changesShown).map(change =>
			h("li", {class: "panel sides"},
				changeSide(["Before", level], change.before, change.removed,
					false),
				changeSide(["Now", level], change.after, change.added, true))),
		detail.truncated && h("li", {class: "soft"},
			"Only the first changes are listed."));
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
	return h("ul", {class: "plain"}, list.slice(0, itemsShown).map(
		item => h("li", null, anyNode(name, item, depth + 1))),
	list.length > itemsShown && h("li", {class: "soft"},
		`and ${count(list.length - itemsShown)} more`));
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

// Whether the evidence names places or texts that came or went.
export function hasMoves(detail) {
	return [detail?.paths, detail?.fragments].some(moves =>
		moves?.gone?.length > 0 || moves?.come?.length > 0);
}

// What was removed and what was added, side by side. `of` tells it from others on
// the page.
export function movesNode(detail, of) {
	const gone = listOf(detail.paths?.gone), come = listOf(detail.paths?.come);
	const title = text => of ? `${text}, ${of}` : text;
	const left = [detail.paths, detail.fragments].reduce((sum, moves) => sum +
		Math.max(0, (moves?.gone_count || 0) - listOf(moves?.gone).length) +
		Math.max(0, (moves?.come_count || 0) - listOf(moves?.come).length), 0);

	return [h("div", {class: "sides"},
		pathSide(title("Places before"), false, gone,
			pathBeginnings({paths: come})),
		pathSide(title("Places after"), true, come, pathBeginnings({paths: gone})),
		textSide(title("Texts before"), false, listOf(detail.fragments?.gone)),
		textSide(title("Texts after"), true, listOf(detail.fragments?.come))),
	left > 0 && h("p", {class: "soft"}, `${count(left)} more ${left === 1
		? "place or text is" : "places and texts are"} not listed.`)];
}

const nowWords = {page: "a page", gone: "missing", redirect: "leads elsewhere",
	moved: "moved", blocked: "not readable"};

// The pages of a finding. They are URLs, or objects with "url".
export function pagesTable(caption, list) {
	const all = list.map(item => typeof item === "string" ? {url: item} : item)
		.filter(page => typeof page?.url === "string");
	const pages = all.slice(0, itemsShown);
	const has = name => pages.some(page => !isEmpty(page[name]));

	return [table(caption, [
		{head: "Page", cell: page => pageLink(page.url)},
		has("now") && {head: "Is now",
			cell: page => nowWords[page.now] || page.now || ""},
		has("template") && {head: "Template",
			cell: page => page.template ? templateLink(page.template) : ""},
		has("to") && {head: "New address",
			cell: page => page.to ? pageLink(page.to) : ""},
		pages.some(page => page.matches !== undefined) && {head: "Found now",
			class: "num", cell: page => count(page.matches || 0)},
		has("value") && {head: "Value before",
			cell: page => page.value ? clip(page.value, 120) : ""},
		has("old") && {head: "Value before", cell: page => shownValue(page.old)},
		has("old") && {head: "Value now", cell: page => shownValue(page.new)},
		has("good") && {head: "Last found",
			cell: page => page.good ? dateTime(page.good) : ""},
	].filter(Boolean), pages, "No page is named."),
	all.length > pages.length && h("p", {class: "soft"},
		`and ${count(all.length - pages.length, "more page")}`)];
}

// Members that other parts of the page show.
const shownMembers = ["pages", "candidates", "paths", "fragments", "regions",
	"changes", "templates", "guards", "fields", "moved", "events", "reason",
	"incident"];

// All that is known about an event.
export function evidenceNode(finding) {
	const {detail} = finding;
	const hasTexts = hasTextChanges(detail);
	const pages = [...listOf(detail.pages), ...hasTexts ? []
		: listOf(detail.changes)];

	return [
		sentences(finding).map(parts => h("p", null, parts)),
		pages.length > 0 && pagesTable(`Pages of event ${finding.number}`, pages),
		hasMoves(detail) && movesNode(detail, `event ${finding.number}`),
		hasTexts && textChanges(detail, "h4"),
		anyFacts(detail, shownMembers),
	];
}

// The head of the evidence: a link to the event.
export function evidenceTitle(finding) {
	return h("h3", null, kindText(finding.kind), " ", h("span",
		{class: "soft small"}, dateTime(finding.time), finding.number > 0 &&
			[", ", eventLink(finding.number)]));
}

// A saved report has incidents, but not the events behind them.
export function eventLink(number) {
	const text = `event ${number}`;

	return saved === null ? link(path("alerts", String(number)), text)
		: h("span", null, text);
}

export function movedUrlTable(list) {
	return table("URLs that moved", [
		{head: "From", cell: item => pageLink(item.from)},
		{head: "To", cell: item => pageLink(item.to)},
	], list.filter(item => item?.from && item?.to).slice(0, itemsShown),
	"No URL moved.");
}

// What is where now, by the regions of the templates.
export function regionsTable(regions) {
	return table("What moved where", [
		{head: "Part", cell: region => h("code", null,
			clip(region.where || "the page", 160))},
		{head: "Before", cell: region => h("div", null,
			h("code", null, clip(region.was, 160)),
			listOf(region.elements).map(element => h("div",
				{class: "soft"}, h("code", null, clip(element.was, 120)))))},
		{head: "Now", cell: region => h("div", null,
			h("code", null, clip(region.now, 160)),
			listOf(region.elements).map(element => h("div",
				{class: "soft"}, h("code", null, clip(element.now, 120)))))},
		{head: "Pages", class: "num", cell: region => count(region.pages || 0)},
	], regions, "Nothing moved.");
}
