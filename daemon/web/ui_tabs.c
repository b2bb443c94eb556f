#include "daemon/web/ui_tabs.h"

#include <string.h>

unsigned ui_tab_find(const struct ui_tab_row *tabs, unsigned count,
		     const char *name)
{
	unsigned tab = 0;

	while (tab < count && strcmp(tabs[tab].name, name) != 0)
		tab++;
	return tab;
}

void ui_tabs(struct buffer *out, const struct ui_tabs *shown)
{
	buffer_printf(out, "<nav aria-label=\"%s\"><ul class=\"tabs\">",
		      shown->label);
	for (unsigned i = 0; i < shown->count; i++) {
		if (shown->is_reader && shown->tabs[i].is_closed)
			continue;
		buffer_append_text(out, "<li><a href=\"");
		buffer_append_text(out, shown->path);
		buffer_printf(out, "%s%s", i == 0 ? "" : "/",
			      shown->tabs[i].name);
		buffer_append_text(out, shown->query);
		buffer_printf(out, "\"%s>%s</a></li>",
			      i == shown->current ? " aria-current=\"page\""
						  : "",
			      shown->tabs[i].title);
	}
	buffer_append_text(out, "</ul></nav>\n");
}
