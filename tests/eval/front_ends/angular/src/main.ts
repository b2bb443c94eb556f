import {HttpClient, provideHttpClient} from "@angular/common/http";
import {Component, inject, provideZonelessChangeDetection, signal}
	from "@angular/core";
import {bootstrapApplication} from "@angular/platform-browser";

interface Product {
	id: number;
	name: string;
	text: string;
	price: string;
}

@Component({
	selector: "app-root",
	template: `
		<nav><a href="/">Home</a> <a href="/cart">Cart</a></nav>
		<main>
			<h1>Tools for the garden</h1>
			@for (item of products(); track item.id) {
				<section>
					<h2><a [href]="'/item/' + item.id">{{ item.name }}</a></h2>
					<p>{{ item.text }}</p>
					<p class="price">{{ item.price }} EUR</p>
				</section>
			} @empty { <p>Loading</p> }
		</main>
		<footer>Delivery within three days</footer>`,
})
class App {
	products = signal<Product[]>([]);

	constructor() {
		inject(HttpClient)
			.get<{products: Product[]}>("/api/products.json?page=1")
			.subscribe((page) => this.products.set(page.products));
	}
}

bootstrapApplication(App, {
	providers: [provideHttpClient(), provideZonelessChangeDetection()],
});
