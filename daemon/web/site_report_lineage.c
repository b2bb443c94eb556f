/* The lineage of templates: merges, splits and replacements. */
#include "daemon/web/site_report_html.h"
#include "daemon/web/site_report_parts.h"

#include <jansson.h>

#include "base/date.h"

enum { LINEAGE_ROWS = 100 };

/* Append a time given in milliseconds or in RFC 3339; other values as text. */
static void append_moment(const json_t *time, struct buffer *out)
{
	struct slice text = slice_of(json_string_value(time));
	uint64_t time_ms = date_parse(text);

	if (json_is_integer(time))
		html_append_time(out, (uint64_t)json_integer_value(time));
	else if (time_ms != 0)
		html_append_time(out, time_ms);
	else
		html_append_text(out, text, SHOWN_URL);
}

static void lineage_append_entry(const struct report_facts *facts,
				 const struct report_template *template,
				 const json_t *step, struct buffer *out)
{
	const json_t *time = json_object_get(step, "time");
	const char *kind = json_string_value(json_object_get(step, "kind"));
	const char *other = json_string_value(json_object_get(step, "other"));

	buffer_append_text(out, "<tr role=\"row\">");
	html_begin_cell(out, "Template");
	html_append_template(out, facts, template->number);
	buffer_append_text(out, "</td>");
	html_begin_cell(out, "When");
	append_moment(time, out);
	buffer_append_text(out, "</td>");
	html_begin_cell(out, "What");
	html_append_text(out, slice_of(kind), SHOWN_URL);
	buffer_append_text(out, "</td>");
	html_begin_cell(out, "With");
	buffer_append_text(out, "<code>");
	html_append_text(out, slice_of(other), SHOWN_URL);
	buffer_append_text(out, "</code></td></tr>\n");
}

/* Append the lineage of templates that have one. */
void report_lineage(const struct report_facts *facts, struct buffer *out)
{
	static const char *const heads[] = {"Template", "When", "What", "With",
					    NULL};
	unsigned rows = 0;

	for (uint32_t i = 0; i < facts->template_count; i++) {
		const struct report_template *template = &facts->templates[i];
		struct slice lineage = template->row.lineage;
		json_t *steps =
			json_loadb(lineage.size == 0 ? "" : lineage.data,
				   lineage.size, 0, NULL);
		const json_t *step;
		size_t at;

		if (json_array_size(steps) > 1)
			json_array_foreach(steps, at, step)
			{
				if (rows == 0)
					html_begin_table(out, "Lineage", heads);
				if (rows++ < LINEAGE_ROWS)
					lineage_append_entry(facts, template,
							     step, out);
			}
		json_decref(steps);
	}
	if (rows > 0)
		html_end_table(out);
	if (rows > LINEAGE_ROWS)
		buffer_printf(out,
			      "<p class=\"soft\">Not listed: %u more.</p>\n",
			      rows - LINEAGE_ROWS);
}
