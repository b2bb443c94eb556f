/*
 * daemon/nodes/snapshot.h - a partition as one stream of bytes: a head of 64
 * bytes, then one zstd frame. The frame has chunks, each preceded by its size
 * (32 bits), then a size of 0 and a tail: the number of chunks, the number of
 * their bytes, and their hash. All numbers are little-endian.
 *
 * These functions do not know the content of chunks, which store/journal.h
 * writes. The writer produces bytes on demand, and the reader consumes bytes as
 * they come, as the functions of snapshot stores require. Both hold at most one
 * chunk in memory. If bytes were truncated or changed, the reader returns
 * ERR_CORRUPT, at the latest at the end.
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
	SNAPSHOT_MAX_CHUNK = LIMIT(1 << 28, 2048), /* bytes; a row is never
						      split between chunks */
	SNAPSHOT_LEVEL = 3, /* of zstd; low, because bodies are compressed
			       already */
};

/* The head as stored: little-endian, as all supported machines are. */
struct snapshot_head {
	char magic[8];    /* the writer sets `magic`, `version` and `hash` */
	uint32_t version; /* version of this format */
	uint32_t schema;  /* schema of the store */
	uint32_t partition;
	uint32_t zero;
	uint64_t epoch;   /* epoch of the last owner in the snapshot */
	uint64_t number;  /* number of the last log entry in the snapshot */
	uint64_t entry;   /* hash of that entry; 0 = unknown */
	uint64_t time_ms; /* when the snapshot was created */
	uint64_t hash;    /* hash of the fields above */
};

/*
 * Replace the content of `chunk` with the next chunk; an empty chunk is the
 * end. An error aborts the snapshot.
 */
typedef enum error snapshot_source(void *context, struct buffer *chunk);

struct snapshot_writer *snapshot_writer_create(const struct snapshot_head *head,
					       snapshot_source *source,
					       void *context);
/* NULL is a no-op */
void snapshot_writer_destroy(struct snapshot_writer *writer);

/*
 * Write the next bytes of the snapshot; a snapshot_store_reader whose `context`
 * is the writer. Returns the errors of the source, or ERR_TOO_LARGE: a chunk is
 * too large.
 */
enum error snapshot_pack(void *context, char *out, size_t size,
			 size_t *size_out);

/* Handle a chunk, whose bytes are valid only during the call. */
typedef enum error snapshot_target(void *context,
				   const struct snapshot_head *head,
				   struct slice chunk);

struct snapshot_reader *snapshot_reader_create(snapshot_target *target,
					       void *context);
/* NULL is a no-op */
void snapshot_reader_destroy(struct snapshot_reader *reader);

/*
 * Consume the next bytes of a snapshot; a snapshot_store_sink whose `context`
 * is the reader. ERR_CORRUPT; ERR_VERSION: another version has written it;
 * errors of the target.
 */
enum error snapshot_unpack(void *context, struct slice bytes);

/*
 * Finish reading. ERR_NONE: the snapshot was complete; ERR_CORRUPT: it is
 * truncated.
 */
enum error snapshot_unpack_end(const struct snapshot_reader *reader,
			       struct snapshot_head *head_out);

/*
 * Save a partition of a store as a snapshot, in a snapshot store or a file, and
 * load it.
 *
 * A snapshot has the result of dump_next(): all rows of the partition, and the
 * texts of store/secrets.h to which they refer, encrypted with the store's
 * cipher (store/encryption.h). Without a cipher it does not have these texts.
 * All other data is not encrypted, so everyone who can read the snapshot store
 * can read it.
 */

/* Figures of a snapshot that was saved or loaded. */
struct snapshot_figures {
	struct snapshot_head head;
	uint64_t rows;   /* number of rows; 0 if the snapshot was loaded */
	uint64_t chunks; /* number of chunks, about 4 MiB each */
	uint64_t bytes;  /* size of all chunks, uncompressed */
};

/*
 * Save the current state of the partition to the snapshot store; its number and
 * epoch come from journal_position_get(). A read transaction is open until all
 * rows are read, but not during the upload. The calling thread must have no
 * open transaction. Errors as of snapshot_store_put(); ERR_CORRUPT: a row is
 * damaged.
 */
enum error snapshot_save(struct store *store, unsigned partition,
			 uint64_t now_ms, struct snapshot_store *depot,
			 struct snapshot_figures *copy_out);

/*
 * Replace the partition with the snapshot: delete the existing rows, then write
 * the new ones in transactions of 4 MiB. The partition is marked as incomplete
 * until all rows are written; its position is written last. After an error it
 * stays incomplete: load again, or call journal_clear(). Errors as of
 * snapshot_store_get(); ERR_VERSION: the snapshot has another schema;
 * ERR_CORRUPT: the snapshot is damaged or of another partition.
 */
enum error snapshot_load(struct store *store, struct snapshot_store_item item,
			 struct snapshot_store *depot,
			 struct snapshot_figures *copy_out);

/* Mark the partition as incomplete, then delete all its rows. */
enum error snapshot_clear_partition(struct store *store, unsigned partition);

/*
 * snapshot_save_file(): save a partition to a file, which is created or
 * replaced. snapshot_load_file(): load a file, which contains the number of its
 * partition; if `store` is NULL, only read the file to its end. ERR_NOT_FOUND,
 * ERR_STORE_FULL, ERR_IO.
 */
enum error snapshot_save_file(struct store *store, unsigned partition,
			      uint64_t now_ms, const char *path,
			      struct snapshot_figures *copy_out);
enum error snapshot_load_file(struct store *store, const char *path,
			      struct snapshot_figures *copy_out);

#endif
