/*
 * daemon/report/site_report_html.h - safe HTML from foreign text. Internal to
 * site_report*.c.
 */
#ifndef DAEMON_REPORT_SITE_REPORT_HTML_H
#define DAEMON_REPORT_SITE_REPORT_HTML_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/report/html_parts.h"
#include "store/buffer.h"
#include "store/slice.h"

struct report_facts;

enum {
	SHOWN_URL = 60,   /* columns */
	SHOWN_TITLE = 70, /* the same */
	MAX_LINK = 400,   /* bytes of a URL that is a link */
};

/* Append a link to `url` that says `text`, or the URL itself when that is
 * empty; without a link when the URL is none of http and https. */
void show_link(struct buffer *out, struct slice url, struct slice text);

/* Append "2025-11-22 10:07", in UTC, as an element; a dash for 0. */
void show_time(struct buffer *out, uint64_t time_ms);

/* Append "97 %", with a digit more below 10 %; `share` is 0 to 1. */
void show_ratio(struct buffer *out, double ratio);

/* Append HOST/N as code, with a link to its tree when it has one. */
void show_template(struct buffer *out, const struct report_facts *facts,
		   uint32_t number);

#endif
