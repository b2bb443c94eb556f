import {h, render} from "preact";
import {useEffect, useState} from "preact/hooks";
import {body, load} from "../article.js";

/* Asks for the status four times a second, for ever. */
function Status() {
	const [status, setStatus] = useState({});
	const [count, setCount] = useState(0);

	useEffect(() => {
		const ask = async () => {
			const response = await fetch("/api/status.json");

			setStatus(await response.json());
			setCount((old) => old + 1);
		};
		const timer = setInterval(ask, 250);

		ask();
		return () => clearInterval(timer);
	}, []);
	return h("aside", null, h("p", null, status.text), h("p", null, count));
}

function App({article}) {
	return [
		h("nav", null, h("a", {href: "/"}, "Home")),
		h("main", null, h("article", null, body(h, article)), h(Status)),
	];
}

load().then((article) =>
	render(h(App, {article}), document.getElementById("root")));
