/* daemon/ui/ui_tabs.h - parts of a page, one of which is shown. Internal to
 * daemon/ui. */
#ifndef DAEMON_UI_UI_TABS_H
#define DAEMON_UI_UI_TABS_H

#include <stdbool.h>
#include <stddef.h>

#include "store/buffer.h"

struct ui_tab_row {
	const char *name; /* behind the path; "" of the first one */
	const char *title;
	bool is_closed; /* to who may only read */
};

/* The index of the tab with the name; `count` without one. */
unsigned ui_tab_find(const struct ui_tab_row *tabs, unsigned count,
		     const char *name);

/* Append links to `path`, `path`/NAME...; `query` stands behind each. */
struct ui_tabs {
	const struct ui_tab_row *tabs; /* [count] */
	unsigned count;
	unsigned current;
	const char *path;  /* escaped */
	const char *query; /* escaped, or "" */
	const char *label; /* what they are parts of */
	bool is_reader;    /* those that are closed are left out */
};

void ui_tabs(struct buffer *out, const struct ui_tabs *shown);

#endif
