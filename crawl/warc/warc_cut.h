/*
 * crawl/warc/warc_cut.h - where the records of an archive begin and end,
 * whatever their lengths say. Internal to the reader of archives.
 *
 * A record ends where its length says if the next record, the next member or
 * nothing follows there; line ends between them do not count. Else its length
 * is a lie, or the file is damaged: the record ends at the first record in it,
 * if there is one, and at its length otherwise; what follows is looked through
 * for the next line that begins a record.
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
	uint64_t rest;    /* and bytes of it behind those */
	bool is_lost;     /* what comes next may be no record */
	bool is_told;     /* of the damage that the stream has */
	bool ends_inside; /* the file ended inside of a record */
};

/* The head of a record, or what is there in its stead. */
struct cut_head {
	struct slice bytes;
	uint64_t offset;
	enum error error;
	const char *reason; /* static memory, when error is set */
};

/*
 * Leave the last record behind and go to the next one. With an error: something
 * that is no record, told once. False when there is no more.
 */
bool cut_next(struct warc_cut *cut, struct cut_head *head_out);

struct cut_block {
	struct slice bytes; /* valid until the next call */
	bool is_cut;        /* it is not all there, or its length was a lie */
	bool is_damaged;    /* the member that it stands in is */
};

/* The block of `length` bytes of the record whose head was just given. */
struct cut_block cut_block(struct warc_cut *cut, uint64_t length);

/* The record has no length that could be used: go by what follows. */
void cut_lose(struct warc_cut *cut);

#endif
