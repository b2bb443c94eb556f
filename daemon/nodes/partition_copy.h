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
struct partition_copy {
	struct snapshot_head head;
	uint64_t rows;   /* 0 after loading */
	uint64_t chunks; /* about 4 MiB each */
	uint64_t bytes;  /* of all chunks, uncompressed */
};

/*
 * Save the partition as it is now to the snapshot store; number and epoch come
 * from journal_place_get(). Uses one read transaction until all rows are read,
 * not during the upload. This thread must have no open transaction. Errors as
 * of depot_put(); ERR_CORRUPT: a row is damaged.
 */
enum error partition_save(struct store *store, unsigned partition,
			  uint64_t now_ms, struct depot *depot,
			  struct partition_copy *copy_out);

/*
 * Replace the partition by the snapshot: delete the existing rows, then write
 * rows in transactions of 4 MiB. The partition is incomplete until all rows are
 * written; its position is written last. After an error it stays incomplete:
 * load again, or call journal_clear(). Errors as of depot_get(); ERR_VERSION:
 * another schema; ERR_CORRUPT: also if it is of another partition.
 */
enum error partition_load(struct store *store, struct depot_item item,
			  struct depot *depot, struct partition_copy *copy_out);

/*
 * Save to a file, which is created or replaced, or load from one. With store
 * NULL, only read it to its end. The file has the partition's number.
 * ERR_NOT_FOUND, ERR_STORE_FULL, ERR_IO.
 */
enum error partition_save_file(struct store *store, unsigned partition,
			       uint64_t now_ms, const char *path,
			       struct partition_copy *copy_out);
enum error partition_load_file(struct store *store, const char *path,
			       struct partition_copy *copy_out);

#endif
