/*
 * Runs in each document before its scripts. Makes them deterministic: seeded
 * random numbers, and times, frames and observers of intersections that follow
 * the clock of the page, which is virtual. The frames of the browser follow the
 * real time.
 */
(seed) => {
	const start = Date.now();
	const next = () => {
		let t = (seed = (seed + 0x6d2b79f5) | 0);

		t = Math.imul(t ^ (t >>> 15), t | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return (t ^ (t >>> 14)) >>> 0;
	};
	const hex = (count) => {
		let out = "";

		while (out.length < count)
			out += (next() & 15).toString(16);
		return out;
	};
	const put = (object, name, value) => {
		if (object)
			Object.defineProperty(object, name, {
				value, writable: true, configurable: true,
			});
	};
	const now = () => Date.now() - start;
	const later = (f, wait, value) => setTimeout(() => f(value()), wait);

	const rect_of = (element) =>
		Element.prototype.getBoundingClientRect.call(element);
	const rects_of = (element) =>
		Element.prototype.getClientRects.call(element);

	/* Lengths of a rootMargin: top, right, bottom, left. */
	const margins_of = (text) => {
		const all = String(text ?? "").trim().split(/\s+/).map((part) => ({
			size: parseFloat(part) || 0, unit: part.endsWith("%"),
		}));

		return [all[0], all[1] ?? all[0], all[2] ?? all[0],
			all[3] ?? all[1] ?? all[0]];
	};
	class Observer {
		#call;
		#margins;
		#targets = new Map();
		#timer = 0;

		constructor(call, options = {}) {
			this.#call = call;
			this.#margins = margins_of(options.rootMargin);
			this.root = options.root ?? null;
			this.rootMargin = options.rootMargin ?? "0px";
			this.thresholds = [options.threshold ?? 0].flat();
		}
		#window() {
			const whole = this.root instanceof Element
				? rect_of(this.root)
				: new DOMRect(0, 0, innerWidth, innerHeight);
			const [top, right, bottom, left] = this.#margins.map(
				(one, i) => one.unit
					? one.size / 100 *
					  (i % 2 ? whole.width : whole.height)
					: one.size);

			return new DOMRect(whole.x - left, whole.y - top,
					   whole.width + left + right,
					   whole.height + top + bottom);
		}
		#entry(target, bounds) {
			const rect = rect_of(target);
			const x = Math.max(rect.left, bounds.left);
			const y = Math.max(rect.top, bounds.top);
			const width = Math.min(rect.right, bounds.right) - x;
			const height = Math.min(rect.bottom, bounds.bottom) - y;
			const isIntersecting = width >= 0 && height >= 0 &&
					       rects_of(target).length > 0;
			const area = rect.width * rect.height;
			const values = {
				time: now(), target, isIntersecting,
				rootBounds: bounds, boundingClientRect: rect,
				intersectionRect: isIntersecting
					? new DOMRect(x, y, width, height)
					: new DOMRect(),
				intersectionRatio: !isIntersecting ? 0
					: area > 0 ? width * height / area : 1,
			};
			const entry = Object.create(
				IntersectionObserverEntry.prototype);

			for (const name in values)
				put(entry, name, values[name]);
			return entry;
		}
		#look() {
			const bounds = this.#window();
			const entries = [];

			this.#timer = 0;
			for (const [target, old] of this.#targets) {
				const entry = this.#entry(target, bounds);
				const state = !entry.isIntersecting ? -1
					: this.thresholds.filter((one) => one <=
						entry.intersectionRatio).length;

				if (state === old)
					continue;
				this.#targets.set(target, state);
				entries.push(entry);
			}
			this.#wait();
			if (entries.length > 0)
				this.#call(entries, this);
		}
		#wait() {
			if (this.#timer === 0 && this.#targets.size > 0)
				this.#timer = later(() => this.#look(), 50, now);
		}
		observe(target) {
			if (!this.#targets.has(target))
				this.#targets.set(target, null);
			this.#wait();
		}
		unobserve(target) {
			this.#targets.delete(target);
		}
		disconnect() {
			this.#targets.clear();
		}
		takeRecords() {
			return [];
		}
	}

	put(window, "IntersectionObserver", Observer);
	put(Observer, "name", "IntersectionObserver");
	put(Math, "random", () => next() / 4294967296);
	put(Crypto.prototype, "getRandomValues", (array) => {
		const bytes = new Uint8Array(array.buffer, array.byteOffset,
					     array.byteLength);

		for (let i = 0; i < bytes.length; i++)
			bytes[i] = next() & 255;
		return array;
	});
	put(crypto, "randomUUID", () => hex(8) + "-" + hex(4) + "-4" + hex(3) +
	    "-a" + hex(3) + "-" + hex(12));
	put(Performance.prototype, "now", now);
	put(window, "requestAnimationFrame", (f) => later(f, 16, now));
	put(window, "cancelAnimationFrame", (id) => clearTimeout(id));
	put(window, "requestIdleCallback", (f) => later(f, 1, () => (
		{didTimeout: false, timeRemaining: () => 50})));
	put(window, "cancelIdleCallback", (id) => clearTimeout(id));
}
