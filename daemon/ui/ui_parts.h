/*
 * daemon/ui/ui_parts.h - parts that several pages have. Internal to daemon/ui.
 */
#ifndef DAEMON_UI_UI_PARTS_H
#define DAEMON_UI_UI_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "store/buffer.h"

/* State, visits as a bar and in words, and rate of a site of GET /v1/sites. */
void ui_site_bar(struct buffer *out, const json_t *site);
void ui_site_state(struct buffer *out, const json_t *site);
void ui_site_budget(struct buffer *out, const json_t *site);
void ui_site_rate(struct buffer *out, const json_t *site);

/* A table of events. */
struct ui_event_list {
	const json_t *events;
	size_t max;     /* of its rows */
	bool has_site;  /* with their sites */
	bool is_reader; /* who may do nothing about them */
};

void ui_events(struct buffer *out, const struct ui_event_list *shown);

/* Where a page stands: "Sites / HOST / `here`", which may be NULL. */
void ui_crumbs(struct buffer *out, const char *host, const char *here);

/* State of a guard. */
void ui_guard_state(struct buffer *out, const json_t *guard);

/* What a change has taken away and brought: of the evidence of an alert, or of
 * .../diff. */
void ui_moves(struct buffer *out, const json_t *change);

/* Where the element of a guard has probably gone, if "candidates" say so. */
void ui_candidates(struct buffer *out, const char *host, const json_t *guard);

/* The members of an object of the API that are neither objects nor arrays. */
void ui_object(struct buffer *out, const json_t *object);

#endif
