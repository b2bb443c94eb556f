/*
 * daemon/nodes/depot.h - the snapshot store, where nodes keep snapshots of
 * partitions for each other: a folder that all nodes can read, a WebDAV server,
 * or an S3 bucket.
 *
 *         /srv/templated/snapshots
 *         https://user@host/path/
 *         s3+https://host/bucket/prefix/?region=eu-central-1
 *
 * The name of a snapshot has the partition and the number of the last log entry
 * in it: p017/0000000012345678.tpl. A snapshot is stored completely or not at
 * all, however a put ends. Its last bytes are its size and its SHA-256, the
 * same for all kinds, so that files can be copied between folders.
 *
 * Snapshots are streamed; none is held in memory. A snapshot for a server waits
 * in an unnamed file of `spool_folder`, because the request states its size and
 * its checksum first.
 *
 * S3 accepts at most 5 GiB in one request; there are no multipart uploads.
 *
 * Only the owner of a partition puts and drops its snapshots, one node at a
 * time. A second writer gets ERR_BUSY, or makes the first one fail so. Any
 * number of nodes may read. All functions wait for disks and servers; any
 * thread may call them.
 */
#ifndef DAEMON_NODES_DEPOT_H
#define DAEMON_NODES_DEPOT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"

struct snapshot_store;

struct snapshot_store_options {
	const char *location;
	/*
	 * A file of one line, "NAME:SECRET": user and password, or the id of an
	 * access key and the key. If the location has the user, "SECRET" is
	 * enough. "" = no key.
	 */
	const char *key_file;
	const char *ca_file;      /* PEM, CA certificates in addition to the
				     system's; "" */
	const char *spool_folder; /* not used for folders */
	uint32_t connect_timeout_ms;
	/* Abandon a transfer of less than 1 KiB/s after this time. */
	uint32_t stall_timeout_s;
};

/*
 * Open a snapshot store. A folder must exist; a server gets no request yet.
 * ERR_MALFORMED (the location or the key file), ERR_NOT_FOUND, ERR_IO; the log
 * says what to do. Do not call while another thread initializes libcurl.
 */
enum error snapshot_store_open(struct snapshot_store **depot_out,
			       const struct snapshot_store_options *options);
void snapshot_store_close(struct snapshot_store *depot); /* NULL is a no-op */

/*
 * Write up to `size` bytes to `out`; *size_out = 0 at the end. An error aborts
 * the put, which returns it.
 */
typedef enum error snapshot_store_reader(void *context, char *out, size_t size,
					 size_t *size_out);

/*
 * Consume the next bytes, not empty; an error aborts the get, which returns it.
 */
typedef enum error snapshot_store_sink(void *context, struct slice bytes);

struct snapshot_store_item {
	unsigned partition; /* < 1000 */
	uint64_t number;
};

/*
 * ERR_NONE: the snapshot is stored completely and survives a loss of power as
 * far as the server promises that. ERR_STORE_FULL: the snapshot store or the
 * spool folder has no space. ERR_ADDRESS_FORBIDDEN: the server rejects our
 * credentials, has an untrusted certificate, or redirects (with a password,
 * redirects are not followed). ERR_NOT_FOUND: no such folder or bucket.
 * ERR_BUSY: another node writes. ERR_TIMEOUT, ERR_NETWORK, ERR_IO; errors of
 * the reader. The log says what failed and where.
 */
enum error snapshot_store_put(struct snapshot_store *depot,
			      struct snapshot_store_item item,
			      snapshot_store_reader *reader, void *context);

/*
 * Pass all bytes to the sink. The bytes are valid only after ERR_NONE; after
 * any other error discard what the sink got. ERR_CORRUPT: truncated or damaged;
 * ERR_NOT_FOUND: no such snapshot; other errors as above.
 */
enum error snapshot_store_get(struct snapshot_store *depot,
			      struct snapshot_store_item item,
			      snapshot_store_sink *sink, void *context);

/*
 * Find the newest snapshot of the partition whose number is below `below`
 * (UINT64_MAX = any). ERR_NOT_FOUND: there is none; other errors as above.
 */
enum error snapshot_store_latest(struct snapshot_store *depot,
				 unsigned partition, uint64_t below,
				 uint64_t *number_out);

/* Delete all snapshots of the partition except the `kept` newest ones. */
enum error snapshot_store_prune(struct snapshot_store *depot,
				unsigned partition, size_t kept);

/* Return the location without a password, for messages. */
const char *snapshot_store_location(const struct snapshot_store *depot);

#endif
