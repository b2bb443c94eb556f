/*
 * daemon/web/html.h - write safe HTML for the report and the pages of
 * daemon/ui.
 */
#ifndef DAEMON_WEB_HTML_H
#define DAEMON_WEB_HTML_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * Append `text` cleaned (daemon/runtime/terminal.h), truncated to `columns`
 * with an ellipsis, and escaped for text and attributes. At most 24 bytes per
 * column.
 */
void html_append_text(struct buffer *out, struct slice text, size_t columns);

/* Append a number, such as "12,345". */
void html_append_count(struct buffer *out, uint64_t count);

/*
 * Append a count, such as "3 pages": `noun` gets an "s" unless the count is 1.
 */
void html_append_counted(struct buffer *out, uint64_t count, const char *noun);

/*
 * Append a time such as "2025-11-22 10:07", in UTC, as an element; a dash for
 * 0.
 */
void html_append_time(struct buffer *out, uint64_t time_ms);

/*
 * Begin an element of the list of figures: its name and a count; the caller
 * ends dd and div.
 */
void html_begin_figure(struct buffer *out, const char *name, uint64_t count);

/*
 * Begin a table: `heads` are its columns, NULL-terminated, with "#" before
 * columns of numbers. End it with html_end_table().
 */
void html_begin_table(struct buffer *out, const char *caption,
		      const char *const *heads);
void html_end_table(struct buffer *out);

/*
 * Begin a cell with the label `head`, which is shown if the style hides the
 * table head.
 */
void html_begin_cell(struct buffer *out, const char *head);

/*
 * The files style.css, script.js and icon.svg of this folder, which the build
 * compiles into the program as constants. Internal to daemon/ui.
 */

/* NUL-terminated. */
extern const char ui_style[];
extern const char ui_script[];
extern const char ui_icon[];

/* Parse the forms of the pages (application/x-www-form-urlencoded). */

enum { UI_FORM_MAX_FIELDS = 32, UI_FORM_MAX_BYTES = 64 * 1024 };

/*
 * Read all fields as an object of strings. If a name occurs twice, the last
 * value counts; empty values and invalid UTF-8 are skipped. NULL if a limit is
 * exceeded or the body contains a NUL.
 */
json_t *ui_form_read(struct slice body);

/*
 * Return whether a request that changes something comes from one of our pages:
 * `origin` (its header "Origin") is http or https of `host` (its header
 * "Host"), and `site` ("Sec-Fetch-Site") is same-origin, or is not sent. Each
 * may be NULL.
 */
bool ui_form_is_ours(const char *origin, const char *host, const char *site);

/*
 * Convert members `names` [count] from text to numbers; false if one is not a
 * number.
 */
bool ui_form_number(json_t *form, const char *const *names, size_t count);

/*
 * Set members `names` [count], which are sent only for checked boxes, to true
 * or false.
 */
void ui_form_flags(json_t *form, const char *const *names, size_t count);

/*
 * Convert member "threshold" to a number, unless it is "auto"; false if it is
 * not a number from 0 to 1.
 */
bool ui_form_threshold(json_t *form);

/*
 * Convert member "headers", lines "Name: value", to an object: an empty one if
 * the box "no_headers" is checked. Return false if a line is invalid.
 */
bool ui_form_headers(json_t *form);

/* The parts of all pages: head, style, navigation, script. */

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

/* Write safe HTML from values of the API's JSON. */

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

/* Append a cell with a text; as code. */
void ui_text_cell(struct buffer *out, const char *head, const char *text,
		  size_t columns);
void ui_code_cell(struct buffer *out, const char *head, const char *text,
		  size_t columns);

/* Append a cell with a number; a dash for 0. */
void ui_count_cell(struct buffer *out, const char *head, uint64_t count);

/*
 * Append a form with one button that posts to `path`; `label` is its name for
 * screen readers, or NULL.
 */
void ui_button(struct buffer *out, const char *path, const char *text,
	       const char *label);

/* Parts that several pages use. */

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

/* Tabs of a page. */

struct ui_tab_row {
	const char *name; /* path segment; "" = the first tab */
	const char *title;
	bool is_closed; /* hidden from read-only clients */
};

/* Return the index of the tab with the name; `count` if there is none. */
unsigned ui_tab_find(const struct ui_tab_row *tabs, unsigned count,
		     const char *name);

/* Append links to `path`, `path`/NAME..., each followed by `query`. */
struct ui_tabs {
	const struct ui_tab_row *tabs; /* [count] */
	unsigned count;
	unsigned current;
	const char *path;  /* escaped */
	const char *query; /* escaped, or "" */
	const char *label; /* label of the tab list */
	bool is_reader;    /* hide the closed tabs */
};

void ui_tabs(struct buffer *out, const struct ui_tabs *shown);

#endif
