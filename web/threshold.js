// The threshold of a site: how alike pages of one template must be.

import {h, svg} from "./dom.js";
import {ApiError, get, post, siteApi} from "./api.js";
import {histogram} from "./charts.js";
import {badge, button, count, empty, experts, field, figures, form, panel,
	table} from "./parts.js";

function setThreshold(site, threshold) {
	return post("/v1/sites", {url: site.url, threshold});
}

// What a threshold would give, by the curve of the answer.
function thresholdPoint(answer, threshold) {
	return answer.curve.reduce((best, point) =>
		Math.abs(point.threshold - threshold) <
			Math.abs(best.threshold - threshold) ? point : best, answer.curve[0]);
}

function thresholdText(answer, threshold) {
	const point = thresholdPoint(answer, threshold);

	return point ? `gives ${count(point.clusters, "group")}, ` +
		`${count(point.sizable)} of them templates` : "";
}

function thresholdForm(site, answer) {
	const result = h("output", {class: "soft small", "aria-live": "polite"},
		thresholdText(answer, answer.threshold));

	return panel("Set it",
		form([
			field("Threshold", "threshold", {type: "number", min: 0, max: 1,
				step: 0.001, value: String(answer.threshold),
				required: true, oninput: event => {
					result.textContent = thresholdText(answer,
						Number(event.target.value));
				}, about: "0: only pages with the same structure are one " +
					"template. 1: all pages are. It applies immediately; no page " +
					"is visited for it."}),
			result,
		], "Group the pages again", ({threshold}) =>
			setThreshold(site, Number(threshold)),
		{done: "The pages are grouped again."}),
		h("p", {class: "actions"},
			answer.suggestion.threshold !== answer.threshold && button(
				`Use the suggestion, ${answer.suggestion.threshold}`,
				() => setThreshold(site, answer.suggestion.threshold),
				{done: "The pages are grouped again."}),
		!answer.auto && button("Choose it for me",
			() => setThreshold(site, "auto"),
			{done: "The threshold is chosen automatically from now on."})));
}

const thresholdNames = {
	plateau: "begin of a stable range",
	site: "the whole site",
	suggestion: "suggested",
	template: "in use",
};

// The named thresholds and some of the curve; each threshold is one row.
function thresholdRows(answer) {
	const rows = new Map();

	for (const point of [...answer.thresholds,
		...answer.curve.filter((each, i) => i % 5 === 0)]) {
		const row = rows.get(point.threshold) || {...point, names: []};

		if (point.name)
			row.names.push(point.name);
		rows.set(point.threshold, row);
	}
	return [...rows.values()].sort((a, b) => a.threshold - b.threshold);
}

function thresholdTable(site, answer, isWriter) {
	return table("What other thresholds would give", [
		{head: "Threshold", class: "num", cell: one => h("span", null,
			one.names.map(name => [badge(name === "template" ? "busy" : "",
				thresholdNames[name] || name), " "]),
			one.threshold.toFixed(2))},
		{head: "Groups", class: "num", cell: one => count(one.clusters)},
		{head: "Templates", class: "num", cell: one => count(one.sizable)},
		{head: "Pages in them", class: "num",
			cell: one => count(one.sizable_pages)},
		{head: "Largest, pages", class: "num",
			cell: one => count(one.largest_pages)},
		isWriter && {head: "Actions", class: "act", cell: one =>
			one.threshold === answer.threshold ? "" : button("Use",
				() => setThreshold(site, one.threshold),
				{done: "The pages are grouped again."})},
	].filter(Boolean), thresholdRows(answer), "");
}

// The number of pairs of pages at each distance. The heights are logarithms,
// otherwise a few pairs are invisible next to many.
function thresholdHistogram(answer) {
	const {pairs, gap} = answer.histogram;
	const marks = [[answer.threshold, `in use: ${answer.threshold}`]];

	if (answer.suggestion.threshold !== answer.threshold)
		marks.push([answer.suggestion.threshold,
			`suggested: ${answer.suggestion.threshold}`]);
	return h("figure", {class: "distances"},
		histogram("Pairs of pages by their distance, from 0 to 1. " +
			(gap ? `Hardly any two pages are ${gap[0]} to ${gap[1]} apart. ` : "") +
			marks.map(mark => mark[1]).join(", "),
		pairs.map(value => Math.log1p(value)), marks),
		h("div", {class: "axis", "aria-hidden": "true"}, ["0", "0.25", "0.5", "0.75",
			"1"].map(text => h("span", null, text))),
		h("figcaption", {class: "soft small"}, "Pairs of pages by their ",
			"distance: left, pages that look the same; right, pages that have ",
			"nothing in common (heights are logarithms). The line is the ",
			"threshold in use.",
			gap && ` Hardly any two pages are ${gap[0]} to ${gap[1]} apart.`));
}

// The groups that come together at each distance, the largest first.
function thresholdTree(tree) {
	const leaves = [];
	const rowOf = index => {
		const inside = tree.map((node, i) => node.parent === index ? rowOf(i) : null)
			.filter(row => row !== null);

		if (inside.length === 0)
			leaves.push(index);
		rows[index] = inside.length > 0
			? inside.reduce((sum, row) => sum + row, 0) / inside.length
			: leaves.length - 0.5;
		return rows[index];
	};
	const rows = [];

	tree.forEach((node, i) => node.parent === null && rowOf(i));
	return {leaves, rows};
}

function thresholdDrawing(tree, threshold) {
	const {leaves, rows} = thresholdTree(tree);
	const height = leaves.length * 16;
	const x = share => (100 * share).toFixed(1) + "%";
	const y = row => (16 * row).toFixed(1);

	return svg("svg", {class: "dendrogram", role: "img", width: "100%", height,
		"aria-label": `${count(leaves.length, "group")} of pages, and at which ` +
			"distance they come together"},
	tree.map((node, i) => [
		svg("line", {x1: x(node.height), x2: x(node.end), y1: y(rows[i]),
			y2: y(rows[i])}, svg("title", null,
			`${count(node.pages, "page")}, such as ${node.example}`)),
		node.parent !== null && svg("line", {x1: x(node.end), x2: x(node.end),
			y1: y(rows[i]), y2: y(rows[node.parent])}),
	]).flat().filter(Boolean),
	svg("line", {class: "mark", x1: x(threshold), x2: x(threshold), y1: 0,
		y2: height}, svg("title", null, `in use: ${threshold}`)));
}

function thresholdLede(answer) {
	const reason = answer.suggestion.reason.replace(/\.?$/, ".");

	return [
		h("p", null, "The distance of two pages says how different their ",
			"structure is: 0, they are the same; 1, they have nothing in ",
			"common. Pages up to the ", h("strong", null, "threshold"),
			" apart belong to one template. Too small, and one template falls ",
			"into several; too large, and different templates become one."),
		figures([
			["Threshold in use", answer.threshold,
				answer.auto ? "chosen automatically" : "set by hand"],
			["Suggested", answer.suggestion.threshold,
				answer.suggestion.threshold === answer.threshold
					? "already in use" : `gives ${count(answer.suggestion.sizable,
						"template")}`],
			["Pages", count(answer.pages),
				`${count(answer.signatures)} different structures`],
		]),
		experts(h("p", null, "Why this suggestion: ", reason)),
	];
}

export async function siteThresholdTab(site, isWriter) {
	let answer;

	try {
		answer = await get(siteApi(site.host, "thresholds"));
	} catch (error) {
		if (!(error instanceof ApiError) || error.status === 0)
			throw error;
		return [empty("The distances cannot be shown: ", error.message)];
	}
	if (answer.pages === 0)
		return [empty("It has no pages yet.")];
	return [
		thresholdLede(answer),
		isWriter && thresholdForm(site, answer),
		h("h2", null, "Distances"),
		answer.histogram && thresholdHistogram(answer),
		answer.tree?.length > 1 && [h("h2", null, "How pages come together"),
			h("div", {class: "scroll drawing", tabindex: 0, role: "region",
				"aria-label": "Groups of pages by distance"},
			thresholdDrawing(answer.tree, answer.threshold))],
		h("h2", null, "Other thresholds"),
		thresholdTable(site, answer, isWriter),
	];
}
