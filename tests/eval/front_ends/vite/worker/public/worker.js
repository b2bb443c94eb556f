const text = "These notes were saved on the reader's own device, and are " +
	     "read without a network.";

addEventListener("install", (event) => event.waitUntil(skipWaiting()));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
	if (new URL(event.request.url).pathname === "/notes.json")
		event.respondWith(Response.json({text}));
});
