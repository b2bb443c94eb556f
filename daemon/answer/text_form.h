/*
 * daemon/answer/text_form.h - the texts of many pages in one stream: lines of
 * JSON, CSV (RFC 4180), or WET, which are conversion records of WARC 1.1.
 */
#ifndef DAEMON_ANSWER_TEXT_FORM_H
#define DAEMON_ANSWER_TEXT_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/answer/page_answer.h"
#include "daemon/answer/text_walk.h"
#include "extract/render/render.h"
#include "store/buffer.h"
#include "store/error.h"
#include "store/slice.h"

enum text_form {
	TEXT_FORM_JSON_LINES,
	TEXT_FORM_WET,
	TEXT_FORM_WET_GZIP, /* each record is a member */
	TEXT_FORM_CSV,
	TEXT_FORM_COUNT
};

/* "jsonl", "wet", "wet.gz", "csv". */
bool text_form_from_name(const char *name, enum text_form *form_out);
const char *text_form_media_type(enum text_form form);

/* Append what stands before the first page: the names of the columns, a
 * warcinfo record of `software`, or nothing. */
void text_form_begin(enum text_form form, const char *software, uint64_t now_ms,
		     struct buffer *out);

/* What is told of a page. */
struct told_text {
	uint64_t position; /* in what was handed in, from 1; 0: it is stored */
	struct text_place place;        /* of a stored one */
	const struct placed_page *page; /* the same */
	const char *host;               /* the same */
	const char *url;                /* of any; "": none */
	enum format format;             /* of the text */
	bool is_raw; /* cells of CSV may be formulas, see csv_append_cell() */
	enum error error;
	const struct page_answer *answer; /* after an error only its reason */
};

/*
 * Append it. A page with an error is a line that says so; in WET a metadata
 * record. With FORMAT_JSON a line of JSON is the object of that format, its
 * place and type before it: ERR_POISONED in the line when that is no line with
 * an object.
 */
void text_form_append(enum text_form form, const struct told_text *told,
		      struct buffer *out);

#endif
