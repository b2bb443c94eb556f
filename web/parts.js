// The parts that all views use: heads, tables, figures, forms.

import {h} from "./dom.js";
import {ApiError, find, saved, templateApi} from "./api.js";

// Numbers, sizes, and times in the time zone of the browser.

const numbers = new Intl.NumberFormat("en");
const dateTimes = new Intl.DateTimeFormat("en-GB", {
	day: "numeric", month: "short", year: "numeric", hour: "2-digit",
	minute: "2-digit",
});
const relative = new Intl.RelativeTimeFormat("en", {numeric: "auto"});
const spans = [["year", 31536000], ["month", 2592000], ["day", 86400],
	["hour", 3600], ["minute", 60], ["second", 1]];

export function count(value, one, many) {
	const text = numbers.format(value);

	if (one === undefined)
		return text;
	return `${text} ${value === 1 ? one : many || one + "s"}`;
}

export function percent(share) {
	return `${Math.round(share * 100)}\u00a0%`;
}

export function bytes(size) {
	const units = ["bytes", "KB", "MB", "GB", "TB"];
	let i = 0;

	for (; size >= 1000 && i + 1 < units.length; i++)
		size /= 1000;
	return `${i > 0 && size < 10 ? size.toFixed(1) : Math.round(size)} ${units[i]}`;
}

// "3 hours", "2 days", of seconds.
export function duration(seconds) {
	for (const [unit, size] of spans)
		if (seconds >= size)
			return count(Math.round(seconds / size), unit);
	return "0 seconds";
}

// "5 minutes ago", with the local time as its title.
export function when(iso) {
	if (!iso)
		return h("span", {class: "soft"}, "never");
	const date = new Date(iso);
	const seconds = (date - Date.now()) / 1000;
	const [unit, size] = spans.find(span => Math.abs(seconds) >= span[1]) ||
		spans.at(-1);
	const local = dateTimes.format(date);
	const isOld = saved !== null || Math.abs(seconds) > 2592000;

	return h("time", {datetime: iso, title: local},
		isOld ? local : relative.format(Math.round(seconds / size), unit));
}

export function dateTime(iso) {
	return h("time", {datetime: iso}, dateTimes.format(new Date(iso)));
}

// Links within the application. A saved report has them behind "#".

export function path(...parts) {
	const text = "/ui/" + parts.map(encodeURIComponent).join("/")
		.replaceAll("%3A", ":");

	return saved === null ? text : "#" + text;
}

export function sitePath(host, ...more) {
	return path("sites", host, ...more);
}

// Of "HOST/3".
export function templatePath(id, ...more) {
	const slash = id.lastIndexOf("/");

	return path("templates", id.slice(0, slash), id.slice(slash + 1), ...more);
}

export function pagePath(url, tab) {
	const query = new URLSearchParams({url});

	if (tab)
		query.set("tab", tab);
	return path("page") + "?" + query;
}

// Show the page at this address of the application.
export function go(to) {
	document.dispatchEvent(new CustomEvent("go", {detail: to}));
}

export function link(to, ...children) {
	return h("a", {href: to}, ...children);
}

// Many people type a name without "https://".
export function urlOf(text) {
	return /^https?:\/\//i.test(text) ? text : "https://" + text;
}

// A link to another site. Only http and https become links.
export function outside(url, text) {
	const label = text || url.replace(/^https?:\/\//, "");

	if (!/^https?:\/\//i.test(url))
		return h("code", null, label);
	return h("a", {href: url, class: "out", target: "_blank",
		rel: "noreferrer noopener"}, label);
}

// A link that needs the answer of `api`, which a saved report may not have.
export function linkIfSaved(api, to, ...children) {
	return saved === null || api in saved.answers ? link(to, ...children)
		: h("span", null, ...children);
}

// Names of templates that views have shown, by id.
const templateNames = new Map();

// Put the name of the template into its link when it is here.
async function nameLink(node, id) {
	templateNames.set(id, "");
	try {
		templateNames.set(id, (await find(templateApi(id)))?.name || "");
	} catch {
		templateNames.delete(id);
	}
	if (templateNames.get(id))
		node.replaceChildren(templateNames.get(id));
}

// Of "HOST/3" with its name, if it has one. "" if there is no template.
export function templateLink(id, name) {
	if (!id)
		return "";
	if (name)
		templateNames.set(id, name);
	const known = templateNames.get(id);
	const node = linkIfSaved(templateApi(id), templatePath(id),
		known || `template ${id.slice(id.lastIndexOf("/") + 1)}`);

	if (known === undefined && saved === null)
		nameLink(node, id);
	return node;
}

// A link to a stored page; in a saved report, to the page itself.
export function pageLink(url, title) {
	const text = title || url.replace(/^https?:\/\/[^/]*/, "") || url;

	return saved === null ? link(pagePath(url), text) : outside(url, text);
}

// The head of a page. `crumbs` are links, `actions` buttons and badges.
export function head(title, {crumbs = [], actions = [], lede = null} = {}) {
	const text = typeof title === "string" ? title : title.textContent;

	document.title = `${text} · templated`;
	return [
		crumbs.length > 0 && h("p", {class: "crumbs"},
			crumbs.flatMap((crumb, i) => i === 0 ? [crumb] : [" / ", crumb])),
		h("div", {class: "head"}, h("h1", null, title), actions),
		lede && h("p", {class: "lede"}, lede),
	];
}

// `list` is [[address, text, count]]; the one of this page is marked.
export function tabs(list, label) {
	const here = saved === null ? location.pathname + location.search
		: location.hash || sitePath(saved.host);
	// a tab stays marked while the query says what is shown in it
	const isHere = to => to === here || to === here.split("?")[0];

	return h("nav", {"aria-label": label}, h("ul", {class: "tabs"},
		list.filter(Boolean).map(([to, text, number]) => h("li", null,
			h("a", {href: to,
				"aria-current": isHere(to) ? "page" : null},
			text, number !== undefined && number !== null &&
				h("span", {class: "count"}, " ", count(number)))))));
}

// A table. `columns` are [{head, cell(row), class}]; `empty` is the text if
// there are no rows.
export function table(caption, columns, rows, empty) {
	if (rows.length === 0)
		return h("p", {class: "empty"}, empty);
	return h("div", {class: "scroll", tabindex: 0, role: "region",
		"aria-label": caption},
	h("table", null, h("caption", null, caption),
		h("thead", null, h("tr", null, columns.map(column =>
			h("th", {scope: "col", class: column.class}, column.head)))),
		h("tbody", null, rows.map(row => h("tr", null, columns.map(column =>
			h("td", {class: column.class, "data-head": column.head},
				column.cell(row))))))));
}

// kind: "good", "bad", "warn", "busy" or "".
export function badge(kind, text) {
	return h("span", {class: `badge ${kind}`}, text);
}

export function empty(...children) {
	return h("p", {class: "empty"}, ...children);
}

export function notice(kind, ...children) {
	return h("p", {class: `notice ${kind}`, role: "status"}, ...children);
}

// `list` is [[name, value, small text]].
export function figures(list) {
	return h("dl", {class: "figures"}, list.filter(Boolean).map(
		([name, value, small]) => h("div", null, h("dt", null, name),
			h("dd", null, value, small && h("small", null, small)))));
}

// `list` is [[name, value]]; values that are null are left out.
export function facts(list) {
	return h("dl", {class: "facts"}, list.filter(
		entry => entry && entry[1] !== null && entry[1] !== undefined).flatMap(
		([name, value]) => [h("dt", null, name), h("dd", null, value)]));
}

// An explanation that a click on "?" shows.
export function help(what, ...children) {
	return h("details", {class: "help"},
		h("summary", {"aria-label": `What is ${what}?`}, "?"),
		h("span", null, ...children));
}

// Technical parts, folded.
export function experts(...children) {
	return h("details", {class: "panel"}, h("summary", null, "For experts"),
		...children);
}

export function panel(title, ...children) {
	return h("section", {class: "panel"}, title && h("h2", null, title),
		...children);
}

// Messages at the lower edge, read by screen readers.
export function say(text, kind) {
	const message = h("p", {class: `notice ${kind || ""}`}, text,
		h("button", {type: "button", "aria-label": "Close this message",
			onclick: () => message.remove()}, "×"));

	document.getElementById("messages").append(message);
	if (kind !== "bad")
		setTimeout(() => message.remove(), 8000);
}

export function explainError(error) {
	return error instanceof ApiError ? error.message
		: `This page has an error: ${error.message}`;
}

// Do `work`; show the message `done`, or the error. Return whether it
// succeeded. The view is read again.
export async function act(work, done) {
	try {
		await work();
	} catch (error) {
		say(explainError(error), "bad");
		return false;
	}
	if (done)
		say(done);
	document.dispatchEvent(new Event("reread"));
	return true;
}

// A button that does `work` once it is pressed, and says `done`.
export function button(text, work, {kind = "", done = "", sure = ""} = {}) {
	return h("button", {type: "button", class: kind, onclick: async event => {
		const pressed = event.currentTarget;

		if (sure !== "" && !await confirmed(sure, text))
			return;
		pressed.disabled = true;
		await act(work, done);
		pressed.disabled = false;
	}}, text);
}

// Ask before something cannot be undone. Return the answer.
export function confirmed(question, yes) {
	return new Promise(resolve => {
		const dialog = h("dialog", {"aria-label": question},
			h("p", null, question),
			h("form", {method: "dialog", class: "actions"},
				h("button", {value: "yes", class: "danger"}, yes),
				h("button", {value: "no", autofocus: true}, "Cancel")));

		dialog.addEventListener("close", () => {
			dialog.remove();
			resolve(dialog.returnValue === "yes");
		});
		document.body.append(dialog);
		dialog.showModal();
	});
}

// Forms. The functions below create their fields.

// A form. `work` gets {name: value} of its fields; `done` is
// the message after it.
export function form(fields, text, work, {done = "", kind = "main"} = {}) {
	return h("form", {
		oninput: event => {
			event.currentTarget.dataset.touched = "";
		},
		onsubmit: async event => {
			const sent = event.currentTarget;
			const values = Object.fromEntries(new FormData(sent));

			event.preventDefault();
			sent.querySelector("button:not([type])").disabled = true;
			if (await act(() => work(values, sent), done))
				delete sent.dataset.touched;
			sent.querySelector("button:not([type])").disabled = false;
		},
	}, h("div", {class: "fields"}, fields,
		h("button", {class: kind}, text)));
}

// A field with its label, its unit and its explanation.
export function field(label, name, {value = "", type = "text", unit = "",
	about = null, wide = false, ...more} = {}) {
	return h("div", {class: wide ? "field-of wide" : "field-of"},
		h("label", null, h("span", null, label, unit && ` (${unit})`),
			type === "textarea"
				? h("textarea", {name, rows: 3, ...more, value})
				: h("input", {name, type, ...more, value})),
		about && help(label, about));
}

export function checkbox(label, name, isOn, about) {
	return h("div", {class: "field-of"},
		h("label", {class: "check"},
			h("input", {name, type: "checkbox", checked: isOn}),
			h("span", null, label)),
		about && help(label, about));
}

// `options` are [[value, text]].
export function choice(label, name, options, value, about) {
	return h("div", {class: "field-of choice-of"},
		h("label", null, h("span", null, label), h("select", {name}, options.map(
			([key, text]) => h("option", {value: key,
				selected: key === value}, text)))),
		about && help(label, about));
}

// The meaning of the kinds of events and incidents.
export const kindWords = {
	"cluster.added": "A group of pages was found",
	"cluster.merged": "Two groups of pages became one",
	"cluster.removed": "A group of pages disappeared",
	"cluster.split": "A group of pages became two",
	"field.changed": "A watched value changed",
	"field.firing": "A field lost its values",
	"field.healed": "A field was found at its new place",
	"field.resolved": "A field has values again",
	"guard.alternates": "A guarded value comes and goes",
	"guard.changed": "A watched text changed",
	"guard.firing": "A guarded value is gone",
	"guard.resolved": "A guarded value is back",
	"guard.suspended": "A guard takes too long",
	"guard.unmatched": "The pages of a guard are gone",
	"incident.added": "A new template appeared",
	"incident.alternates": "The site alternates between two editions",
	"incident.back": "The site is back",
	"incident.changed": "A template was redesigned",
	"incident.down": "The site is down",
	"incident.ended": "The incident has ended",
	"incident.field": "A field lost its values",
	"incident.field_resolved": "A field has values again",
	"incident.guard": "A guarded value is gone",
	"incident.guard_resolved": "A guarded value is back",
	"incident.moved": "The site has moved",
	"incident.removed": "Pages of a template disappeared",
	"incident.split": "A template became two",
	"incident.text": "The text of a page changed",
	"incident.updated": "The incident has more findings",
	"page.added": "A page was added",
	"page.changed": "The text of a page changed",
	"page.removed": "A page disappeared",
	"site.added": "The site was added",
	"site.alternates": "The site alternates between two editions",
	"site.blocked": "The site blocks our visits",
	"site.crawled": "All pages were visited",
	"site.exhausted": "A limit of the site is reached",
	"site.learned": "The templates of the site are learned",
	"site.missing": "Many pages are missing",
	"site.moved": "The site has moved",
	"site.ok": "The site answers again",
	"site.removed": "The site was deleted",
	"site.stale": "The site was not visited for long",
	"site.threshold_changed": "The pages were grouped again",
	"site.unreachable": "The site does not answer",
	"template.added": "A template was learned",
	"template.alternates": "A template alternates between two editions",
	"template.changed": "A template changed",
	"template.checked": "A template was checked",
	"template.merged": "Two templates became one",
	"template.rebuilt": "A template was learned again",
	"template.removed": "A template disappeared",
	"template.replaced": "A template was replaced",
	"template.restored": "A template has its old form again",
	"template.split": "A template became two",
};

export function kindText(kind) {
	return kindWords[kind] || kind;
}
