/*
 * daemon/nodes/snapshot_store.h - the snapshot store, where nodes keep
 * snapshots of partitions for each other: a folder that all nodes can read, a
 * WebDAV server, or an S3 bucket.
 *
 *         /srv/templated/snapshots
 *         https://user@host/path/
 *         s3+https://host/bucket/prefix/?region=eu-central-1
 *
 * The name of a snapshot consists of the partition and the number of the last
 * log entry in it: p017/0000000012345678.tpl. A snapshot is stored completely
 * or not at all, even if the node fails. Its last bytes are its size and its
 * SHA-256. The format is the same for all kinds of store, so that users can
 * copy files between them.
 *
 * Snapshots are streamed, not held in memory. A snapshot for a server is first
 * written to an unnamed file in `spool_folder`, because the request must begin
 * with the size and the checksum.
 *
 * S3 accepts at most 5 GiB in one request; larger snapshots fail, because
 * multipart uploads are not implemented.
 *
 * Only the owner of a partition stores and deletes its snapshots. If two nodes
 * do so at the same time, one of them gets ERR_BUSY. Any number of nodes may
 * read. All functions wait for disks and servers; any thread may call them.
 */
#ifndef DAEMON_NODES_SNAPSHOT_STORE_H
#define DAEMON_NODES_SNAPSHOT_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

struct snapshot_store;

struct snapshot_store_options {
	const char *location;
	/*
	 * Path of a file with one line, "NAME:SECRET": user and password, or
	 * the id of an access key and the key. If the location contains the
	 * user, "SECRET" is enough. "" = no key.
	 */
	const char *key_file;
	const char *ca_file;      /* additional CA certificates, PEM; or "" */
	const char *spool_folder; /* for snapshots on servers */
	uint32_t connect_timeout_ms;
	/* Abort a transfer that is slower than 1 KiB/s for this time. */
	uint32_t stall_timeout_s;
};

/*
 * Open a snapshot store. A folder must exist; a server is not contacted yet. Do
 * not call while another thread initializes libcurl. ERR_MALFORMED: the
 * location or the key file is invalid; ERR_NOT_FOUND, ERR_IO. The log says what
 * to do.
 */
enum error snapshot_store_open(struct snapshot_store **depot_out,
			       const struct snapshot_store_options *options);
void snapshot_store_close(struct snapshot_store *depot); /* NULL is a no-op */

/*
 * Write up to `size` bytes to `out`, and their number to *size_out; 0 = the
 * end. An error aborts snapshot_store_put(), which returns it.
 */
typedef enum error snapshot_store_reader(void *context, char *out, size_t size,
					 size_t *size_out);

/*
 * Consume the next bytes, which are not empty. An error aborts
 * snapshot_store_get(), which returns it.
 */
typedef enum error snapshot_store_sink(void *context, struct slice bytes);

struct snapshot_store_item {
	unsigned partition; /* < 1000 */
	uint64_t number;
};

/*
 * Store a snapshot with the bytes of `reader`. ERR_NONE: it is stored
 * completely, and survives a loss of power as far as the server promises that.
 * ERR_STORE_FULL: the snapshot store or the spool folder has no space.
 * ERR_ADDRESS_FORBIDDEN: the server rejects the credentials, has an untrusted
 * certificate, or redirects (with a password, redirects are not followed).
 * ERR_NOT_FOUND: there is no such folder or bucket. ERR_BUSY: another node
 * writes. ERR_TIMEOUT, ERR_NETWORK, ERR_IO; errors of the reader. The log says
 * what failed and where.
 */
enum error snapshot_store_put(struct snapshot_store *depot,
			      struct snapshot_store_item item,
			      snapshot_store_reader *reader, void *context);

/*
 * Pass all bytes of a snapshot to the sink. The bytes are valid only if the
 * result is ERR_NONE; after any error discard what the sink got. ERR_CORRUPT:
 * the snapshot is truncated or damaged; ERR_NOT_FOUND: there is no such
 * snapshot; other errors as of snapshot_store_put().
 */
enum error snapshot_store_get(struct snapshot_store *depot,
			      struct snapshot_store_item item,
			      snapshot_store_sink *sink, void *context);

/*
 * Find the newest snapshot of the partition whose number is below `below`
 * (UINT64_MAX = any number). ERR_NOT_FOUND: there is none; other errors as of
 * snapshot_store_put().
 */
enum error snapshot_store_latest(struct snapshot_store *depot,
				 unsigned partition, uint64_t below,
				 uint64_t *number_out);

/* Delete all snapshots of the partition except the `kept` newest ones. */
enum error snapshot_store_prune(struct snapshot_store *depot,
				unsigned partition, size_t kept);

/* Return the location without a password, for messages. */
const char *snapshot_store_location(const struct snapshot_store *depot);

/* The following is only for snapshot_store.c and snapshot_store_http.c. */

enum { SNAPSHOT_STORE_DIGEST_BYTES = 32 };

/* Numbers of snapshots, in any order. */
struct snapshot_store_list {
	uint64_t *numbers; /* [count] */
	size_t count;
	size_t capacity;
};

void snapshot_store_list_add(struct snapshot_store_list *list, uint64_t number);

/* The complete content of a snapshot, in the file of begin(). */
struct snapshot_store_body {
	int file;
	uint64_t size; /* size in bytes */
	unsigned char sha256[SNAPSHOT_STORE_DIGEST_BYTES];
};

struct snapshot_store_kind {
	/*
	 * Create a file into which the content is written; the caller closes
	 * it.
	 */
	enum error (*begin)(struct snapshot_store *depot,
			    struct snapshot_store_item item, int *file_out);
	enum error (*commit)(struct snapshot_store *depot,
			     struct snapshot_store_item item,
			     const struct snapshot_store_body *body);
	enum error (*fetch)(struct snapshot_store *depot,
			    struct snapshot_store_item item,
			    snapshot_store_sink *sink, void *context);
	/*
	 * Append the numbers of the snapshots. An empty list is not an error.
	 */
	enum error (*list)(struct snapshot_store *depot, unsigned partition,
			   struct snapshot_store_list *list_out);
	enum error (*drop)(struct snapshot_store *depot, unsigned partition,
			   const struct snapshot_store_list *gone);
};

struct snapshot_store {
	const struct snapshot_store_kind *kind;
	char *location;
	struct snapshot_server *server; /* NULL for a folder */
};

extern const struct snapshot_store_kind snapshot_store_http;

/* Prepare a snapshot store on a server; errors as of snapshot_store_open(). */
enum error
snapshot_store_http_open(struct snapshot_store *depot,
			 const struct snapshot_store_options *options);
void snapshot_store_http_close(struct snapshot_server *server);

/*
 * The manifest: a list of the snapshots of a partition on a server. It is a
 * small file next to the snapshots, because not every server can list files. It
 * has one line for each file:
 *
 *         templated snapshots 1
 *         + 0000000012345678.8c2f6ab01d3e5f79.tpl
 *         - 0000000012399999.00a1b2c3d4e5f607.tpl
 *
 * The number of the log entry is followed by a random number, so that no name
 * is written twice. '-' marks a file that is being written, whose writer was
 * killed, or that is being deleted. A row is removed only after its file.
 */

enum { MANIFEST_ROWS = 64 };

struct manifest_row {
	uint64_t number;
	uint64_t random;
	bool is_whole;
	bool is_gone; /* the file is deleted; not written to the manifest */
};

struct manifest {
	/* [count], in the order of the file; with space for one row to add */
	struct manifest_row rows[MANIFEST_ROWS + 1];
	size_t count;
};

/* Parse a manifest. ERR_CORRUPT: the text is not a manifest. */
enum error manifest_parse(struct slice text, struct manifest *manifest_out);

/* Append the text of the manifest. */
void manifest_write(const struct manifest *manifest, struct buffer *out);

/* Return the row with the same numbers as `row`, or NULL. */
struct manifest_row *manifest_find(struct manifest *manifest,
				   struct manifest_row row);

#endif
