/*
 * daemon/cluster/depot.h - where the nodes of a cluster keep snapshots of
 * partitions for each other: a folder that all of them see, a WebDAV server, or
 * a bucket of S3.
 *
 *	/srv/templated/snapshots
 *	https://user@host/path/
 *	s3+https://host/bucket/prefix/?region=eu-central-1
 *
 * A snapshot has the partition and the number of the last entry of its log that
 * is in it: p017/0000000012345678.tpl. It is there whole or not at all, however
 * a put ends. Its last bytes are its size and its SHA-256, the same for all
 * kinds, so that files may be carried from one depot to another of folders.
 *
 * The bytes of a snapshot pass through; none is held in memory as a whole. What
 * goes to a server waits in an unnamed file of `spool_folder`: its size and its
 * checksum are said before it is sent.
 *
 * S3 takes 5 GiB at most in one piece; nothing is put in parts.
 *
 * One node at a time puts and drops snapshots of a partition: its owner. A
 * second one is ERR_BUSY, or has the first one fail so. Any number may read.
 * All functions wait for disks and servers, and may be called by any thread.
 */
#ifndef DAEMON_CLUSTER_DEPOT_H
#define DAEMON_CLUSTER_DEPOT_H

#include <stddef.h>
#include <stdint.h>

#include "store/error.h"
#include "store/slice.h"

struct depot;

struct depot_options {
	const char *location;
	/*
	 * A file of one line, "NAME:SECRET": user and password, or the id of an
	 * access key and the key; where the location has the user, "SECRET" is
	 * enough. "": none.
	 */
	const char *key_file;
	const char *ca_file;      /* PEM, authorities beside the system's; "" */
	const char *spool_folder; /* not for folders */
	uint32_t connect_timeout_ms;
	/* A server that takes or gives less than a KiB a second for so long is
	 * given up. */
	uint32_t stall_timeout_s;
};

/*
 * Nothing is asked of a server yet; a folder must be there. ERR_MALFORMED (the
 * location, or what is in the key file), ERR_NOT_FOUND, ERR_IO; the log says
 * what to do. Not while another thread begins to use libcurl.
 */
enum error depot_open(struct depot **depot_out,
		      const struct depot_options *options);
void depot_close(struct depot *depot); /* NULL is a no-op */

/* Write up to `size` bytes to `out`; *size_out 0: that was all. An error ends
 * the put, which gives it back. */
typedef enum error depot_reader(void *context, char *out, size_t size,
				size_t *size_out);

/* Take the next bytes, not empty; as above. */
typedef enum error depot_sink(void *context, struct slice bytes);

struct depot_item {
	unsigned partition; /* below 1000 */
	uint64_t number;
};

/*
 * ERR_NONE: the snapshot is there, whole, and survives a loss of power as far
 * as the server promises that. ERR_STORE_FULL: the depot or the spool folder
 * has no room; ERR_REFUSED: the server does not accept us, has a certificate
 * that is not trusted, or sends us elsewhere, where nobody follows with a
 * password; ERR_NOT_FOUND: there is no such folder or bucket; ERR_BUSY: another
 * node puts; ERR_TIMEOUT, ERR_NETWORK, ERR_IO; the reader's. The log says what
 * and where.
 */
enum error depot_put(struct depot *depot, struct depot_item item,
		     depot_reader *reader, void *context);

/*
 * Pass all bytes to the sink. Only ERR_NONE says that they were those that were
 * put: with any other error what the sink took is to be dropped. ERR_CORRUPT:
 * they are cut or damaged; ERR_NOT_FOUND: there is no such snapshot (any more);
 * else as above.
 */
enum error depot_get(struct depot *depot, struct depot_item item,
		     depot_sink *sink, void *context);

/* The newest snapshot of the partition whose number is below `below`
 * (UINT64_MAX: any). ERR_NOT_FOUND: there is none; else as above. */
enum error depot_latest(struct depot *depot, unsigned partition, uint64_t below,
			uint64_t *number_out);

/* Drop all snapshots of the partition but the `kept` newest ones. */
enum error depot_keep(struct depot *depot, unsigned partition, size_t kept);

/* The location, for messages: without a password. */
const char *depot_location(const struct depot *depot);

#endif
