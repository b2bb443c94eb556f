// Requests to the daemon; all of them are below /v1. A saved report contains the
// answers and sends no requests.

const savedElement = document.getElementById("saved");

// {made, host, answers} of a saved report; null if there is a daemon.
export const saved =
	savedElement === null ? null : JSON.parse(savedElement.textContent);

// An answer that is an error of the API, or no answer at all (status 0).
export class ApiError extends Error {
	constructor(status, code, message) {
		super(message);
		this.status = status;
		this.code = code;
	}
}

// "/v1/sites/a%20b?x=1" of address("/v1/sites/", "a b") and so on.
export function address(path, parameters) {
	const query = new URLSearchParams();

	for (const [name, value] of Object.entries(parameters || {}))
		if (value !== null && value !== undefined && value !== "")
			query.set(name, value);
	return query.size > 0 ? `${path}?${query}` : path;
}

// Which nodes of a group did not answer, and whether an answer may be old, since
// the last forgetGaps().
const gaps = {missing: new Set(), isStale: false};

export function forgetGaps() {
	gaps.missing.clear();
	gaps.isStale = false;
}

// [names of nodes that did not answer, whether an answer may be old]
export function knownGaps() {
	return [[...gaps.missing].sort(), gaps.isStale];
}

function noteGaps(headers) {
	for (const name of (headers.get("X-Templated-Missing") || "").split(","))
		if (name.trim() !== "")
			gaps.missing.add(name.trim());
	if (headers.get("X-Templated-Stale") === "true")
		gaps.isStale = true;
}

async function ask(method, url, body) {
	const options = {method, headers: {Accept: "application/json"}};
	let answer;

	if (body !== undefined) {
		options.headers["Content-Type"] = "application/json";
		options.body = JSON.stringify(body);
	}
	try {
		answer = await fetch(url, options);
	} catch {
		throw new ApiError(0, "no_answer", "This program does not answer.");
	}
	noteGaps(answer.headers);
	const text = await answer.text();
	let value = null;
	try {
		value = JSON.parse(text);
	} catch {
		// lines of JSON, or no JSON
	}
	if (answer.status === 401)
		location.assign("/login");
	if (!answer.ok)
		throw new ApiError(answer.status, value?.error?.code || "failed",
			value?.error?.message || `The answer was ${answer.status}.`);
	return value === null ? text : value;
}

// The answer to a GET: an object, or a text if it is no JSON.
export async function get(path, parameters) {
	const url = address(path, parameters);

	if (saved === null)
		return ask("GET", url);
	// a list is saved once, whatever is asked about it
	const key = [url, path, address(path, {site: saved.host})].find(
		each => Object.hasOwn(saved.answers, each));
	if (key === undefined)
		throw new ApiError(404, "not_saved", `This report has no ${url}.`);
	return saved.answers[key];
}

// The same; null if there is no such thing.
export async function find(path, parameters) {
	try {
		return await get(path, parameters);
	} catch (error) {
		if (error instanceof ApiError && error.status >= 400 &&
		    error.status < 500)
			return null;
		throw error;
	}
}

// Whether an event of a saved report was asked for.
function isWanted(event, {since, kinds}) {
	return event.seq > (since || 0) && (!kinds || kinds.split(",").some(kind =>
		kind === "alerts" ? event.alert : kind.endsWith("*")
			? event.kind.startsWith(kind.slice(0, -1)) : event.kind === kind));
}

// The objects of an answer with one JSON object in each line.
export async function lines(path, parameters) {
	const answer = await get(path, parameters);

	if (typeof answer !== "string")
		return Array.isArray(answer) ? answer : [answer];
	const objects = answer.split("\n").filter(line => line !== "")
		.map(line => JSON.parse(line));
	return saved === null ? objects
		: objects.filter(event => isWanted(event, parameters || {}));
}

export function post(path, body) {
	return ask("POST", path, body === undefined ? {} : body);
}

export function remove(path) {
	return ask("DELETE", path);
}

let sessionAnswer = null;

// {access, version, node, cookie}, requested once.
export async function session() {
	if (saved !== null)
		return {access: "read", version: "", node: null, cookie: false};
	if (sessionAnswer === null)
		sessionAnswer = await get("/v1/session");
	return sessionAnswer;
}

export async function mayWrite() {
	return (await session()).access !== "read";
}

// The path of the API about a site; more parts may follow.
export function siteApi(host, ...more) {
	return "/v1/sites/" + [host, ...more].map(encodeURIComponent).join("/")
		.replaceAll("%3A", ":");
}

// The address of a list. A saved report may have it with another limit.
export function listPlace(list, parameters) {
	const known = saved !== null && Object.keys(saved.answers).find(
		url => url.split("?")[0] === list);

	return known || address(list, parameters);
}

// Of "HOST/3"; more parts may follow.
export function templateApi(id, ...more) {
	const slash = id.lastIndexOf("/");

	return siteApi(id.slice(0, slash), "templates", id.slice(slash + 1), ...more);
}
