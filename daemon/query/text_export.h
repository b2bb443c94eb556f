/*
 * daemon/query/text_export.h - CSV cells (RFC 4180) that a spreadsheet displays
 * and does not execute.
 */
#ifndef DAEMON_QUERY_TEXT_EXPORT_H
#define DAEMON_QUERY_TEXT_EXPORT_H

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
 * Return whether a spreadsheet might execute the text as a formula: after
 * blanks and quotation marks it begins with = + - @ or a wide form of these, or
 * it begins with a tab or a line end (OWASP, "CSV Injection"). A plain number,
 * such as -12.5, +3 or -1,234.5%, is not a formula.
 */
bool csv_is_formula(struct slice text);

/*
 * Append the UTF-8 text as a cell in quotation marks. Unless `is_raw`, write an
 * apostrophe before a formula, which makes spreadsheets treat it as text.
 */
void csv_append_cell(struct slice text, bool is_raw, struct buffer *out);

/*
 * The pages of a site in the order in which they were stored: by the time at
 * which this store got their content, pages of the same millisecond by their
 * keys. A page that is stored again moves to the end. Memory is limited,
 * however many pages there are, and transactions are short.
 */

/* The position of a page in that order. */
struct text_position {
	uint64_t stored_ms;
	uint64_t key; /* key of the page */
};

enum { TEXT_POSITION_BYTES = 40 };

/*
 * Write the position as text, "1763908400123.00a1b2c3d4e5f607", to `out`
 * [TEXT_POSITION_BYTES].
 */
void text_position_write(struct text_position place, char *out);

/*
 * Parse such a text, or only a time, which is after all pages of its
 * millisecond. Return false if it is invalid.
 */
bool text_position_read(struct slice text, struct text_position *place_out);

/*
 * Which pages of a site: after `since`, stored before a time that is at most
 * the current time and at most the start of the walk.
 */
struct text_filter {
	const char *host;
	struct text_position since;
	uint64_t before_ms;
	uint32_t cluster; /* 0 = of all clusters, and of none */
	uint32_t classes; /* one bit per enum page_class */
};

/*
 * Start a walk; the filter is copied. ERR_NOT_FOUND: there is no such site;
 * ERR_IO, ERR_BUSY, ERR_CORRUPT.
 */
enum error text_walk_begin(struct text_walk **walk_out, struct store *store,
			   const struct text_filter *filter);
void text_walk_end(struct text_walk *walk); /* NULL is a no-op */

/* Return the number of the site. */
uint32_t text_walk_site(const struct text_walk *walk);

/*
 * Get the next page. *is_there_out is false at the end. Once per 32,768 pages
 * this reads the rows of all pages of the site. ERR_NOT_FOUND: the site was
 * deleted or replaced; other errors as above. After an error the call can be
 * repeated.
 */
enum error text_walk_next(struct text_walk *walk,
			  struct text_position *place_out, bool *is_there_out);

/* A page at its position. */
struct positioned_page {
	char url[MAX_URL_BYTES + 1];
	uint64_t fetched_ms;
	uint64_t archived_ms; /* time of its record in an archive; 0 = none */
	uint32_t cluster;
	uint16_t page_class;
};

/*
 * Read the page of a position. ERR_NOT_FOUND: it was deleted or has another
 * position now.
 */
enum error text_position_page(struct store *store, uint32_t site,
			      struct text_position place,
			      struct positioned_page *page_out);

/*
 * The texts of many pages in one stream: JSON lines, CSV (RFC 4180), or WET,
 * that is, conversion records of WARC 1.1.
 */

enum text_export_format {
	TEXT_EXPORT_JSON_LINES,
	TEXT_EXPORT_WET,
	TEXT_EXPORT_WET_GZIP, /* each record is a gzip member */
	TEXT_EXPORT_CSV,
	TEXT_EXPORT_FORMATS
};

/* "jsonl", "wet", "wet.gz", "csv". */
bool text_export_format_of(const char *name, enum text_export_format *form_out);
const char *text_export_media_type(enum text_export_format form);

/*
 * Append what precedes the first page: the column names, a warcinfo record of
 * `software`, or nothing.
 */
void text_export_begin(enum text_export_format form, const char *software,
		       uint64_t now_ms, struct buffer *out);

/* The text of a page with its place. */
struct text_export_row {
	uint64_t position; /* index in the submitted pages, from 1; 0 = a stored
			      page */
	struct text_position place;         /* of a stored page */
	const struct positioned_page *page; /* of a stored page */
	const char *host;                   /* of a stored page */
	const char *url;                    /* of any page; "" = none */
	enum format format;                 /* of the text */
	bool is_raw; /* CSV cells may be formulas, see csv_append_cell() */
	enum error error;
	const struct text_result
		*answer; /* after an error only its reason is set */
};

/*
 * Append a page. A page with an error becomes a line with the error; in WET, a
 * metadata record. With FORMAT_JSON a line of JSON is the object of that
 * format, with place and type added at its start; if the text is not a one-line
 * object, the line has ERR_QUARANTINED.
 */
void text_export_append(enum text_export_format form,
			const struct text_export_row *told, struct buffer *out);

#endif
