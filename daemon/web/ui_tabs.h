/* daemon/web/ui_tabs.h - tabs of a page. Internal to daemon/ui. */
#ifndef DAEMON_WEB_UI_TABS_H
#define DAEMON_WEB_UI_TABS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

struct ui_tab_row {
	const char *name; /* path segment; "" = the first tab */
	const char *title;
	bool is_closed; /* hidden from read-only clients */
};

/* Return the index of the tab with the name; `count` if there is none. */
unsigned ui_tab_find(const struct ui_tab_row *tabs, unsigned count,
		     const char *name);

/* Append links to `path`, `path`/NAME..., each followed by `query`. */
struct ui_tabs {
	const struct ui_tab_row *tabs; /* [count] */
	unsigned count;
	unsigned current;
	const char *path;  /* escaped */
	const char *query; /* escaped, or "" */
	const char *label; /* label of the tab list */
	bool is_reader;    /* hide the closed tabs */
};

void ui_tabs(struct buffer *out, const struct ui_tabs *shown);

#endif
