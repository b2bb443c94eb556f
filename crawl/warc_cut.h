/*
 * crawl/warc_cut.h - find the records of an archive, even if their lengths
 * are wrong. Internal to the reader of archives.
 *
 * A record ends after its length if the next record, the next member or the end
 * of the file follows; line ends between them are ignored. Otherwise the length
 * is wrong, or the file is damaged: the record ends at the first record inside
 * it, or after its length if there is none; then the next line that begins a
 * record is searched for.
 */
#ifndef CRAWL_WARC_CUT_H
#define CRAWL_WARC_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"
#include "crawl/warc_stream.h"

enum archive_format { ARCHIVE_UNKNOWN, ARCHIVE_WARC, ARCHIVE_ARC };

/* Start with {.stream, .max_block}. */
struct warc_cut {
	struct warc_stream *stream; /* owned by the caller */
	size_t max_block;           /* longer blocks are truncated */
	enum archive_format format; /* format of the first record */
	size_t block;     /* of the last record: its bytes in the window */
	uint64_t rest;    /* and its bytes after the window */
	bool is_lost;     /* the next bytes may not be a record */
	bool is_told;     /* the damage of the stream was reported */
	bool ends_inside; /* the file ended inside a record */
};

/* The head of a record, or an error instead. */
struct cut_head {
	struct slice bytes;
	uint64_t offset;
	enum error error;
	const char *reason; /* static memory, if error is set */
};

/*
 * Move to the next record. With an error in head_out, the bytes are not a
 * record, which is reported once. Return false at the end.
 */
bool cut_next(struct warc_cut *cut, struct cut_head *head_out);

struct cut_block {
	struct slice bytes; /* valid until the next call */
	bool is_cut;        /* it is incomplete, or its length was wrong */
	bool is_damaged;    /* its member is damaged */
};

/*
 * Return the block of `length` bytes of the record whose head was returned
 * last.
 */
struct cut_block cut_block(struct warc_cut *cut, uint64_t length);

/* The record has no valid length: search for the next record instead. */
void cut_lose(struct warc_cut *cut);

#endif
