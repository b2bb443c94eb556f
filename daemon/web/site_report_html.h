/*
 * daemon/web/site_report_html.h - write safe HTML from foreign text.
 * Internal to site_report*.c.
 */
#ifndef DAEMON_WEB_SITE_REPORT_HTML_H
#define DAEMON_WEB_SITE_REPORT_HTML_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "daemon/web/html_parts.h"

struct report_facts;

enum {
	SHOWN_URL = 60,   /* columns */
	SHOWN_TITLE = 70, /* columns */
	MAX_LINK = 400,   /* maximum size of a linked URL */
};

/*
 * Append a link to `url` with the label `text`, or the URL if `text` is empty;
 * without a link if the URL is not http or https.
 */
void html_append_link(struct buffer *out, struct slice url, struct slice text);

/*
 * Append a time such as "2025-11-22 10:07", in UTC, as an element; a dash for
 * 0.
 */
void html_append_time(struct buffer *out, uint64_t time_ms);

/*
 * Append a ratio such as "97 %", with one more digit below 10 %; `share` is 0
 * to 1.
 */
void html_append_ratio(struct buffer *out, double ratio);

/* Append HOST/N as code, with a link to its tree if it has one. */
void html_append_template(struct buffer *out, const struct report_facts *facts,
			  uint32_t number);

#endif
