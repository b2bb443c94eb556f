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

enum {
	UI_URL_COLUMNS = 90,
	UI_TEXT_COLUMNS = 110,
	UI_LONG_COLUMNS = 400,
	UI_LABEL_COLUMNS = 60,
	SHOWN_URL = 60,
	SHOWN_TITLE = 70,
};

/*
 * Append `text` cleaned (daemon/runtime/terminal.h), truncated to `columns`
 * with an ellipsis, and escaped for text and attributes. At most 24 bytes per
 * column.
 */
void html_append_text(struct buffer *out, struct slice text, size_t columns);

/* Append a number, such as "12,345"; with a noun, such as "3 pages". */
void html_append_count(struct buffer *out, uint64_t count);
void html_append_counted(struct buffer *out, uint64_t count, const char *noun);

/*
 * Append a time such as "2025-11-22 10:07", in UTC, as an element; a dash for
 * 0.
 */
void html_append_time(struct buffer *out, uint64_t time_ms);

/* Append a ratio, 0 to 1, such as "97 %", with one more digit below 10 %. */
void html_append_ratio(struct buffer *out, double ratio);

/*
 * Append a link to `url` with the label `text`, or the URL if `text` is empty;
 * without a link if the URL is not http or https.
 */
void html_append_link(struct buffer *out, struct slice url, struct slice text);

/*
 * Append a template of HTML. It replaces {KIND:NAME} by the member NAME of
 * `object`, and {KIND} by the next argument:
 *
 * - const char *: {label}, {url}, {text} and {long} are texts, truncated at 60,
 *   90, 110 and 400 columns; {lines} is a whole text; {query} is
 * percent-encoded for a query or a path; {html} is safe HTML; {time} is a time
 * of the API; {state} is a badge; {page}, {site}, {template} and {foreign} are
 * links.
 * - struct slice: {slice} and {title} are truncated at 60 and 70 columns;
 * {link} is html_append_link().
 * - uint64_t: {number}, {count}, {count NOUN}, {cell} (a soft 0), {bytes}, {ms}
 *   (html_append_time()).
 * - double: {ratio}, {0f} to {3f} and {3g} as of printf().
 * - {bar}, {rate} and {summary} describe `object`: a site, or an event.
 *
 * {?NAME}...{.} writes its content only if the member is true, a positive
 * number, or not empty; {!NAME}...{.} only if not. {?} and {!} test an int. The
 * arguments of a part that may be left out must be the last ones.
 */
void html_write(struct buffer *out, const json_t *object, const char *template,
		...);

/* Return the class of a badge: "good", "busy", "warn", "bad" or "soft". */
const char *html_state_class(const char *state);

/* A table. */
struct html_table {
	const char *caption;
	/* "#" before columns of numbers; "#Do" is a column of buttons */
	const char *heads[12];
	const char *cells; /* template of a row: "|" begins each cell */
	size_t max;        /* rows */
};

/* Append the table, the rows of an array, the end; or all of these. */
void html_begin_table(struct buffer *out, const char *caption,
		      const char *const *heads);
void html_rows(struct buffer *out, const struct html_table *table,
	       const json_t *rows);
void html_end_table(struct buffer *out);
/* The same in a box that scrolls horizontally. */
void ui_table(struct buffer *out, const struct html_table *table);
void ui_table_end(struct buffer *out);
void ui_rows(struct buffer *out, const struct html_table *table,
	     const json_t *rows);

/* Append a row in parts; each cell has its head, which narrow screens show. */
struct html_row {
	struct buffer *out;
	const char *const *heads;
	unsigned column;
};

struct html_row html_begin_row(struct buffer *out, const char *const *heads);
void html_cells(struct html_row *row, const json_t *object, const char *cells,
		...);
void html_end_row(struct html_row *row);

/*
 * The files style.css, report.css, script.js and icon.svg of this folder, which
 * the build compiles into the program as constants. Internal to daemon/ui.
 */

/* NUL-terminated. */
extern const char ui_style[];
extern const char ui_script[];
extern const char ui_icon[];
extern const char ui_report[];

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

/* Return members of an object: "" and 0 if they are missing. */
const char *ui_member(const json_t *object, const char *name);
uint64_t ui_whole(const json_t *object, const char *name);
bool ui_is_true(const json_t *object, const char *name);

/* Append the complete `text`, escaped, with its line breaks. */
void ui_lines(struct buffer *out, const char *text);

/* Append `text`, percent-encoded for a path segment or a query value. */
void ui_escape(struct buffer *out, const char *text);

/* Append a size, such as "1.4 MB". */
void ui_bytes(struct buffer *out, uint64_t bytes);

/* Return whether the text is a time in the format of the API. */
bool ui_is_time(const char *text);

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
 * Append members of `object` that are objects, each in a box with its members
 * that are neither objects nor arrays.
 */
struct ui_part {
	const char *name; /* NULL after the last part */
	const char *title;
};

void ui_parts(struct buffer *out, const struct ui_part *parts,
	      const json_t *object);

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
