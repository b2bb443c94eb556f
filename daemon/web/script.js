
"use strict";
/* Follows what the daemon does: at each event the page is asked for again, and
   what differs is put in its place. Without this script all is there, too. */
(function () {
	const live = document.getElementById("live");
	const address = new URL(location.href);
	const pause = 1000, poll = 5000, busy = 3000;
	let timer = 0, last = 0, took = 0, seen = live.dataset.since, stream;

	address.searchParams.delete("done");
	if (address.href !== location.href)
		history.replaceState(null, "", address.href);

	/* What people have begun to fill in, unfold or read stays. */
	function stays(node) {
		return node.nodeName === "IFRAME" || node.nodeName === "INPUT" ||
			node.nodeName === "SELECT" || node.nodeName === "TEXTAREA";
	}

	function copyAttributes(old, now) {
		for (const a of [...old.attributes])
			if (a.name !== "open" && !now.hasAttribute(a.name))
				old.removeAttribute(a.name);
		for (const a of now.attributes)
			if (a.name !== "open" &&
			    old.getAttribute(a.name) !== a.value)
				old.setAttribute(a.name, a.value);
	}

	function morph(old, now) {
		if (old.isEqualNode(now) || stays(old))
			return;
		if (old.nodeType !== 1) {
			old.nodeValue = now.nodeValue;
			return;
		}
		copyAttributes(old, now);
		const there = [...old.childNodes], wanted = [...now.childNodes];
		wanted.forEach((node, i) => {
			if (i >= there.length)
				old.append(document.importNode(node, true));
			else if (there[i].nodeName !== node.nodeName)
				there[i].replaceWith(
					document.importNode(node, true));
			else
				morph(there[i], node);
		});
		there.slice(wanted.length).forEach(node => node.remove());
	}

	async function refresh() {
		timer = 0;
		const begun = Date.now();
		try {
			const answer = await fetch(address.href);
			if (!answer.ok)
				return;
			const page = new DOMParser().parseFromString(
				await answer.text(), "text/html");
			const now = page.getElementById("main");
			const notice = document.querySelector("main>.notice");
			if (notice && now)
				now.prepend(document.importNode(notice, true),
					    "\n");
			if (now)
				morph(document.getElementById("main"), now);
		} catch (error) {
			say("not live", false);
		}
		last = Date.now();
		took = last - begun;
		watch();
	}

	/* The end of some work is no event. */
	function watch() {
		if (document.querySelector("main .badge.busy") && !document.hidden)
			setTimeout(ask, busy);
	}

	/* Large pages are asked for less often. */
	function ask() {
		if (!timer)
			timer = setTimeout(refresh, Math.max(0,
				last + Math.max(pause, 10 * took) - Date.now()));
	}

	function say(text, isOn) {
		live.textContent = text;
		live.classList.toggle("on", isOn);
	}

	function told(message) {
		const event = JSON.parse(message.data);
		seen = message.lastEventId;
		if (event.alert) {
			say(event.kind + " " + (event.cluster || event.site || ""),
			    true);
			setTimeout(() => stream.readyState === 1 &&
				say("live", true), 8000);
		}
		ask();
	}

	function follow() {
		stream = new EventSource("/v1/events?since=" + seen);
		for (const kind of live.dataset.kinds.split(" "))
			stream.addEventListener(kind, told);
		stream.onopen = () => say("live", true);
		stream.onerror = () => {
			say("not live", false);
			/* too many listen: it does not come back by itself */
			if (stream.readyState === EventSource.CLOSED)
				setTimeout(again, poll);
		};
	}

	function again() {
		stream?.close();
		if (!document.hidden) {
			follow();
			ask();
		}
	}

	document.addEventListener("keydown", event => {
		const field = document.querySelector(".find input");
		if (event.key === "/" && !event.ctrlKey && !event.metaKey &&
		    !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.nodeName)) {
			event.preventDefault();
			field.focus();
		}
	});
	if (!seen)
		return;
	/* A browser has few connections to a server: those who look have them. */
	document.addEventListener("visibilitychange", again);
	addEventListener("pagehide", () => stream?.close());
	addEventListener("pageshow", shown => shown.persisted && again());
	if (!document.hidden)
		follow();
	watch();
})();
