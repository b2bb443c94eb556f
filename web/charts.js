// Small charts, as SVG that the style sheet colours. Each has a text for those
// who do not see it.

import {svg} from "./dom.js";
import {count} from "./parts.js";

function dayText(day) {
	const date = new Date(day.date + "T00:00:00Z").toLocaleDateString("en-GB",
		{day: "numeric", month: "long", timeZone: "UTC"});

	if (day.incidents > 0)
		return `${date}: ${count(day.incidents, "incident")} began`;
	return day.visits > 0 ? `${date}: ${count(day.visits, "visit")}, no incident`
		: `${date}: no visit`;
}

function dayKind(day) {
	if (day.incidents > 0)
		return day.severity === "alert" ? "bad" : "warn";
	if (day.visits > 0 && day.failed === day.visits)
		return "warn";
	return day.visits > 0 ? "good" : "none";
}

// The rule of the marks, for help().
export const dayRule = "A mark is one day (UTC). Red: an alert began. Yellow: a " +
	"notice began, or no visit succeeded. Green: visited, and no incident began. " +
	"Empty: no visit. A day keeps its colour, but the marks are pale while the " +
	"site is well: its incidents have ended, or you have acknowledged them.";

// One mark for each of the last days: green, yellow, red, or empty. `isWell`: the
// site needs nothing now.
export function strip(days, isWell) {
	const bad = days.filter(day => day.incidents > 0).length;

	return svg("svg", {class: isWell ? "strip well" : "strip", role: "img",
		viewBox: `0 0 ${days.length * 6} 18`,
		preserveAspectRatio: "none",
		"aria-label": `The last ${days.length} days: ` +
			`incidents on ${count(bad, "day")}`},
	days.map((day, i) => svg("rect", {class: dayKind(day), x: i * 6,
		y: 0, width: 5, height: 18, rx: 1}, svg("title", null, dayText(day)))));
}

// A line of numbers.
export function sparkline(values, label) {
	const top = Math.max(1, ...values);
	const step = 100 / Math.max(1, values.length - 1);
	const points = values.map((value, i) =>
		`${(i * step).toFixed(1)},${(22 - 20 * value / top).toFixed(1)}`);

	return svg("svg", {class: "spark", role: "img", viewBox: "0 0 100 24",
		preserveAspectRatio: "none", "aria-label": label},
	svg("title", null, label),
	svg("polyline", {points: points.join(" "),
		"vector-effect": "non-scaling-stroke"}));
}

// Bars side by side, for distributions: `values` are heights.
export function histogram(label, values, marks) {
	const top = Math.max(1, ...values);

	return svg("svg", {class: "histogram", role: "img",
		viewBox: `0 0 ${values.length * 10} 100`,
		preserveAspectRatio: "none", "aria-label": label},
	values.map((value, i) => svg("rect", {x: i * 10 + 1, width: 8,
		y: 100 - 98 * value / top, height: 98 * value / top})),
	(marks || []).map(([at, text]) => svg("line", {class: "mark",
		x1: at * values.length * 10, x2: at * values.length * 10, y1: 0,
		y2: 100, "vector-effect": "non-scaling-stroke"},
	svg("title", null, text))));
}
