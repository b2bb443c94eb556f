import {h, onMounted, ref} from "vue";
import {body, load} from "../article.js";

export default {
	setup() {
		const article = ref(null);

		onMounted(async () => {
			article.value = await load();
		});
		return () => h("article", article.value && body(h, article.value));
	},
};
