/*
 * crawl/warc_read.h - finds and parses the records of WARC and ARC files. The
 * head of an ARC record is a line of five fields (version 1) or ten fields
 * (version 2). The first field is a URL, the last one the length
 * (archive.org/web/researcher/ArcFileFormat.php).
 */
#ifndef CRAWL_WARC_READ_H
#define CRAWL_WARC_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/limit.h"
#include "crawl/warc_write.h"

struct warc_stream;

enum { MAX_ARC_LINE = LIMIT(8192, 1024) };

struct arc_header {
	struct slice url; /* a part of the parsed line */
	uint64_t time_ms; /* date of the record; 0 = none */
	uint64_t length;  /* length of the block; UINT64_MAX = invalid */
};

/*
 * Parse a line, without its end, as the head of an ARC record. Return false if
 * it is no such head. The URL may contain blanks: it ends before the address
 * and the date.
 */
bool arc_header_parse(struct slice line, struct arc_header *header_out);

/*
 * Return whether an ARC record begins with `text`, whose first line must be
 * complete.
 */
bool arc_begins(struct slice text);

/*
 * A stream: the decompressed bytes of an archive. A moving window of them is in
 * memory. The file is not compressed, or consists of gzip members or zstd
 * frames; both are called members.
 */

/* The state of the stream after the last byte in the window. */
enum stream_state {
	STREAM_RUNS,
	STREAM_MEMBER_END, /* the member ends; another member may follow */
	STREAM_DAMAGED, /* the member is damaged; another member may follow */
	STREAM_END,
	STREAM_CUT,    /* the file ends within a member */
	STREAM_FAILED, /* the source has failed; see stream_error() */
};

struct warc_stream *stream_create(warc_source *source, void *context);
void stream_destroy(struct warc_stream *stream); /* do nothing for NULL */

/* Return the state after the last byte in the window. */
enum stream_state stream_state(const struct warc_stream *stream);

/* Return the error of the source if it has failed. */
enum error stream_error(const struct warc_stream *stream);

/* Return the number of bytes read from the source. */
uint64_t stream_taken(const struct warc_stream *stream);

/*
 * Finds the records of an archive, even if their lengths are wrong. A record
 * has its length if the next record, the next member or the end of the file
 * comes after it (line ends may be between). Otherwise the length is wrong.
 * Then the record ends at the first record within it; if none exists, the next
 * line that begins a record is searched for after it.
 */

enum archive_format { ARCHIVE_UNKNOWN, ARCHIVE_WARC, ARCHIVE_ARC };

/* Initialise with {.stream, .max_block}. */
struct warc_cut {
	struct warc_stream *stream; /* the caller owns it */
	size_t max_block; /* maximum size of a block; longer ones are cut */
	enum archive_format format; /* format of the archive, known after the
				       first record */
	size_t block;     /* bytes in the window of the last record's block */
	uint64_t rest;    /* bytes of the last record that come after `block` */
	bool is_lost;     /* the current position may be within a record */
	bool is_told;     /* the damage of the stream was reported */
	bool ends_inside; /* the file ended within a record */
};

/* The head of a record, or an error. */
struct cut_head {
	struct slice bytes;
	uint64_t offset;
	enum error error;
	/* English text in static memory, if `error` is set */
	const char *reason;
};

/*
 * Go to the next record and return its head. If head_out->error is set, the
 * bytes at this position are not a record; each such position is reported once.
 * Return false at the end.
 */
bool cut_next(struct warc_cut *cut, struct cut_head *head_out);

struct cut_block {
	struct slice bytes; /* valid until the next call */
	bool is_cut;        /* it is incomplete, or its length is wrong */
	bool is_damaged;    /* the member that contains it is damaged */
};

/*
 * Return the block of the record whose head cut_next() returned last. `length`
 * is the length that the head states.
 */
struct cut_block cut_block(struct warc_cut *cut, uint64_t length);

/* Search for the next record, because the last one has no valid length. */
void cut_lose(struct warc_cut *cut);

/* Parses the head of a WARC record (ISO 28500:2017, 4). Pure. */

/*
 * The fields of a head. Slices point into the parsed text; data is NULL if the
 * field is missing.
 */
struct warc_header {
	struct slice type; /* WARC-Type */
	struct slice url; /* WARC-Target-URI, without the <> that wget writes */
	struct slice content_type; /* Content-Type of the block */
	uint64_t time_ms;          /* WARC-Date; 0 = none */
	uint64_t length;   /* Content-Length; UINT64_MAX = missing or invalid */
	bool is_truncated; /* there is a WARC-Truncated */
};

/* Parse the head of a record. It begins with the line of the version. */
void warc_header_parse(struct slice head, struct warc_header *header_out);

#endif
