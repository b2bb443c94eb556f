/*
 * crawl/warc_stream.h - the decompressed bytes of an archive, in a moving
 * window. A file is plain, or consists of members: gzip members, or zstd frames
 * (warc.zst: a first skippable frame may hold the dictionary of the others).
 * Internal to the reader of archives.
 */
#ifndef CRAWL_WARC_STREAM_H
#define CRAWL_WARC_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawl/warc.h"

/* The state after the bytes in the window. */
enum stream_state {
	STREAM_RUNS,
	STREAM_MEMBER_END, /* the next member may have more */
	STREAM_DAMAGED,    /* stream_recover() may find another member */
	STREAM_END,
	STREAM_CUT,    /* the file ends inside a member */
	STREAM_FAILED, /* the source has failed: see stream_error() */
};

struct warc_stream;

struct warc_stream *stream_create(warc_source *source, void *context);
void stream_destroy(struct warc_stream *stream); /* NULL is a no-op */

/*
 * Return the next bytes: at least `size`, as far as this member has them; valid
 * until the next call. Memory grows with `size`.
 */
struct slice stream_see(struct warc_stream *stream, size_t size);

/* The same across members, as far as the file has them. */
struct slice stream_see_across(struct warc_stream *stream, size_t size);

/* Skip `size` bytes, at most the bytes in the window. */
void stream_skip(struct warc_stream *stream, size_t size);

/* Return the state after the bytes in the window. */
enum stream_state stream_state(const struct warc_stream *stream);

/* Return the error of the source, after it failed. */
enum error stream_error(const struct warc_stream *stream);

/*
 * After damage: drop the window and continue at the next member that begins
 * like a record. Return false if there is none.
 */
bool stream_recover(struct warc_stream *stream);

/*
 * Return the offset in the file of the next byte; in a compressed file, of its
 * member.
 */
uint64_t stream_offset(const struct warc_stream *stream);

/* Return the number of bytes read from the source. */
uint64_t stream_taken(const struct warc_stream *stream);

#endif
