/* The settings of a site, and the form to delete it. */
#include "daemon/web/ui_pages.h"

#include <inttypes.h>

#include "daemon/web/ui_html.h"
#include "daemon/web/ui_parts.h"

static void web_settings_number(struct buffer *out, const json_t *site,
				const char *const row[3])
{
	buffer_printf(out,
		      "<label>%s<input name=\"%s\" type=\"number\" min=\"%s\" "
		      "value=\"%" PRIu64 "\"></label>",
		      row[1], row[0], row[2], ui_whole(site, row[0]));
}

/* Name, label, minimum. */
static void web_settings_numbers(struct buffer *out, const json_t *site)
{
	static const char *const rows[][3] = {
		{"max_pages", "Maximum pages", "1"},
		{"max_depth", "Links away from the first page", "0"},
		{"delay_ms", "Pause between fetches, ms", "0"},
		{"revisit_interval_s", "Revisit interval, s; 0 = never", "0"},
		{"check_interval_s", "Template check interval, s; 0 = never",
		 "0"},
		{"pattern_stop_after",
		 "Stop a pattern after uneventful pages; 0 = never", "0"},
		{"max_bytes", "Byte limit of the first crawl; 0 = unlimited",
		 "0"},
		{"max_seconds",
		 "Time limit of the first crawl, s; 0 = unlimited", "0"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		web_settings_number(out, site, rows[i]);
}

static void append_threshold(struct buffer *out, const json_t *site)
{
	buffer_append_text(out, "<label>Threshold, 0 to 1, or auto"
				"<input name=\"threshold\" required "
				"pattern=\"auto|0|1|[01]?\\.[0-9]+\" value=\"");
	if (ui_is_true(site, "auto"))
		buffer_append_text(out, "auto");
	else
		buffer_printf(
			out, "%.3g",
			json_number_value(json_object_get(site, "threshold")));
	buffer_append_text(out, "\"></label>");
}

static void append_flags(struct buffer *out, const json_t *site)
{
	static const char *const rows[][2] = {
		{"sitemaps", "read sitemaps"},
		{"soft_404_probe", "probe for soft 404s"},
		{"cookies", "return cookies"},
		{"allow_private", "allow private addresses"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		buffer_printf(out,
			      "<label class=\"check\"><input name=\"%s\" "
			      "type=\"checkbox\" value=\"1\"%s>%s</label>",
			      rows[i][0],
			      ui_is_true(site, rows[i][0]) ? " checked" : "",
			      rows[i][1]);
}

/* Append a secret in the masked form of the API, or that it is not set. */
static void append_shown(struct buffer *out, const char *title,
			 const char *shown)
{
	buffer_printf(out, "<fieldset><legend>%s</legend>", title);
	if (*shown == '\0') {
		buffer_append_text(out, "<p class=\"soft\">None.</p>");
		return;
	}
	buffer_append_text(out, "<pre>");
	ui_lines(out, shown);
	buffer_append_text(out, "</pre>");
}

/* Secrets are not shown, but can be replaced or removed. */
static void append_secrets(struct buffer *out, const json_t *site)
{
	append_shown(out, "Headers of each request",
		     ui_member(site, "headers"));
	buffer_append_text(
		out,
		"<div class=\"fields\"><label class=\"wide\">New headers, one "
		"per line (empty = unchanged)<textarea name=\"headers\" "
		"rows=\"3\" autocomplete=\"off\" spellcheck=\"false\" "
		"placeholder=\"Name: value\"></textarea></label><label "
		"class=\"check\"><input name=\"no_headers\" type=\"checkbox\" "
		"value=\"1\">send none</label></div></fieldset>\n");
	append_shown(out, "Proxy", ui_member(site, "proxy"));
	buffer_append_text(
		out,
		"<div class=\"fields\"><label class=\"wide\">New proxy (empty "
		"= unchanged)<input name=\"proxy\" autocomplete=\"off\" "
		"placeholder=\"http://host:port\"></label><label "
		"class=\"check\"><input name=\"no_proxy\" type=\"checkbox\" "
		"value=\"1\">use no proxy</label></div></fieldset>\n");
}

static void web_settings_action(struct buffer *out, const char *host,
				const char *action)
{
	buffer_append_text(out, "<form class=\"panel\" method=\"post\" "
				"action=\"/ui/sites/");
	ui_escape(out, host);
	buffer_printf(out, "/%s\"", action);
}

/*
 * Append the form to delete the site. It requires a confirmation even without
 * the script.
 */
static void web_settings_delete_form(struct buffer *out, const char *host)
{
	buffer_append_text(out, "<h2 id=\"end\">Delete this site</h2>\n");
	web_settings_action(out, host, "delete");
	buffer_append_text(
		out, " aria-labelledby=\"end\"><p>Deletes its pages, templates "
		     "and guards with all data about them. This cannot be "
		     "undone.</p><div class=\"fields\"><label "
		     "class=\"check\"><input name=\"sure\" type=\"checkbox\" "
		     "value=\"1\" required>Yes, delete ");
	ui_text(out, host, UI_URL_COLUMNS);
	buffer_append_text(out, "</label><button class=\"danger\">Delete "
				"it</button></div></form>\n");
}

void ui_settings(struct buffer *out, const json_t *site)
{
	bool is_watched =
		!ui_is_true(site, "sample") && !ui_is_true(site, "offline");
	const char *host = ui_member(site, "host");

	buffer_append_text(out, "<h2 id=\"settings\">Settings</h2>\n");
	if (!is_watched)
		buffer_append_text(
			out, "<p class=\"notice warn\">This site is not "
			     "watched: its pages were submitted or requested. "
			     "Saving these settings watches it.</p>\n");
	web_settings_action(out, host, "settings");
	buffer_append_text(out, " aria-labelledby=\"settings\">"
				"<fieldset><legend>Visits</legend>"
				"<div class=\"fields\">");
	web_settings_numbers(out, site);
	append_threshold(out, site);
	append_flags(out, site);
	buffer_append_text(out, "</div></fieldset>\n");
	append_secrets(out, site);
	buffer_append_text(out, "<p class=\"soft\">Pages are compared by ");
	ui_text(out, ui_member(site, "measure"), UI_LABEL_COLUMNS);
	buffer_printf(out,
		      ", width %" PRIu64
		      ", which cannot be changed.</p><button "
		      "class=\"main\">%s</button></form>\n",
		      ui_whole(site, "shingle_width"),
		      is_watched ? "Save" : "Watch with these settings");
	web_settings_delete_form(out, host);
}
