import {svelte} from "@sveltejs/vite-plugin-svelte";
import react from "@vitejs/plugin-react";
import vue from "@vitejs/plugin-vue";

export default {
	plugins: [react({include: /\.jsx$/}), vue(), svelte()],
	build: {emptyOutDir: true},
	logLevel: "warn",
};
