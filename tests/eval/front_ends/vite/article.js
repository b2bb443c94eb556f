/* What the article apps have in common. */
export const load = () => fetch("/api/article.json").then((r) => r.json());

export const body = (h, article) => [
	h("h1", null, article.title),
	h("p", null, `By ${article.author}, ${article.published}`),
	...article.sections.flatMap((section) => [
		h("h2", null, section.heading),
		...section.paragraphs.map((text) => h("p", null, text)),
	]),
];
