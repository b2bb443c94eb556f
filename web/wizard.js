// Watch a site, in four steps: its address, the templates found, the alerts
// wanted, and the places that get them.

import {h} from "./dom.js";
import {find, get, mayWrite, post} from "./api.js";
import {badge, checkbox, count, empty, field, form, go, head, help, link, notice,
	pagePath, panel, sitePath, table, templatePath} from "./parts.js";
import {hookForm} from "./settings.js";
import {pauseText} from "./sites.js";

const templatesShown = 10;
const secondsPerHour = 3600;

// Many people type a name without "https://".
function urlOf(text) {
	return /^https?:\/\//i.test(text) ? text : "https://" + text;
}

async function addSite(values) {
	const body = {url: urlOf(values.url.trim())};

	if (values.max_pages !== "")
		body.max_pages = Number(values.max_pages);
	if (values.hours !== "")
		body.revisit_interval_s =
			Math.round(Number(values.hours) * secondsPerHour);
	if (values.allow_private)
		body.allow_private = true;
	const site = await post("/v1/sites", body);
	go("/ui/add?host=" + encodeURIComponent(site.host));
}

function urlStep() {
	return panel("1. Which site?", form([
		field("Address of the site", "url", {required: true, wide: true,
			placeholder: "https://shop.example/",
			autocapitalize: "off", spellcheck: "false"}),
		field("Visit again after", "hours", {type: "number",
			unit: "hours", min: 0, step: "any", placeholder: "default",
			about: "Pages that change often are visited earlier, others later. " +
				"Without a number the daemon's default is used."}),
		field("At most", "max_pages", {type: "number", unit: "pages", min: 1,
			placeholder: "default",
			about: "A few hundred pages are enough to learn the templates of " +
				"most sites."}),
		checkbox("It is in my own network", "allow_private", false,
			"Addresses such as 192.168.1.10 are refused otherwise, so that " +
			"no page can lead the daemon into your network."),
	], "Watch it", addSite));
}

function foundStep(site, templates) {
	const isBusy = site.pending > 0 || site.pages === 0;

	return panel("2. What was found",
		h("p", null, isBusy ? badge("busy", "visiting") : badge("good", "visited"),
			` ${count(site.pages, "page")} in ${count(templates.length,
				"template")}`, isBusy && `, ${count(site.pending)} to go`,
			`; ${pauseText(site)}. `,
			help("a template", "Most pages of a site are printed by a few ",
				"templates: articles by one, products by another. What they ",
				"share is the template, what differs is the content.")),
		site.reason && notice("warn", site.reason),
		templates.length > 0 && table("Templates", [
			{head: "Template", cell: template =>
				link(templatePath(template.id), template.name)},
			{head: "Pages", class: "num",
				cell: template => count(template.pages)},
			{head: "For example", cell: template => template.sample.length > 0
				? link(pagePath(template.sample[0].url),
					template.sample[0].title || template.sample[0].url) : ""},
		], templates.slice(0, templatesShown), ""));
}

async function watchText(host, values) {
	await post(`/v1/sites/${host}/guards`, {text: urlOf(values.page.trim())});
}

function mattersStep(host, site, templates) {
	const sample = templates.find(template => template.sample.length > 0)
		?.sample[0].url;

	return panel("3. What matters",
		h("p", null, "You get an alert when a template is redesigned, ",
			"when pages disappear, and when the site is down or has moved. ",
			"You can add alerts about:"),
		h("ul", null,
			h("li", null, h("strong", null, "a value"),
				", such as the price, when it changes, or when it is gone: ",
				sample ? [link(pagePath(sample), "click on it in a page"),
					", and choose what you want to know"]
					: "wait until the first page is here"),
			h("li", null, h("strong", null, "the text of a page"),
				", when it changes: ", form([field("Address of the page", "page",
					{required: true, wide: true, value: site.url})],
				"Add", values => watchText(host, values),
				{kind: "", done: "The alert is added."}))));
}

async function whoStep(host, hooks) {
	const here = hooks.filter(hook => hook.site === null || hook.site === host);

	return panel("4. Where alerts go",
		here.length > 0
			? h("p", null, count(here.length, "place gets", "places get"),
				" alerts. ",
				link("/ui/settings", "Change this"))
			: h("p", null, "No place yet. The first page shows all incidents ",
				"in any case."),
		h("details", {open: here.length === 0},
			h("summary", null, "Add a place"), await hookForm(host)));
}

export async function addView({host}) {
	if (!await mayWrite())
		return [head("Watch a site"), empty("Your token may only read.")];
	if (!host)
		return [head("Watch a site"), urlStep()];
	const [site, answer, {hooks}] = await Promise.all([
		get(`/v1/sites/${host}`), find(`/v1/sites/${host}/templates`),
		get("/v1/hooks")]);
	const templates = answer?.templates || [];

	return [
		head(`Watch ${host}`, {actions: [h("a",
			{class: "button main", href: sitePath(host)}, "Done")]}),
		foundStep(site, templates),
		mattersStep(host, site, templates),
		await whoStep(host, hooks),
		h("p", null, h("a", {class: "button main", href: sitePath(host)},
			"Done: show the site")),
	];
}
