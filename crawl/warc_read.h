/*
 * crawl/warc_read.h - find and parse the records of WARC and ARC files. The
 * head of an ARC record is a line of five fields (version 1) or ten (version
 * 2), the first a URL, the last the length
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
	struct slice url; /* part of the parsed line */
	uint64_t time_ms; /* 0 = none */
	uint64_t length;  /* UINT64_MAX = invalid */
};

/*
 * Parse a line, without its end. Return false if it is not the head of an ARC
 * record. The URL may contain blanks: it ends before the address and the date.
 */
bool arc_header_parse(struct slice line, struct arc_header *header_out);

/*
 * Return whether the first line of `text`, which is complete, begins a record.
 */
bool arc_begins(struct slice text);

/*
 * The decompressed bytes of an archive, in a moving window. A file is plain, or
 * consists of gzip members or zstd frames.
 */

/* The state after the bytes in the window. */
enum stream_state {
	STREAM_RUNS,
	STREAM_MEMBER_END, /* the next member may have more */
	STREAM_DAMAGED,    /* another member may follow */
	STREAM_END,
	STREAM_CUT,    /* the file ends inside a member */
	STREAM_FAILED, /* the source has failed: see stream_error() */
};

struct warc_stream *stream_create(warc_source *source, void *context);
void stream_destroy(struct warc_stream *stream); /* NULL is a no-op */

/* Return the state after the bytes in the window. */
enum stream_state stream_state(const struct warc_stream *stream);

/* Return the error of the source, after it failed. */
enum error stream_error(const struct warc_stream *stream);

/* Return the number of bytes read from the source. */
uint64_t stream_taken(const struct warc_stream *stream);

/*
 * Find the records of an archive, even if their lengths are wrong. A record
 * ends after its length if the next record, the next member or the end of the
 * file follows, after line ends. Otherwise it ends at the first record inside
 * it, or after its length; then the next line that begins a record is searched
 * for.
 */

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
 * Move to the next record. With an error in head_out the bytes are no record,
 * which is reported once. Return false at the end.
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

/* Parse the head of a WARC record (ISO 28500:2017, 4). Pure. */

/* The slices point into the parsed text; a missing field has no value. */
struct warc_header {
	struct slice type;         /* WARC-Type */
	struct slice url;          /* WARC-Target-URI, without the <> of wget */
	struct slice content_type; /* of the block */
	uint64_t time_ms;          /* WARC-Date; 0 = none */
	uint64_t length;           /* Content-Length; UINT64_MAX = none */
	bool is_truncated;         /* WARC-Truncated */
};

/* Parse the fields of a head that begins with its version. */
void warc_header_parse(struct slice head, struct warc_header *header_out);

#endif
