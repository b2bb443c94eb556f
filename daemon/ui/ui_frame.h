/*
 * daemon/ui/ui_frame.h - what all pages have: head, style, navigation, script.
 */
#ifndef DAEMON_UI_UI_FRAME_H
#define DAEMON_UI_UI_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "store/buffer.h"

enum ui_section { UI_SITES, UI_ALERTS, UI_CLUSTER, UI_DAEMON, UI_SECTIONS };

struct ui_frame {
	const char *title; /* any text */
	enum ui_section section;
	const char *notice;  /* of what was just done; NULL: nothing */
	bool is_warning;     /* the notice: it was not done */
	const char *missing; /* nodes that did not answer; NULL: all did */
	bool is_stale;       /* it may be old: its owner was not asked */
	bool is_reader;      /* who may change nothing */
	bool can_leave;      /* signed in by /login */
	bool has_cluster;
	bool is_live; /* it follows events, from those behind `since` on */
	uint64_t since;
};

/* Begin a page, up to its main element; end it. */
void ui_begin(struct buffer *out, const struct ui_frame *frame);
void ui_end(struct buffer *out);

/*
 * Append the policy of pages: nothing is loaded but frames and streams of their
 * own origin, and nothing runs but the script in ui_end(), by its hash.
 * `has_attributes`: elements have attributes "style", too, which are ours.
 */
void ui_policy(struct buffer *out, bool has_attributes);

/* A page that says what went wrong, to whom the frame is for. */
void ui_failure(struct buffer *out, const struct ui_frame *frame,
		unsigned status, const char *message);

#endif
