/*
 * crawl/warc/warc_cut.h - finding the records of an archive, even if their
 * lengths are wrong. Internal to the reader of archives.
 *
 * A record ends where its length says if the next record, the next member or
 * nothing follows there; line ends between them do not count. Otherwise the
 * length is wrong, or the file damaged: the record ends at the first record
 * inside it, if there is one, else at its length; then the next line that
 * begins a record is searched for.
 */
#ifndef CRAWL_WARC_WARC_CUT_H
#define CRAWL_WARC_WARC_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "crawl/warc/warc_stream.h"
#include "store/error.h"
#include "store/slice.h"

enum archive_format { ARCHIVE_UNKNOWN, ARCHIVE_WARC, ARCHIVE_ARC };

/* Begin with {.stream, .max_block}. */
struct warc_cut {
	struct warc_stream *stream; /* the caller's */
	size_t max_block;           /* more of a block is left out */
	enum archive_format format; /* that of the first record */
	size_t block;     /* of the last record: bytes of it in the window */
	uint64_t rest;    /* and bytes of it that follow the window */
	bool is_lost;     /* the next bytes may be no record */
	bool is_told;     /* the damage of the stream was reported */
	bool ends_inside; /* the file ended inside of a record */
};

/* The head of a record, or the error in its place. */
struct cut_head {
	struct slice bytes;
	uint64_t offset;
	enum error error;
	const char *reason; /* static memory, when error is set */
};

/*
 * Go to the next record. With an error in head_out: bytes that are no record,
 * reported once. False at the end.
 */
bool cut_next(struct warc_cut *cut, struct cut_head *head_out);

struct cut_block {
	struct slice bytes; /* valid until the next call */
	bool is_cut;        /* it is incomplete, or its length was wrong */
	bool is_damaged;    /* its member is damaged */
};

/* The block of `length` bytes of the record whose head was just given. */
struct cut_block cut_block(struct warc_cut *cut, uint64_t length);

/* The record has no valid length: search for the next record instead. */
void cut_lose(struct warc_cut *cut);

#endif
