// Watch a site, in four steps: its address, the templates found, the alerts
// wanted, and their recipients.

import {h} from "./dom.js";
import {find, get, mayWrite, post} from "./api.js";
import {badge, checkbox, count, empty, field, form, go, head, help, link, notice,
	pagePath, panel, sitePath, table, templatePath, urlOf} from "./parts.js";
import {hookForm} from "./settings.js";
import {watchWays} from "./site.js";
import {pauseText} from "./sites.js";

const templatesShown = 10;
const secondsPerHour = 3600;

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
			unit: "hours", min: 0, step: "any", placeholder: "as configured",
			about: "Pages that change often are visited earlier, others later. " +
				"Without a number the default of the configuration is used."}),
		field("At most", "max_pages", {type: "number", unit: "pages", min: 1,
			placeholder: "as configured",
			about: "A few hundred pages are enough to learn the templates of " +
				"most sites."}),
		checkbox("It is in my own network", "allow_private", false,
			"Addresses such as 192.168.1.10 are refused otherwise, so that " +
			"no page can lead this program into your network."),
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

function mattersStep(host, site, templates) {
	return panel("3. What matters",
		h("p", null, "You get an alert when a template is redesigned, ",
			"when pages disappear, and when the site is down or has moved. ",
			"You can add alerts about:"),
		watchWays(host, templates, site.url));
}

async function whoStep(host, hooks) {
	const here = hooks.filter(hook => hook.site === null || hook.site === host);

	return panel("4. Where alerts go",
		here.length > 0
			? h("p", null, "Alerts go to ", count(here.length, "recipient"), ". ",
				link("/ui/settings", "Change this"))
			: h("p", null, "Alerts are sent nowhere yet. The first page shows ",
				"all incidents in any case."),
		h("details", {open: here.length === 0},
			h("summary", null, "Add a recipient"), await hookForm(host)));
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
		head(`Watch ${host}`),
		foundStep(site, templates),
		mattersStep(host, site, templates),
		await whoStep(host, hooks),
		h("p", null, h("a", {class: "button main", href: sitePath(host)},
			"Done: show the site")),
	];
}
