import {head} from "./parts.js";

export async function settingsView() {
	return [head("settingsView")];
}
