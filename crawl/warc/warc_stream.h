/*
 * crawl/warc/warc_stream.h - the bytes of an archive as they were before they
 * were packed, through a window that moves over them. A file is plain, or
 * members: those of gzip, or frames of zstd (warc.zst: a first skippable frame
 * may hold the dictionary of the others). Internal to the reader of archives.
 */
#ifndef CRAWL_WARC_WARC_STREAM_H
#define CRAWL_WARC_WARC_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/warc/warc.h"
#include "store/slice.h"

/* Why there may be no more bytes than the window shows. */
enum stream_state {
	STREAM_RUNS,
	STREAM_MEMBER_END, /* more may follow in the next member */
	STREAM_DAMAGED,    /* stream_recover() may find a next member */
	STREAM_END,
	STREAM_CUT,    /* the file ends in the middle of a member */
	STREAM_FAILED, /* the source did: see stream_error() */
};

struct warc_stream;

struct warc_stream *stream_create(warc_source *source, void *context);
void stream_destroy(struct warc_stream *stream); /* NULL is a no-op */

/*
 * The next bytes: at least `size` of them, as long as this member has so many;
 * they stay until the next call. Memory grows to what is asked for.
 */
struct slice stream_see(struct warc_stream *stream, size_t size);

/* The same, as long as the file has so many. */
struct slice stream_see_across(struct warc_stream *stream, size_t size);

/* Leave `size` bytes behind, at most those in the window. */
void stream_skip(struct warc_stream *stream, size_t size);

/* After all that the window shows. */
enum stream_state stream_state(const struct warc_stream *stream);

/* Of the source, when it failed. */
enum error stream_error(const struct warc_stream *stream);

/*
 * After damage: drop the window and go on at the next member that begins like a
 * record. False when there is none.
 */
bool stream_recover(struct warc_stream *stream);

/* Where the next byte stands in the file; in a packed one, its member. */
uint64_t stream_offset(const struct warc_stream *stream);

/* Bytes taken from the source. */
uint64_t stream_taken(const struct warc_stream *stream);

#endif
