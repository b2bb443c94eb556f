/* Section: how far the pages are apart, and where the threshold stands. */
#include "daemon/report/site_report_html.h"
#include "daemon/report/site_report_parts.h"

#include <jansson.h>

#include "daemon/report/levels.h"

static double number_at(const json_t *object, const char *name)
{
	return json_number_value(json_object_get(object, name));
}

static void append_row(const json_t *level, struct buffer *out)
{
	const char *name = json_string_value(json_object_get(level, "name"));

	buffer_append_text(out, "<tr role=\"row\">");
	show_cell(out, "Level");
	show_text(out, slice_of(name), SHOWN_TITLE);
	buffer_append_text(out, "</td>");
	show_cell(out, "#Threshold");
	buffer_printf(out, "%.3f</td>", number_at(level, "threshold"));
	show_cell(out, "#Clusters");
	show_count(out, (uint64_t)number_at(level, "clusters"));
	buffer_append_text(out, "</td>");
	show_cell(out, "#Sizable ones");
	show_count(out, (uint64_t)number_at(level, "sizable"));
	buffer_append_text(out, "</td>");
	show_cell(out, "#Largest, pages");
	show_count(out, (uint64_t)number_at(level, "largest_pages"));
	buffer_append_text(out, "</td></tr>\n");
}

static void append_table(const json_t *levels, struct buffer *out)
{
	static const char *const heads[] = {"Level",           "#Threshold",
					    "#Clusters",       "#Sizable ones",
					    "#Largest, pages", NULL};
	const json_t *level;
	size_t i;

	show_table(out, "What other thresholds would give", heads);
	json_array_foreach(levels, i, level)
	{
		append_row(level, out);
	}
	show_table_end(out);
}

/* "0.240 to 0.360" */
static void append_gap(const json_t *gap, struct buffer *out)
{
	if (json_array_size(gap) == 2)
		buffer_printf(out,
			      " Hardly any two pages are %.2f to %.2f apart: "
			      "that gap is shaded.",
			      json_number_value(json_array_get(gap, 0)),
			      json_number_value(json_array_get(gap, 1)));
}

static void append_words(const struct report_facts *facts, const json_t *levels,
			 struct buffer *out)
{
	const json_t *suggestion = json_object_get(levels, "suggestion");
	const char *reason =
		json_string_value(json_object_get(suggestion, "reason"));

	buffer_append_text(out, "<p>");
	show_counted(out, (uint64_t)number_at(levels, "signatures"),
		     "distinct signature");
	buffer_append_text(out, " of ");
	show_counted(out, (uint64_t)number_at(levels, "pages"), "page");
	buffer_printf(out, ". The threshold in use is %.3f, %s.",
		      facts->site.threshold / 1000.0,
		      (facts->site.flags & SITE_IS_AUTO) != 0
			      ? "chosen from the pages"
			      : "set by hand");
	buffer_printf(out, " These pages speak for %.3f: ",
		      number_at(suggestion, "threshold"));
	show_text(out, slice_of(reason), 200);
	buffer_append_text(out, ".");
	append_gap(json_object_get(json_object_get(levels, "histogram"), "gap"),
		   out);
	buffer_append_text(out, "</p>\n");
}

static enum error append_levels(const struct report_facts *facts,
				const char *host, struct buffer *out)
{
	struct levels *levels = facts->source->levels;
	struct buffer json = {0};
	struct buffer figure = {0};
	enum error error = levels_append(levels, host, LEVELS_JSON, &json);

	if (error == ERR_NONE)
		error = levels_append(levels, host, LEVELS_FIGURE, &figure);
	if (error == ERR_NONE) {
		json_t *value = json_loadb(json.data, json.size, 0, NULL);

		append_words(facts, value, out);
		buffer_append_text(
			out, "<figure class=\"levels\"><figcaption>Over one "
			     "axis of distances: how many pairs of pages are "
			     "so far apart, how many clusters a threshold "
			     "there would give, and the tree in which clusters "
			     "join. Vertical lines are thresholds."
			     "</figcaption>\n");
		buffer_append_slice(out, buffer_slice(&figure));
		buffer_append_text(out, "</figure>\n");
		append_table(json_object_get(value, "levels"), out);
		json_decref(value);
	}
	buffer_free(&json);
	buffer_free(&figure);
	return error;
}

enum error report_levels_section(const struct report_facts *facts,
				 struct buffer *out)
{
	enum error error;

	buffer_append_text(out, "<section id=\"levels\"><h2>Distances</h2>\n");
	error = append_levels(facts, facts->site.host.data, out);
	if (error == ERR_TOO_LARGE) {
		buffer_append_text(out, "<p>The site has more distinct "
					"signatures than cluster.max_leaves: "
					"their tree is not drawn.</p>\n");
		error = ERR_NONE;
	}
	buffer_append_text(out, "</section>\n");
	return error;
}
