// One page: its text, why each text was kept, what changed in it, its visits;
// and an element of it, for which a guard can be added.

import {h} from "./dom.js";
import {ApiError, address, find, get, mayWrite, post, remove, saved,
	siteApi, templateApi} from "./api.js";
import {badge, button, bytes, choice, count, dateTime, duration, empty, experts,
	facts, field, form, go, head, help, link, notice, outside, pageLink, pagePath,
	panel, percent, say, sitePath, tabs, templateLink, when}
	from "./parts.js";
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

	return h("details", {class: "panel", open: true},
		h("summary", null, "About the page"),
		facts([...known,
			["Words", text.word_count === undefined ? null
				: count(text.word_count)],
			["Excerpt", text.excerpt || null],
			["Direction", text.direction === "rtl" ? "right to left" : null]]));
}

const qualityWords = {ok: ["good", "well read"], poor: ["warn", "little text"],
	empty: ["bad", "no text"], none: ["", "not judged"]};

function judgement(text, explain) {
	return facts([
		["Template", text.cluster && [templateLink(text.cluster,
			explain?.page?.template_name),
			text.cluster_pages > 0 && h("span", {class: "soft"}, ` ${count(
				text.cluster_pages, "page")}`)]],
		["Text", [badge(...qualityWords[text.quality] || ["",
			text.quality || "not judged"]),
			typeof text.confidence === "number"
				? [", ", percent(text.confidence), " sure "] : " ",
			help("this share", "How sure it is which passages are main text, on ",
				"average: 100 % = there was no doubt about any of them.")]],
		["Visited", when(text.fetched)],
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
					h("b", {class: "kept"}, "coloured"), ": main text. ",
					isWriter && "Click a value to watch it.")),
				copyFrame("A copy of the original page", address(
					"/v1/pages/copy", {url, view: "pick"}), isWriter)),
			h("section", {class: "side"},
				h("h2", null, "Text ", h("span", null, "the main text of the page")),
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
		method || "auto", "How the main text is found. “auto” is " +
			"used normally: it learns from all pages of the template. The others " +
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
		h("p", null, "Which texts of the page are its main text, and which are ",
			"menus, advertising or other parts that many pages have. Each text has ",
			"its score: how probable it is that it is main text. ",
			help("the score", "From 0 to 1, from the features of the passage, of ",
				"its neighbours and, if the template is known, from the texts of ",
				"the other pages at this place.")),
		method && other === null && notice("warn",
			"This method finds nothing on this page."),
		other && judgement(other, explain),
		h("details", {class: "panel", open: Boolean(method)},
			h("summary", null, "For experts"),
			methods.length > 0 && methodForm(url, method, methods),
			chosen && h("p", {class: "soft"}, chosen.summary),
			other && facts([["Method", h("code", null, other.method || "?")],
				["Reason", other.reason || null]])),
		other !== null && h("section", {class: "side"}, copyFrame(
			"Each text of the page, and why it was kept or not", address(
				"/v1/pages/copy", {url, view: "explain", method}), false)),
	];
}

// What changed in the text.

// A guard of the text of this page, or of all pages of the template.
function watchTextForm(url, text, isWriter) {
	return isWriter && text !== null && panel("Get an alert when it changes", form([
		field("Name", "name", {maxlength: 64,
			about: "How alerts call it, for example “terms” or “price list”. " +
				"Without a name they show the address."}),
		choice("Pages", "scope", [["page", "this page"],
			text.cluster && ["template", "all of this template"]].filter(Boolean),
		"page", "The alert has the words of the main text that were removed and " +
			"added. Menus, and parts that are different at each visit, do not " +
			"count."),
	], "Watch the text", async ({name, scope}, sent) => {
		const slash = text.cluster ? text.cluster.lastIndexOf("/") : -1;
		const wanted = scope === "page" ? {text: url}
			: {text: "all", cluster: Number(text.cluster.slice(slash + 1))};

		if (name.trim() !== "")
			wanted.name = name.trim();
		await post(siteApi(hostOf(url), "guards"), wanted);
		sent.reset();
	}, {done: "The text is watched."}));
}

async function changesTab({url, text, isWriter}) {
	const answer = await find("/v1/pages/changes", {url});
	const changes = answer?.changes || [];
	const time = answer?.changed || answer?.time;

	if (changes.length === 0)
		return [empty("The text of this page has not changed since it has been ",
			"watched.",
			answer?.ignored > 0 && ` ${count(answer.ignored, "change")} of parts ` +
				"that are different at each visit were left out."),
		watchTextForm(url, text, isWriter)];
	return [
		h("p", {class: "lede"}, `${count(changes.length, "passage")} of the text `,
			"changed at the last change", time && [", ", when(time)], "."),
		facts([
			["Changed", time && dateTime(time)],
			["The visit before", answer.before && dateTime(answer.before)],
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
	error: "Error", etag: "Version (ETag)", fetched: "Last visit",
	found: "Found", http_status: "Answer of the server (HTTP)",
	interval_s: "Visited every", last_modified: "Changed, says the server",
	lastmod: "Changed, says the sitemap", redirects: "Redirects",
	rule: "Rule", state: "State"};

const pageNames = {bytes: "Size", changed: "Text changed", class: "Kind",
	cluster: "Template", redirect: "Leads to", rendered: "Read in a browser"};

const robotsNames = {allowed: "Visits allowed", fetched: "Read",
	http_status: "Answer of the server (HTTP)", line: "Line", names_us:
	"Names this program", obeyed: "Obeyed", rule: "Rule"};

const patternNames = {cluster: "Template", found: "Addresses found",
	kind: "Kind", learned: "Addresses with a template", news: "Last news",
	pattern: "Pattern", quiet: "Visits in a row without news",
	state: "State", visited: "Addresses visited"};

// What values of these fields mean.
const visitWords = {asked: "somebody requested it", coarse: "a wider pattern",
	complete: "all are visited", done: "visited", exhausted: "a limit is reached",
	fine: "a narrow pattern", link: "a page links to it",
	open: "is being visited", saturated: "nothing new was found",
	sitemap: "a sitemap has the address", waiting: "waits for its visit"};

function visitValue(name, value) {
	if (value === null || value === undefined || value === "" ||
	    typeof value === "object")
		return null;
	if (typeof value === "boolean")
		return value ? "yes" : "no";
	if (name === "bytes")
		return bytes(value);
	if (name === "interval_s")
		return value > 0 ? duration(value) : null;
	if (name === "redirect")
		return pageLink(value);
	if (/^\d{4}-\d\d-\d\dT/.test(value))
		return dateTime(value);
	if (typeof value === "number")
		return count(value);
	return visitWords[value] || clip(value, 500);
}

function visitPanel(title, part, names) {
	return part && panel(title, facts(Object.entries(part).filter(
		([name]) => name !== "template_name").map(([name, value]) =>
		[names[name] || name.replaceAll("_", " "), name === "cluster"
			? value && templateLink(value, part.template_name)
			: visitValue(name, value)])));
}

// "It was visited 5 minutes ago, and answered well."
function visitFacts({visit, page}) {
	const status = visit?.http_status;

	return facts([
		["Last visit", visit?.fetched && when(visit.fetched)],
		["Answer", status && !visit.error && (status < 400
			? badge("good", "the page came")
			: badge("bad", status === 404 ? "no such page (404)"
				: `an error (${status})`))],
		["Text changed", page?.changed && when(page.changed)],
		["Leads to", page?.redirect && pageLink(page.redirect)],
		["Template", page?.cluster && templateLink(page.cluster,
			page.template_name)],
		["Size", page?.bytes > 0 ? bytes(page.bytes) : null],
	].filter(entry => entry[1]));
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
		button(isKnown ? "Visit it now"
			: "Visit this page and some that it links to",
		() => fetchNow(url), {kind: isKnown ? "main" : ""}),
		page && button("Delete this page",
			() => remove(address("/v1/pages", {url})), {kind: "danger",
				done: "The page is deleted.",
				sure: "Its text, its bytes and its counts are deleted. It is not " +
					"visited again until somebody asks for it."}));
}

// `site` is null if it is not watched.
function nextVisit(visit, page, site) {
	if (!visit || !site)
		return null;
	if (visit.due)
		return ["The next visit is due ", when(visit.due), "."];
	return [page?.cluster && site.check_interval_s > 0
		? `Every ${duration(site.check_interval_s)}, some pages of its template ` +
			"are visited, and this one is among them from time to time. "
		: "No further visit of it is planned. ",
	"To see it now, press the button."];
}

async function visitTab({url, explain}) {
	if (explain === null)
		return empty("Your token may only read, and the visits need more.");
	const {visit} = explain;
	const site = explain.site_is_known ? await find(siteApi(explain.site)) : null;

	return [
		h("p", {class: "lede"}, explain.admitted ? badge("", "may be visited")
			: badge("warn", "is not visited"), " ",
		explain.meaning.replace(/\ba client\b/, "somebody"), ". ",
		help("this rule", "Why the address is visited or not: a link or a sitemap ",
			"has it, or somebody requested it; or the settings of the site, ",
			"robots.txt or a limit leave it out.")),
		visit?.error && visit.rule !== "forgotten" && notice("bad",
			"The site returned no page: ", visit.error,
			visit.http_status ? ` (HTTP status ${visit.http_status})` : "",
			", so nothing of it is stored."),
		visitFacts(explain),
		h("p", null, nextVisit(visit, explain.page, site)),
		visitActions(url, explain),
		experts(h("div", {class: "cards"},
			visitPanel("The last visit", visit, visitNames),
			visitPanel("As stored", explain.page, pageNames),
			visitPanel("Its pattern", explain.pattern, patternNames),
			visitPanel("The wider pattern", explain.coarse, patternNames),
			visitPanel("robots.txt", explain.robots, robotsNames))),
	];
}

// The page.

const pageTabs = [["", "Original and text", textTab],
	["explain", "Main text or not", explainTab], ["changes", "Changes", changesTab],
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
		head(clip(text?.title || new URL(explain?.url || url).pathname, 150), {
			crumbs: [link("/", "Sites"), link(sitePath(host), host),
				text?.cluster && templateLink(text.cluster,
					explain?.page?.template_name)].filter(Boolean)}),
		h("p", {class: "small"}, outside(url)),
		text !== null && tabs(pageTabs.filter(([name]) =>
			(name !== "visit" || isWriter) && (name !== "explain" ||
				saved === null)).map(([name, title]) =>
			[pagePath(explain?.url || url, name), title]), "Parts of the page"),
		text === null && chosen === pageTabs.at(-1) && !explain?.visit?.error &&
			notice("warn", "This page is not stored, because no visit has " +
				"returned it."),
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
	const list = (element.candidates || []).filter(
		candidate => !/^(html|head|body)\b/.test(candidate.selector));

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

const watchChoices = [["both", "when it changes or is gone"],
	["changed", "when it changes"], ["lost", "when it is gone"]];

// A field of the template whose values are watched.
async function watchValue(element, given) {
	await post(templateApi(element.template, "fields"), {
		name: given.name.trim(), selector: given.css, watched: true});
	say("It is watched: each new value on a page is an alert.");
}

// All or nothing, so that the names are free at the next attempt.
async function watchElement(element, given) {
	const when = given.when || "lost";
	const added = when === "changed" ? null : await addGuard(element, given);

	if (when === "lost")
		return;
	try {
		await watchValue(element, given);
	} catch (error) {
		if (added !== null)
			await remove(siteApi(element.site, "guards", String(added.id)));
		throw error;
	}
}

async function addGuard(element, given) {
	const wanted = {css: given.css, expect: given.expect.trim() || "1",
		name: given.name.trim()};

	if (given.scope === "template")
		wanted.cluster = Number(element.template.slice(
			element.template.lastIndexOf("/") + 1));
	const added = await post(siteApi(element.site, "guards"), wanted);

	say(`The guard is added: it is found on ${count(added.holding)} of ` +
		`${count(added.checked, "page")}.` +
		(added.warning ? ` ${added.warning}` : ""), added.warning ? "warn" : "");
	return added;
}

// What the person wants to know. The choices are of the same rank.
function whenChoice(value) {
	const abouts = {
		changed: value ? `a page has another value instead of ${quoted(value)}`
			: "a page has another value",
		lost: "pages have no value at this place, after a new design for example",
	};

	return h("fieldset", null, h("legend", null, "Alert me"),
		watchChoices.map(([name, text], i) => h("label", {class: "choice"},
			h("input", {type: "radio", name: "when", value: name,
				checked: i === 0}), h("span", null, text),
			h("span", {class: "soft small"}, abouts[name]))));
}

function guardForm(element) {
	return h("section", {class: "panel"}, h("h2", null, "Watch it"), form([
		element.template && whenChoice(element.value),
		h("div", {class: "fields"},
			field("Name", "name", {maxlength: 64, required: true,
				placeholder: "price",
				about: "How alerts call it, such as “price”."}),
			choice("Pages", "scope", [
				element.template && ["template", "all pages like this one"],
				["site", "all pages of the site"]].filter(Boolean),
			element.template ? "template" : "site",
			"On which pages it must be. A price is on the pages of products, a " +
				"menu on all pages. Changes of a value are watched on all pages " +
				"like this one.")),
		h("details", null, h("summary", null, "For experts: how it is found"),
			h("div", {class: "fields"}, selectorChoices(element),
				field("Matches on a page", "expect", {value: "1", required: true,
					pattern: "[0-9]+([.][.][0-9]*)?",
					about: "How often the selector must match on each page: 1 = " +
						"once; 1.. = once or more; 2..5 = two to five times; 0 = " +
						"never. A page with another number fails."}))),
	], "Watch it", async given => {
		await watchElement(element, given);
		go(sitePath(element.site, "guards"));
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
		head("Watch a value", {
			crumbs: [link("/", "Sites"), link(sitePath(element.site), element.site),
				link(pagePath(element.url), "page")],
			lede: ["On ", pageLink(element.url), ". You get an alert when it ",
				"changes, or when pages no longer have it."]}),
		facts([
			["Value", element.value ? h("q", {class: "pre"},
				clip(element.value, 500)) : h("span", {class: "soft"}, "no text")],
			["Template", element.template && templateLink(element.template)],
		]),
		h("div", {class: "actions"},
			element.has_parent && level < levelsUp && h("a", {class: "button",
				href: elementPath(url, number, level + 1)}, "A larger part"),
			level > 0 && h("a", {class: "button",
				href: elementPath(url, number, level - 1)}, "A smaller part"),
			h("a", {class: "button", href: pagePath(element.url)},
				"Choose another one"),
			help("a larger part", "You clicked a text. Around it are larger ",
				"parts, such as the box with the price and its unit. Choose the ",
				"part whose value you want to watch.")),
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
