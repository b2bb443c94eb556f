/*
 * daemon/web/ui_parts.h - parts that several pages use. Internal to daemon/ui.
 */
#ifndef DAEMON_WEB_UI_PARTS_H
#define DAEMON_WEB_UI_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/*
 * Append the state, a bar of visits with numbers, and the rate of a site from
 * GET /v1/sites.
 */
void ui_site_bar(struct buffer *out, const json_t *site);
void ui_site_state(struct buffer *out, const json_t *site);
void ui_site_budget(struct buffer *out, const json_t *site);
void ui_site_rate(struct buffer *out, const json_t *site);

/* A table of events. */
struct ui_event_list {
	const json_t *events;
	size_t max;     /* maximum number of rows */
	bool has_site;  /* show the site of each event */
	bool is_reader; /* the client is read-only */
};

void ui_events(struct buffer *out, const struct ui_event_list *shown);

/* Append the path of a page: "Sites / HOST / `here`"; `here` may be NULL. */
void ui_crumbs(struct buffer *out, const char *host, const char *here);

/* Append the state of a guard. */
void ui_guard_state(struct buffer *out, const json_t *guard);

/*
 * Append the removed and added items of a change: from the evidence of an
 * alert, or from .../diff.
 */
void ui_moves(struct buffer *out, const json_t *change);

/*
 * Append where the element of a guard has probably moved, if there are
 * "candidates".
 */
void ui_candidates(struct buffer *out, const char *host, const json_t *guard);

/*
 * Append the members of an object of the API that are not objects and not
 * arrays.
 */
void ui_object(struct buffer *out, const json_t *object);

#endif
