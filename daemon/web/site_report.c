#include "daemon/web/site_report.h"

#include <inttypes.h>

#include "base/arena.h"
#include "cluster/signature.h"
#include "daemon/web/site_report_html.h"
#include "daemon/web/site_report_parts.h"

static void append_begin(const struct report_facts *facts, struct buffer *out)
{
	buffer_append_text(
		out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		     "<meta charset=\"utf-8\">\n"
		     "<meta http-equiv=\"Content-Security-Policy\" "
		     "content=\"default-src 'none'; style-src 'unsafe-inline'; "
		     "img-src data:\">\n"
		     "<meta name=\"viewport\" content=\"width=device-width, "
		     "initial-scale=1\">\n"
		     "<meta name=\"referrer\" content=\"no-referrer\">\n"
		     "<title>Templates of ");
	html_append_text(out, facts->site.host, SHOWN_URL);
	buffer_printf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n",
		      report_style);
}

static void site_report_figure(struct buffer *out, const char *name,
			       uint64_t count)
{
	buffer_printf(out, "<div><dt>%s</dt><dd>", name);
	html_append_count(out, count);
}

static void site_report_figures(const struct report_facts *facts,
				struct buffer *out)
{
	const struct site_row *site = &facts->site;
	const char *measure =
		measure_name(site->options.measure % MEASURE_COUNT);

	buffer_append_text(out, "<dl class=\"figures\">\n");
	site_report_figure(out, "Pages", site->page_count);
	buffer_append_text(out, "<small>");
	html_append_count(out, facts->clustered_pages);
	buffer_append_text(out, " in clusters</small></dd></div>\n");
	site_report_figure(out, "Templates", facts->learned_count);
	buffer_append_text(out, "<small>of ");
	html_append_counted(out, facts->cluster_count, "cluster");
	buffer_append_text(out, "</small></dd></div>\n");
	buffer_printf(out,
		      "<div><dt>Threshold</dt><dd>%.3f<small>%s, measure %s"
		      "</small></dd></div>\n",
		      site->options.threshold / 1000.0,
		      (site->options.flags & SITE_IS_AUTO) != 0
			      ? "chosen from the pages"
			      : "set by hand",
		      measure);
	site_report_figure(out, "Alerts", facts->event_total);
	buffer_printf(out,
		      "<small>state of change %" PRIu64
		      "</small></dd></div>\n</dl>\n",
		      site->generation);
}

/* Append the summary at the top. */
static void append_lede(const struct report_facts *facts, struct buffer *out)
{
	const struct report_template *first = facts->templates;

	buffer_append_text(out, "<p class=\"lede\">");
	if (facts->cluster_count == 0) {
		buffer_append_text(out, "It has no pages yet.</p>\n");
		return;
	}
	html_append_counted(out, facts->clustered_pages, "page");
	buffer_append_text(out, " in ");
	html_append_counted(out, facts->cluster_count, "cluster");
	buffer_append_text(out, "; ");
	html_append_count(out, facts->learned_count);
	buffer_printf(
		out,
		" of these %s, having %" PRIu32 " pages or more. The largest, ",
		facts->learned_count == 1 ? "is a template" : "are templates",
		facts->source->min_cluster_pages);
	html_append_template(out, facts, first->number);
	buffer_append_text(out, ", makes ");
	html_append_ratio(out, (double)first->cluster.page_count /
				       (double)facts->clustered_pages);
	buffer_append_text(out, " of the pages. ");
	if (facts->event_total == 0) {
		buffer_append_text(out, "There are no alerts yet.</p>\n");
		return;
	}
	buffer_append_text(out, "Last alert: ");
	buffer_append_text(
		out, report_event_text(
			     facts->events[facts->event_count - 1].row.kind));
	buffer_append_text(out, ", ");
	html_append_time(out,
			 facts->events[facts->event_count - 1].row.time_ms);
	buffer_append_text(out, ".</p>\n");
}

void report_head(const struct report_facts *facts, struct buffer *out)
{
	const uint32_t flags = facts->site.options.flags;

	append_begin(facts, out);
	buffer_append_text(out, "<header>\n<p class=\"kicker\">Templates of a "
				"site</p>\n<h1>");
	html_append_text(out, facts->site.host, SHOWN_URL);
	buffer_append_text(out, "</h1>\n");
	append_lede(facts, out);
	if ((flags & SITE_IS_STALE) != 0)
		buffer_append_text(
			out, "<p><span class=\"badge bad\">stale</span> It has "
			     "returned no page for a long time.</p>\n");
	if ((flags & SITE_IS_BLOCKED) != 0)
		buffer_append_text(
			out, "<p><span class=\"badge bad\">blocked</span> It "
			     "returns only errors and challenges.</p>\n");
	site_report_figures(facts, out);
	buffer_append_text(out, "<p class=\"soft small\">As of ");
	html_append_time(out, facts->source->now_ms);
	buffer_append_text(out, " UTC; all times are UTC. Watched since ");
	html_append_time(out, facts->site.added_ms);
	buffer_append_text(out, ", from ");
	html_append_link(out, facts->site.seed, (struct slice){NULL, 0});
	buffer_append_text(
		out, ".</p>\n<nav aria-label=\"Sections\"><ul>"
		     "<li><a href=\"#clusters\">Clusters</a></li>"
		     "<li><a href=\"#cuts\">Distances</a></li>"
		     "<li><a href=\"#templates\">Templates</a></li>"
		     "<li><a href=\"#timeline\">Timeline</a></li>"
		     "<li><a href=\"#changes\">Changes</a></li></ul></nav>\n"
		     "</header>\n<main>\n");
}

enum error site_report(const struct site_report_source *source,
		       const char *host, struct buffer *out)
{
	struct arena *arena = arena_create();
	struct report_facts facts;
	enum error error = report_facts_read(source, host, arena, &facts);

	if (error == ERR_NONE) {
		report_head(&facts, out);
		report_clusters(&facts, out);
		error = report_thresholds_section(&facts, out);
	}
	if (error == ERR_NONE) {
		report_trees(&facts, out);
		report_timeline(&facts, out);
		report_changes(&facts, out);
		buffer_append_text(
			out,
			"</main>\n<footer><p>Written by templated. "
			"Self-contained.</p></footer>\n</body>\n</html>\n");
	}
	arena_destroy(arena);
	return error;
}
