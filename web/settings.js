// Notifications, access, and the state of the daemon.

import {h, svg} from "./dom.js";
import {find, get, post, remove, session} from "./api.js";
import {badge, button, bytes, choice, count, duration, empty, experts, facts, field,
	figures, form, head, help, kindText, notice, panel, say, sitePath, link, table,
	tabs, templateLink, when} from "./parts.js";

// The names of tokens and feeds.
const namePattern = {
	required: true, pattern: "[A-Za-z0-9._\\-]{1,64}",
	title: "Letters, digits, dots, underscores and hyphens",
};

// Notifications.

const kindChoices = [
	["alerts", "Everything that needs me"],
	["incident.changed,incident.added,incident.removed,incident.split",
		"Redesigns only"],
	["field.changed", "Changed values only, such as prices"],
	["incident.guard,incident.field", "Lost values only"],
	["incident.text", "Changed texts only"],
	["incident.down,incident.back,incident.moved", "Sites that are down only"],
	["*", "Every event, for programs"],
];

function kindsText(kinds) {
	const known = kindChoices.find(([value]) => value === kinds);

	return known ? known[1] : kinds;
}

const fieldTypes = {url: "url", secret: "password"};

// Other words for forms than those of the API, which are for programmers. Forms
// without a place in the list follow in their own order.
const formOrder = ["mail", "slack", "teams", "discord", "telegram"];
const formsLast = ["template", "json", "command"];
const formWords = {
	mail: "E-mail",
	template: "Another service, with a text that I write",
	json: "A program of mine (webhook, JSON)",
	command: "A command on this server",
};

function formText({name, label}) {
	return formWords[name] || label;
}

function formRank({name}) {
	if (formOrder.includes(name))
		return formOrder.indexOf(name);
	return formsLast.includes(name) ? 100 + formsLast.indexOf(name) : 50;
}

const partWords = {
	mail_url: {label: "Mail server", placeholder: "smtps://mail.example:465",
		about: "Of your mail provider: smtps://HOST:465, or smtp://HOST:587 " +
			"(STARTTLS)."},
	addresses: {placeholder: "you@shop.example", about: "One or more addresses, " +
		"separated by commas."},
	address: {placeholder: "as the first recipient"},
	url: {placeholder: "https://…", about: "The service shows this address when " +
		"you add a webhook there."},
	secret: {about: "It is stored, and never shown again."},
};

// The same by the names of the parts.
const partNames = {
	from: {label: "Sender"},
	user: {label: "User name", about: "With which you sign in at the service, " +
		"often your address."},
	starttls: {label: "Encryption of smtp://", isExpert: true, about: "required: " +
		"no mail is sent without STARTTLS. never: mails are sent in the clear."},
};

function hookField(part) {
	const {label, placeholder, about} =
		{...partWords[part.kind], ...partNames[part.name]};

	return field(label || part.label, part.name, {
		type: part.kind === "template" ? "textarea"
			: fieldTypes[part.kind] || "text",
		required: part.required && !part.default, wide: true,
		placeholder: part.default || placeholder || "", about,
		autocomplete: "off",
	});
}

// The fields that a form of a hook needs, such as the token of a bot.
function hookFields(wanted) {
	const isExpert = part => partNames[part.name]?.isExpert === true;
	const folded = wanted.fields.filter(isExpert);

	return [
		...wanted.fields.filter(part => !isExpert(part)).map(hookField),
		...folded.length === 0 ? [] : [h("details", null,
			h("summary", null, "For experts"),
			h("div", {class: "fields"}, folded.map(hookField)))],
	];
}

// The message about the answer to a test.
function sayAnswer(answer) {
	if (answer.delivered)
		say(`It arrived: the receiver answered ${answer.status ?? "yes"}.`);
	else
		say(`It did not arrive. ${answer.error || ""} ${answer.body || ""}`,
			"bad");
}

async function testHook(id) {
	sayAnswer(await post(`/v1/hooks/${id}/test`));
}

// The form that adds a hook. `host` is the site, or null for all sites.
export async function hookForm(host) {
	const answer = await get("/v1/hook-forms");
	const forms = answer.forms.sort((a, b) => formRank(a) - formRank(b));
	const fields = h("div", {class: "fields"});
	const show = name => fields.replaceChildren(...hookFields(
		forms.find(one => one.name === name)));
	const kinds = choice("Tell me about", "kinds", kindChoices, "alerts",
		"Everything that needs me: new designs, lost and changed values, changed " +
		"texts, and sites that are down. You can add several recipients.");
	const service = choice("Send it by", "form",
		forms.map(one => [one.name, formText(one)]), forms[0].name,
		"How alerts come to you. A test message is sent when you press Add.");

	service.querySelector("select").onchange = event =>
		show(event.target.value);
	show(forms[0].name);
	return form([service, kinds, fields], "Add", async values => {
		const body = Object.fromEntries(Object.entries(values).filter(
			([name, value]) => value !== "" && name !== ""));

		if (host)
			body.site = host;
		const hook = await post("/v1/hooks", body);
		await testHook(hook.id);
	}, {done: "It is added, and gets a test message now."});
}

function hookTable(hooks) {
	return table("Where alerts go", [
		{head: "To", cell: hook => [badge("", formText({name: hook.form,
			label: hook.form || "webhook"})), " ",
			h("code", null, hook.target || hook.to || "")]},
		{head: "Site", cell: hook => hook.site
			? link(sitePath(hook.site), hook.site) : "all sites"},
		{head: "About", cell: hook => kindsText(hook.kinds || "*")},
		{head: "State", cell: hook => [hook.failures > 0
			? badge("bad", `failed ${count(hook.failures, "time")}`)
			: badge("good", "well"),
		hook.error && ` ${hook.error}`,
		hook.queued > 0 && ` ${count(hook.queued)} wait`,
		hook.refused > 0 && [" ", badge("bad",
			`${count(hook.refused, "message")} refused`)]]},
		{head: "Last message", cell: hook => when(hook.last_delivered)},
		{head: "Actions", class: "act", cell: hook => [
			button("Test", () => testHook(hook.id)), " ",
			hook.refused > 0 && [button("Send refused again",
				() => post(`/v1/hooks/${hook.id}/retry`)), " "],
			button("Delete", () => remove(`/v1/hooks/${hook.id}`), {
				kind: "danger", done: "The recipient is deleted.",
				sure: "This recipient will get no further alerts.",
			})]},
	], hooks, "Alerts are sent nowhere yet. Add a recipient below.");
}

async function hooksTab() {
	const {hooks} = await get("/v1/hooks");

	return [hookTable(hooks), panel("Add a recipient", await hookForm(null))];
}

// Feeds.

function showOnce(title, text) {
	const dialog = h("dialog", {"aria-label": title}, h("p", null, title),
		h("p", null, h("code", null, text)),
		h("form", {method: "dialog"}, h("button", null, "I have copied it")));

	dialog.addEventListener("close", () => dialog.remove());
	document.body.append(dialog);
	dialog.showModal();
}

async function feedsTab() {
	const [{feeds}, {sites}] = await Promise.all([get("/v1/feeds"),
		get("/v1/sites", {limit: 500})]);

	return [
		h("p", null, "A feed is a list of alerts that a program on your computer ",
			"or telephone reads, called a feed reader. Anyone with the address ",
			"of a feed can read it, so keep it secret."),
		table("Feeds", [
			{head: "Name", cell: feed => feed.name},
			{head: "Site", cell: feed => feed.site
				? link(sitePath(feed.site), feed.site) : "all sites"},
			{head: "Created", cell: feed => when(feed.created)},
			{head: "Actions", class: "act", cell: feed => button("Revoke",
				() => remove(`/v1/feeds/${encodeURIComponent(feed.name)}`), {
					kind: "danger", done: "The feed is revoked.",
					sure: `The address of the feed ${feed.name} stops working.`,
				})},
		], feeds, "There is no feed."),
		panel("Create a feed", form([
			field("Name", "name", namePattern),
			choice("Site", "site", [["", "all sites"], ...sites.map(
				({host}) => [host, host])], ""),
		], "Create", async values => {
			const feed = await post("/v1/feeds", values.site === ""
				? {name: values.name} : values);

			showOnce("The address of the feed. It is shown only now:",
				feed.url || location.origin + feed.path);
		})),
	];
}

// Silences.

async function silencesTab() {
	const {silences} = await get("/v1/silences");

	return [
		h("p", null, "A silence keeps alerts of one kind from being sent. They ",
			"are still listed. Add one at an incident."),
		table("Silences", [
			{head: "Site", cell: silence =>
				link(sitePath(silence.site), silence.site)},
			{head: "About", cell: silence => kindText(silence.kind)},
			{head: "Template", cell: silence => silence.cluster ? templateLink(
				silence.cluster, silence.template_name) : "all templates"},
			{head: "Since", cell: silence => when(silence.created)},
			{head: "Actions", class: "act", cell: silence => button(
				"End the silence", () => remove(`/v1/silences/${silence.id}`),
				{done: "The silence has ended."})},
		], silences, "There is no silence."),
	];
}

// Tokens.

async function tokensTab() {
	const {tokens} = await get("/v1/tokens");

	return [
		h("p", null, "A token is a password, with which another person or a ",
			"program uses this program over the network."),
		table("Tokens", [
			{head: "Name", cell: token => token.name},
			{head: "Allowed", cell: token =>
				token.role === "write" ? "to read and to change" : "only to read"},
			{head: "Created", cell: token => when(token.created)},
			{head: "Actions", class: "act", cell: token => button("Revoke",
				() => remove(`/v1/tokens/${encodeURIComponent(token.name)}`), {
					kind: "danger", done: "The token is revoked.",
					sure: `All who use the token ${token.name} lose access.`,
				})},
		], tokens, "There is no token."),
		panel("Create a token", form([
			field("Name", "name", namePattern),
			choice("Allowed", "role", [["read", "only to read"],
				["write", "to read and to change"]], "read"),
		], "Create", async values => {
			const {name, token} = await post("/v1/tokens", values);

			showOnce(`The token of ${name}. It is shown only now:`, token);
		})),
	];
}

// The daemon.

// Names that differ from the API's.
const statusNames = {clusters: "groups of pages", committed: "pages stored",
	commits: "writes", commit_failures: "failed writes",
	in_flight: "pages in work", max_in_flight: "pages in work, at most",
	queued_for_commit: "pages to be stored", suspended: "requests that wait",
	open_streams: "browsers that follow"};

// "queued for analysis" of "queued_for_analysis".
function nameText(name) {
	const text = (statusNames[name] || name).replace(/_(s|ms|bytes)$/, "")
		.replace(/_/g, " ");

	return text.replace(/^./, first => first.toUpperCase());
}

function valueText(name, value) {
	if (value === null)
		return "none";
	if (name.endsWith("bytes"))
		return bytes(value);
	if (name.endsWith("_s"))
		return duration(value);
	if (name === "started" || name === "loaded")
		return when(value);
	return typeof value === "number" ? count(value) : String(value);
}

function factsPanel(title, object) {
	return panel(title, facts(Object.entries(object || {}).map(
		([name, value]) => [nameText(name), valueText(name, value)])));
}

async function daemonTab() {
	const status = await get("/v1/status");
	const used = status.store.live_bytes / status.store.max_bytes;

	return [
		status.pipeline.paused &&
			notice("warn", `Nothing is fetched: ${status.pipeline.paused}`),
		status.config.error &&
			notice("bad", `The configuration is wrong: ${status.config.error}`),
		used > 0.8 && notice("warn", "The store is nearly full. Raise ",
			h("code", null, "store.max_size"), "."),
		figures([
			["Running", duration(status.uptime_s), `version ${status.version}`],
			["Stored", bytes(status.store.live_bytes),
				`of ${bytes(status.store.max_bytes)} at most, ` +
				`${bytes(status.store.allocated_bytes)} on disk`],
			["Pages", count(status.counts.pages)],
			["Visits since the start", count(status.pipeline.fetched),
				`${count(status.pipeline.failed)} failed`],
		]),
		!status.pipeline.paused && !status.config.error && used <= 0.8 &&
			notice("good", "It works: pages are visited, and there is room for ",
				"more."),
		experts(
			h("div", {class: "cards"}, factsPanel("Stored", status.counts),
				factsPanel("Fetching", status.pipeline),
				factsPanel("Store", status.store),
				factsPanel("Requests", status.http),
				factsPanel("Configuration", status.config)),
			h("h3", null, "Processes ", help("the processes",
				"Pages come from strangers, so each part of the work runs in a ",
				"process with few rights.")),
			processTable(status.processes)),
	];
}

function processTable(processes) {
	return table("Processes", [
		{head: "Process", cell: process => process.role},
		{head: "Running", class: "num",
			cell: process => count(process.running.length)},
		{head: "Crashes", class: "num", cell: process => count(process.crashes)},
		{head: "Limits in force", cell: process => process.enforced},
		{head: "Missing", cell: process => process.missing || "nothing"},
	], processes, "");
}

// Several machines.

const fieldSide = 16, cellSide = 20, colours = 8;

function nodeColour(nodes, name) {
	const place = nodes.findIndex(node => node.name === name);

	return place < 0 ? colours : place % colours;
}

function partitionMark(row) {
	if (row.state === "elsewhere")
		return null;
	if (row.lag > 0)
		return "late";
	return row.state === "own" ? "own"
		: row.state === "followed" ? "copy" : "late";
}

function partitionCell(nodes, row) {
	const x = row.partition % fieldSide * cellSide;
	const y = Math.floor(row.partition / fieldSide) * cellSide;
	const mark = partitionMark(row);

	return svg("g", null, svg("title", null,
		`${row.partition}: ${row.owner || "no owner"}, here ${row.state}, ` +
		`epoch ${row.epoch}${row.lag > 0 ? `, ${row.lag} entries behind` : ""}`),
	svg("rect", {class: `n${nodeColour(nodes, row.owner)}`, x, y,
		width: cellSide - 1, height: cellSide - 1}),
	mark && svg("circle", {class: mark, cx: x + cellSide / 2,
		cy: y + cellSide / 2, r: 3}));
}

function nodeButtons(node) {
	const name = encodeURIComponent(node.name);

	return node.is_draining
		? button("Resume", () => post(`/v1/nodes/${name}/resume`),
			{done: "The machine takes part again."})
		: button("Drain", () => post(`/v1/nodes/${name}/drain`), {
			done: "Its sites move to other machines.",
			sure: `All sites of ${node.name} move to other machines.`,
		});
}

async function nodesTab() {
	const group = await find("/v1/nodes");

	if (group === null)
		return [empty("This program runs on one machine. Several machines can ",
			"share the work: see “nodes” in the manual, ",
			h("code", null, "man templated"), ".")];
	return [
		!group.is_connected && notice("bad", "No connection to the broker."),
		!group.has_lease && notice("bad",
			"This machine has no lease, so it changes nothing."),
		group.trouble && notice("warn", group.trouble),
		table("Machines", [
			{head: "Name", cell: node => [svg("svg", {class: "swatch",
				viewBox: "0 0 10 10", "aria-hidden": true},
			svg("rect", {class: `n${nodeColour(group.nodes, node.name)}`,
				width: 10, height: 10})), " ", node.name, " ",
			node.is_self && badge("", "this one"),
			node.is_draining && badge("warn", "drained")]},
			{head: "Owns", class: "num", cell: node => count(node.owned)},
			{head: "Replicas", class: "num",
				cell: node => count(node.replicas)},
			{head: "Behind", class: "num", cell: node => count(node.lag)},
			{head: "Silent", class: "num",
				cell: node => `${(node.silent_ms / 1000).toFixed(1)} s`},
			{head: "Version", cell: node => node.version},
			{head: "Address", cell: node => node.address},
			{head: "Actions", class: "act", cell: nodeButtons},
		], group.nodes, ""),
		(group.away || []).length > 0 && notice("warn", "Missing, and expected ",
			"to return: ", group.away.map(node => node.name).join(", ")),
		h("h2", null, "Partitions"),
		svg("svg", {class: "field", role: "img",
			"aria-label": "The owners of the partitions",
			viewBox: `0 0 ${fieldSide * cellSide} ${fieldSide * cellSide}`},
		group.partitions.filter(row => row.partition < fieldSide * fieldSide)
			.map(row => partitionCell(group.nodes, row))),
		h("p", {class: "soft small"}, "The colour shows the owner. Full dot: ",
			"owned by this machine; ring: copied here; red dot: behind."),
	];
}

const settingsTabs = [
	["", "Alerts", hooksTab],
	["feeds", "Feeds", feedsTab],
	["silences", "Silences", silencesTab],
	["tokens", "Access", tokensTab],
	["daemon", "This program", daemonTab],
	["nodes", "Machines", nodesTab],
];

export async function settingsView({tab}) {
	const {access} = await session();
	const shown = settingsTabs.filter(([name]) =>
		name !== "tokens" || access === "owner");
	const chosen = shown.find(([name]) => name === (tab || ""));

	if (access === "read")
		return [head("Settings"), empty("Your token may only read.")];
	return [
		head("Settings"),
		tabs(shown.map(([name, text]) => [
			"/ui/settings" + (name ? "/" + name : ""), text]), "Settings"),
		chosen ? await chosen[2]() : empty("There is no such tab."),
	];
}
