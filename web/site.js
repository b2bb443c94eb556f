import {head} from "./parts.js";

export async function guardView() {
	return [head("guardView")];
}

export async function siteView() {
	return [head("siteView")];
}
