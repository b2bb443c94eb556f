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
	const text_of = get(Node.prototype, "textContent");
	const height_of = get(Element.prototype, "clientHeight");
	const top_of = get(Element.prototype, "scrollTop");
	const find = Document.prototype.querySelector;
	const all = "querySelectorAll";
	const max_piece = 1 << 18;
	const max_layer = 1 << 14;
	/* elements that may be a layer which asks for consent */
	const roles = "dialog, [role=dialog], [role=alertdialog], " +
		      "[aria-modal=true]";
	const names = "[id*=cookie i], [class*=cookie i], " +
		      "[id*=consent i], [class*=consent i]";
	const asks = /cookie|consent|gdpr|dsgvo|einwillig|datenschutz|privacy|privacidad|confidentialit/i;
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

	/* Above the page, with a button, and about consent; not the page. */
	const is_layer = (element) => {
		const has = (selector) =>
			Element.prototype.querySelector.call(element, selector);
		const text = text_of(element);

		return text.length < max_layer && asks.test(text) &&
		       has("button, [role=button], [type=submit], a") &&
		       !has("main, article, h1 ~ p ~ p ~ p") &&
		       (Element.prototype.matches.call(element, roles) ||
			["fixed", "sticky"].includes(
				getComputedStyle(element).position));
	};
	const remove_layers = () => {
		const lists = [Document.prototype[all].call(
			document, roles + ", " + names)];

		for (const root of shadows())
			lists.push(DocumentFragment.prototype[all].call(
				root, roles + ", " + names));
		for (const list of lists)
			for (const element of list)
				if (is_layer(element))
					Element.prototype.remove.call(element);
	};
	/* Scroll the page, and lists that fill half of the window. */
	const scroll = () => {
		let is_moved = false;

		for (const element of Document.prototype[all].call(document,
								   "*")) {
			const height = height_of(element);
			const top = top_of(element);

			if (height < innerHeight / 2)
				continue;
			Element.prototype.scrollBy.call(element, {
				top: Math.min(height, innerHeight),
				behavior: "instant",
			});
			if (top_of(element) <= top)
				continue;
			is_moved = true;
			/* the browser sends it with the next frame */
			EventTarget.prototype.dispatchEvent.call(
				element === root_of(document) ? document
							      : element,
				new Event("scroll", {bubbles: true}));
		}
		return is_moved;
	};

	globalThis.templated = {
		state: (selector) => ({
			ready: state_of(document) === "complete",
			changes,
			found: selector !== null &&
			       find.call(document, selector) !== null,
			url: url_of(document),
		}),
		scroll,
		/* Return whether the element to click is there. */
		click: (selector) => {
			const element = find.call(document, selector);

			if (element instanceof HTMLElement)
				HTMLElement.prototype.click.call(element);
			return element !== null;
		},
		/* Keep the DOM; return its number of pieces. */
		save: (max, keep_consent) => {
			if (!keep_consent)
				remove_layers();
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
