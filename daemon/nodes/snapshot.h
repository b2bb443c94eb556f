/*
 * daemon/nodes/snapshot.h - a partition as one stream of bytes: a head
 * of 64 bytes, then one zstd frame. The frame has chunks, each after its size
 * (32 bits), a size of 0, and a tail: the number of chunks and bytes, and their
 * hash. All numbers are little-endian.
 *
 * The content of chunks is opaque here (store/journal.h writes them). The
 * writer produces bytes on demand, the reader consumes bytes as they come, as
 * snapshot stores do. Both hold at most one chunk in memory. Truncated or
 * changed bytes are ERR_CORRUPT, at the latest at the end.
 */
#ifndef DAEMON_NODES_SNAPSHOT_H
#define DAEMON_NODES_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/limit.h"
#include "daemon/nodes/snapshot_store.h"
#include "store/store.h"

struct snapshot_reader;
struct snapshot_writer;

enum {
	SNAPSHOT_HEAD_BYTES = 64,
	SNAPSHOT_MAX_CHUNK =
		LIMIT(1 << 28, 2048), /* bytes; a row is never split */
	SNAPSHOT_LEVEL = 3, /* of zstd; bodies are compressed already */
};

/* The stored form, little-endian, as all supported machines. */
struct snapshot_head {
	char magic[8];    /* set by the writer, as `version` and `hash` */
	uint32_t version; /* of this format */
	uint32_t schema;  /* of the store */
	uint32_t partition;
	uint32_t zero;
	uint64_t epoch;   /* of the last owner in the snapshot */
	uint64_t number;  /* of the last log entry in the snapshot */
	uint64_t entry;   /* hash of that entry; 0 = unknown */
	uint64_t time_ms; /* when the snapshot was created */
	uint64_t hash;    /* of the fields above */
};

/*
 * Replace the content of `chunk` by the next chunk; empty = end. An error
 * aborts the snapshot.
 */
typedef enum error snapshot_source(void *context, struct buffer *chunk);

struct snapshot_writer *snapshot_writer_create(const struct snapshot_head *head,
					       snapshot_source *source,
					       void *context);
void snapshot_writer_destroy(struct snapshot_writer *writer); /* or NULL */

/*
 * Write the next bytes, as a snapshot_store_reader: `context` is the writer.
 * Errors of the source; ERR_TOO_LARGE: a chunk is too large.
 */
enum error snapshot_pack(void *context, char *out, size_t size,
			 size_t *size_out);

/* Consume a chunk, which is valid until this returns. */
typedef enum error snapshot_target(void *context,
				   const struct snapshot_head *head,
				   struct slice chunk);

struct snapshot_reader *snapshot_reader_create(snapshot_target *target,
					       void *context);
void snapshot_reader_destroy(struct snapshot_reader *reader); /* or NULL */

/*
 * Consume the next bytes, as a snapshot_store_sink: `context` is the reader.
 * ERR_CORRUPT; ERR_VERSION: written by another version; errors of the target.
 */
enum error snapshot_unpack(void *context, struct slice bytes);

/* ERR_NONE: the snapshot is complete. ERR_CORRUPT: it is truncated. */
enum error snapshot_unpack_end(const struct snapshot_reader *reader,
			       struct snapshot_head *head_out);

/*
 * Save a partition of a store as a snapshot (daemon/nodes/snapshot.h)
 * in a snapshot store or a file, and load it.
 *
 * A snapshot has the result of dump_next(): all rows of the partition, and the
 * texts of store/secrets.h that they name, encrypted by the store's cipher
 * (store/encryption.h). Without a cipher it has no such texts. A snapshot store
 * shows all other data to its readers.
 */

/* Figures of a copy. */
struct snapshot_figures {
	struct snapshot_head head;
	uint64_t rows;   /* 0 after loading */
	uint64_t chunks; /* about 4 MiB each */
	uint64_t bytes;  /* of all chunks, uncompressed */
};

/*
 * Save the partition as it is now to the snapshot store; number and epoch come
 * from journal_position_get(). Uses one read transaction until all rows are
 * read, not during the upload. This thread must have no open transaction.
 * Errors as of snapshot_store_put(); ERR_CORRUPT: a row is damaged.
 */
enum error snapshot_save(struct store *store, unsigned partition,
			 uint64_t now_ms, struct snapshot_store *depot,
			 struct snapshot_figures *copy_out);

/*
 * Replace the partition by the snapshot: delete the existing rows, then write
 * rows in transactions of 4 MiB. The partition is incomplete until all rows are
 * written; its position is written last. After an error it stays incomplete:
 * load again, or call journal_clear(). Errors as of snapshot_store_get();
 * ERR_VERSION: another schema; ERR_CORRUPT: also if it is of another partition.
 */
enum error snapshot_load(struct store *store, struct snapshot_store_item item,
			 struct snapshot_store *depot,
			 struct snapshot_figures *copy_out);

/* Delete all rows of the partition; first mark it as incomplete. */
enum error snapshot_clear_partition(struct store *store, unsigned partition);

/*
 * Save to a file, which is created or replaced, or load from one. With store
 * NULL, only read it to its end. The file has the partition's number.
 * ERR_NOT_FOUND, ERR_STORE_FULL, ERR_IO.
 */
enum error snapshot_save_file(struct store *store, unsigned partition,
			      uint64_t now_ms, const char *path,
			      struct snapshot_figures *copy_out);
enum error snapshot_load_file(struct store *store, const char *path,
			      struct snapshot_figures *copy_out);

#endif
