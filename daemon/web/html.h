/*
 * daemon/web/html.h - write safe HTML for the report of a site and for the
 * pages of the web interface.
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
 * Append `text` after these steps: clean it (daemon/runtime/terminal.h),
 * truncate it to `columns` with an ellipsis, and escape it for text and
 * attributes. Appends at most 24 bytes per column.
 */
void html_append_text(struct buffer *out, struct slice text, size_t columns);

/* Append the name of a template and a space; nothing if it is empty. */
void html_append_name(struct buffer *out, const char *name);

/*
 * html_append_count() appends a number such as "12,345"; html_append_counted()
 * appends it with a noun, such as "3 pages".
 */
void html_append_count(struct buffer *out, uint64_t count);
void html_append_counted(struct buffer *out, uint64_t count, const char *noun);

/*
 * Append a time as a time element, such as "2025-11-22 10:07", in UTC. Append a
 * dash for 0.
 */
void html_append_time(struct buffer *out, uint64_t time_ms);

/*
 * Append a ratio from 0 to 1 such as "97 %"; ratios below 10 % have one more
 * digit.
 */
void html_append_ratio(struct buffer *out, double ratio);

/*
 * Append a link to `url` with the label `text`, or with the URL as its label if
 * `text` is empty. If the URL is not http or https, append the label without a
 * link.
 */
void html_append_link(struct buffer *out, struct slice url, struct slice text);

/*
 * Append a template of HTML. {KIND:NAME} is replaced by the member NAME of
 * `object`, and {KIND} by the next argument. The kinds are, by the type of the
 * argument:
 *
 * - const char *: {label}, {url}, {text} and {long} are texts, truncated at 60,
 *   90, 110 and 400 columns; {lines} is a whole text; {query} is a text that is
 *   percent-encoded for a query or a path; {html} is safe HTML; {time} is a
 *   time in the format of the API; {state} becomes a badge; {page}, {site},
 *   {template} and {foreign} become links;
 * - struct slice: {slice} and {title} are texts, truncated at 60 and 70
 *   columns; {link} is appended by html_append_link();
 * - uint64_t: {number}; {count}; {count NOUN}; {cell}, a number that is grey if
 *   it is 0; {bytes}; {ms}, appended by html_append_time();
 * - double: {ratio}; {0f} to {3f} and {3g} are formats of printf();
 * - no argument: {bar} and {rate} describe the site `object`, {summary}
 *   describes the event `object`.
 *
 * The part {?NAME}...{.} is written only if the member is true, a positive
 * number, or not empty; the part {!NAME}...{.} only if it is not. {?} and {!}
 * test an argument of type int. If a part may be left out, its arguments must
 * be the last ones.
 */
void html_write(struct buffer *out, const json_t *object, const char *template,
		...);

/*
 * Return the class of the badge for a state: "good", "busy", "warn", "bad" or
 * "soft".
 */
const char *html_state_class(const char *state);

/* A table. */
struct html_table {
	const char *caption;
	/*
	 * names of the columns: "#" begins the name of a column of numbers;
	 * "#Do" is a column of buttons
	 */
	const char *heads[12];
	/* template of a row; each cell begins with "|" */
	const char *cells;
	size_t max; /* maximum number of rows */
};

/*
 * html_begin_table() appends the start of the table, html_rows() a row for each
 * item of an array, and html_end_table() the end.
 */
void html_begin_table(struct buffer *out, const char *caption,
		      const char *const *heads);
void html_rows(struct buffer *out, const struct html_table *table,
	       const json_t *rows);
void html_end_table(struct buffer *out);
/*
 * ui_table() begins a table in a box that scrolls horizontally; ui_table_end()
 * ends the table and the box; ui_rows() appends a whole table in such a box.
 */
void ui_table(struct buffer *out, const struct html_table *table);
void ui_table_end(struct buffer *out);
void ui_rows(struct buffer *out, const struct html_table *table,
	     const json_t *rows);

/*
 * A row that is appended in parts. Each cell has the name of its column, which
 * narrow screens show.
 */
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
 * The files style.css, script.js, icon.svg and report.css of this folder, which
 * the build compiles into the program as constants. Internal to daemon/web.
 */

/* Each constant is NUL-terminated. */
extern const char ui_style[];
extern const char ui_script[];
extern const char ui_icon[];
extern const char ui_report[];

/* The forms of the pages (application/x-www-form-urlencoded). */

enum { UI_FORM_MAX_FIELDS = 32, UI_FORM_MAX_BYTES = 64 * 1024 };

/*
 * Parse a form. Return all fields as an object of strings. If a name occurs
 * twice, the last value counts. Fields with an empty value or invalid UTF-8 are
 * skipped. Return NULL if a limit is exceeded or the body contains a NUL.
 */
json_t *ui_form_read(struct slice body);

/*
 * Return whether a request that changes something comes from a page of this
 * daemon: `origin` (the header Origin) must be http or https of `host` (the
 * header Host), and `site` (the header Sec-Fetch-Site) must be same-origin or
 * missing. Each argument may be NULL.
 */
bool ui_form_is_ours(const char *origin, const char *host, const char *site);

/*
 * Convert the members `names` [count] from texts to numbers. Return false if
 * one is not a number.
 */
bool ui_form_number(json_t *form, const char *const *names, size_t count);

/*
 * Set the members `names` [count], which browsers send only for checked boxes,
 * to true or false.
 */
void ui_form_flags(json_t *form, const char *const *names, size_t count);

/*
 * Convert the member "threshold" to a number, unless it is "auto". Return false
 * if it is not a number from 0 to 1.
 */
bool ui_form_threshold(json_t *form);

/*
 * Convert the member "headers", lines of the form "Name: value", to an object.
 * If the box "no_headers" is checked, the object is empty. Return false if a
 * line is invalid.
 */
bool ui_form_headers(json_t *form);

/*
 * Convert a field of the form that has lines to an array of them, without empty
 * ones. A form has no empty fields, so a missing field becomes an empty array.
 */
void ui_form_lines(json_t *form, const char *name);

/* The parts that all pages have: head, style, navigation, script. */

enum ui_section { UI_SITES, UI_ALERTS, UI_CLUSTER, UI_DAEMON, UI_SECTIONS };

struct ui_frame {
	const char *title; /* any text */
	enum ui_section section;
	const char *notice; /* message about the last action; NULL = none */
	bool is_warning;    /* the message is about a failure */
	/* names of the nodes that did not respond; NULL = all responded */
	const char *missing;
	bool is_stale;  /* the page may be outdated, because the node that owns
			   the site did not respond */
	bool is_reader; /* the client is read-only */
	bool can_leave; /* the client has logged in at /login */
	bool has_cluster;
	bool is_live; /* the script follows the events after number `since` */
	uint64_t since;
};

/*
 * ui_begin() appends a page up to the start of its main element; ui_end()
 * appends the rest.
 */
void ui_begin(struct buffer *out, const struct ui_frame *frame);
void ui_end(struct buffer *out);

/*
 * Append the content security policy of the pages: a browser may load only
 * frames and streams of the same origin, and run only the script of ui_end(),
 * which the policy identifies by its hash. `has_attributes`: the page also has
 * our own "style" attributes, which the policy must allow.
 */
void ui_policy(struct buffer *out, bool has_attributes);

/* Append a page with an error message. */
void ui_failure(struct buffer *out, const struct ui_frame *frame,
		unsigned status, const char *message);

/*
 * Return the member `name` of an object. If it is missing, ui_member() returns
 * "", ui_whole() returns 0 and ui_is_true() returns false.
 */
const char *ui_member(const json_t *object, const char *name);
uint64_t ui_whole(const json_t *object, const char *name);
bool ui_is_true(const json_t *object, const char *name);

/* Append the whole `text`, escaped, with its line breaks. */
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

/*
 * Append the links that lead to a page: "Sites / HOST / `here`". `here` may be
 * NULL.
 */
void ui_crumbs(struct buffer *out, const char *host, const char *here);

/*
 * Append the removed and the added items of a change, which is the evidence of
 * an alert or a response of .../diff.
 */
void ui_moves(struct buffer *out, const json_t *change);

/*
 * If `guard` has "candidates", append where the element that it watches has
 * probably moved.
 */
void ui_candidates(struct buffer *out, const char *host, const json_t *guard);

/* A member of an object that ui_parts() shows. */
struct ui_part {
	const char *name; /* NULL after the last part */
	const char *title;
};

/*
 * Append a box for each of the parts that `object` has as a member. The box
 * shows all members of that part except objects and arrays.
 */
void ui_parts(struct buffer *out, const struct ui_part *parts,
	      const json_t *object);

/* The tabs of a page. */

struct ui_tab_row {
	const char *name; /* path segment; "" = the first tab */
	const char *title;
	bool is_closed; /* read-only clients do not see the tab */
};

/* Return the index of the tab `name`; `count` if there is no such tab. */
unsigned ui_tab_find(const struct ui_tab_row *tabs, unsigned count,
		     const char *name);

/*
 * The tabs of a page as links to `path` (the first tab) and `path`/NAME, each
 * followed by `query`.
 */
struct ui_tabs {
	const struct ui_tab_row *tabs; /* [count] */
	unsigned count;
	unsigned current;
	const char *path;  /* escaped */
	const char *query; /* escaped, or "" */
	const char *label; /* label of the list of tabs */
	bool is_reader;    /* the client is read-only: hide the closed tabs */
};

void ui_tabs(struct buffer *out, const struct ui_tabs *shown);

#endif
