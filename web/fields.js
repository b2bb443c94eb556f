// The fields of a template, their values, and how they are taught.

import {h} from "./dom.js";
import {ApiError, address, find, get, listPlace, post, remove, saved, siteApi,
	templateApi} from "./api.js";
import {sparkline} from "./charts.js";
import {act, badge, button, checkbox, choice, confirmed, count, empty, field,
	form, link, notice, outside, pageLink, panel, percent, table,
	templatePath} from "./parts.js";

const recordColumns = 60;
const recordsShown = 20;

// What a field is on some page: its example, or a value of the first pages.
export function fieldExample(one, records) {
	const record = (records?.records || []).find(each =>
		each.fields?.[one.name] !== undefined);
	const text = one.example || record && recordText(record.fields[one.name]) || "";

	return text.length > 200 ? text.slice(0, 200) + "…" : text;
}

export function readRecords(id, since) {
	return find(listPlace(templateApi(id, "records"),
		{format: "json", limit: recordsShown, since}));
}

function lastRound(one) {
	return one.rounds?.at(-1);
}

export function fieldFill(one) {
	const round = lastRound(one);

	if (round && round.pages > 0)
		return Math.min(1, round.filled / round.pages);
	return one.fill;
}

export function fieldBadges(one) {
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
		new Set(rates).size > 1 && [sparkline(rates,
			`Share of pages with a value: ${rates.map(percent).join(", ")}`), " "],
		percent(fieldFill(one)),
		round?.type_errors > 0 && `, ${count(round.type_errors)} of another type`,
		round?.outliers > 0 && `, ${count(round.outliers)} unusual`,
		round?.unsure > 0 && `, ${count(round.unsure)} unsure`);
}

const transformWords = [["none", "unchanged"], ["number", "to a number"],
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
			canChange && checkbox("tell me when it changes", "watched",
				one.watched, "Each new value on a page is an alert."),
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
		isWriter && {head: "Actions", cell: one => fieldEditor(id, one)},
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
			"before, and keeps the fields that you taught."),
		form([field("At most", "max", {type: "number", min: 1, max: 200,
			value: "20", required: true,
			about: "The maximum number of fields, the most useful ones first."})],
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
	if ("watched" in values)
		wanted.watched = true;
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
		h("p", {class: "soft"}, "Enter the name of the field and its value on ",
			"one page or two. Its place is then found on all pages."),
		form([
			field("Name", "name", {required: true, placeholder: "price"}),
			exampleFields(sample),
			field("Or a selector", "selector", {wide: true, spellcheck: "false",
				placeholder: ".price", about: "CSS or XPath, instead of values."}),
			field("Not this value", "not", {about: "If another place was " +
				"taken: a value that it has there."}),
			choice("Change values", "transform", transformWords, "none",
				"How each value is written down."),
			checkbox("tell me when it changes", "watched", false,
				"Each new value on a page is an alert."),
		], "Teach it", async (values, sent) => {
			await post(templateApi(id, "fields"), taughtField(values));
			sent.reset();
		}, {done: "The field is learned."}));
}

// Find fields like the fields of another template, ask, and store them.
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

export async function templateFieldsTab(known, {since}) {
	const {id, cluster, fields, isWriter} = known;
	const [records, forms] = await Promise.all([fields && readRecords(id, since),
		isWriter && fieldForms(id, cluster)]);

	return [
		fields ? [h("p", {class: "soft"}, "What each page has at the same place. ",
			"Their names come from the pages; Change gives them better ones."),
		fieldsTable(known, fields.fields, records)]
			: empty("It has no fields yet."),
		recordsSection(id, records), forms,
	];
}

// One value, next to its page.
export async function valueView(id, {url, field: name}) {
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
