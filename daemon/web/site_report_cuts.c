/* Section: the distances of the pages, and the threshold. */
#include "daemon/web/site_report_html.h"
#include "daemon/web/site_report_parts.h"

#include <jansson.h>

#include "daemon/web/cuts.h"

static double number_at(const json_t *object, const char *name)
{
	return json_number_value(json_object_get(object, name));
}

static void threshold_section_row(const json_t *cut, struct buffer *out)
{
	const char *name = json_string_value(json_object_get(cut, "name"));

	buffer_append_text(out, "<tr role=\"row\">");
	html_begin_cell(out, "Cut");
	html_append_text(out, slice_of(name), SHOWN_TITLE);
	buffer_append_text(out, "</td>");
	html_begin_cell(out, "#Threshold");
	buffer_printf(out, "%.3f</td>", number_at(cut, "threshold"));
	html_begin_cell(out, "#Clusters");
	html_append_count(out, (uint64_t)number_at(cut, "clusters"));
	buffer_append_text(out, "</td>");
	html_begin_cell(out, "#Sizable ones");
	html_append_count(out, (uint64_t)number_at(cut, "sizable"));
	buffer_append_text(out, "</td>");
	html_begin_cell(out, "#Largest, pages");
	html_append_count(out, (uint64_t)number_at(cut, "largest_pages"));
	buffer_append_text(out, "</td></tr>\n");
}

static void threshold_section_table(const json_t *cuts, struct buffer *out)
{
	static const char *const heads[] = {
		"Cut",           "#Threshold",      "#Clusters",
		"#Sizable ones", "#Largest, pages", NULL};
	const json_t *cut;
	size_t i;

	html_begin_table(out, "What other thresholds would give", heads);
	json_array_foreach(cuts, i, cut)
	{
		threshold_section_row(cut, out);
	}
	html_end_table(out);
}

/* Append a range, such as "0.240 to 0.360". */
static void append_gap(const json_t *gap, struct buffer *out)
{
	if (json_array_size(gap) == 2)
		buffer_printf(out,
			      " Hardly any two pages are %.2f to %.2f apart: "
			      "that gap is shaded.",
			      json_number_value(json_array_get(gap, 0)),
			      json_number_value(json_array_get(gap, 1)));
}

static void threshold_section_summary(const struct report_facts *facts,
				      const json_t *cuts, struct buffer *out)
{
	const json_t *suggestion = json_object_get(cuts, "suggestion");
	const char *reason =
		json_string_value(json_object_get(suggestion, "reason"));

	buffer_append_text(out, "<p>");
	html_append_counted(out, (uint64_t)number_at(cuts, "signatures"),
			    "distinct signature");
	buffer_append_text(out, " of ");
	html_append_counted(out, (uint64_t)number_at(cuts, "pages"), "page");
	buffer_printf(out, ". The threshold in use is %.3f, %s.",
		      facts->site.options.threshold / 1000.0,
		      (facts->site.options.flags & SITE_IS_AUTO) != 0
			      ? "chosen from the pages"
			      : "set by hand");
	buffer_printf(out, " These pages speak for %.3f: ",
		      number_at(suggestion, "threshold"));
	html_append_text(out, slice_of(reason), 200);
	buffer_append_text(out, ".");
	append_gap(json_object_get(json_object_get(cuts, "histogram"), "gap"),
		   out);
	buffer_append_text(out, "</p>\n");
}

static enum error threshold_section_append(const struct report_facts *facts,
					   const char *host, struct buffer *out)
{
	struct site_thresholds *cuts = facts->source->cuts;
	struct buffer json = {0};
	struct buffer figure = {0};
	enum error error =
		thresholds_append(cuts, host, THRESHOLDS_JSON, &json);

	if (error == ERR_NONE)
		error = thresholds_append(cuts, host, THRESHOLDS_FIGURE,
					  &figure);
	if (error == ERR_NONE) {
		json_t *value = json_loadb(json.data, json.size, 0, NULL);

		threshold_section_summary(facts, value, out);
		buffer_append_text(
			out,
			"<figure class=\"cuts\"><figcaption>By distance: the "
			"number of pairs of pages, the number of clusters at "
			"this threshold, and the dendrogram of the clusters. "
			"Vertical lines are thresholds.</figcaption>\n");
		buffer_append_slice(out, buffer_slice(&figure));
		buffer_append_text(out, "</figure>\n");
		threshold_section_table(json_object_get(value, "thresholds"),
					out);
		json_decref(value);
	}
	buffer_free(&json);
	buffer_free(&figure);
	return error;
}

enum error report_thresholds_section(const struct report_facts *facts,
				     struct buffer *out)
{
	enum error error;

	buffer_append_text(out, "<section id=\"cuts\"><h2>Distances</h2>\n");
	error = threshold_section_append(facts, facts->site.host.data, out);
	if (error == ERR_TOO_LARGE) {
		buffer_append_text(out,
				   "<p>The site has more distinct signatures "
				   "than clustering.max_dendrogram_size: the "
				   "dendrogram is not drawn.</p>\n");
		error = ERR_NONE;
	}
	buffer_append_text(out, "</section>\n");
	return error;
}
