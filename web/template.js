// One template: how it looks, what its pages have in common, how it changed.

import {h} from "./dom.js";
import {ApiError, address, find, listPlace, mayWrite, post, saved,
	templateApi} from "./api.js";
import {badge, count, empty, experts, facts, field, figures, form, head, help,
	link, outside, pageLink, panel, percent, sitePath, table, tabs,
	templateLink, templatePath, when} from "./parts.js";
import {fieldBadges, fieldExample, fieldFill, readRecords, templateFieldsTab,
	valueView} from "./fields.js";
import {templateVersionsTab} from "./versions.js";

const textsShown = 300;
const pagesShown = 100;

// The number of the newest version; 0 = the template has no version.
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
			"the template", loading: "lazy",
		sandbox: isWriter ? "allow-same-origin " +
			"allow-top-navigation-by-user-activation" : "",
		src: address("/v1/pages/copy", {url: page.url, view: "pick"})}),
		h("figcaption", {class: "soft small note"},
			isWriter && "Click what must stay, such as a price. ",
			pageLink(page.url, page.title), ", only its texts. For a real picture, ",
			"switch on render.screenshots in the configuration."));
}

const renderWords = {
	no: "They need no browser: ",
	unknown: "It is open whether they need a browser: ",
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

	const scripts = cluster?.render && renderWords[cluster.render.decision] +
		cluster.render.reason;

	return [facts([
		["Such as", cluster && h("ul", {class: "plain"}, cluster.sample.slice(0, 3)
			.map(page => h("li", null, pageLink(page.url, page.title))))],
		["First seen", when(cluster?.created || current?.created)],
		["Changed", cluster && when(cluster.changed)],
	]), (regions?.length > 0 || scripts) && experts(facts([
		["Content", regions?.length > 0 ? regions : null],
		["Scripts", scripts],
		["Number", h("code", null, id)],
	]))];
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
			value: cluster.name || "", about: "Alerts and lists show it. It " +
				"stays until you change it. Empty: it gets its first name again."}),
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
				"A field is something that each page has at the same place: ",
				"a price, a title, a date. You get an alert when pages lose it.")),
			fields ? shortFields(id, fields.fields, records)
				: empty("It has no fields yet. ", isWriter &&
					link(templatePath(id, "fields"), "Find some")))),
		isWriter && cluster && renameForm(id, cluster),
	];
}

// The pages, and the texts that they share.

async function templatePagesTab({id, cluster}, {after}) {
	const answer = cluster && cluster.pages > 0 ? await find(listPlace(
		templateApi(id, "pages"), {limit: pagesShown, after})) : null;
	const pages = answer?.pages || [];

	return [
		table("Pages of the template", [
			{head: "Page", cell: one => pageLink(one.url, one.title)},
			{head: "Address", cell: one => outside(one.url)},
			{head: "Visited", cell: one => when(one.fetched)},
		], pages, saved === null ? "It has no pages any longer."
			: "This report does not list them."),
		saved === null && pages.length === pagesShown && h("p", null,
			link(address(templatePath(id, "pages"), {after: pages.at(-1).url}),
				"More pages")),
	];
}

function templateTextsTab({current}) {
	const texts = (current?.fragments || []).filter(one => one.text)
		.sort((a, b) => b.df - a.df || a.text.localeCompare(b.text, "en",
			{numeric: true}));

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
	return h("span", {class: "heat", "--t": `${Math.round(100 * share)}%`,
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
		h("li", null, treeHeat(1), "all text inside is of the template"),
		h("li", null, treeHeat(0), "all of it is content"),
		h("li", null, treeHeat(0.7), "70 % of it is of the template"),
		h("li", null, treeHeat(null), "no text"),
		h("li", null, h("span", {class: "of"}, "12/16"), "on 12 of 16 pages"),
		h("li", null, badge("con", "content"),
			"the part with the content; it may have texts of the template, too"));
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
		saved === null && h("p", {class: "actions"},
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
	["texts", "Shared texts"], ["versions", "Versions"],
	["tree", "Tree, for experts"]];

const templateEnds = {
	live: ["good", "watched"],
	merged: ["", "merged"],
	replaced: ["", "replaced"],
	vanished: ["", "no pages left"],
};

// Whether a person has named the template: names that it gets have this form.
function isNamed(name) {
	return !/ · /.test(name || "");
}

function templateHead(id, cluster, current, fields, isFirst) {
	const host = id.slice(0, id.lastIndexOf("/"));
	const name = cluster?.name || current?.name;
	const state = templateEnds[current?.state];
	const lost = (fields?.fields || []).filter(one => one.firing).length;
	const texts = current?.fragments?.length || 0;

	return [
		head(name || id, {
			lede: [`A template: ${count(cluster?.pages ?? current?.pages ?? 0,
				"page")} that look alike. `, !isNamed(name) && help("the name",
				"It is made of the kind of the pages, of their address (N is any ",
				"number) and of the words that their titles share. You can change ",
				"it in the summary.")],
			crumbs: [...saved === null ? [link("/", "Sites")] : [],
				link(sitePath(host), host)],
			actions: [state ? badge(...state) : badge("", "too few pages"),
				lost > 0 && badge("bad", `${count(lost, "field")} lost`),
				current?.other && h("span", null, "by ",
					templateLink(current.other))],
		}),
		isFirst && figures([
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
		find(listPlace(templateApi(id, "versions", "current"),
			{limit: textsShown})),
		find(templateApi(id, "fields")), mayWrite()]);

	if (cluster === null && current === null)
		throw new ApiError(404, "not_found", `There is no template ${id}.`);
	return {id, cluster, current, fields, isWriter};
}

export async function templateView({host, number, ...parameters}) {
	const known = await readTemplate(`${host}/${number}`);
	const {id, cluster, current, fields} = known;

	return [
		templateHead(id, cluster, current, fields, !parameters.tab),
		tabs(templateTabs.map(([name, text]) =>
			[name === "" ? templatePath(id) : templatePath(id, name), text]),
		"Parts of the template"),
		await templateTab(known, parameters),
	];
}
