/*
 * daemon/nodes/partition_copy.h - save a partition of a store as a snapshot
 * (daemon/nodes/snapshot_stream.h) in a snapshot store or a file, and load
 * it.
 *
 * A snapshot has the result of dump_next(): all rows of the partition, and the
 * texts of store/secrets.h that they name, encrypted by the store's cipher
 * (store/cipher.h). Without a cipher it has no such texts. A snapshot store
 * shows all other data to its readers.
 */
#ifndef DAEMON_NODES_PARTITION_COPY_H
#define DAEMON_NODES_PARTITION_COPY_H

#include <stdint.h>

#include "daemon/nodes/depot.h"
#include "daemon/nodes/snapshot_stream.h"
#include "store/store.h"

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
