/*
 * Runs in each document, in a world that its scripts cannot reach: counts the
 * changes of the DOM, and writes it as HTML. A page can replace properties of
 * its document by elements with their names, therefore the getters of the
 * prototypes are used.
 */
(() => {
	const get = (type, name) => {
		const getter = Object.getOwnPropertyDescriptor(type, name).get;

		return (object) => getter.call(object);
	};
	const root_of = get(Document.prototype, "documentElement");
	const doctype_of = get(Document.prototype, "doctype");
	const url_of = get(Document.prototype, "URL");
	const state_of = get(Document.prototype, "readyState");
	const shadow_of = get(Element.prototype, "shadowRoot");
	const find = Document.prototype.querySelector;
	const all = "querySelectorAll";
	const max_piece = 1 << 18;
	let changes = 0;
	let pieces = [];

	const shadows = () => {
		const roots = [];
		const add = (elements) => {
			for (const element of elements)
				if (shadow_of(element))
					roots.push(shadow_of(element));
		};

		add(Document.prototype[all].call(document, "*"));
		for (let i = 0; i < roots.length; i++)
			add(DocumentFragment.prototype[all].call(roots[i], "*"));
		return roots;
	};
	const html = () => {
		const root = root_of(document);
		const doctype = doctype_of(document);
		let out = "";

		if (doctype)
			out = "<!DOCTYPE " + doctype.name + ">\n";
		if (!root)
			return out;
		const whole = Node.prototype.cloneNode.call(root, false);
		const tags = whole.outerHTML;
		const end = tags.lastIndexOf("</");

		if (end < 0)
			return out + tags;
		return out + tags.slice(0, end) +
		       Element.prototype.getHTML.call(
			       root, {shadowRoots: shadows()}) +
		       tags.slice(end) + "\n";
	};

	globalThis.templated = {
		state: (selector) => ({
			ready: state_of(document) === "complete",
			changes,
			found: selector !== null &&
			       find.call(document, selector) !== null,
			url: url_of(document),
		}),
		/* Keep the DOM; return its number of pieces. */
		save: (max) => {
			const text = html().toWellFormed()
					   .replaceAll("\0", "\ufffd");

			pieces = [];
			if (text.length > max)
				return -1;
			for (let i = 0; i < text.length;) {
				let end = i + max_piece;
				const last = text.charCodeAt(end - 1);

				if (last >= 0xd800 && last < 0xdc00)
					end--;
				pieces.push(text.slice(i, end));
				i = end;
			}
			return pieces.length;
		},
		piece: (i) => pieces[i],
	};
	new MutationObserver((list) => {
		changes += list.length;
	}).observe(document, {
		subtree: true, childList: true, characterData: true,
		attributes: true,
	});
})();
