/*
 * daemon/nodes/depot_manifest.h - the list of a partition's snapshots on a
 * server: a small file next to them, because not every server can list. One
 * line each:
 *
 *         templated snapshots 1
 *         + 0000000012345678.8c2f6ab01d3e5f79.tpl
 *         - 0000000012399999.00a1b2c3d4e5f607.tpl
 *
 * The log number is followed by a random number, so that no name is written
 * twice. '-' marks a file that is being written, or whose writer was killed.
 */
#ifndef DAEMON_NODES_DEPOT_MANIFEST_H
#define DAEMON_NODES_DEPOT_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"

enum {
	SNAPSHOT_STORE_MANIFEST_ROWS = 64,
	SNAPSHOT_STORE_MANIFEST_BYTES = 8192, /* maximum size of the file */
	SNAPSHOT_STORE_FILE_BYTES = 48,       /* size of a name, with NUL */
};

struct snapshot_store_row {
	uint64_t number;
	uint64_t random;
	bool is_whole;
};

struct snapshot_store_manifest {
	struct snapshot_store_row
		rows[SNAPSHOT_STORE_MANIFEST_ROWS]; /* [count], in the order of
				     the file */
	size_t count;
};

/* ERR_CORRUPT: the text is not a manifest. */
enum error
snapshot_store_manifest_parse(struct slice text,
			      struct snapshot_store_manifest *manifest_out);

/* Append the text of the manifest. */
void snapshot_store_manifest_write(
	const struct snapshot_store_manifest *manifest, struct buffer *out);

/* Add a row; false if the manifest is full. */
bool snapshot_store_manifest_add(struct snapshot_store_manifest *manifest,
				 struct snapshot_store_row row);
void snapshot_store_manifest_remove(struct snapshot_store_manifest *manifest,
				    size_t index);

/* Return the row of that file, or NULL. */
struct snapshot_store_row *
snapshot_store_manifest_find(struct snapshot_store_manifest *manifest,
			     struct snapshot_store_row row);

/* "0000000012345678.8c2f6ab01d3e5f79.tpl" */
void snapshot_store_row_name(const struct snapshot_store_row *row,
			     char out[SNAPSHOT_STORE_FILE_BYTES]);

#endif
