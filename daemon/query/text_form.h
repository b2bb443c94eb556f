/*
 * daemon/query/text_form.h - the texts of many pages in one stream: JSON
 * lines, CSV (RFC 4180), or WET, that is, conversion records of WARC 1.1.
 */
#ifndef DAEMON_QUERY_TEXT_FORM_H
#define DAEMON_QUERY_TEXT_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"
#include "daemon/query/page_answer.h"
#include "daemon/query/text_walk.h"
#include "extract/render/render.h"

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
