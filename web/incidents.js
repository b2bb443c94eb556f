import {head} from "./parts.js";

export async function alertView() {
	return [head("alertView")];
}

export async function incidentView() {
	return [head("incidentView")];
}

export async function incidentsView() {
	return [head("incidentsView")];
}
