/* The removed and the added items of a change, side by side. */
#include "daemon/web/ui_parts.h"

#include "daemon/web/ui_html.h"

enum { MAX_MOVES = 60 };

static void append_items(struct buffer *out, const json_t *items, bool is_path)
{
	const json_t *item;
	size_t i;

	if (json_array_size(items) == 0) {
		buffer_append_text(out, "<p class=\"moves soft\">Nothing."
					"</p>\n");
		return;
	}
	buffer_append_text(out, "<ul class=\"moves\">");
	json_array_foreach(items, i, item)
	{
		const json_t *ratio = json_object_get(item, "ratio");

		if (i == MAX_MOVES) {
			buffer_printf(out,
				      "<li class=\"soft\">and %zu more</li>",
				      json_array_size(items) - i);
			break;
		}
		buffer_append_text(out, is_path ? "<li><code>" : "<li>");
		ui_text(out, ui_member(item, "text"), UI_LONG_COLUMNS);
		if (is_path)
			buffer_append_text(out, "</code>");
		if (json_is_number(ratio))
			buffer_printf(out,
				      " <span class=\"soft small\">"
				      "%.0f&nbsp;%%</span>",
				      100 * json_number_value(ratio));
		buffer_append_text(out, "</li>");
	}
	buffer_append_text(out, "</ul>\n");
}

static void web_moves_side(struct buffer *out, const json_t *moves,
			   bool is_after, bool is_path)
{
	const char *count = is_after ? "come_count" : "gone_count";
	const json_t *items =
		json_object_get(moves, is_after ? "come" : "gone");
	uint64_t total = ui_whole(moves, count);

	if (total < json_array_size(items))
		total = json_array_size(items);
	buffer_printf(out, "<section class=\"side %s\"><h3>%s %s <span>",
		      is_after ? "after" : "before",
		      is_path ? "Paths" : "Texts",
		      is_after ? "added" : "removed");
	html_append_count(out, total);
	buffer_append_text(out, "</span></h3>");
	append_items(out, items, is_path);
	buffer_append_text(out, "</section>\n");
}

void ui_moves(struct buffer *out, const json_t *change)
{
	const json_t *paths = json_object_get(change, "paths");
	const json_t *texts = json_object_get(change, "fragments");

	buffer_append_text(out, "<div class=\"sides\">\n");
	web_moves_side(out, paths, false, true);
	web_moves_side(out, paths, true, true);
	web_moves_side(out, texts, false, false);
	web_moves_side(out, texts, true, false);
	buffer_append_text(out, "</div>\n");
}
