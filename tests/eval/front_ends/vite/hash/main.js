import {createApp, h} from "vue";
import {createRouter, createWebHashHistory, RouterLink, RouterView}
	from "vue-router";

const router = createRouter({
	history: createWebHashHistory(),
	routes: [
		{path: "/", component: () => h("p", "Choose a page.")},
		{path: "/rivers/repaired", component: () => import("./Article.js")},
	],
});

const App = () => [
	h("nav", [h(RouterLink, {to: "/"}, () => "Home"),
		  h(RouterLink, {to: "/rivers/repaired"}, () => "Rivers")]),
	h("main", h(RouterView)),
];

createApp(App).use(router).mount("#root");
