import {useEffect, useRef, useState} from "react";
import {createRoot} from "react-dom/client";

/* The next page is loaded when the end of the list is close to the window. */
function Shop() {
	const [items, setItems] = useState([]);
	const [next, setNext] = useState(1);
	const end = useRef(null);

	useEffect(() => {
		if (next === null)
			return undefined;
		const observer = new IntersectionObserver(async (entries) => {
			if (!entries.some((entry) => entry.isIntersecting))
				return;
			observer.disconnect();
			const page = await fetch(`/api/products.json?page=${next}`)
				.then((r) => r.json());

			setItems((old) => [...old, ...page.products]);
			setNext(page.next);
		}, {rootMargin: "100px"});

		observer.observe(end.current);
		return () => observer.disconnect();
	}, [next]);

	return (
		<>
			<nav><a href="/">Home</a> <a href="/cart">Cart</a></nav>
			<main>
				<h1>Tools for the garden</h1>
				<ul style={{listStyle: "none"}}>
					{items.map((item) => (
						<li key={item.id} style={{height: "20em"}}>
							<img loading="lazy" alt=""
							     src={`/image/${item.id}.webp`} />
							<h2><a href={`/item/${item.id}`}>
								{item.name}</a></h2>
							<p>{item.text}</p>
							<p className="price">{item.price} EUR</p>
						</li>
					))}
				</ul>
				<div ref={end} />
			</main>
		</>
	);
}

createRoot(document.getElementById("root")).render(<Shop />);
