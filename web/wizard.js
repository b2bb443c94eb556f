import {head} from "./parts.js";

export async function addView() {
	return [head("addView")];
}
