// The overview: is all well?

import {h} from "./dom.js";
import {find, get, mayWrite} from "./api.js";
import {dayRule, sparkline, strip} from "./charts.js";
import {badge, count, duration, empty, figures, head, help, link, linkIfSaved,
	notice, path, sitePath, table, when} from "./parts.js";
import {incidentTitles} from "./story.js";

const sitesShown = 500;

// What the state of a site means: [colour, word].
const healthWords = {
	ok: ["good", "well"],
	alert: ["bad", "alert"],
	warning: ["warn", "check it"],
	new: ["busy", "learning"],
	blocked: ["warn", "blocked"],
	stale: ["warn", "not visited"],
	paused: ["", "paused"],
	offline: ["", "saved pages"],
};

// Until the daemon has judged a site, it is what its state says.
export function healthOf(site) {
	return site.health || {
		state: site.blocked ? "blocked" : site.stale ? "stale" : "ok",
		reason: "", open_incidents: 0, firing_guards: 0, firing_fields: 0,
		days: [],
	};
}

export function healthBadge(site) {
	const [kind, word] = healthWords[healthOf(site).state] || ["", "?"];

	return badge(kind, word);
}

// The pause between two visits of a site.
export function pauseText({delay_ms: delay}) {
	if (delay === 0)
		return "no pause between two visits";
	return `a pause of ${delay < 2000 ? `${delay / 1000} s`
		: duration(delay / 1000)} between two visits`;
}

// What the badge of a site and the marks of its days mean.
export function colourHelp() {
	return help("the colour of a site", "The word says how the site is now. ",
		"Alert: an incident is open that you have not acknowledged, or the site is ",
		"down. Check it: something may have changed. ", dayRule);
}

// A note if alerts are sent to no place. `hooks` is null for read-only clients.
function nowhereNotice(hooks) {
	return hooks?.length === 0 && notice("warn", "Alerts are sent nowhere: you see ",
		"them only here. ", link(path("settings"), "Choose where they go"));
}

// "2 sites need you: shop.example, news.example."
function verdict(sites, open) {
	const bad = sites.filter(site => healthOf(site).state === "alert");
	const odd = sites.filter(site => /warning|blocked|stale/.test(
		healthOf(site).state));

	if (bad.length > 0)
		return h("p", {class: "verdict bad"},
			h("strong", null, count(bad.length, "site needs", "sites need"),
				" you: "), bad.slice(0, 5).flatMap((site, i) =>
				[i > 0 && ", ", link(sitePath(site.host), site.host)]),
			bad.length > 5 && ` and ${bad.length - 5} more`);
	if (open.length > 0)
		return h("p", {class: "verdict bad"}, h("strong", null,
			count(open.length, "open incident")));
	if (odd.length > 0)
		return h("p", {class: "verdict warn"}, h("strong", null,
			"No site changed. "), "Check ",
		odd.slice(0, 5).flatMap((site, i) =>
			[i > 0 && ", ", link(sitePath(site.host), site.host)]), ".");
	return h("p", {class: "verdict good"}, h("strong", null, "All is well."),
		` ${count(sites.length, "site")}, no open incident.`);
}

function severityMark({severity}) {
	return badge(severity === "alert" ? "bad" : "warn", severity);
}

// Open incidents as a list. `more` are nodes of each, after the site.
export function incidentLines(open, titles) {
	return h("ul", {class: "plain incidents"}, open.map(incident =>
		h("li", null, severityMark(incident), " ",
			linkIfSaved(`/v1/incidents/${incident.id}`,
				path("incidents", String(incident.id)), titles.get(incident.id)),
			" ", h("span", {class: "soft"}, incident.site, ", since ",
				when(incident.began)),
			incident.acknowledged && [" ", badge("", "acknowledged")])));
}

function openIncidents(open, titles) {
	return open.length > 0 && h("section", null, h("h2", null, "Open incidents"),
		incidentLines(open, titles));
}

function trouble(site) {
	const health = healthOf(site);
	const parts = [
		health.open_incidents > 0 && count(health.open_incidents, "incident"),
		health.firing_guards > 0 && count(health.firing_guards,
			"guarded value gone", "guarded values gone"),
		health.firing_fields > 0 && count(health.firing_fields,
			"field without values", "fields without values"),
	].filter(Boolean);

	return parts.length > 0 && health.state !== "ok" ? parts.join(", ")
		: health.reason;
}

function sitesTable(sites) {
	return table("The sites that are watched", [
		{head: "Health", cell: healthBadge},
		{head: "Site", class: "name",
			cell: site => link(sitePath(site.host), site.host)},
		{head: "Now", cell: trouble},
		{head: "Last 30 days", class: "chart",
			cell: site => healthOf(site).days.length > 0 &&
				strip(healthOf(site).days,
					healthOf(site).state === "ok") || ""},
		{head: "Visits a day", class: "chart", cell: site => {
			const visits = healthOf(site).days.map(day => day.visits);

			return visits.length > 0 ? [sparkline(visits, "Visits a day"), " ",
				h("span", {class: "soft small"},
					`${count(visits.at(-1))} today`)] : "";
		}},
		{head: "Pages", class: "num", cell: site => count(site.pages)},
		{head: "Templates", class: "num",
			cell: site => count(site.templates)},
		{head: "Last visit", cell: site => when(site.seen)},
	], sites, "");
}

const healthOrder = ["alert", "warning", "blocked", "stale", "new"];

function byHealth(a, b) {
	const rank = site => (healthOrder.indexOf(healthOf(site).state) + 6) % 6;

	return rank(a) - rank(b) || a.host.localeCompare(b.host);
}

export async function sitesView({after}) {
	const isWriter = await mayWrite();
	const [answer, incidents, places] = await Promise.all([
		get("/v1/sites", {limit: sitesShown, after}),
		find("/v1/incidents", {open: 1}),
		isWriter ? find("/v1/hooks") : null,
	]);
	const sites = answer.sites.sort(byHealth);
	const open = (incidents?.incidents || []).filter(
		incident => incident.state === "open" && !incident.acknowledged);
	const titles = await incidentTitles(open);

	if (sites.length === 0)
		return [head("Sites"), empty("No site is watched. This program visits ",
			"the pages of a shop or any other site, learns how they look, and ",
			"alerts you when they break or change. ",
		isWriter ? link("/ui/add", "Watch a site")
			: "Add one with: templatectl watch URL")];
	return [
		head("Sites", {actions: [isWriter &&
			h("a", {class: "button main", href: "/ui/add"}, "Watch a site")]}),
		verdict(sites, open),
		figures([
			["Sites", count(sites.length)],
			["Open incidents", count(open.length)],
			["Guarded values gone", count(sites.reduce((sum, site) =>
				sum + healthOf(site).firing_guards, 0))],
			["Pages", count(sites.reduce((sum, site) => sum + site.pages, 0))],
		]),
		nowhereNotice(places?.hooks || null),
		openIncidents(open, titles),
		h("h2", null, "All sites ", colourHelp()),
		sitesTable(sites),
		answer.sites.length === sitesShown && h("p", null,
			link("/?after=" + encodeURIComponent(answer.sites.at(-1).host),
				"More sites")),
	];
}
