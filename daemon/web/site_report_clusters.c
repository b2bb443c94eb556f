/*
 * Section: the clusters of the site, as a bar chart of their sizes and a table.
 */
#include "daemon/web/site_report_html.h"
#include "daemon/web/site_report_parts.h"
#include "extract/core/svg.h"

#include <inttypes.h>

enum {
	BARS = 24,
	BAR_ROW = 34, /* pixels */
	BAR_HEIGHT = 9,
	BAR_NAME = 44, /* columns */
};

static double cluster_section_ratio(const struct report_facts *facts,
				    uint64_t pages)
{
	return facts->clustered_pages == 0
		       ? 0
		       : (double)pages / (double)facts->clustered_pages;
}

/* Append a bar. Widths are relative to the drawing; texts have a fixed size. */
static void cluster_section_bar(const struct report_facts *facts,
				const struct report_template *template,
				unsigned row, struct buffer *out)
{
	uint32_t largest = facts->templates[0].cluster.page_count;
	uint32_t pages = template->cluster.page_count;
	bool is_learned = pages >= facts->source->min_cluster_pages;
	unsigned y = row * BAR_ROW;
	struct svg_box bar = {
		.width = 86, .height = BAR_HEIGHT, .is_percent = true};

	svg_text_begin(out, NULL, (struct svg_point){0, y + 14, false}, "");
	buffer_printf(out,
		      "<tspan font-weight=\"600\">/%" PRIu32
		      "</tspan> <tspan class=\"s-soft\">",
		      template->number);
	if (template->sample_count > 0)
		html_append_text(out,
				 template->samples[0].title.size > 0
					 ? template->samples[0].title
					 : template->samples[0].url,
				 BAR_NAME);
	buffer_append_text(out, "</tspan>");
	svg_text_end(out);
	bar.y = y + 19;
	svg_rect_begin(out, "s-track", bar);
	buffer_append_text(out, " rx=\"2\"/>");
	bar.width *= (double)pages / (largest > 0 ? largest : 1);
	svg_rect_begin(out, is_learned ? "s-bar" : "s-off", bar);
	buffer_append_text(out, " rx=\"2\"/>");
	svg_text_begin(out, NULL, (struct svg_point){100, y + 27, true},
		       " text-anchor=\"end\"");
	html_append_count(out, pages);
	svg_text_end(out);
}

static void append_chart(const struct report_facts *facts, unsigned clusters,
			 struct buffer *out)
{
	unsigned bars = clusters < BARS ? clusters : BARS;

	buffer_append_text(out, "<figure><figcaption>Pages of the ");
	if (bars < facts->cluster_count)
		buffer_printf(out, "%u largest of the ", bars);
	html_append_counted(out, facts->cluster_count, "cluster");
	buffer_printf(
		out,
		", each with the title of one page. Grey ones have too few "
		"pages for a template.</figcaption>\n<svg class=\"chart "
		"sizes\" role=\"img\" aria-label=\"Sizes of clusters\" "
		"height=\"%u\"><title>Sizes of clusters</title>\n",
		bars * BAR_ROW);
	for (unsigned i = 0; i < bars; i++)
		cluster_section_bar(facts, &facts->templates[i], i, out);
	buffer_append_text(out, "</svg></figure>\n");
}

static void append_state(const struct report_facts *facts,
			 const struct report_template *template,
			 struct buffer *out)
{
	static const char *const ends[TEMPLATE_STATES] = {
		[TEMPLATE_LIVE] = "watched",
		[TEMPLATE_REPLACED] = "replaced",
		[TEMPLATE_MERGED] = "merged",
		[TEMPLATE_VANISHED] = "vanished",
	};

	if (!template->is_known) {
		bool is_learned = template->cluster.page_count >=
				  facts->source->min_cluster_pages;

		buffer_printf(out,
			      "<span><span class=\"badge %s\">%s</span></span>",
			      is_learned ? "on" : "off",
			      is_learned ? "learned" : "too few pages");
		return;
	}
	buffer_printf(out, "<span><span class=\"badge %s\">%s</span>",
		      template->row.state == TEMPLATE_LIVE ? "on" : "off",
		      template->row.state < TEMPLATE_STATES
			      ? ends[template->row.state]
			      : "?");
	if (template->row.other != 0) {
		buffer_append_text(out, " by ");
		html_append_template(out, facts, template->row.other);
	}
	buffer_append_text(out, "</span>");
}

static void cluster_section_version(const struct report_template *template,
				    struct buffer *out)
{
	const struct report_version *last;

	if (template->version_count == 0) {
		buffer_append_text(out, "–");
		return;
	}
	last = &template->versions[template->version_count - 1];
	buffer_printf(out, "<span>v%" PRIu32 ", ", last->number);
	html_append_time(out, last->first_ms);
	buffer_append_text(out, "</span>");
}

static void cluster_section_samples(const struct report_template *template,
				    struct buffer *out)
{
	if (template->sample_count == 0) {
		buffer_append_text(out, "–");
		return;
	}
	buffer_append_text(out, "<ul>");
	for (uint32_t i = 0; i < template->sample_count; i++) {
		buffer_append_text(out, "<li>");
		html_append_link(out, template->samples[i].url,
				 template->samples[i].title);
		buffer_append_text(out, "</li>");
	}
	buffer_append_text(out, "</ul>");
}

static void cluster_section_row(const struct report_facts *facts,
				const struct report_template *template,
				struct buffer *out)
{
	uint64_t first = template->is_there ? template->cluster.created_ms
					    : template->row.created_ms;
	uint64_t last = template->is_known ? template->row.seen_ms
					   : template->fetched_ms;

	buffer_append_text(out, "<tr role=\"row\">");
	html_begin_cell(out, "Template");
	html_append_template(out, facts, template->number);
	buffer_append_text(out, "</td>");
	html_begin_cell(out, "State");
	append_state(facts, template, out);
	buffer_append_text(out, "</td>");
	html_begin_cell(out, "#Pages");
	html_append_count(out, template->cluster.page_count);
	buffer_append_text(out, "</td>");
	html_begin_cell(out, "#Share");
	html_append_ratio(out, cluster_section_ratio(
				       facts, template->cluster.page_count));
	buffer_append_text(out, "</td>");
	html_begin_cell(out, "First seen");
	html_append_time(out, first);
	buffer_append_text(out, "</td>");
	html_begin_cell(out, "Last seen");
	html_append_time(out, last);
	buffer_append_text(out, "</td>");
	html_begin_cell(out, "Version");
	cluster_section_version(template, out);
	buffer_append_text(out, "</td>");
	html_begin_cell(out, "Some pages");
	cluster_section_samples(template, out);
	buffer_append_text(out, "</td></tr>\n");
}

static void cluster_section_rest(const struct report_facts *facts,
				 uint32_t clusters, struct buffer *out)
{
	uint64_t told = 0;
	uint32_t past = facts->template_count - clusters;

	for (uint32_t i = 0; i < clusters; i++)
		told += facts->templates[i].cluster.page_count;
	if (clusters < facts->cluster_count) {
		buffer_append_text(out, "<p class=\"soft\">Not listed: ");
		html_append_counted(out, facts->cluster_count - clusters,
				    "smaller cluster");
		buffer_append_text(out, " with ");
		html_append_counted(out, facts->clustered_pages - told, "page");
		buffer_append_text(out, " in all.</p>\n");
	}
	if (past < facts->past_count) {
		buffer_append_text(out, "<p class=\"soft\">Not listed: ");
		html_append_counted(out, facts->past_count - past,
				    "older template");
		buffer_append_text(out, " without pages.</p>\n");
	}
}

void report_clusters(const struct report_facts *facts, struct buffer *out)
{
	static const char *const heads[] = {
		"Template",  "State",   "#Pages",     "#Share", "First seen",
		"Last seen", "Version", "Some pages", NULL,
	};
	uint32_t clusters = 0;

	while (clusters < facts->template_count &&
	       facts->templates[clusters].is_there)
		clusters++;
	buffer_append_text(
		out, "<section id=\"clusters\"><h2>Clusters</h2>\n<p>Pages "
		     "with a similar structure form a cluster; a cluster with "
		     "enough pages is a template.</p>\n");
	if (facts->template_count > 0) {
		if (clusters > 0)
			append_chart(facts, clusters, out);
		html_begin_table(out, "Clusters, largest first", heads);
		for (uint32_t i = 0; i < facts->template_count; i++)
			cluster_section_row(facts, &facts->templates[i], out);
		html_end_table(out);
		cluster_section_rest(facts, clusters, out);
	}
	buffer_append_text(out, "</section>\n");
}
