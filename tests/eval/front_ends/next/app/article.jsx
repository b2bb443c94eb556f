"use client";
import {useEffect, useState} from "react";
import Link from "next/link";

export default function Article() {
	const [article, setArticle] = useState(null);

	useEffect(() => {
		fetch("/api/article.json").then((r) => r.json()).then(setArticle);
	}, []);
	if (!article)
		return <p>Loading</p>;
	return (
		<article>
			<Link href="/">Home</Link>
			<h1>{article.title}</h1>
			<p>By {article.author}, {article.published}</p>
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
