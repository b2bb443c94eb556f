import {head} from "./parts.js";

export async function templateView() {
	return [head("templateView")];
}
