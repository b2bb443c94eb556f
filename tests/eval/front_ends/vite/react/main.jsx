import {Suspense, use, useState} from "react";
import {createRoot} from "react-dom/client";

const loading = fetch("/api/article.json").then((r) => r.json());

function Consent() {
	const [shown, setShown] = useState(true);

	return shown && (
		<div role="dialog" aria-modal="true" aria-label="Cookies"
		     className="consent">
			<h2>We value your privacy</h2>
			<p>We and our 812 partners store cookies on your device
			to measure how often you read this page.</p>
			<button onClick={() => setShown(false)}>Accept all</button>
			<button onClick={() => setShown(false)}>Reject all</button>
		</div>
	);
}

function Article() {
	const article = use(loading);

	return (
		<article>
			<h1>{article.title}</h1>
			<p className="by">By {article.author}, <time
				dateTime={article.published}>
				{article.published}</time></p>
			{article.sections.map((section) => (
				<section key={section.heading}>
					<h2>{section.heading}</h2>
					{section.paragraphs.map((text) =>
						<p key={text}>{text}</p>)}
				</section>
			))}
		</article>
	);
}

function App() {
	return (
		<>
			<nav><a href="/">Home</a> <a href="/rivers">Rivers</a>
			     <a href="/about">About us</a></nav>
			<main><Suspense fallback={<p>Loading</p>}><Article />
			</Suspense></main>
			<footer>The valley, since 1987</footer>
			<Consent />
		</>
	);
}

createRoot(document.getElementById("root")).render(<App />);
