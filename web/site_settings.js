// The settings of a site.

import {h} from "./dom.js";
import {ApiError, address, post, remove, siteApi} from "./api.js";
import {checkbox, choice, confirmed, field, form, go, help, link, notice, panel,
	say} from "./parts.js";

const timeUnits = [["1", "seconds"], ["60", "minutes"], ["3600", "hours"],
	["86400", "days"]];
const pauseUnits = [["1", "milliseconds"], ["1000", "seconds"]];
const sizeUnits = [["1", "bytes"], ["1000000", "MB"], ["1048576", "MiB"],
	["1000000000", "GB"], ["1073741824", "GiB"]];

// A number and its unit, the largest one that divides it.
function amount(label, name, value, units, about) {
	const unit = [...units].reverse().find(([size]) => value > 0 &&
		value % Number(size) === 0) || units[units === sizeUnits ? 1 : 0];

	return h("div", {class: "field-of"},
		h("label", null, label, h("span", {class: "amount"},
			h("input", {name, type: "number", min: 0, step: "any",
				required: true, value: String(value / unit[0])}),
			h("select", {name: `${name}_unit`, id: `unit-${name}`},
				units.map(([size, text]) => h("option", {value: size,
					selected: size === unit[0]}, text))))),
		h("label", {class: "unseen", for: `unit-${name}`}, `Unit: ${label}`),
		help(label, about));
}

function amountOf(values, name) {
	return Math.round(Number(values[name]) * Number(values[`${name}_unit`]));
}

function visitFields(site) {
	return [
		field("Pages, at most", "max_pages", {type: "number", min: 1,
			value: String(site.max_pages), required: true,
			about: "The maximum number of pages that are visited and kept."}),
		field("Links from the first page, at most", "max_depth", {type: "number",
			min: 0, max: 65535, value: String(site.max_depth), required: true,
			about: "0: only the first page. 2: also pages that are two clicks " +
				"away from it."}),
		amount("Pause between two visits", "delay_ms", site.delay_ms, pauseUnits,
			"The longer the pause, the less the site notices. If its " +
				"robots.txt wants a longer one, the longer one is used."),
		amount("Visit each page again after", "revisit_interval_s",
			site.revisit_interval_s, timeUnits, "0: pages are visited once. " +
				"Pages that change often are visited more often."),
		amount("Check the templates every", "check_interval_s",
			site.check_interval_s, timeUnits, "At this interval some pages " +
				"of each template are visited to find changes. 0: never."),
	];
}

function limitFields(site) {
	return [
		field("Leave a pattern after pages without news", "pattern_stop_after",
			{type: "number", min: 0, max: 1000000, required: true,
				value: String(site.pattern_stop_after),
				about: "After this many pages with similar addresses that " +
					"show nothing new, the others are skipped. 0: never."}),
		amount("Bytes of the first round, at most", "max_bytes", site.max_bytes,
			sizeUnits, "The first round of visits ends after this " +
				"amount of data. 0: no limit."),
		amount("Time of the first round, at most", "max_seconds",
			site.max_seconds, timeUnits, "0: no limit."),
		field("Threshold, 0 to 1, or auto", "threshold", {required: true,
			value: site.auto ? "auto" : String(site.threshold),
			pattern: "auto|0|1|[01]?\\.[0-9]+", about: "Pages up to this distance " +
				"apart are one template. auto: this program chooses it. The " +
				"tab Grouping shows the effect."}),
	];
}

function siteFlags(site) {
	return [
		checkbox("read sitemaps", "sitemaps", site.sitemaps,
			"Sitemaps are lists of pages that sites offer."),
		checkbox("notice pages that are missing without saying so",
			"soft_404_probe", site.soft_404_probe, "An address that cannot " +
				"exist is visited, to learn how the site says: not found."),
		checkbox("return cookies", "cookies", site.cookies,
			"Cookies of the site are sent back to it, as a browser does."),
		checkbox("allow private addresses", "allow_private", site.allow_private,
			"Needed for sites in your own network. Otherwise such addresses " +
				"are refused, so that no site can reach into your network."),
	];
}

function renderFields(site) {
	return [
		choice("Run scripts in a browser", "render", [
			["auto", "if a page needs it"], ["always", "always"],
			["never", "never"]], site.render, "Some pages are empty until their " +
				"scripts run. This takes a browser (render.browser) and more time."),
		field("Wait for", "render_wait", {value: site.render_wait,
			maxlength: 512, spellcheck: "false", placeholder: ".price",
			about: "A CSS selector: the page is complete when it matches. " +
				"Empty: when the page has settled."}),
		field("Click on", "render_click", {value: site.render_click,
			maxlength: 512, spellcheck: "false", placeholder: "#accept",
			about: "A CSS selector: its first element is clicked when the page " +
				"has settled. Empty: nothing is clicked."}),
		checkbox("scroll to the end", "render_scroll", site.render_scroll,
			"For pages that load more while you scroll."),
	];
}

function addressFields(site) {
	const rule = "One pattern a line, as in robots.txt: /news/ means all " +
		"addresses that begin so, * means anything, $ the end.";

	return [
		field("Visit only these addresses", "include", {type: "textarea",
			wide: true, spellcheck: "false", placeholder: "/news/",
			value: site.include.join("\n"), about: rule + " Empty: all."}),
		field("Do not visit these", "exclude", {type: "textarea", wide: true,
			spellcheck: "false", placeholder: "/cart",
			value: site.exclude.join("\n"), about: rule}),
	];
}

function secretFields(site) {
	return [
		field("New headers of each request", "headers", {type: "textarea",
			wide: true, spellcheck: "false", autocomplete: "off",
			placeholder: "Name: value", about: ["One a line. Empty: they stay ",
				"unchanged. Now: ", site.headers ? h("code", null, site.headers)
					: "none", ". Values are not shown."]}),
		checkbox("send no headers any longer", "no_headers", false),
		field("New proxy", "proxy", {autocomplete: "off",
			wide: true, placeholder: "http://proxy.example:3128",
			about: ["All visits go through it. Empty: unchanged. Now: ",
				site.proxy ? h("code", null, site.proxy) : "none", "."]}),
		checkbox("use no proxy any longer", "no_proxy", false),
	];
}

function linesOf(text) {
	return text.split("\n").map(line => line.trim()).filter(line => line !== "");
}

// {Name: value} of lines "Name: value".
function headersOf(text) {
	return Object.fromEntries(linesOf(text).map(line => {
		const colon = line.indexOf(":");

		if (colon < 1)
			throw new ApiError(400, "bad_header",
				`"${line}" has not the form Name: value.`);
		return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
	}));
}

function siteRequest(site, values) {
	const request = {url: site.url,
		threshold: values.threshold === "auto" ? "auto" : Number(values.threshold),
		include: linesOf(values.include), exclude: linesOf(values.exclude),
		render: values.render, render_wait: values.render_wait.trim(),
		render_click: values.render_click.trim()};

	for (const name of ["max_pages", "max_depth", "pattern_stop_after"])
		request[name] = Number(values[name]);
	for (const name of ["delay_ms", "revisit_interval_s", "check_interval_s",
		"max_bytes", "max_seconds"])
		request[name] = amountOf(values, name);
	for (const name of ["sitemaps", "soft_404_probe", "cookies", "allow_private",
		"render_scroll"])
		request[name] = name in values;
	if ("no_headers" in values)
		request.headers = {};
	else if (values.headers.trim() !== "")
		request.headers = headersOf(values.headers);
	if ("no_proxy" in values)
		request.proxy = "";
	else if (values.proxy.trim() !== "")
		request.proxy = values.proxy.trim();
	return request;
}

function settingsGroup(title, fields) {
	return h("fieldset", {class: "group"}, h("legend", null, title),
		h("div", {class: "fields"}, fields));
}

function siteDeletion(site) {
	return panel("Delete this site",
		h("p", null, "Deletes its pages, templates and guards with all data ",
			"about them. This cannot be undone."),
		h("button", {type: "button", class: "danger", onclick: async () => {
			if (!await confirmed(`Delete ${site.host} and all its data?`,
				"Delete it"))
				return;
			try {
				await remove(siteApi(site.host));
				say(`${site.host} is deleted.`);
				go("/");
			} catch (error) {
				say(error.message, "bad");
			}
		}}, `Delete ${site.host}`));
}

export function siteSettingsTab(site) {
	const isWatched = !site.sample && !site.offline;

	return [
		!isWatched && notice("warn", "This site is not watched: its pages were ",
			"submitted or requested. Saving these settings watches it."),
		h("section", {class: "panel settings"}, form([
			settingsGroup("Visits", visitFields(site)),
			settingsGroup("Also", siteFlags(site)),
			settingsGroup("Addresses", addressFields(site)),
			h("details", null, h("summary", null, "For experts: limits, browser, " +
				"headers and proxy"),
			settingsGroup("Limits, and groups of pages", limitFields(site)),
			settingsGroup("Browser", renderFields(site)),
			settingsGroup("Headers and proxy", secretFields(site)),
			h("p", {class: "soft"}, `Pages are compared by the measure ` +
				`${site.measure}${site.shingle_width > 0
					? `, width ${site.shingle_width}` : ""}; this cannot be ` +
				"changed.")),
		], isWatched ? "Save" : "Watch with these settings",
		async values => post("/v1/sites", siteRequest(site, values)),
		{done: "The settings are saved."})),
		panel("Take it with you", h("ul", null,
			h("li", null, link(siteApi(site.host, "report"), "A report to keep"),
				", one file that any browser shows"),
			h("li", null, link(siteApi(site.host, "feed"), "Its alerts as a feed"),
				" for a feed reader"),
			h("li", null, h("a", {href: address(siteApi(site.host, "texts"),
				{format: "csv"}), download: ""}, "The texts of its pages"), ", CSV"),
			h("li", null, h("a", {href: siteApi(site.host, "bundle"), download: ""},
				"Its templates as one file"), " for other programs"))),
		siteDeletion(site),
	];
}
