// One page: its text, why each text was kept, what changed in it, its visits;
// and an element of it, for which a guard can be added.

import {h} from "./dom.js";
import {ApiError, address, find, get, mayWrite, post, remove, saved,
	siteApi} from "./api.js";
import {badge, button, bytes, choice, count, dateTime, empty, facts, field, form, go,
	head, help, link, notice, outside, pageLink, pagePath, panel, percent, say,
	sitePath, tabs, templateLink, templatePath, when} from "./parts.js";
import {anyFacts, clip, quoted, textChanges} from "./story.js";

const blocksShown = 2000;
const levelsUp = 8;

// The clean text.

const blockElements = {code: "pre", quote: "blockquote", caption: "p",
	"table-row": "p"};

// Append the block to `out`. Levels of headings and lists have no gaps, so that
// screen readers can move along them.
function addBlock(out, state, block) {
	if (block.kind !== "list-item")
		state.lists = [];
	if (block.kind === "heading") {
		const level = Math.min((block.level || 1) + 2, state.level + 1, 6);

		state.level = level;
		out.push(h(`h${level}`, null, block.text));
	} else if (block.kind === "list-item") {
		const depth = Math.max(1, Math.min(block.level || 1,
			state.lists.length + 1, 8));

		state.lists.length = Math.min(state.lists.length, depth);
		if (state.lists.length < depth) {
			const list = h("ul");

			if (depth === 1)
				out.push(list);
			else
				state.lists.at(-1).lastElementChild.append(list);
			state.lists.push(list);
		}
		state.lists.at(-1).append(h("li", null, block.text));
	} else {
		out.push(h(blockElements[block.kind] || "p",
			{class: block.kind === "table-row" ? "mono" : null}, block.text));
	}
}

function cleanText(text) {
	const state = {level: 2, lists: []};
	const blocks = text.blocks || [];
	const out = [];

	for (const block of blocks.slice(0, blocksShown))
		addBlock(out, state, block);
	if (blocks.length > blocksShown)
		out.push(h("p", {class: "soft"},
			`and ${count(blocks.length - blocksShown, "more passage")}`));
	return out.length > 0 ? out : h("p", {class: "soft"}, "No text.");
}

const metadataNames = {title: "Title", published: "Published",
	modified: "Modified", site_name: "Site", description: "Summary",
	language: "Language", page_type: "Kind", image: "Picture",
	canonical: "Canonical address", licence: "Licence", favicon: "Icon",
	authors: "Authors", tags: "Tags", categories: "Categories"};

// "Title, from h1". Values of metadata are {value, source}, texts, or lists.
function metadataValue(value) {
	if (Array.isArray(value))
		return value.length === 0 ? null : h("ul", {class: "plain"},
			value.slice(0, 50).map(item => h("li", null, metadataValue(item))));
	if (value === null || value === undefined || value === "")
		return null;
	if (typeof value !== "object")
		return clip(value, 1000);
	return [/^https?:\/\//i.test(value.value) ? outside(value.value)
		: clip(value.value ?? "", 1000), value.source &&
			h("span", {class: "soft small"}, ` from ${value.source}`)];
}

function metadataPanel(text) {
	const known = Object.entries(text.metadata || {}).map(([name, value]) =>
		[metadataNames[name] || name.replaceAll("_", " "), metadataValue(value)]);

	return h("details", {class: "panel", open: true}, h("summary", null, "Metadata"),
		facts([...known,
			["Words", text.word_count === undefined ? null
				: count(text.word_count)],
			["Excerpt", text.excerpt || null],
			["Direction", text.direction || null]]));
}

const qualityKinds = {ok: "good", poor: "warn", empty: "bad", none: "bad"};

function judgement(text, explain) {
	return facts([
		["Template", text.cluster && [templateLink(text.cluster,
			explain?.page?.template_name),
			text.cluster_pages > 0 && h("span", {class: "soft"}, ` ${count(
				text.cluster_pages, "page")}`)]],
		["Text", [badge(qualityKinds[text.quality] || "", text.quality || "?"),
			" by ", h("code", null, text.method || "?"),
			text.reason ? `, ${text.reason}` : "",
			typeof text.confidence === "number"
				? [", ", percent(text.confidence), " sure "] : " ",
			help("how sure the daemon is", "The mean of its scores for the ",
				"passages that it kept and left out: 100 % means that there was ",
				"no doubt about any of them.")]],
		["Fetched", when(text.fetched)],
		["Waiting", text.waiting && ["newer visits wait to be judged, since ",
			dateTime(text.waiting)]],
		["Length", text.truncated ? "the text is cut, because it is too long"
			: null],
	]);
}

const formats = [["txt", "plain text"], ["md", "Markdown"], ["json", "JSON"],
	["html", "HTML"], ["xml", "XML"]];

function formatLinks(url) {
	return saved === null && h("p", {class: "small"}, "Get it as ",
		formats.flatMap(([format, name], i) => [i > 0 && ", ",
			h("a", {href: address("/v1/text", {url, format})}, name)]));
}

function copyFrame(title, source, isPicker) {
	return h("iframe", {title, src: source, sandbox: "allow-same-origin" +
		(isPicker ? " allow-top-navigation-by-user-activation" : "")});
}

function textTab({url, text, explain, isWriter}) {
	return [
		judgement(text, explain),
		formatLinks(url),
		h("div", {class: saved === null ? "sides" : null},
			saved === null && h("section", {class: "side"},
				h("h2", null, "Original ", h("span", null,
					"without scripts, pictures and style; ",
					h("b", {class: "kept"}, "kept"), " or left out.",
					isWriter && " Click a text to guard it.")),
				copyFrame("A copy of the original page", address(
					"/v1/pages/copy", {url, view: "pick"}), isWriter)),
			h("section", {class: "side"},
				h("h2", null, "Text ", h("span", null, "as the API gives it")),
				h("div", {class: "clean", tabindex: 0, role: "region",
					"aria-label": "Text"}, cleanText(text)))),
		metadataPanel(text),
	];
}

// Why each text was kept.

function methodForm(url, method, methods) {
	return h("form", {class: "fields filter-form", onsubmit: event => {
		const wanted = new FormData(event.currentTarget).get("method");

		event.preventDefault();
		go(address("/ui/page", {url, tab: "explain",
			method: wanted === "auto" ? null : wanted}));
	}},
	choice("Method", "method", methods.map(({name}) => [name, name]),
		method || "auto", "How the main text is found. “auto” is what the daemon " +
			"itself uses: it learns from all pages of the template. The others " +
			"are published methods, to compare with."),
	h("button", null, "Show"));
}

async function explainTab({url, text, explain, method}) {
	if (saved !== null)
		return empty("A saved report has no copies of pages.");
	const [answer, other] = await Promise.all([find("/v1/methods"),
		method ? find("/v1/text", {url, format: "json", method}) : text]);
	const methods = answer?.methods || [];
	const chosen = methods.find(each => each.name === (method || "auto"));

	return [
		methods.length > 0 && methodForm(url, method, methods),
		chosen && h("p", {class: "soft"}, chosen.summary),
		method && other === null && notice("warn",
			"This method finds nothing on this page."),
		other && judgement(other, explain),
		h("p", null, "Each text of the page has its score: how probable it is that ",
			"it is main text. What is above the threshold was kept. ",
			help("the score", "From 0 to 1, from the features of the passage, of ",
				"its neighbours and, if the template is known, from what the other ",
				"pages of the template have at this place.")),
		other !== null && h("section", {class: "side"}, copyFrame(
			"Each text of the page, and why it was kept or not", address(
				"/v1/pages/copy", {url, view: "explain", method}), false)),
	];
}

// What changed in the text.

// A guard of the text of this page, or of all pages of the template.
function watchTextForm(url, text, isWriter) {
	return isWriter && text !== null && panel("Be told of changes", form([
		field("Name", "name", {maxlength: 64, placeholder: "terms, price list",
			about: "How alerts call it. Without a name they show the address."}),
		choice("Pages", "scope", [["page", "this page"],
			text.cluster && ["template", "all of this template"]].filter(Boolean),
		"page", "You are told when the main text changes, with the words that " +
			"were removed and added. Menus, and parts that are different at each " +
			"visit, do not count."),
	], "Watch the text", async ({name, scope}) => {
		const slash = text.cluster ? text.cluster.lastIndexOf("/") : -1;
		const wanted = scope === "page" ? {text: url}
			: {text: "all", cluster: Number(text.cluster.slice(slash + 1))};

		if (name.trim() !== "")
			wanted.name = name.trim();
		await post(siteApi(hostOf(url), "guards"), wanted);
	}, {done: "The text is watched."}));
}

async function changesTab({url, text, isWriter}) {
	const answer = await find("/v1/pages/changes", {url});
	const changes = answer?.changes || [];
	const time = answer?.changed || answer?.time;

	if (changes.length === 0)
		return [empty("The text of this page has not changed since it is watched.",
			answer?.ignored > 0 && ` ${count(answer.ignored, "change")} of parts ` +
				"that are different at each visit were left out."),
		watchTextForm(url, text, isWriter)];
	return [
		h("p", {class: "lede"}, `${count(changes.length, "passage")} of the text `,
			"changed at the last change", time && [", ", when(time)], "."),
		facts([
			["Changed", time && dateTime(time)],
			["Before", answer.before && dateTime(answer.before)],
			["Left out", answer.ignored > 0 && [
				count(answer.ignored, "change"), " ",
				help("what is left out", "Parts that are different at most visits, ",
					"such as a clock, a counter or a random tip.")] || null],
		]),
		h("h2", null, "Passages"),
		textChanges(answer, "h3"),
		watchTextForm(url, text, isWriter),
	];
}

// Visits.

const visitNames = {attempts: "Attempts without an answer",
	depth: "Links away from the first page", due: "Next visit",
	error: "Error", etag: "Mark of the version (ETag)", fetched: "Last visit",
	found: "Found", http_status: "Answer of the server (HTTP)",
	interval_s: "Visited every", last_modified: "Changed, says the server",
	lastmod: "Changed, says the sitemap", redirects: "Redirects",
	rule: "Rule", state: "State"};

const pageNames = {bytes: "Size", changed: "Text changed", class: "Kind",
	cluster: "Template", redirect: "Leads to", rendered: "Read in a browser",
	template_name: "Name of the template"};

const robotsNames = {allowed: "Visits allowed", fetched: "Read",
	http_status: "Answer of the server (HTTP)", line: "Line", names_us:
	"Names this daemon", obeyed: "Obeyed", rule: "Rule"};

const patternNames = {cluster: "Template", found: "Addresses found",
	kind: "Kind", learned: "Addresses with a template", news: "Last news",
	pattern: "Pattern", quiet: "Visits in a row without news",
	state: "State", template_name: "Name of the template",
	visited: "Addresses visited"};

function visitValue(name, value) {
	if (value === null || value === undefined || value === "" ||
	    typeof value === "object")
		return null;
	if (typeof value === "boolean")
		return value ? "yes" : "no";
	if (name === "bytes")
		return bytes(value);
	if (name === "interval_s")
		return value > 0 ? `${count(value)} seconds` : null;
	if (name === "cluster")
		return templateLink(value);
	if (name === "redirect")
		return pageLink(value);
	if (/^\d{4}-\d\d-\d\dT/.test(value))
		return dateTime(value);
	return typeof value === "number" ? count(value) : clip(value, 500);
}

function visitPanel(title, part, names) {
	return part && panel(title, facts(Object.entries(part).map(([name, value]) =>
		[names[name] || name.replaceAll("_", " "), visitValue(name, value)])));
}

// Fetch the page now, and wait for it.
async function fetchNow(url) {
	await get("/v1/text", {url, format: "txt", fetch: "always"});
	say("The page is fetched.");
}

function visitActions(url, {site_is_known: isKnown, page}) {
	return h("div", {class: "actions"},
		!isKnown && button("Watch this site", () => post("/v1/sites", {url}),
			{kind: "main", done: "The site is watched. Its pages appear soon."}),
		button(page ? "Visit it now" : isKnown ? "Visit it"
			: "Visit this page and some that it links to",
		() => fetchNow(url), {kind: isKnown ? "main" : ""}),
		page && button("Delete this page",
			() => remove(address("/v1/pages", {url})), {kind: "danger",
				done: "The page is deleted.",
				sure: "Its text, its bytes and its counts are deleted. It is not " +
					"visited again until somebody asks for it."}));
}

function nextVisit(visit) {
	if (!visit)
		return null;
	if (visit.due)
		return ["The next visit is due ", when(visit.due), "."];
	return "No visit of its own is planned: the daemon visits it when it checks " +
		"the template, or when somebody asks for it.";
}

function visitTab({url, explain}) {
	if (explain === null)
		return empty("Only those who may change something see the visits.");
	const {visit} = explain;

	return [
		h("p", {class: "lede"}, explain.admitted ? badge("good", "visited")
			: badge("warn", "not visited"), " ", explain.meaning, ". ",
		help("this rule", "Which rule admits or rejects the address: it is in the ",
			"site, in a sitemap, was asked for; or the settings of the site, ",
			"robots.txt or a limit leave it out.")),
		visit?.error && visit.rule !== "forgotten" && notice("bad",
			"The last visit returned no page: ", visit.error,
			visit.http_status ? ` (HTTP status ${visit.http_status})` : "", "."),
		h("p", null, nextVisit(visit)),
		visitActions(url, explain),
		h("div", {class: "cards"},
			visitPanel("The last visit", visit, visitNames),
			visitPanel("As stored", explain.page, pageNames),
			visitPanel("Its pattern", explain.pattern, patternNames),
			visitPanel("The wider pattern", explain.coarse, patternNames),
			visitPanel("robots.txt", explain.robots, robotsNames)),
	];
}

// The page.

const pageTabs = [["", "Original and text", textTab],
	["explain", "Why", explainTab], ["changes", "Changes", changesTab],
	["visit", "Visits", visitTab]];

// So that the tabs know their page, however the address was written.
function tidyAddress(url, tab, method) {
	if (saved === null && !method &&
	    location.pathname + location.search !== pagePath(url, tab))
		history.replaceState(null, "", pagePath(url, tab));
}

async function pageText(url) {
	const text = await find("/v1/text", {url, format: "json"});

	return text !== null && typeof text === "object" ? text : null;
}

function hostOf(url) {
	try {
		return new URL(url).host;
	} catch {
		throw new ApiError(400, "bad_url", "This is not the address of a page.");
	}
}

// `url`: the page; `tab`: a part of it; `method`: how the text is found.
export async function pageView({url, tab, method}) {
	const given = hostOf(url || "");
	const isWriter = await mayWrite();
	const [text, explain] = await Promise.all([pageText(url),
		isWriter ? get("/v1/pages", {url}) : null]);
	const host = explain?.site || given;
	const known = pageTabs.find(([name]) => name === (tab || "")) || pageTabs[0];
	const chosen = text === null && isWriter ? pageTabs.at(-1) : known;

	if (text === null && !isWriter)
		throw new ApiError(404, "not_stored", "This page is not stored.");
	tidyAddress(explain?.url || url, chosen[0], method);
	return [
		head(clip(text?.title || url, 150), {
			crumbs: [link("/", "Sites"), link(sitePath(host), host),
				text?.cluster && templateLink(text.cluster,
					explain?.page?.template_name)].filter(Boolean)}),
		h("p", {class: "small"}, outside(url)),
		text !== null && tabs(pageTabs.filter(([name]) =>
			(name !== "visit" || isWriter) && (name !== "explain" ||
				saved === null)).map(([name, title]) =>
			[pagePath(explain?.url || url, name), title]), "Parts of the page"),
		text === null && chosen === pageTabs.at(-1) && notice("warn",
			"This page is not stored. Below is why."),
		await chosen[2]({url: explain?.url || url, text, explain, method, isWriter}),
	];
}

// An element, for which a guard can be added.

function elementPath(url, n, up) {
	return address("/ui/element", {url, n, up: up > 0 ? up : null});
}

function selectorChoice(selector, about, isFirst) {
	return h("label", {class: "choice"},
		h("input", {type: "radio", name: "css", required: true, value: selector,
			checked: isFirst}),
		h("code", null, clip(selector, 400)),
		h("span", {class: "soft small"}, about));
}

function selectorChoices(element) {
	const list = element.candidates || [];

	return h("fieldset", null,
		h("legend", null, "Selector ", help("a selector", "How the element is ",
			"found on all pages. A short one with the names that the shop gives ",
			"its parts survives more changes than a long one.")),
		list.map((candidate, i) => selectorChoice(candidate.selector, [
			i === 0 ? "the most stable one" : "once on this page",
			candidate.pages > 0 && `, on ${count(candidate.pages, "page")}`,
			candidate.value && `: ${quoted(candidate.value)}`,
			typeof candidate.score === "number" &&
				`, ${percent(candidate.score)} like this element`], i === 0)),
		element.path && selectorChoice(element.path,
			"its place in the page; other elements may be there, too",
			list.length === 0));
}

async function addGuard(element, given) {
	const wanted = {css: given.css, expect: given.expect.trim() || "1"};

	if (given.name.trim() !== "")
		wanted.name = given.name.trim();
	if (given.scope === "template")
		wanted.cluster = Number(element.template.slice(
			element.template.lastIndexOf("/") + 1));
	const added = await post(siteApi(element.site, "guards"), wanted);

	say(`The guard is added: it is found on ${count(added.holding)} of ` +
		`${count(added.checked, "page")}.` +
		(added.warning ? ` ${added.warning}` : ""), added.warning ? "warn" : "");
	return added;
}

function guardForm(element) {
	return h("section", {class: "panel"}, h("h2", null, "Guard it"), form([
		selectorChoices(element),
		h("div", {class: "fields"},
			field("Name", "name", {maxlength: 64, wide: true,
				placeholder: "what it is: price, title",
				about: "How alerts call it, such as “price”. Without a name they " +
					"show the selector."}),
			field("Matches on a page", "expect", {value: "1", required: true,
				pattern: "[0-9]+([.][.][0-9]*)?",
				about: "How often the selector must match on each page: 1 = once; " +
					"1.. = once or more; 2..5 = two to five times; 0 = never. A " +
					"page with another number fails."}),
			choice("Pages", "scope", [
				element.template && ["template", "of this template"],
				["site", "of the whole site"]].filter(Boolean),
			element.template ? "template" : "site",
			"On which pages it must match. A price is on the pages of products " +
				"(one template), a menu on all pages.")),
	], "Guard it", async given => {
		const added = await addGuard(element, given);

		go(sitePath(element.site, "guards", String(added.id)));
	}));
}

// `n` is the number of the element in the copy of the page; `up`: this many
// elements around it.
export async function elementView({url, n, element: older, up}) {
	const number = n ?? older;
	const level = Math.min(levelsUp, Math.max(0, Number(up) || 0));
	const element = await get("/v1/pages/element", {url, n: number,
		up: level > 0 ? level : null});

	return [
		head("Guard an element", {
			crumbs: [link("/", "Sites"), link(sitePath(element.site), element.site),
				link(pagePath(element.url), "page")],
			lede: ["On ", pageLink(element.url), ". You are told when pages no ",
				"longer have it, and where it probably is then."]}),
		facts([
			["Value", element.value ? h("q", {class: "pre"},
				clip(element.value, 500)) : h("span", {class: "soft"}, "no text")],
			["Place", h("code", null, clip(element.path || "", 500))],
			["Template", element.template &&
				link(templatePath(element.template), element.template)],
		]),
		h("div", {class: "actions"},
			element.has_parent && level < levelsUp && h("a", {class: "button",
				href: elementPath(url, number, level + 1)}, "One element up"),
			level > 0 && h("a", {class: "button",
				href: elementPath(url, number, level - 1)}, "One element down"),
			h("a", {class: "button", href: pagePath(element.url)},
				"Choose another one"),
			help("one element up", "You clicked a text. Around it are larger ",
				"parts, such as the box with the price and its unit. Go up until ",
				"the value is what you want to keep.")),
		await mayWrite() ? guardForm(element)
			: empty("Only those who may change something can add a guard."),
		anyElementFacts(element),
	];
}

const elementKnown = ["url", "site", "template", "number", "up", "value", "path",
	"has_parent", "candidates"];

function anyElementFacts(element) {
	return anyFacts(element, elementKnown);
}
