// The overview: is all well?

import {h} from "./dom.js";
import {find, get, mayWrite} from "./api.js";
import {sparkline, strip} from "./charts.js";
import {badge, count, empty, figures, head, help, kindText, link, path, sitePath,
	table, when} from "./parts.js";

const sitesShown = 500;

// What the state of a site means: [colour, word].
export const healthWords = {
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

function openIncidents(open) {
	return open.length > 0 && h("section", null, h("h2", null, "Open incidents"),
		h("ul", {class: "plain incidents"}, open.map(incident =>
			h("li", null, badge(incident.severity === "alert" ? "bad" : "warn",
				kindText(incident.kind)), " ",
			link(path("incidents", String(incident.id)),
				incident.summary || incident.site), " ",
			h("span", {class: "soft"}, incident.site, ", ",
				when(incident.began))))));
}

function trouble(site) {
	const health = healthOf(site);
	const parts = [
		health.open_incidents > 0 && count(health.open_incidents, "incident"),
		health.firing_guards > 0 && count(health.firing_guards, "guard"),
		health.firing_fields > 0 && count(health.firing_fields, "field"),
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
				strip(healthOf(site).days) || ""},
		{head: "Visits a day", class: "chart", cell: site => {
			const visits = healthOf(site).days.map(day => day.visits);

			return visits.length > 0
				? sparkline(visits, `Visits a day, ${count(visits.at(-1))} today`)
				: "";
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
	const [answer, incidents, isWriter] = await Promise.all([
		get("/v1/sites", {limit: sitesShown, after}),
		find("/v1/incidents", {state: "open"}),
		mayWrite(),
	]);
	const sites = answer.sites.sort(byHealth);
	const open = (incidents?.incidents || []).filter(
		incident => incident.state === "open" && !incident.acknowledged);

	if (sites.length === 0)
		return [head("Sites"), empty("No site is watched. ",
			isWriter ? link("/ui/add", "Watch a site")
				: "Add one with: templatectl watch URL")];
	return [
		head("Sites", {actions: [isWriter &&
			h("a", {class: "button main", href: "/ui/add"}, "Watch a site")]}),
		verdict(sites, open),
		figures([
			["Sites", count(sites.length)],
			["Open incidents", count(open.length)],
			["Firing guards", count(sites.reduce((sum, site) =>
				sum + healthOf(site).firing_guards, 0))],
			["Pages", count(sites.reduce((sum, site) => sum + site.pages, 0))],
		]),
		openIncidents(open),
		h("h2", null, "All sites ", help("the colour of a site",
			"Green: nothing changed. Red: an incident is open. Yellow: the ",
			"site blocks visits, was not visited for long, or something may ",
			"have changed.")),
		sitesTable(sites),
		answer.sites.length === sitesShown && h("p", null,
			link("/?after=" + encodeURIComponent(answer.sites.at(-1).host),
				"More sites")),
	];
}
