/*
 * daemon/ui/ui_pages.h - the pages people look at, as HTML of what the API
 * answers: each function appends what stands between ui_begin() and ui_end()
 * (daemon/ui/ui_frame.h). All foreign text in it is escaped and cut; lists are
 * bounded. Values that are NULL or of another type are left out.
 */
#ifndef DAEMON_UI_UI_PAGES_H
#define DAEMON_UI_UI_PAGES_H

#include <jansson.h>

#include "store/buffer.h"

/* All sites, what needs attention, and a form for one more. */
struct ui_sites {
	const json_t *sites;  /* of GET /v1/sites */
	const json_t *alerts; /* open ones, an array of events, newest first */
};

void ui_sites(struct buffer *out, const struct ui_sites *shown);

/* A site: what stands on all of its pages, then the one that is asked for. */
enum ui_tab { UI_TEMPLATES, UI_PATTERNS, UI_GUARDS, UI_EVENTS, UI_TABS };

struct ui_site {
	const json_t *site;     /* of GET /v1/sites/HOST */
	const json_t *clusters; /* of .../clusters; UI_TEMPLATES */
	const json_t *patterns; /* of .../patterns; UI_PATTERNS */
	const json_t *guards;   /* of .../guards; UI_GUARDS */
	const json_t *events;   /* an array, newest first; UI_EVENTS */
	enum ui_tab tab;
};

/* The tab with the name "", "patterns", "guards" or "events"; else UI_TABS. */
enum ui_tab ui_tab_of(const char *name);

void ui_site(struct buffer *out, const struct ui_site *shown);

#endif
