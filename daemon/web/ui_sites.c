/* The list of sites, with several pages. */
#include "daemon/web/ui_pages.h"

#include "daemon/web/ui_html.h"
#include "daemon/web/ui_parts.h"

enum { MAX_OPEN = 8 };

static const char *const heads[] = {
	"Site",        "State",   "#Pages",    "Budget", "#Templates",
	"#Per minute", "#Failed", "Last seen", NULL,
};

static void web_sites_row(struct buffer *out, const json_t *site)
{
	buffer_append_text(out, "<tr role=\"row\">");
	html_begin_cell(out, heads[0]);
	ui_site_link(out, ui_member(site, "host"));
	buffer_append_text(out, "</td>");
	html_begin_cell(out, heads[1]);
	ui_site_state(out, site);
	buffer_append_text(out, "</td>");
	ui_count_cell(out, heads[2], ui_whole(site, "pages"));
	html_begin_cell(out, heads[3]);
	ui_site_budget(out, site);
	buffer_append_text(out, "</td>");
	ui_count_cell(out, heads[4], ui_whole(site, "clusters"));
	html_begin_cell(out, heads[5]);
	ui_site_rate(out, site);
	buffer_append_text(out, "</td>");
	ui_count_cell(out, heads[6], ui_whole(site, "failed"));
	html_begin_cell(out, heads[7]);
	ui_time(out, json_object_get(site, "seen"));
	buffer_append_text(out, "</td></tr>\n");
}

static void web_sites_table(struct buffer *out, const json_t *sites,
			    const struct ui_sites *shown)
{
	size_t count = json_array_size(sites);

	if (count == 0 && shown->after != NULL)
		return;
	if (count == 0 && shown->is_reader) {
		buffer_append_text(out, "<p class=\"empty\">No site is watched "
					"yet.</p>\n");
		return;
	}
	if (count == 0) {
		buffer_append_text(out,
				   "<p class=\"empty\">No site is watched yet. "
				   "Add one below: templated fetches its pages "
				   "slowly and politely, groups them by "
				   "template, and extracts their texts.</p>\n");
		return;
	}
	ui_table(out, "Sites", heads);
	for (size_t i = 0; i < count && i < UI_SITES_SHOWN; i++)
		web_sites_row(out, json_array_get(sites, i));
	ui_table_end(out);
}

/* Return whether there are sites on other pages. */
static bool are_some(const struct ui_sites *shown)
{
	return shown->after != NULL || *ui_member(shown->sites, "next") != '\0';
}

/* Append links to the other pages. */
static void append_turns(struct buffer *out, const struct ui_sites *shown)
{
	const char *next = ui_member(shown->sites, "next");

	if (!are_some(shown))
		return;
	buffer_append_text(out, "<p>");
	if (shown->after != NULL)
		buffer_append_text(out, "<a href=\"/\">First sites</a> ");
	if (*next != '\0') {
		buffer_append_text(out, "<a rel=\"next\" href=\"/?after=");
		ui_escape(out, next);
		buffer_append_text(out, "\">Next sites</a>");
	}
	buffer_append_text(out, "</p>\n");
}

static void web_sites_form(struct buffer *out)
{
	buffer_append_text(
		out,
		"<h2 id=\"add\">Add a site</h2>\n<form class=\"panel\" "
		"method=\"post\" action=\"/ui/sites\" "
		"aria-labelledby=\"add\"><div class=\"fields\"><label "
		"class=\"wide\">Address to begin at<input name=\"url\" "
		"type=\"url\" required "
		"placeholder=\"https://example.org/\"></label><label>Maximum "
		"pages<input name=\"max_pages\" type=\"number\" min=\"1\" "
		"placeholder=\"default\"></label><label>Pause between fetches, "
		"ms<input name=\"delay_ms\" type=\"number\" min=\"0\" "
		"placeholder=\"default\"></label><label>Revisit interval, "
		"s<input name=\"revisit_interval_s\" type=\"number\" min=\"0\" "
		"placeholder=\"default\"></label><label class=\"check\"><input "
		"name=\"allow_private\" type=\"checkbox\" value=\"1\">allow "
		"private "
		"addresses</label><button class=\"main\">Watch "
		"it</button></div></form>\n");
}

/* Append the sums of the listed sites. */
static void append_sums(struct buffer *out, const json_t *sites,
			const struct ui_sites *shown)
{
	const json_t *site;
	uint64_t pages = 0;
	uint64_t pending = 0;
	size_t i;

	json_array_foreach(sites, i, site)
	{
		pages += ui_whole(site, "pages");
		pending += ui_whole(site, "pending");
	}
	buffer_append_text(out, "<p class=\"lede\">");
	html_append_counted(out, json_array_size(sites), "site");
	buffer_append_text(out, are_some(shown) ? " on this page, " : ", ");
	html_append_counted(out, pages, "page");
	buffer_append_text(out, ", ");
	if (pending == 0) {
		buffer_append_text(out, "nothing queued.</p>\n");
		return;
	}
	html_append_count(out, pending);
	buffer_append_text(out, " to be visited.</p>\n");
}

void ui_sites(struct buffer *out, const struct ui_sites *shown)
{
	const json_t *sites = json_object_get(shown->sites, "sites");

	buffer_append_text(out, "<h1>Sites</h1>\n");
	append_sums(out, sites, shown);
	web_sites_table(out, sites, shown);
	append_turns(out, shown);
	if (json_array_size(shown->alerts) > 0) {
		buffer_append_text(out, "<h2>Open alerts</h2>\n");
		ui_events(out, &(struct ui_event_list){shown->alerts, MAX_OPEN,
						       true, shown->is_reader});
		buffer_append_text(out, "<p><a href=\"/ui/alerts\">All "
					"alerts</a></p>\n");
	}
	if (!shown->is_reader)
		web_sites_form(out);
}
