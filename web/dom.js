// Makes elements, and changes those on the page into new ones.
//
// Text is never parsed as HTML: nothing of a crawled page can become an
// element, an attribute or a script.

const svgNames = "http://www.w3.org/2000/svg";

function setAttribute(node, name, value) {
	if (name.startsWith("on") || name === "value" || name === "checked")
		node[name] = value;
	else if (name.startsWith("--"))
		node.style.setProperty(name, value);
	else if (value === true)
		node.setAttribute(name, "");
	else if (value !== false && value !== null && value !== undefined)
		node.setAttribute(name, value);
}

function fill(node, attributes, children) {
	for (const [name, value] of Object.entries(attributes || {}))
		setAttribute(node, name, value);
	node.append(...children.flat(Infinity).filter(
		child => child !== null && child !== undefined && child !== false));
	return node;
}

// An element. `attributes` may be null; "onclick" and so on are functions, and
// "--name" is a property for the style sheet. Children are nodes, texts,
// numbers or arrays of these; null and false are left out.
export function h(tag, attributes, ...children) {
	return fill(document.createElement(tag), attributes, children);
}

// The same for an element of SVG.
export function svg(tag, attributes, ...children) {
	return fill(document.createElementNS(svgNames, tag), attributes, children);
}

// Frames, dialogs, forms with input, and the field that has the focus are not
// replaced.
function isKept(node) {
	return node.nodeName === "IFRAME" || node.nodeName === "DIALOG" ||
		(node === document.activeElement &&
			/^(INPUT|SELECT|TEXTAREA)$/.test(node.nodeName)) ||
		(node.nodeName === "FORM" && node.dataset.touched !== undefined);
}

const handlers = ["onclick", "onsubmit", "onchange", "oninput", "ontoggle",
	"onkeydown"];

function copyAttributes(old, now) {
	for (const {name} of [...old.attributes])
		if (name !== "open" && !now.hasAttribute(name))
			old.removeAttribute(name);
	for (const {name, value} of now.attributes)
		if (name === "style")
			old.style.cssText = now.style.cssText;
		else if (name !== "open" && old.getAttribute(name) !== value)
			old.setAttribute(name, value);
	for (const name of handlers)
		old[name] = now[name];
}

// Change `old`, which is on the page, into `now`, and keep the focus, what is
// unfolded and what is typed. `now` must not be used afterwards.
export function morph(old, now) {
	if (isKept(old))
		return;
	if (old.nodeName !== now.nodeName || old.id !== now.id) {
		old.replaceWith(now);
		return;
	}
	if (old.nodeType !== Node.ELEMENT_NODE) {
		if (old.nodeValue !== now.nodeValue)
			old.nodeValue = now.nodeValue;
		return;
	}
	copyAttributes(old, now);
	const before = [...old.childNodes], after = [...now.childNodes];
	after.forEach((node, i) => {
		if (i < before.length)
			morph(before[i], node);
		else
			old.append(node);
	});
	before.slice(after.length).forEach(node => node.remove());
}
