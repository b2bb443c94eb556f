/*
 * daemon/query/text_export.h - export the texts of a site: CSV cells (RFC 4180)
 * that a spreadsheet displays and does not execute, a walk over the pages by
 * the time at which they were stored, and the formats of the export.
 */
#ifndef DAEMON_QUERY_TEXT_EXPORT_H
#define DAEMON_QUERY_TEXT_EXPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "crawl/url/url.h"
#include "daemon/query/stored_text.h"
#include "extract/render/render.h"
#include "store/rows.h"
#include "store/store.h"

struct text_walk; /* used by one thread at a time */

/*
 * Return whether a spreadsheet might execute the text as a formula. It might if
 * the text begins with a tab or a line end, or if its first character after
 * blanks and quotation marks is = + - @ or a wide form of these (OWASP, "CSV
 * Injection"). A plain number, such as -12.5, +3 or -1,234.5%, is not a
 * formula.
 */
bool csv_is_formula(struct slice text);

/*
 * Append the UTF-8 text as a cell in quotation marks. Before a formula write an
 * apostrophe, which makes spreadsheets display it as text, unless `is_raw`.
 */
void csv_append_cell(struct slice text, bool is_raw, struct buffer *out);

/*
 * Append a JSON text as a cell, or the texts of an array, separated by "; ".
 * The cell is one line. For another value it is empty.
 */
void csv_append_value(const json_t *value, bool is_raw, struct buffer *out);

/*
 * A walk over the pages of a site, ordered by the time at which this store got
 * their content, and within the same millisecond by their keys. A page that is
 * stored again moves to the end. The walk uses limited memory, however many
 * pages the site has, and its transactions are short.
 */

/* The position of a page in the order of the walk. */
struct text_position {
	uint64_t stored_ms;
	uint64_t key; /* key of the page */
};

enum { TEXT_POSITION_BYTES = 40 };

/*
 * Write the position as text, such as "1763908400123.00a1b2c3d4e5f607", to
 * `out` [TEXT_POSITION_BYTES].
 */
void text_position_write(struct text_position place, char *out);

/*
 * Parse the text of a position. A text that is only a time in milliseconds
 * means the position after all pages of that millisecond. Return false if the
 * text is invalid.
 */
bool text_position_read(struct slice text, struct text_position *place_out);

/*
 * Selects pages of the site `host`: those after `since` that were stored before
 * `before_ms`. An earlier time is used if a later one could be incomplete.
 */
struct text_filter {
	const char *host;
	struct text_position since;
	uint64_t before_ms;
	uint32_t cluster; /* only pages of this cluster; 0 = all pages, also
			     pages without a cluster */
	/* one bit for each enum page_class that is selected */
	uint32_t classes;
};

/*
 * Start a walk; *filter is copied. ERR_NOT_FOUND: there is no such site.
 * ERR_IO, ERR_BUSY, ERR_CORRUPT.
 */
enum error text_walk_begin(struct text_walk **walk_out, struct store *store,
			   const struct text_filter *filter);
void text_walk_end(struct text_walk *walk); /* NULL is a no-op */

/* Return the id of the site. */
uint32_t text_walk_site(const struct text_walk *walk);

/*
 * Get the position of the next page. *is_there_out is false after the last
 * page. Once for each 32,768 pages this function reads the rows of all pages of
 * the site. ERR_NOT_FOUND: the site was deleted or replaced. Other errors as
 * for text_walk_begin(). After an error the call can be repeated.
 */
enum error text_walk_next(struct text_walk *walk,
			  struct text_position *place_out, bool *is_there_out);

/* The page at a position. */
enum { MAX_TITLE_BYTES = 1000 };

struct positioned_page {
	char url[MAX_URL_BYTES + 1];
	/* the element title, cut at MAX_TITLE_BYTES; "" = none or unknown */
	char title[MAX_TITLE_BYTES + 1];
	uint64_t fetched_ms;
	uint64_t archived_ms; /* time at which an archive recorded the page; 0 =
				 not from an archive */
	uint32_t cluster;
	uint16_t page_class;
};

/*
 * Read the page at the position `place`. ERR_NOT_FOUND: the page was deleted or
 * now has another position.
 */
enum error text_position_page(struct store *store, uint32_t site,
			      struct text_position place,
			      struct positioned_page *page_out);

/*
 * The texts of many pages as one stream. The formats are JSON lines, CSV (RFC
 * 4180), and WET, whose texts are conversion records of WARC 1.1.
 */

enum text_export_format {
	TEXT_EXPORT_JSON_LINES,
	TEXT_EXPORT_WET,
	TEXT_EXPORT_WET_GZIP, /* each record is a gzip member */
	TEXT_EXPORT_CSV,
	TEXT_EXPORT_FORMATS
};

/*
 * text_export_format_of() parses "jsonl", "wet", "wet.gz" or "csv"; it returns
 * false for another name. text_export_media_type() returns the media type of
 * the format.
 */
bool text_export_format_of(const char *name, enum text_export_format *form_out);
const char *text_export_media_type(enum text_export_format form);

/*
 * Append the bytes that precede the first page: in CSV the column names, in WET
 * a warcinfo record that names `software`, otherwise nothing.
 */
void text_export_begin(enum text_export_format form, const char *software,
		       uint64_t now_ms, struct buffer *out);

/* The text of one page, or the error of its extraction. */
struct text_export_row {
	uint64_t position; /* index of a submitted page in the request, from 1;
			      0 = a stored page */
	struct text_position place; /* position of a stored page */
	/* a stored page; NULL for a submitted page */
	const struct positioned_page *page;
	const char *host;   /* host of a stored page */
	const char *url;    /* URL of the page; "" = it has none */
	enum format format; /* format of the text in `answer` */
	bool is_raw;        /* write CSV cells that may be formulas, see
			       csv_append_cell() */
	enum error error;
	/* if the row has an error, only the reason in it is set */
	const struct text_result *answer;
};

/*
 * Append a page. A page with an error becomes a line with the error, or in WET
 * a metadata record. With FORMAT_JSON, a JSON line is the object of that
 * format, preceded by the members that identify the page. If the text is not an
 * object on one line, the line has the error ERR_QUARANTINED instead.
 */
void text_export_append(enum text_export_format form,
			const struct text_export_row *told, struct buffer *out);

#endif
