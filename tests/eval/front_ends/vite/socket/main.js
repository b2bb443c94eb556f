import {h, render} from "preact";
import {useEffect, useState} from "preact/hooks";
import {body, load} from "../article.js";

/* The last measurement arrives over a WebSocket. */
function App({article}) {
	const [quote, setQuote] = useState("");

	useEffect(() => {
		const socket = new WebSocket(`ws://${location.host}/socket`);

		socket.onmessage = (event) => setQuote(event.data);
		return () => socket.close();
	}, []);
	return h("main", null, h("article", null, body(h, article),
				 h("p", null, quote)));
}

load().then((article) =>
	render(h(App, {article}), document.getElementById("root")));
