/*
 * daemon/web/ui_html.h - write safe HTML from values of the API's JSON.
 * Internal to daemon/ui and its callers in daemon/api.
 */
#ifndef DAEMON_WEB_UI_HTML_H
#define DAEMON_WEB_UI_HTML_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "daemon/web/html_parts.h"

enum {
	UI_URL_COLUMNS = 90,
	UI_TEXT_COLUMNS = 110,
	UI_LONG_COLUMNS = 400,
	UI_LABEL_COLUMNS = 60,
};

/* Return members of an object: "" and 0 if they are missing. */
const char *ui_member(const json_t *object, const char *name);
uint64_t ui_whole(const json_t *object, const char *name);
bool ui_is_true(const json_t *object, const char *name);

/* Append a text like show_text(). */
void ui_text(struct buffer *out, const char *text, size_t columns);

/* Append the complete `text`, escaped, with its line breaks. */
void ui_lines(struct buffer *out, const char *text);

/* Append `text`, percent-encoded for a path segment or a query value. */
void ui_escape(struct buffer *out, const char *text);

/* Append a size, such as "1.4 MB". */
void ui_bytes(struct buffer *out, uint64_t bytes);

/* Return whether the text is a time in the format of the API. */
bool ui_is_time(const char *text);

/* Append a time of the API as an element; a dash for null. */
void ui_time(struct buffer *out, const json_t *time);

/* Append a badge with the class "good", "bad", "warn", "soft" or "". */
void ui_badge(struct buffer *out, const char *class, const char *text);

/*
 * Append a link to the page of the stored URL with the label `text`, or the URL
 * if `text` is empty.
 */
void ui_page_link(struct buffer *out, const char *url, const char *text);

/* Append a link to the site HOST. */
void ui_site_link(struct buffer *out, const char *host);

/* Append a link to the template HOST/N; a dash for "". */
void ui_template_link(struct buffer *out, const char *id);

/*
 * Append a link to another site; only its text if the URL is not http or https.
 */
void ui_foreign_link(struct buffer *out, const char *url);

/* Like html_begin_table(), in a box that scrolls horizontally. */
void ui_table(struct buffer *out, const char *caption,
	      const char *const *heads);
void ui_table_end(struct buffer *out);

/* Append a cell with a number; a dash for 0. */
void ui_count_cell(struct buffer *out, const char *head, uint64_t count);

/*
 * Append a form with one button that posts to `path`; `label` is its name for
 * screen readers, or NULL.
 */
void ui_button(struct buffer *out, const char *path, const char *text,
	       const char *label);

#endif
