/*
 * daemon/web/ui_frame.h - the parts of all pages: head, style, navigation,
 * script.
 */
#ifndef DAEMON_WEB_UI_FRAME_H
#define DAEMON_WEB_UI_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

enum ui_section { UI_SITES, UI_ALERTS, UI_CLUSTER, UI_DAEMON, UI_SECTIONS };

struct ui_frame {
	const char *title; /* any text */
	enum ui_section section;
	const char *notice; /* result of the last action; NULL = none */
	bool is_warning;    /* the notice is a failure */
	const char
		*missing; /* nodes that did not respond; NULL = all responded */
	bool is_stale;    /* possibly outdated: the owner did not respond */
	bool is_reader;   /* the client is read-only */
	bool can_leave;   /* the client has logged in at /login */
	bool has_cluster;
	bool is_live; /* follow events after number `since` */
	uint64_t since;
};

/* Begin a page, up to its main element; end it. */
void ui_begin(struct buffer *out, const struct ui_frame *frame);
void ui_end(struct buffer *out);

/*
 * Append the content security policy of the pages: load only frames and streams
 * of the same origin, and run only the script in ui_end(), by its hash.
 * `has_attributes`: the page also uses our own "style" attributes.
 */
void ui_policy(struct buffer *out, bool has_attributes);

/* Append a page with an error message. */
void ui_failure(struct buffer *out, const struct ui_frame *frame,
		unsigned status, const char *message);

#endif
