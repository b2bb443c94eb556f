// One template: how it looks, what its pages have in common, how it changed.

import {h} from "./dom.js";
import {ApiError, address, find, get, mayWrite, post, remove, saved} from "./api.js";
import {sparkline} from "./charts.js";
import {act, badge, bytes, button, checkbox, choice, confirmed, count, dateTime,
	empty, facts, field, figures, form, head, help, link, notice, outside, panel,
	percent, sitePath, table, tabs, templatePath, when} from "./parts.js";
import {pageLink, siteApi, templateLink} from "./site.js";

const textsShown = 300;
const pagesShown = 100;
const recordsShown = 20;
const recordColumns = 60;
const versionsCompared = 12;
const movesShown = 60;

function templateApi(id, ...more) {
	const slash = id.lastIndexOf("/");

	return siteApi(id.slice(0, slash), "templates", id.slice(slash + 1), ...more);
}

// Of one template in `current`, the newest version number; 0 if there is none.
function newestVersion(current) {
	return current?.version || current?.versions?.at(-1)?.version || 0;
}

// The picture and the summary.

async function templatePicture({id, cluster, isWriter}) {
	const shot = await find(templateApi(id, "screenshot"));
	const page = cluster?.sample[0];

	if (shot !== null)
		return h("figure", null,
			h("img", {alt: `Picture of ${shot.url || "a page of the template"}`,
				width: 640, height: 800,
				src: `data:image/webp;base64,${shot.data}`}),
			h("figcaption", {class: "soft small"}, "A page of the template, ",
				when(shot.taken), shot.url && [", ", pageLink(shot.url)]));
	if (saved !== null || !page)
		return null;
	return h("figure", {class: "side"},
		h("h2", null, "A page ", h("span", null, "coloured: its content; grey: ",
			"the template")),
		h("iframe", {title: "A copy of a page: its content, and the texts of " +
			"the template", loading: "lazy", sandbox: isWriter ? null : "",
		src: address("/v1/pages/copy", {url: page.url, view: "pick"})}),
		h("figcaption", {class: "soft small note"},
			isWriter && "Click what must stay, such as a price. ",
			pageLink(page.url, page.title), ", only texts: pictures take a ",
			"browser and ", h("code", null, "render.screenshots"), "."));
}

const renderWords = {
	no: "They need no browser: ",
	unknown: "Not known whether they need a browser: ",
	yes: "Their scripts are run in a browser: ",
};

// Where the content is, by the newest version.
async function templateRegion(id, current) {
	const number = newestVersion(current);
	const version = number > 0
		? await find(templateApi(id, "versions", String(number))) : null;

	return version?.regions?.map(region => h("div", null,
		h("code", null, region.path.split(">").slice(-2).join(" › ")),
		h("span", {class: "soft"}, ` has ${percent(region.words)} of the words of ` +
			`${percent(region.ratio)} of the pages`))) || null;
}

async function templateFacts(id, cluster, current) {
	const regions = await templateRegion(id, current);

	return facts([
		["Such as", cluster && h("ul", {class: "plain"}, cluster.sample.slice(0, 3)
			.map(page => h("li", null, pageLink(page.url, page.title))))],
		["Content", regions?.length > 0 ? regions : null],
		["First seen", when(cluster?.created || current?.created)],
		["Changed", cluster && when(cluster.changed)],
		["Scripts", cluster?.render && renderWords[cluster.render.decision] +
			cluster.render.reason],
	]);
}

// What a field is on some page: its example, or a value of the first pages.
function fieldExample(one, records) {
	const record = (records?.records || []).find(each =>
		each.fields?.[one.name] !== undefined);
	const text = one.example || record && recordText(record.fields[one.name]) || "";

	return text.length > 200 ? text.slice(0, 200) + "…" : text;
}

function readRecords(id, since) {
	return find(templateApi(id, "records"),
		{format: "json", limit: recordsShown, since});
}

function shortFields(id, fields, records) {
	const own = fields.filter(one => one.parent === null);

	return [
		table("Fields", [
			{head: "Field", cell: one => h("span", null, one.name, " ",
				fieldBadges(one))},
			{head: "Filled", class: "num", cell: one => percent(fieldFill(one))},
			{head: "Example", cell: one => fieldExample(one, records)},
		], own.slice(0, 8), ""),
		own.length > 8 && h("p", null, link(templatePath(id, "fields"),
			`All ${own.length} fields and their values`)),
	];
}

function renameForm(id, cluster) {
	return panel("Its name", form([
		field("Name", "name", {wide: true, maxlength: 120, autocomplete: "off",
			value: cluster.name || "", about: "It stands in alerts and lists, and " +
				"stays until you change it. Empty: the daemon names it again."}),
	], "Rename", ({name}) => post(templateApi(id, "name"), {name: name.trim()}),
	{done: "The name is saved."}));
}

async function templateSummaryTab(known) {
	const {id, cluster, current, fields, isWriter} = known;
	const [picture, about, records] = await Promise.all([
		templatePicture(known), templateFacts(id, cluster, current),
		fields && readRecords(id)]);

	return [
		h("div", {class: picture ? "sides summary" : ""}, picture,
			h("div", null, about, h("h2", null, "Fields ", help("a field",
				"A field is something that each page has in its place: a price, ",
				"a title, a date. You are told when pages lose it.")),
			fields ? shortFields(id, fields.fields, records)
				: empty("It has no fields yet. ", isWriter &&
					link(templatePath(id, "fields"), "Find some")))),
		isWriter && cluster && renameForm(id, cluster),
	];
}

// The fields.

function lastRound(one) {
	return one.rounds?.at(-1);
}

function fieldFill(one) {
	const round = lastRound(one);

	if (round && round.pages > 0)
		return Math.min(1, round.filled / round.pages);
	return one.fill;
}

function fieldBadges(one) {
	return [
		one.firing && badge("bad", "lost its values"),
		one.watched && badge("busy", "watched"),
		one.required && badge("", "required"),
		one.origin === "taught" && badge("", "taught"),
	].filter(Boolean).flatMap(mark => [mark, " "]);
}

function fieldFilled(one) {
	const round = lastRound(one);
	const rates = (one.rounds || []).map(each =>
		each.pages > 0 ? each.filled / each.pages : 1);

	return h("span", null,
		rates.length > 1 && [sparkline(rates,
			`Share of pages with a value: ${rates.map(percent).join(", ")}`), " "],
		percent(fieldFill(one)),
		round?.type_errors > 0 && `, ${count(round.type_errors)} of another type`,
		round?.outliers > 0 && `, ${count(round.outliers)} unusual`,
		round?.unsure > 0 && `, ${count(round.unsure)} unsure`);
}

const transformWords = [["none", "as it is"], ["number", "to a number"],
	["date", "to a date"], ["url", "to a full address"],
	["join", "several values to one text"]];

function changeField(id, one, values) {
	const change = {name: one.name, watched: "watched" in values,
		required: "required" in values};

	if (values.new_name && values.new_name !== one.name)
		change.new_name = values.new_name;
	if (values.transform !== one.transform)
		change.transform = values.transform;
	if (values.transform === "join")
		Object.assign(change, {transform: "join", separator: values.separator});
	return post(templateApi(id, "fields"), change);
}

function fieldEditor(id, one) {
	const canChange = one.type !== "records" && one.parent === null;

	return h("details", {class: "edit"}, h("summary", null, "Change"),
		form([
			field("Name", "new_name", {value: one.name, required: true}),
			canChange && choice("Change values", "transform", transformWords,
				one.transform, "How each value is written down."),
			canChange && field("Between values", "separator", {value: "; ",
				maxlength: 16, about: "Only for several values to one text."}),
			canChange && checkbox("watched", "watched", one.watched,
				"Each change of a value is an event."),
			canChange && checkbox("required", "required", one.required,
				"A page without a value is an incident."),
		].filter(Boolean), "Save",
		values => canChange ? changeField(id, one, values)
			: post(templateApi(id, "fields"),
				{name: one.name, new_name: values.new_name}),
		{done: "The field is saved."}),
		button("Delete this field", () => remove(address(templateApi(id, "fields"),
			{name: one.name})), {kind: "danger", done: "The field is deleted.",
			sure: `Delete the field ${one.name}?`}));
}

function fieldsTable({id, isWriter}, fields, records) {
	return table("The fields of the template", [
		{head: "Field", cell: one => h("span", null, h("strong", null, one.name),
			" ", fieldBadges(one))},
		{head: "Type", cell: one => one.list ? `${one.type}, several` : one.type},
		{head: "Filled", cell: fieldFilled},
		{head: "Example", cell: one => fieldExample(one, records)},
		{head: "Place", cell: one => h("details", {class: "place"},
			h("summary", null, one.addresses[0]?.split(" > ").at(-1) || "–"),
			h("ul", null, one.addresses.map(text => h("li", null,
				h("code", null, text)))))},
		isWriter && {head: "Do", cell: one => fieldEditor(id, one)},
	].filter(Boolean), fields, "");
}

// A value as one text.
function recordText(value) {
	const text = one => typeof one === "string" ? one : Object.entries(one)
		.map(([name, inner]) => `${name}: ${recordText(inner)}`).join(", ");

	if (!Array.isArray(value))
		return text(value);
	return value.slice(0, 8).map(text).join("; ") +
		(value.length > 8 ? `; and ${value.length - 8} more` : "");
}

function valuePath(id, url, name) {
	return address(templatePath(id, "fields"), {url, field: name});
}

function valueCell(id, record, name) {
	const value = record.fields?.[name];

	if (value === undefined)
		return h("span", {class: "soft"}, "–");
	const text = recordText(value);

	return h("span", null, saved === null
		? h("a", {href: valuePath(id, record.url, name), title: text}, text)
		: text, record.fields._unsure?.includes(name) &&
		[" ", badge("warn", "unsure")]);
}

function recordRow(id, record, fields) {
	return h("tr", null,
		h("th", {scope: "row", "data-head": "Page"}, pageLink(record.url)),
		record.fields ? fields.map(one => h("td", {"data-head": one.name},
			valueCell(id, record, one.name)))
			: h("td", {class: "soft", colspan: fields.length},
				record.error?.message));
}

function recordsTable(id, answer) {
	const fields = answer.fields.filter(one => one.parent === null)
		.slice(0, recordColumns);
	const label = "The values of the fields on the pages";

	return h("div", {class: "scroll", tabindex: 0, role: "region",
		"aria-label": label},
	h("table", {class: "records"}, h("caption", null, label),
		h("thead", null, h("tr", null, h("th", {scope: "col"}, "Page"),
			fields.map(one => h("th", {scope: "col"}, one.name)))),
		h("tbody", null, answer.records.map(record =>
			recordRow(id, record, fields)))));
}

function recordsSection(id, answer) {
	const all = format => address(templateApi(id, "records"),
		{format, limit: 10000});

	if (answer === null || answer.records.length === 0)
		return null;
	return [
		h("h2", null, "Values"),
		h("p", {class: "soft"}, saved === null ? [
			"Each value leads to its place in the page. All values: ",
			h("a", {href: all("csv"), download: ""}, "CSV"), ", ",
			h("a", {href: all("json"), download: ""}, "JSON"), "."]
			: "The values of some pages."),
		recordsTable(id, answer),
		saved === null && answer.next && answer.records.length >= recordsShown &&
			h("p", null, link(address(templatePath(id, "fields"),
				{since: answer.next}), "More values")),
	];
}

function findForm(id) {
	return panel("Find fields",
		h("p", {class: "soft"}, "Finds what differs from page to page, such as ",
			"titles, prices and dates. It replaces the fields that it found ",
			"before, and keeps those that you taught."),
		form([field("At most", "max", {type: "number", min: 1, max: 200,
			value: "20", required: true,
			about: "So many fields, the most useful ones first."})],
		"Find fields", ({max}) => post(templateApi(id, "fields"),
			{find: true, max: Number(max)}), {done: "The fields are found."}));
}

// The request of the form that teaches a field.
function taughtField(values) {
	const wanted = {name: values.name.trim()};
	const examples = [1, 2, 3].filter(i => values[`value${i}`]?.trim())
		.map(i => ({url: values[`url${i}`], value: values[`value${i}`].trim()}));

	if (values.selector.trim())
		wanted[/^\s*[/(]/.test(values.selector) ? "xpath" : "selector"] =
			values.selector.trim();
	else if (examples.length > 0)
		wanted.examples = examples;
	else
		throw new ApiError(400, "no_example",
			"Give a value of one page, or a selector.");
	if (values.not.trim())
		wanted.not = [values.not.trim()];
	if (values.transform !== "none")
		wanted.transform = values.transform;
	return wanted;
}

function exampleFields(sample) {
	return sample.slice(0, 3).map((page, i) => h("fieldset", {class: "group"},
		h("legend", null, `${i === 0 ? "" : "Also, if you like: "}Page ${i + 1}`),
		h("div", {class: "fields"},
			choice("Page", `url${i + 1}`, sample.map(one =>
				[one.url, one.title || one.url]), page.url),
			field("Its value", `value${i + 1}`, {wide: true, about: i === 0 &&
				"Copy it from the page, for example 49.50 EUR."}))));
}

function teachForm(id, sample) {
	return h("details", {class: "panel"}, h("summary", null, "Teach a field"),
		h("p", {class: "soft"}, "Say what the field is called and which value it ",
			"has on a page or two. Its place on all pages follows from that."),
		form([
			field("Name", "name", {required: true, placeholder: "price"}),
			exampleFields(sample),
			field("Or a selector", "selector", {wide: true, spellcheck: "false",
				placeholder: ".price", about: "CSS or XPath, instead of values."}),
			field("Not this value", "not", {about: "If another place was " +
				"taken: a value that it has there."}),
			choice("Change values", "transform", transformWords, "none",
				"How each value is written down."),
		], "Teach it", async (values, sent) => {
			await post(templateApi(id, "fields"), taughtField(values));
			sent.reset();
		}, {done: "The field is learned."}));
}

// Fields like those of another template: propose them, then store them.
async function takeFields(id, like) {
	const found = await post(templateApi(id, "fields"), {like});
	const list = found.fields.map(one =>
		`${one.name} (${percent(one.confidence || 0)})`).join(", ");

	if (await confirmed(`Alike are: ${list}. Store them?`, "Store them"))
		await act(() => post(templateApi(id, "fields"), {like, accept: true}),
			"The fields are stored.");
}

function likeForm(id, templates) {
	const others = templates.filter(one => one.id !== id && one.has_template);

	return others.length > 0 && h("details", {class: "panel"},
		h("summary", null, "Take the fields of another template"),
		form([choice("Template", "like", others.map(one =>
			[one.id, one.name || one.id]), others[0].id,
		"For example the template that this one has replaced.")],
		"Compare", ({like}) => takeFields(id, like)));
}

async function fieldForms(id, cluster) {
	const host = id.slice(0, id.lastIndexOf("/"));
	const others = await find(siteApi(host, "templates"));

	return [findForm(id), teachForm(id, cluster?.sample || []),
		likeForm(id, others?.templates || [])];
}

async function templateFieldsTab(known, {since}) {
	const {id, cluster, fields, isWriter} = known;
	const [records, forms] = await Promise.all([fields && readRecords(id, since),
		isWriter && fieldForms(id, cluster)]);

	return [
		fields ? [h("p", {class: "soft"}, "What each page has in its place. The ",
			"lines show how many pages had a value in the last rounds of visits."),
		fieldsTable(known, fields.fields, records)]
			: empty("It has no fields yet."),
		recordsSection(id, records), forms,
	];
}

// One value beside the page that has it.
async function valueView(id, {url, field: name}) {
	const answer = await get(templateApi(id, "records"), {format: "json", url});
	const record = answer.records[0];
	const own = answer.fields.filter(one => one.parent === null);

	if (!record?.fields)
		return [notice("bad", "The page has no values: ",
			record?.error?.message || "it is not stored", ".")];
	return [
		h("p", null, h("strong", null, name), " on ", pageLink(url), " (",
			outside(url), ")"),
		h("div", {class: "sides value"},
			h("section", {class: "side"}, h("h2", null, "All values"),
				h("dl", {class: "facts"}, own.flatMap(one => [
					h("dt", null, one.name),
					h("dd", {class: one.name === name ? "now" : null},
						valueCell(id, record, one.name))]))),
			h("section", {class: "side"},
				h("h2", null, "Page ", h("span", null, "without scripts, pictures ",
					"and style; the value is outlined")),
				// "lazy": a frame scrolls to the value only in its final size
				h("iframe", {loading: "lazy", sandbox: "",
					title: "A copy of the page with the value",
					src: address(templateApi(id, "records", "copy"),
						{url, field: name}) + "#value"}))),
		h("p", null, link(templatePath(id, "fields"), "All fields")),
	];
}

// The pages, and the texts that they share.

async function templatePagesTab({id, cluster}, {after}) {
	const answer = cluster && cluster.pages > 0 ? await find(
		templateApi(id, "pages"), {limit: pagesShown, after}) : null;
	const pages = answer?.pages || [];

	return [
		table("Pages of the template", [
			{head: "Page", cell: one => pageLink(one.url, one.title)},
			{head: "Address", cell: one => outside(one.url)},
			{head: "Visited", cell: one => when(one.fetched)},
			{head: "Size", class: "num", cell: one => bytes(one.bytes)},
		], pages, saved === null ? "It has no pages any longer."
			: "This report does not list them."),
		saved === null && pages.length === pagesShown && h("p", null,
			link(address(templatePath(id, "pages"), {after: pages.at(-1).url}),
				"More pages")),
	];
}

function templateTextsTab({current}) {
	const texts = (current?.fragments || []).filter(one => one.text)
		.sort((a, b) => b.df - a.df);

	return [
		h("p", {class: "soft"}, "More than a third of the pages have these texts ",
			"word by word: menus, labels, footers. They belong to the template, ",
			"all other text is content."),
		table("Texts that its pages share", [
			{head: "Text", cell: one => one.text},
			{head: "Pages", class: "num", cell: one => count(one.df)},
			{head: "Share", class: "num", cell: one => percent(one.ratio)},
		], texts, "Its pages share no text."),
	];
}

// The versions.

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
	new: "It was learned",
	rebuilt: "It was learned anew",
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
			count(version.pages, "page"), ", until ", dateTime(version.last)),
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

// Rows of a tree; steps that the other version lacks are marked.
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

// Removed places with the added ones to which they have probably moved: the
// element is the same, and it is on about as many pages.
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

async function templateVersionsTab({id, current}, {from, to}) {
	const isPair = /^\d+$/.test(from || "") && /^\d+$/.test(to || "");
	const [timeline, diff] = await Promise.all([versionTimeline(id, current),
		isPair && diffSection(id, from, to)]);

	return [
		h("p", {class: "soft"}, "A new version begins when the pages change in ",
			"the same way. Places and texts are those that most pages have."),
		diff, diff && h("h2", null, "All versions"), timeline,
	];
}

// The tree.

const openDepth = 4;

function treeLabel(node) {
	return node.tag + (node.class ? "." + node.class.trim().split(/\s+/).join(".")
		: "");
}

function hasRegion(node) {
	return node.region === true || (node.children || []).some(hasRegion);
}

// The only child of a node that has nothing else to show.
function onlyChild(node) {
	const [child, ...rest] = node.children || [];

	return child && rest.length === 0 && !node.region && !node.text &&
		!(node.more > 0) && child.pages === node.pages ? child : null;
}

function treeHeat(share) {
	if (share === null || share === undefined)
		return h("span", {class: "heat none", title: "no text"});
	return h("span", {class: "heat", "--t": percent(share).replace(" ", ""),
		title: `${percent(share)} of its text is template`});
}

function treeRow(labels, node, pages) {
	return h("span", {class: `row${node.pages * 2 < pages ? " rare" : ""}`},
		treeHeat(node.template),
		h("span", null, h("code", null, labels.length > 3
			? [labels[0], " › ", h("span", {title: labels.join(" › ")},
				`… ${labels.length - 2} …`), " › ", labels.at(-1)]
			: labels.join(" › ")),
		node.region && [" ", badge("con", "content")], " ",
		h("span", {class: "of", title: `on ${node.pages} of ${pages} pages`},
			`${node.pages}/${pages}`),
		node.template !== null && node.template !== undefined &&
			h("span", {class: "unseen"}, `, ${percent(node.template)} template`),
		node.text && [" ", h("q", null, node.text)]));
}

function treeMore(node) {
	return node.more > 0 && h("li", {class: "more"},
		`and ${count(node.more, "kind")} of element inside, not shown`);
}

function treeNode(first, pages, depth) {
	const labels = [treeLabel(first)];
	let node = first;

	for (let child; (child = onlyChild(node)) !== null; node = child)
		labels.push(treeLabel(child));
	const children = node.children || [];
	const row = treeRow(labels, node, pages);

	return h("li", {class: node.region ? "region" : null},
		children.length === 0
			? [h("div", {class: "leaf"}, row),
				node.more > 0 && h("ul", null, treeMore(node))]
			: h("details", {open: depth < openDepth || hasRegion(node)},
				h("summary", null, row),
				h("ul", null, children.map(child =>
					treeNode(child, pages, depth + 1)), treeMore(node))));
}

function treeLegend() {
	return h("ul", {class: "legend"},
		h("li", null, h("span", {class: "scale"}),
			"orange: content, blue: template"),
		h("li", null, treeHeat(0.7), "70 % of the text inside is template"),
		h("li", null, treeHeat(null), "no text"),
		h("li", null, h("span", {class: "of"}, "12/16"), "on 12 of 16 pages"),
		h("li", null, badge("con", "content"), "where the content is"));
}

function unfoldAll(isOpen) {
	for (const details of document.querySelectorAll(".tree details"))
		details.open = isOpen || details.parentElement.parentElement
			.matches("ul.tree");
}

async function templateTreeTab({id}) {
	const answer = await find(templateApi(id, "tree"));

	if (answer === null || !answer.tree)
		return empty("Its pages can no longer be read.");
	return [
		h("p", null, `${count(answer.pages, "page")} laid over each other: `,
			"elements of the same kind at the same place are one row. The bar ",
			"shows what the text inside is: blue is template, which more than ",
			"a third of the pages have word by word; orange is content of ",
			"their own."),
		treeLegend(),
		h("p", {class: "actions"},
			h("button", {type: "button", onclick: () => unfoldAll(true)},
				"Unfold all"),
			h("button", {type: "button", onclick: () => unfoldAll(false)},
				"Fold all")),
		h("div", {class: "panel"}, h("ul", {class: "tree"},
			treeNode(answer.tree, answer.pages, 0))),
		answer.truncated && h("p", {class: "soft"},
			"Elements that only few pages have are left out."),
	];
}

// The page.

const templateTabs = [["", "Summary"], ["fields", "Fields"], ["pages", "Pages"],
	["texts", "Shared texts"], ["versions", "Versions"], ["tree", "Tree"]];

const templateEnds = {
	live: ["good", "watched"],
	merged: ["", "merged"],
	replaced: ["", "replaced"],
	vanished: ["", "no pages left"],
};

function templateHead(id, cluster, current, fields) {
	const host = id.slice(0, id.lastIndexOf("/"));
	const name = cluster?.name || current?.name;
	const state = templateEnds[current?.state];
	const lost = (fields?.fields || []).filter(one => one.firing).length;
	const texts = current?.fragments?.length || 0;

	return [
		head(name || id, {
			crumbs: [...saved === null ? [link("/", "Sites")] : [],
				link(sitePath(host), host)],
			actions: [h("code", {class: "soft"}, id),
				state ? badge(...state) : badge("", "too few pages"),
				lost > 0 && badge("bad", `${count(lost, "field")} lost`),
				current?.other && h("span", null, "by ",
					templateLink(current.other))],
		}),
		figures([
			["Pages", count(cluster?.pages ?? current?.pages ?? 0)],
			["Version", newestVersion(current) || "–",
				current?.versions?.length > 0 &&
					["since ", when(current.versions.at(-1).first)]],
			["Fields", fields ? count(fields.fields.length) : "none"],
			["Shared texts", count(texts) + (texts === textsShown ? "+" : ""),
				"in more than a third of the pages"],
			["Last seen", h("small", null, when(current?.seen ||
				cluster?.changed))],
		]),
	];
}

function templateTab(known, {tab, ...query}) {
	switch (tab) {
	case "fields":
		return query.url && query.field && saved === null
			? valueView(known.id, query) : templateFieldsTab(known, query);
	case "pages":
		return templatePagesTab(known, query);
	case "texts":
		return templateTextsTab(known);
	case "versions":
		return templateVersionsTab(known, query);
	case "tree":
		return templateTreeTab(known);
	default:
		return templateSummaryTab(known);
	}
}

// The parts of a template that all tabs need. An ended template has no pages,
// but versions.
async function readTemplate(id) {
	const [cluster, current, fields, isWriter] = await Promise.all([
		find(templateApi(id)),
		find(templateApi(id, "versions", "current"), {limit: textsShown}),
		find(templateApi(id, "fields")), mayWrite()]);

	if (cluster === null && current === null)
		throw new ApiError(404, "not_found", `There is no template ${id}.`);
	return {id, cluster, current, fields, isWriter};
}

export async function templateView({host, number, ...parameters}) {
	const known = await readTemplate(`${host}/${number}`);
	const {id, cluster, current, fields} = known;

	return [
		templateHead(id, cluster, current, fields),
		tabs(templateTabs.map(([name, text]) =>
			[name === "" ? templatePath(id) : templatePath(id, name), text]),
		"Parts of the template"),
		await templateTab(known, parameters),
	];
}
