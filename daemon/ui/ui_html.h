/*
 * daemon/ui/ui_html.h - safe HTML from the values of the API's JSON. Internal
 * to daemon/ui and its callers in daemon/api.
 */
#ifndef DAEMON_UI_UI_HTML_H
#define DAEMON_UI_UI_HTML_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/report/html_parts.h"
#include "store/buffer.h"
#include "store/slice.h"

enum {
	UI_URL_COLUMNS = 90,
	UI_TEXT_COLUMNS = 110,
	UI_LONG_COLUMNS = 400,
	UI_LABEL_COLUMNS = 60,
};

/* Members of an object: "" and 0 when they are not there. */
const char *ui_member(const json_t *object, const char *name);
uint64_t ui_whole(const json_t *object, const char *name);
bool ui_is_true(const json_t *object, const char *name);

/* As show_text(). */
void ui_text(struct buffer *out, const char *text, size_t columns);

/* Append `text` whole, its lines kept, escaped. */
void ui_lines(struct buffer *out, const char *text);

/* Append `text` percent-encoded for a segment of a path or a query value. */
void ui_escape(struct buffer *out, const char *text);

/* Append "1.4 MB". */
void ui_bytes(struct buffer *out, uint64_t bytes);

/* Whether it is a time as the API writes it. */
bool ui_is_time(const char *text);

/* Append a time of the API as an element; a dash for null. */
void ui_time(struct buffer *out, const json_t *time);

/* Append a pill of the class "good", "bad", "warn", "soft" or "". */
void ui_badge(struct buffer *out, const char *class, const char *text);

/* Append a link to the page of the stored URL that says `text`, or the URL
 * when that is empty. */
void ui_page_link(struct buffer *out, const char *url, const char *text);

/* Append a link to the site HOST. */
void ui_site_link(struct buffer *out, const char *host);

/* Append a link to the template with the name HOST/N; a dash for "". */
void ui_template_link(struct buffer *out, const char *id);

/* Append a link to a foreign address; its text alone when it is none of http
 * and https. */
void ui_foreign_link(struct buffer *out, const char *url);

/* As show_table(), in a box that scrolls sideways. */
void ui_table(struct buffer *out, const char *caption,
	      const char *const *heads);
void ui_table_end(struct buffer *out);

/* Append a cell with a number; 0 as a dash. */
void ui_count_cell(struct buffer *out, const char *head, uint64_t count);

/* Append a form that has one button: `path` is where it posts to, `label` is
 * its name for those who do not see what it stands beside; or NULL. */
void ui_button(struct buffer *out, const char *path, const char *text,
	       const char *label);

#endif
