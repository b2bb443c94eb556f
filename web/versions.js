// How a template changed: its versions, and what is different between two.

import {h} from "./dom.js";
import {address, find, saved, templateApi} from "./api.js";
import {count, dateTime, empty, help, link, notice, percent, table,
	templateLink, templatePath} from "./parts.js";

const movesShown = 60;
const versionsCompared = 12;

// "3 paths and 12 texts removed, 4 texts added".
function diffText(diff) {
	const some = (direction, word) => [
		[diff.paths[direction].length, "place"],
		[diff.fragments[direction].length, "text"],
	].filter(([number]) => number > 0).map(([number, noun]) => count(number, noun))
		.join(" and ").replace(/$/, text => text + ` ${word}`);
	const parts = [
		diff.paths.gone.length + diff.fragments.gone.length > 0 &&
			some("gone", "removed"),
		diff.paths.come.length + diff.fragments.come.length > 0 &&
			some("come", "added"),
	].filter(Boolean);

	return parts.join(", ") || "nothing that most pages have";
}

const lineageWords = {
	changed: "It changed",
	merged: "It became one with another template",
	new: "It was found",
	rebuilt: "It was learned again",
	removed: "Its pages disappeared",
	replaced: "It was replaced by another template",
	restored: "It was as before again",
	split: "Some pages got another template",
	vanished: "Its pages disappeared",
};

function versionEntry(id, version, diff) {
	const last = version.version - 1;

	return {time: version.first, node: [
		h("strong", null, `Version ${version.version}`), " ",
		h("span", {class: "soft"}, dateTime(version.first), ", ",
			count(version.pages, "page"), ", last seen ", dateTime(version.last)),
		diff && h("div", null, diffText(diff), ". ",
			link(address(templatePath(id, "versions"),
				{from: last, to: version.version}), "Before and after")),
		!diff && last > 0 && saved === null && h("div", null,
			link(address(templatePath(id, "versions"),
				{from: last, to: version.version}), "Before and after")),
	]};
}

function lineageEntry(step) {
	return {time: step.time, isSmall: true, node: [
		lineageWords[step.kind] || step.kind, " ",
		h("span", {class: "soft"}, dateTime(step.time)),
		step.other && [" ", /\/\d+$/.test(step.other)
			? templateLink(step.other) : h("code", null, step.other)],
	]};
}

// The versions that have one before them, with what is different.
async function readDiffs(id, versions) {
	const wanted = versions.slice(1).slice(-versionsCompared);
	const diffs = await Promise.all(wanted.map(version =>
		find(templateApi(id, "diff"),
			{from: version.version - 1, to: version.version})));

	return new Map(wanted.map((version, i) => [version.version, diffs[i]]));
}

async function versionTimeline(id, current) {
	const versions = current?.versions || [];
	const diffs = await readDiffs(id, versions);
	const entries = [
		...versions.map(version =>
			versionEntry(id, version, diffs.get(version.version))),
		...(current?.lineage || []).map(lineageEntry),
	].sort((a, b) => b.time.localeCompare(a.time));

	if (entries.length === 0)
		return empty("It has no version yet: too few pages are known.");
	return h("ol", {class: "timeline", "aria-label": "Versions, the newest first"},
		entries.map(entry => h("li", {class: entry.isSmall ? "small" : null},
			entry.node)));
}

// Removed and added places, side by side.

// {label, children: Map, end, share} of paths "html>body>div.a".
function pathTree(items) {
	const root = {children: new Map()};

	for (const item of items.slice(0, movesShown)) {
		let at = root;

		for (const label of item.text.split(">")) {
			if (!at.children.has(label))
				at.children.set(label, {label, children: new Map()});
			at = at.children.get(label);
		}
		at.end = item;
	}
	return root;
}

// All beginnings of the paths of a version.
export function pathBeginnings(version) {
	const known = new Set();

	for (const {text} of version?.paths || [])
		for (let at = text.length; at > 0; at = text.lastIndexOf(">", at - 1))
			known.add(text.slice(0, at));
	return known;
}

// Rows of a tree; steps that the other version does not have are marked.
function pathRows(node, before, others, mark) {
	return [...node.children.values()].map(first => {
		const steps = [];
		let at = first, text = before;

		for (;;) {
			text += (text && ">") + at.label;
			steps.push([at.label, others.size > 0 && !others.has(text)]);
			if (at.end || at.children.size !== 1)
				break;
			at = [...at.children.values()][0];
		}
		const inside = pathRows(at, text, others, mark);

		return h("li", null, h("code", null, steps.map(([label, isNew], i) =>
			[i > 0 && " › ", isNew ? h(mark, null, label) : label])),
		at.end && h("span", {class: "soft small"}, ` ${percent(at.end.ratio)}`),
		inside.length > 0 && h("ul", null, inside));
	});
}

function movesSide(title, isAfter, items, body) {
	return h("section", {class: `side ${isAfter ? "after" : "before"}`},
		h("h3", null, title, " ", h("span", null, count(items.length))),
		items.length > 0 ? body : h("p", {class: "moves soft"}, "Nothing."),
		items.length > movesShown && h("p", {class: "moves soft"},
			`The most common ${movesShown} of ${count(items.length)}.`));
}

export function pathSide(title, isAfter, items, others) {
	return movesSide(title, isAfter, items, h("ul", {class: "moves paths",
		tabindex: 0, "aria-label": title},
	pathRows(pathTree(items), "", others, isAfter ? "ins" : "del")));
}

export function textSide(title, isAfter, items) {
	const mark = isAfter ? "ins" : "del";

	return movesSide(title, isAfter, items, h("ul", {class: "moves", tabindex: 0,
		"aria-label": title},
	items.slice(0, movesShown).map(item => h("li", null,
		h(mark, null, item.text || "(no text)"), " ",
		h("span", {class: "soft small"}, percent(item.ratio))))));
}

function pathLikeness(a, b) {
	const left = a.split(">"), right = b.split(">");
	let begin = 0, end = 0;

	while (begin < Math.min(left.length, right.length) &&
	       left[begin] === right[begin])
		begin++;
	while (end < Math.min(left.length, right.length) - begin &&
	       left.at(-1 - end) === right.at(-1 - end))
		end++;
	return {end, share: 2 * (begin + end) / (left.length + right.length)};
}

// Pairs of a removed place and an added place, if the element has probably moved:
// it is of the same kind, and on about as many pages.
function movedPaths(diff) {
	const come = diff.paths.come.filter(item => item.text);
	const pairs = diff.paths.gone.filter(item => item.text).slice(0, 200)
		.flatMap(from => come.slice(0, 200).map(to => ({from, to,
			...pathLikeness(from.text, to.text)})))
		.filter(({from, to, end}) =>
			end > 0 && Math.abs(from.ratio - to.ratio) < 0.2)
		.sort((a, b) => b.end - a.end || b.share - a.share);
	const used = new Set();

	return pairs.filter(({from, to}) => {
		if (used.has(from) || used.has(to))
			return false;
		used.add(from).add(to);
		return true;
	});
}

function shortPath(text) {
	return text.replace(/^html>body>/, "").replaceAll(">", " › ");
}

function movedTable(diff) {
	const moved = movedPaths(diff);

	return moved.length > 0 && [
		h("h3", null, "What probably moved ", help("a moved place", "An element ",
			"of the same kind was removed in one place and added in another, on ",
			"about as many pages.")),
		table("Places that probably moved", [
			{head: "From", cell: one => h("code", null, shortPath(one.from.text))},
			{head: "To", cell: one => h("code", null, shortPath(one.to.text))},
			{head: "Pages", class: "num", cell: one => percent(one.to.ratio)},
		], moved.slice(0, movesShown), ""),
	];
}

async function diffSection(id, from, to) {
	const [diff, before, after] = await Promise.all([
		find(templateApi(id, "diff"), {from, to}),
		find(templateApi(id, "versions", from)),
		find(templateApi(id, "versions", to))]);

	if (diff === null)
		return notice("warn", "These versions are not stored any longer.");
	return h("section", {class: "diff", id: "diff"},
		h("h2", null, `From version ${from} to ${to}`),
		h("p", null, `${percent(diff.paths.moved)} of the places and ` +
			`${percent(diff.fragments.moved)} of the texts are different: ` +
			`${diffText(diff)}.`),
		movedTable(diff),
		h("div", {class: "sides"},
			pathSide("Places removed", false, diff.paths.gone,
				pathBeginnings(after)),
			pathSide("Places added", true, diff.paths.come,
				pathBeginnings(before)),
			textSide("Texts removed", false, diff.fragments.gone),
			textSide("Texts added", true, diff.fragments.come)));
}

export async function templateVersionsTab({id, current}, {from, to}) {
	const isPair = /^\d+$/.test(from || "") && /^\d+$/.test(to || "");
	const [timeline, diff] = await Promise.all([versionTimeline(id, current),
		isPair && diffSection(id, from, to)]);

	return [
		h("p", {class: "soft"}, "A new version begins when the pages change in ",
			"the same way. Only places and texts that most pages have ",
			"are compared."),
		diff, diff && h("h2", null, "All versions"), timeline,
	];
}
