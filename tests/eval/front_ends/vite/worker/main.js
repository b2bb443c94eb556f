import {h, render} from "preact";
import {useEffect, useState} from "preact/hooks";
import {body, load} from "../article.js";

/* Its service worker answers the request for the notes; no server has them. */
function App({article}) {
	const [notes, setNotes] = useState("");

	useEffect(() => {
		const begin = async () => {
			await navigator.serviceWorker.register("/worker.js");
			await navigator.serviceWorker.ready;
			const response = await fetch("/notes.json");

			setNotes((await response.json()).text);
		};

		begin().catch((error) => console.error(error));
	}, []);
	return h("main", null, h("article", null, body(h, article),
				 h("p", null, notes)));
}

load().then((article) =>
	render(h(App, {article}), document.getElementById("root")));
