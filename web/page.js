import {head} from "./parts.js";

export async function elementView() {
	return [head("elementView")];
}

export async function pageView() {
	return [head("pageView")];
}
