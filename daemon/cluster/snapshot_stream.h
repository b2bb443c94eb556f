/*
 * daemon/cluster/snapshot_stream.h - a partition as one stream of bytes: a head
 * of 64 bytes, then one frame of zstd. In that are chunks, each behind its size
 * (32 bits), a size of 0, and a tail: how many chunks and bytes, and their
 * hash. All numbers are little-endian.
 *
 * What is in a chunk is of no matter here (store/journal.h writes them). The
 * writer is asked for bytes, the reader is given them, as depots do. Neither
 * holds more than a chunk. Bytes that were cut or changed are ERR_CORRUPT, at
 * the latest at the end.
 */
#ifndef DAEMON_CLUSTER_SNAPSHOT_STREAM_H
#define DAEMON_CLUSTER_SNAPSHOT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/error.h"
#include "store/limit.h"
#include "store/slice.h"

enum {
	SNAPSHOT_HEAD_BYTES = 64,
	SNAPSHOT_MAX_CHUNK =
		LIMIT(1 << 28, 2048), /* bytes; a row is in one chunk */
	SNAPSHOT_LEVEL = 3,           /* of zstd; bodies are packed already */
};

struct snapshot_head {
	uint32_t schema; /* of the store */
	uint32_t partition;
	uint64_t epoch;   /* of the last owner that is in it */
	uint64_t number;  /* of the last entry of the log that is in it */
	uint64_t entry;   /* the hash of that one; 0: not known */
	uint64_t time_ms; /* when it was made */
};

/* Replace what is in `chunk` by the next one; left empty: there is none. An
 * error ends the snapshot. */
typedef enum error snapshot_source(void *context, struct buffer *chunk);

struct snapshot_writer;

struct snapshot_writer *snapshot_writer_create(const struct snapshot_head *head,
					       snapshot_source *source,
					       void *context);
void snapshot_writer_destroy(struct snapshot_writer *writer); /* or NULL */

/* The next bytes, as a depot_reader: `context` is the writer. The errors are
 * the source's; ERR_TOO_LARGE: a chunk is. */
enum error snapshot_pack(void *context, char *out, size_t size,
			 size_t *size_out);

/* Take a chunk, which is valid until this returns. */
typedef enum error snapshot_target(void *context,
				   const struct snapshot_head *head,
				   struct slice chunk);

struct snapshot_reader;

struct snapshot_reader *snapshot_reader_create(snapshot_target *target,
					       void *context);
void snapshot_reader_destroy(struct snapshot_reader *reader); /* or NULL */

/* Take the next bytes, as a depot_sink: `context` is the reader. ERR_CORRUPT;
 * ERR_VERSION: another version has written it; else the target's. */
enum error snapshot_unpack(void *context, struct slice bytes);

/* ERR_NONE: that was all of it. ERR_CORRUPT: it is cut. */
enum error snapshot_unpack_end(const struct snapshot_reader *reader,
			       struct snapshot_head *head_out);

#endif
