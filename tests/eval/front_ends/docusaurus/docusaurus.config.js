export default {
	title: "The valley",
	url: "http://localhost",
	baseUrl: "/",
	onBrokenLinks: "ignore",
	presets: [["classic", {
		docs: {routeBasePath: "/"},
		blog: false,
	}]],
};
