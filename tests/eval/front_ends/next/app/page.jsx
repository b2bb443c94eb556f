"use client";
import dynamic from "next/dynamic";

const Article = dynamic(() => import("./article.jsx"), {ssr: false});

export default function Page() {
	return <main><Article /></main>;
}
