/*
 * daemon/cluster/partition_copy.h - a partition of a store as a snapshot
 * (daemon/cluster/snapshot_stream.h), in a depot or in a file, and back.
 *
 * A snapshot has what dump_next() gives: all rows of the partition, and the
 * texts of store/secrets.h that they name, sealed by the store's cipher
 * (store/cipher.h); one without has none of them. Who can read a depot can read
 * all else.
 */
#ifndef DAEMON_CLUSTER_PARTITION_COPY_H
#define DAEMON_CLUSTER_PARTITION_COPY_H

#include <stdint.h>

#include "daemon/cluster/depot.h"
#include "daemon/cluster/snapshot_stream.h"
#include "store/store.h"

/* What was copied. */
struct partition_copy {
	struct snapshot_head head;
	uint64_t rows;   /* 0 when it was loaded */
	uint64_t chunks; /* about 4 MiB each */
	uint64_t bytes;  /* of all chunks, before zstd */
};

/*
 * Put the partition, as this store has it now, into the depot; its number and
 * its epoch are those of journal_place_get(). One read transaction, until all
 * rows are read: not while they are sent. No transaction of this thread may be
 * open. Errors as of depot_put(), ERR_CORRUPT: a row is damaged.
 */
enum error partition_save(struct store *store, unsigned partition,
			  uint64_t now_ms, struct depot *depot,
			  struct partition_copy *copy_out);

/*
 * Put the snapshot in the place of the partition: what is there goes first,
 * rows come in transactions of 4 MiB, and the place is not whole until all are
 * there. After an error it is not: load again, or journal_clear(). The place is
 * written last. As depot_get(); ERR_VERSION: it is of another schema;
 * ERR_CORRUPT: it is of another partition, too.
 */
enum error partition_load(struct store *store, struct depot_item item,
			  struct depot *depot, struct partition_copy *copy_out);

/*
 * The same to a file, which is made or replaced, and from one; with a store of
 * NULL it is only read to the end. The partition is the one that the file is
 * of. ERR_NOT_FOUND, ERR_STORE_FULL, ERR_IO.
 */
enum error partition_save_file(struct store *store, unsigned partition,
			       uint64_t now_ms, const char *path,
			       struct partition_copy *copy_out);
enum error partition_load_file(struct store *store, const char *path,
			       struct partition_copy *copy_out);

#endif
