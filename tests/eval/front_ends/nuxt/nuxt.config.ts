export default defineNuxtConfig({
	ssr: false,
	telemetry: false,
	compatibilityDate: "2025-01-01",
});
