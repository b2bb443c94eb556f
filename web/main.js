// Shows the view that belongs to the address, and reads it again when the
// daemon reports an event.

import {h, morph} from "./dom.js";
import {forgetGaps, knownGaps, saved, session} from "./api.js";
import {count, dateTime, empty, explainError, go, head, kindText, kindWords, link,
	notice, pagePath, sitePath} from "./parts.js";
import {sitesView} from "./sites.js";
import {addView} from "./wizard.js";
import {guardView, siteView} from "./site.js";
import {templateView} from "./template.js";
import {alertView, incidentView, incidentsView} from "./incidents.js";
import {elementView, pageView} from "./page.js";
import {settingsView} from "./settings.js";

// A part that begins with ":" is passed to the view under this name; "?" marks
// parts that may be missing.
const routes = [
	["/", sitesView],
	["/ui/add", addView],
	["/ui/sites/:host/guards/:number", guardView],
	["/ui/sites/:host/:tab?", siteView],
	["/ui/templates/:host/:number/:tab?", templateView],
	["/ui/incidents", incidentsView],
	["/ui/incidents/:number", incidentView],
	["/ui/alerts", incidentsView],
	["/ui/alerts/:number", alertView],
	["/ui/page", pageView],
	["/ui/element", elementView],
	["/ui/settings/:tab?", settingsView],
];

const refreshPause = 1000;
const streamPause = 5000;
const alertPause = 20000;

// Undefined parts stay undefined; parts with an invalid escape stay as they are.
function decodePart(part) {
	try {
		return part && decodeURIComponent(part);
	} catch {
		return part;
	}
}

function matchRoute(pattern, text) {
	const wanted = pattern.split("/"), given = text.split("/");
	const found = {};

	if (given.length > wanted.length)
		return null;
	for (const [i, part] of wanted.entries()) {
		if (part.startsWith(":") && (given[i] || part.endsWith("?")))
			found[part.replace(/[:?]/g, "")] =
				decodePart(given[i]);
		else if (part !== given[i])
			return null;
	}
	return found;
}

// {view, parameters} of the address; the query adds parameters.
function chooseView() {
	const url = saved === null ? new URL(location.href)
		: new URL(location.hash.slice(1) ||
			`/ui/sites/${encodeURIComponent(saved.host)}`, "http://saved");

	for (const [pattern, view] of routes) {
		const found = matchRoute(pattern, url.pathname);

		if (found !== null)
			return {view, parameters:
				{...Object.fromEntries(url.searchParams), ...found}};
	}
	return {view: async () => [head("Not found"),
		empty("There is no such page. ", link("/", "Show all sites"))],
	parameters: {}};
}

// In a group of nodes: what the view may lack.
function gapsNotice() {
	const [missing, isStale] = knownGaps();

	return [
		missing.length > 0 && notice("warn", `${count(missing.length,
			"machine does", "machines do")} not answer (${missing.join(", ")}), `,
		"so some sites may be missing here."),
		isStale && notice("warn", "The machine that owns this does not answer. ",
			"You see a copy, which may be a little old."),
	].filter(Boolean);
}

async function build({view, parameters}) {
	forgetGaps();
	try {
		const nodes = await view(parameters);

		return [gapsNotice(), nodes];
	} catch (error) {
		if (!(error instanceof Error && "status" in error))
			console.error(error);
		return [head(error.status === 404 ? "Not found" : "That did not work"),
			h("p", {class: "notice bad", role: "alert"}, explainError(error))];
	}
}

// The last turn of show(), and whether the view of the address is not shown yet.
let building = 0, isAwaited = false, isLater = false;

// Build the view again. `isNew`: the address is another one. A refresh may
// overtake it.
async function show(isNew) {
	const main = document.getElementById("main");
	const turn = ++building;

	if (isNew) {
		isAwaited = true;
		main.setAttribute("aria-busy", "true");
		delete main.dataset.ready;
	}
	const now = h("main", {id: "main", tabindex: -1}, await build(chooseView()));

	if (turn !== building)
		return;
	if (!isAwaited) {
		morph(main, now);
	} else {
		isAwaited = false;
		main.replaceChildren(...now.childNodes);
		// the first view of a document begins with the link that skips the menu
		if (isLater)
			main.focus({preventScroll: true});
		isLater = true;
		scrollTo(0, 0);
		markMenu();
	}
	main.removeAttribute("aria-busy");
	main.dataset.ready = turn;
}

// The menu, the search and the foot.

const menu = [["/", "Sites"], ["/ui/incidents", "Incidents"],
	["/ui/settings", "Settings"]];

function markMenu() {
	const here = location.pathname;

	document.getElementById("menu").replaceChildren(
		...(saved === null ? menu : []).map(([to, text]) => {
			const isHere = to === "/"
				? !/^\/ui\/(incidents|alerts|settings)/.test(here)
				: here.startsWith(to);

			return h("li", null, h("a", {href: to,
				"aria-current": isHere ? "page" : null}, text));
		}));
}

// What people type: a host, a URL, or a URL without its scheme.
function findPlace(text) {
	const isUrl = /^https?:\/\//i.test(text);

	if (isUrl || text.includes("/"))
		return pagePath(isUrl ? text : "http://" + text);
	return sitePath(text);
}

// Who is here, and the version.
async function showFoot() {
	const foot = document.getElementById("foot");

	if (saved !== null) {
		foot.append("Saved by templated, ", dateTime(saved.made), saved.truncated
			? ". Some parts did not fit and are missing." : "");
		return;
	}
	const {access, version, node, cookie} = await session();

	foot.append(`templated ${version}`, node ? ` on ${node}` : "");
	if (access === "read")
		document.getElementById("live").before(h("span",
			{class: "badge", title: "You may read, and change nothing."},
			"read only"));
	if (cookie)
		document.getElementById("live").after(h("form",
			{method: "post", action: "/logout", class: "leave"},
			h("button", null, "Sign out")));
}

// Events of the daemon.

let stream = null, timer = 0, lastShown = 0;

function showSoon() {
	if (timer === 0)
		timer = setTimeout(async () => {
			await show(false);
			timer = 0;
			lastShown = Date.now();
		}, Math.max(0, lastShown + refreshPause - Date.now()));
}

let alertTimer = 0, liveText = "", isLive = false;

function showLive() {
	const live = document.getElementById("live");

	live.textContent = liveText;
	live.classList.remove("alert");
	live.classList.toggle("on", isLive);
}

function sayLive(text, isOn) {
	liveText = text;
	isLive = isOn;
	if (alertTimer === 0)
		showLive();
}

// The alert takes the place of "live", and leaves it after some seconds.
function sayAlert(event) {
	const live = document.getElementById("live");
	const text = `${event.site}: ${kindText(event.kind)}`;

	live.classList.add("alert");
	live.replaceChildren(h("a", {href: "/ui/incidents", title: text}, "New alert",
		h("span", {class: "unseen"}, ` ${text}`)));
	clearTimeout(alertTimer);
	alertTimer = setTimeout(() => {
		alertTimer = 0;
		showLive();
	}, alertPause);
}

function hear(message) {
	const event = JSON.parse(message.data);

	if (event.alert)
		sayAlert(event);
	showSoon();
}

// A browser has few connections to a server: only pages that are seen have one.
function listen() {
	stream?.close();
	if (document.hidden)
		return;
	stream = new EventSource("/v1/events");
	for (const kind of Object.keys(kindWords))
		stream.addEventListener(kind, hear);
	stream.onopen = () => sayLive("live", true);
	stream.onerror = () => {
		sayLive("not live", false);
		// the daemon has too many streams: the browser does not try again
		if (stream.readyState === EventSource.CLOSED)
			setTimeout(listen, streamPause);
	};
}

// Those that report success; they are about the view that the person leaves.
function closeMessages() {
	for (const message of document.querySelectorAll("#messages p:not(.bad)"))
		message.remove();
}

function begin() {
	document.addEventListener("reread", () => show(false));
	document.addEventListener("go", event => {
		history.pushState(null, "", event.detail);
		show(true);
	});
	if (saved !== null) {
		addEventListener("hashchange", () => show(true));
		document.getElementById("find").remove();
	} else {
		document.addEventListener("click", event => {
			const a = event.target.closest?.("a[href]");

			if (!a || a.target || event.ctrlKey || event.metaKey ||
			    event.shiftKey || event.button !== 0 ||
			    a.origin !== location.origin ||
			    !/^\/($|ui\/)/.test(a.pathname) || a.hasAttribute("download"))
				return;
			event.preventDefault();
			closeMessages();
			go(a.href);
		});
		addEventListener("popstate", () => show(true));
		document.addEventListener("visibilitychange", () => {
			listen();
			if (!document.hidden)
				showSoon();
		});
		addEventListener("pagehide", () => stream?.close());
		addEventListener("pageshow", event => event.persisted && listen());
		document.getElementById("find").onsubmit = event => {
			event.preventDefault();
			go(findPlace(new FormData(event.target).get("url").trim()));
		};
		document.addEventListener("keydown", event => {
			if (event.key === "/" && !event.ctrlKey && !event.metaKey &&
			    !/^(INPUT|SELECT|TEXTAREA)$/
				.test(document.activeElement.nodeName)) {
				event.preventDefault();
				document.querySelector("#find input").focus();
			}
		});
		listen();
	}
	// what is relative ("5 minutes ago") grows old
	if (saved === null)
		setInterval(() => document.hidden || showSoon(), 60000);
	showFoot();
	show(true);
}

begin();
