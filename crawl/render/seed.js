/*
 * Runs in each document before its scripts. Makes them deterministic: seeded
 * random numbers, and times and frames that follow the clock of the page, which
 * is virtual.
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
