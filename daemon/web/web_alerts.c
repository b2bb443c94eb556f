#include <string.h>

#include "daemon/web/html.h"
#include "daemon/web/web_site.h"

/*
 * The page of the alerts and silences, and the page of one alert with its
 * evidence.
 */

enum { MAX_ALERTS = 300, MAX_PAGES = 40 };

static void append_silences(struct buffer *out, const json_t *answer)
{
	static const struct html_table table = {
		.caption = "Silences",
		.heads = {"Site", "Template", "Event", "Since", "#Do"},
		.cells = "|{site:site}|{template:cluster}|{label:kind}|"
			 "{time:created}|<form method=\"post\" "
			 "action=\"/ui/silences/{number:id}/delete\"><button>"
			 "End it</button></form>",
		.max = SIZE_MAX,
	};
	const json_t *silences = json_object_get(answer, "silences");

	if (json_array_size(silences) == 0)
		return;
	buffer_append_text(out, "<h2>Silences</h2>\n");
	ui_rows(out, &table, silences);
}

void ui_alerts(struct buffer *out, const struct ui_alerts *shown)
{
	html_write(
		out, NULL,
		"<h1>Alerts</h1>\n<p class=\"lede\">Incidents: what one "
		"cause has changed on a site.</p>\n{?}<p "
		"class=\"notice\">Only for sites that this node owns or "
		"replicates; see the other nodes for their sites.</p>\n{.}<nav "
		"aria-label=\"Which alerts\"><ul class=\"tabs\"><li><a "
		"href=\"/ui/alerts\"{!} aria-current=\"page\"{.}>Open</a></li>"
		"<li><a href=\"/ui/alerts?all=1\"{?} aria-current=\"page\"{.}>"
		"All</a></li></ul></nav>\n",
		shown->is_of_node, shown->is_all, shown->is_all);
	if (json_array_size(shown->events) == 0)
		buffer_append_text(out,
				   "<p class=\"empty\">No open alerts.</p>\n");
	else
		ui_events(out,
			  &(struct ui_event_list){shown->events, MAX_ALERTS,
						  true, shown->is_reader});
	append_silences(out, shown->silences);
}

/*
 * Append a table of the pages that agree on the change. Each item is an object
 * with a "url", or only a URL.
 */
static void web_alert_pages(struct buffer *out, const json_t *detail,
			    bool is_guard)
{
	static const struct html_table tables[2] = {
		{.caption = "Pages that agree",
		 .heads = {"Page", "Is now", "In"},
		 .cells = "|{page}|{label:now}|{template:template}"},
		{.caption = "Pages that agree",
		 .heads = {"Page", "#Matches", "Value before"},
		 .cells = "|{page}|{cell:matches}|{text:value}"},
	};
	const struct html_table *table = &tables[is_guard];
	const json_t *pages = json_object_get(detail, "pages");
	const json_t *page;
	size_t i;

	if (json_array_size(pages) == 0)
		return;
	buffer_append_text(out, "<h2>Pages that agree</h2>\n");
	ui_table(out, table);
	json_array_foreach(pages, i, page)
	{
		struct html_row row;

		if (i == MAX_PAGES)
			break;
		row = html_begin_row(out, table->heads);
		html_cells(&row, page, table->cells,
			   json_is_string(page) ? json_string_value(page)
						: ui_member(page, "url"));
		html_end_row(&row);
	}
	ui_table_end(out);
}

/* Append the templates of an incident, with links to the events behind them. */
static void web_alert_templates(struct buffer *out, const json_t *detail)
{
	static const struct html_table table = {
		.caption = "Templates of the incident",
		.heads = {"Template", "What", "#Pages", "Evidence"},
		.cells = "|{?name}{label:name} {.}{template:template}|"
			 "{label:what}|{cell:pages}|"
			 "<a href=\"/ui/alerts/{number:evidence}\">event "
			 "{number:evidence}</a>",
		.max = MAX_ALERTS,
	};
	const json_t *list = json_object_get(detail, "templates");

	if (json_array_size(list) == 0)
		return;
	buffer_append_text(out, "<h2>Templates</h2>\n");
	ui_rows(out, &table, list);
}

/* Append the guards of an incident, each with its candidates. */
static void web_alert_guards(struct buffer *out, const char *host,
			     const json_t *detail)
{
	const json_t *list = json_object_get(detail, "guards");
	const json_t *guard;
	size_t i;

	json_array_foreach(list, i, guard)
	{
		html_write(
			out, guard,
			"<h2>Guard {?name}{label:name}{.}</h2>\n<p>"
			"<a href=\"/ui/sites/{query}/guards/{number:guard}\">"
			"<code>{label:selector}</code></a> is "
			"{label:what}</p>\n",
			host);
		ui_candidates(out, host, guard);
	}
}

static void web_alert_moved(struct buffer *out, const json_t *detail)
{
	static const struct html_table table = {
		.caption = "URLs that moved",
		.heads = {"From", "To"},
		.cells = "|{page:from}|{page:to}",
		.max = MAX_PAGES,
	};
	const json_t *list = json_object_get(detail, "moved");

	if (json_array_size(list) == 0)
		return;
	buffer_append_text(out, "<h2>Moved URLs</h2>\n");
	ui_rows(out, &table, list);
}

#define ALERT_BUTTON                                                       \
	"<form method=\"post\" action=\"/ui/alerts/{number:seq}/{html}\">" \
	"<button>{html}</button></form>"

static void web_alert_actions(struct buffer *out, const json_t *event)
{
	html_write(
		out, event,
		"{?acknowledged}<span class=\"badge soft\">acknowledged</span>"
		"{.}{!acknowledged}" ALERT_BUTTON "{.}",
		"ack", "Acknowledge");
	html_write(out, event,
		   "{?silenced}<span class=\"badge soft\">silenced</span>{.}"
		   "{!silenced}" ALERT_BUTTON "{.}",
		   "silence", "Silence similar");
}

/* Append the screenshots of the incident, side by side. */
static void web_alert_pictures(struct buffer *out, const json_t *screenshots)
{
	const json_t *before = json_object_get(screenshots, "before");
	const json_t *after = json_object_get(screenshots, "after");

	if (before == NULL || after == NULL)
		return;
	buffer_append_text(out, "<h2>Screenshots</h2>\n"
				"<div class=\"pictures\">");
	ui_picture(out, before, "Before");
	ui_picture(out, after, "After");
	buffer_append_text(out, "</div>\n");
}

void ui_alert(struct buffer *out, const json_t *event, bool is_reader)
{
	const json_t *detail = json_object_get(event, "detail");
	bool is_guard = json_is_integer(json_object_get(event, "guard"));

	ui_crumbs(out, ui_member(event, "site"), ui_member(event, "kind"));
	html_write(out, event, "<div class=\"head\"><h1>{label:kind}</h1>");
	if (!is_reader && ui_is_true(event, "alert"))
		web_alert_actions(out, event);
	html_write(out, event,
		   "</div>\n<p class=\"lede\">{?cluster}{template:cluster} {.}"
		   "{summary}.</p>\n<p class=\"soft small\">{time:time}"
		   "{?url}, {page:url}{.}</p>\n");
	if (is_guard && !is_reader) {
		html_write(out, event,
			   "<p><a href=\"/ui/sites/{query:site}/guards/"
			   "{number:guard}\">The guard</a></p>\n");
		ui_candidates(out, ui_member(event, "site"), detail);
	}
	if (json_is_array(json_object_get(json_object_get(detail, "paths"),
					  "gone"))) {
		buffer_append_text(out, "<h2>Before and after</h2>\n");
		ui_moves(out, detail);
	}
	web_alert_pictures(out, json_object_get(event, "screenshots"));
	web_alert_templates(out, detail);
	if (!is_reader)
		web_alert_guards(out, ui_member(event, "site"), detail);
	web_alert_moved(out, detail);
	web_alert_pages(out, detail, is_guard);
}

/*
 * The page of the guards of a site, the page of one guard, and the form that
 * adds a guard.
 */

enum { MAX_ROWS = 500, MAX_UP = 6 };

void ui_guards(struct buffer *out, const char *host, const json_t *answer)
{
	static const struct html_table table = {
		.caption = "Guards",
		.heads = {"Guard", "State", "Selector", "Expects", "#Pages",
			  "#Failing", "Template"},
		.cells = "|<a href=\"/ui/sites/{query:site}/guards/"
			 "{number:id}\">{?name}{label:name}{.}{!name}guard "
			 "{number:id}{.}</a>|{state:state}|"
			 "<code>{text:selector}</code>|{label:expect}|"
			 "{cell:pages}|{cell:failing}|{template:cluster}",
		.max = MAX_ROWS,
	};
	const json_t *guards = json_object_get(answer, "guards");

	if (json_array_size(guards) == 0)
		buffer_append_text(
			out,
			"<p class=\"empty\">This site has no guards.</p>\n");
	else
		ui_rows(out, &table, guards);
	html_write(
		out, NULL,
		"<h2 id=\"new\">New guard</h2>\n<form class=\"panel\" "
		"method=\"post\" aria-labelledby=\"new\" "
		"action=\"/ui/sites/{query}/guards\"><p class=\"soft small\">A "
		"guard checks a selector on all pages, or on the pages of one "
		"template, and alerts you when it no longer matches. The "
		"easier way: open a page, and click the element to guard.</p>"
		"<div class=\"fields\"><label class=\"wide\">CSS selector"
		"<input name=\"css\" class=\"mono\" required "
		"placeholder=\"h1.title\"></label><label>Name<input "
		"name=\"name\" maxlength=\"64\"></label><label>Matches on a "
		"page<input name=\"expect\" value=\"1\" "
		"pattern=\"[0-9]+(\\.\\.[0-9]*)?\"></label><label>Template "
		"number<input name=\"cluster\" type=\"number\" min=\"1\" "
		"placeholder=\"all\"></label><button class=\"main\">Guard "
		"it</button></div></form>\n",
		host);
}

void ui_candidates(struct buffer *out, const char *host, const json_t *guard)
{
	static const struct html_table table = {
		.caption = "Candidates for another selector",
		.heads = {"Selector", "#Score", "#Pages", "Value", "#Do"},
	};
	const json_t *list = json_object_get(guard, "candidates");
	const char *expect = ui_member(guard, "expect");
	const json_t *candidate;
	size_t i;

	if (json_array_size(list) == 0)
		return;
	buffer_append_text(out, "<h2>Probable new places</h2>\n");
	ui_table(out, &table);
	json_array_foreach(list, i, candidate)
	{
		struct html_row row = html_begin_row(out, table.heads);

		html_cells(&row, candidate,
			   "|<code>{text:selector}</code>|{2f:score}|"
			   "{cell:pages}|{label:example}|<form method=\"post\" "
			   "action=\"/ui/sites/{query}/guards\"><input "
			   "type=\"hidden\" name=\"css\" "
			   "value=\"{lines:selector}\"><input type=\"hidden\" "
			   "name=\"expect\" value=\"{label}\"><button>Guard "
			   "this</button></form>",
			   host, *expect == '\0' ? "1" : expect);
		html_end_row(&row);
	}
	ui_table_end(out);
}

static void append_sample(struct buffer *out, const json_t *guard)
{
	static const struct html_table table = {
		.caption = "Pages it was checked on",
		.heads = {"Page", "#Matches", "Value", "Last held"},
		.cells = "|{page:url}|{cell:matches}|{text:value}|{time:good}",
		.max = SIZE_MAX,
	};
	const json_t *pages = json_object_get(guard, "sample");

	if (json_array_size(pages) == 0)
		return;
	buffer_append_text(out, "<h2>Pages</h2>\n");
	ui_rows(out, &table, pages);
}

void ui_guard(struct buffer *out, const json_t *guard)
{
	ui_crumbs(out, ui_member(guard, "site"), "guard");
	html_write(
		out, guard,
		"<div class=\"head\"><h1>{?name}{label:name}{.}{!name}Guard{.}"
		"</h1>{state:state}<form method=\"post\" "
		"action=\"/ui/sites/{query:site}/guards/{number:id}/delete\">"
		"<button class=\"danger\">Delete</button></form></div>\n<dl "
		"class=\"facts\"><dt>Selector</dt><dd><code>{long:selector}"
		"</code> <span class=\"soft\">{label:language}</span></dd>"
		"<dt>Matches on a page</dt><dd>{label:expect}</dd><dt>Pages"
		"</dt><dd>{count:failing} failing of {count:pages}; "
		"{count:agreed} of the last {count:seen} agree</dd>"
		"<dt>Template</dt><dd>{?cluster}{template:cluster}{.}"
		"{!cluster}all pages of the site{.}</dd><dt>Since</dt>"
		"<dd>{time:created}; state changed {time:changed}</dd></dl>\n");
	ui_candidates(out, ui_member(guard, "site"), guard);
	append_sample(out, guard);
}

#define SELECTOR_CHOICE                                                        \
	"<label class=\"choice\"><input type=\"radio\" name=\"css\" required " \
	"value=\"{lines}\"{?} checked{.}><code>{long}</code> <span "           \
	"class=\"soft small\">"

static void append_choices(struct buffer *out, const json_t *found)
{
	const json_t *list = json_object_get(found, "candidates");
	const json_t *candidate;
	const char *path = ui_member(found, "path");
	size_t i;

	json_array_foreach(list, i, candidate)
	{
		const char *selector = ui_member(candidate, "selector");

		html_write(out, candidate,
			   SELECTOR_CHOICE "once on this page{?}; the most "
					   "stable one{.}, {2f:score}</span>"
					   "</label>\n",
			   selector, i == 0, selector, i == 0);
	}
	if (*path != '\0')
		html_write(out, NULL,
			   SELECTOR_CHOICE
			   "its exact position</span></label>\n",
			   path, json_array_size(list) == 0, path);
}

void ui_element(struct buffer *out, const struct ui_element *shown)
{
	const char *slash = strrchr(shown->cluster, '/');

	ui_crumbs(out, shown->host, "new guard");
	html_write(
		out, shown->found,
		"<h1>Guard an element</h1>\n<p class=\"lede\">On {page}. You "
		"get an alert when pages no longer have it, with its probable "
		"new place.</p>\n<dl class=\"facts\"><dt>Value</dt>"
		"<dd>{long:value}</dd><dt>Place</dt><dd><code>{long:path}"
		"</code></dd></dl>\n",
		shown->url);
	if (shown->up < MAX_UP)
		html_write(
			out, NULL,
			"<p><a href=\"/ui/element?url={query}&amp;n="
			"{number}&amp;up={number}\">Take the element around it "
			"instead</a></p>\n",
			shown->url, (uint64_t)shown->number,
			(uint64_t)shown->up + 1);
	html_write(out, NULL,
		   "<form class=\"panel\" method=\"post\" "
		   "action=\"/ui/sites/{query}/guards\"><fieldset><legend>"
		   "Selector</legend>\n",
		   shown->host);
	append_choices(out, shown->found);
	html_write(
		out, NULL,
		"</fieldset>\n<div class=\"fields\"><label class=\"wide\">Name"
		"<input name=\"name\" maxlength=\"64\" "
		"placeholder=\"what it is: price, title\"></label>"
		"<label>Matches on a page<input name=\"expect\" value=\"1\" "
		"pattern=\"[0-9]+(\\.\\.[0-9]*)?\"></label>");
	if (slash != NULL)
		html_write(out, NULL,
			   "<label class=\"check\"><input type=\"checkbox\" "
			   "name=\"cluster\" checked value=\"{label}\">only "
			   "pages of this template</label>",
			   slash + 1);
	buffer_append_text(out, "<button class=\"main\">Guard it</button>"
				"</div></form>\n");
}
