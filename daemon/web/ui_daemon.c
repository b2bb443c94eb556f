/* The page of the daemon. */
#include "daemon/web/ui_pages.h"

#include "daemon/web/ui_html.h"
#include "daemon/web/ui_parts.h"

static void append_processes(struct buffer *out, const json_t *status)
{
	static const char *const heads[] = {"Process",    "#Running", "#Deaths",
					    "Is held by", "Lacks",    NULL};
	const json_t *list = json_object_get(status, "processes");
	const json_t *process;
	size_t i;

	if (json_array_size(list) == 0)
		return;
	buffer_append_text(out, "<h2>Processes</h2>\n");
	ui_table(out, "Processes", heads);
	json_array_foreach(list, i, process)
	{
		buffer_append_text(out, "<tr role=\"row\">");
		html_begin_cell(out, heads[0]);
		ui_text(out, ui_member(process, "role"), UI_LABEL_COLUMNS);
		buffer_append_text(out, "</td>");
		ui_count_cell(
			out, heads[1],
			json_array_size(json_object_get(process, "running")));
		ui_count_cell(out, heads[2], ui_whole(process, "deaths"));
		html_begin_cell(out, heads[3]);
		ui_text(out, ui_member(process, "holds"), UI_TEXT_COLUMNS);
		buffer_append_text(out, "</td>");
		html_begin_cell(out, heads[4]);
		ui_text(out, ui_member(process, "lacks"), UI_TEXT_COLUMNS);
		buffer_append_text(out, "</td></tr>\n");
	}
	ui_table_end(out);
}

void ui_daemon(struct buffer *out, const json_t *status)
{
	static const struct {
		const char *name;
		const char *title;
	} parts[] = {
		{"counts", "What is known"}, {"pipeline", "Fetching"},
		{"store", "Store"},          {"http", "Requests"},
		{"config", "Configuration"},
	};

	buffer_append_text(out, "<h1>Daemon</h1>\n<p class=\"lede\">"
				"templated ");
	ui_text(out, ui_member(status, "version"), UI_LABEL_COLUMNS);
	buffer_append_text(out, ", running since ");
	ui_time(out, json_object_get(status, "started"));
	buffer_append_text(out, ".</p>\n<div class=\"cards\">\n");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		buffer_printf(out, "<section class=\"panel\"><h2>%s</h2>",
			      parts[i].title);
		ui_object(out, json_object_get(status, parts[i].name));
		buffer_append_text(out, "</section>\n");
	}
	buffer_append_text(out, "</div>\n");
	append_processes(out, status);
}
