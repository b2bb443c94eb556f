/*
 * daemon/nodes/depot_kind.h - the operations that each kind of snapshot store
 * implements. Internal to the snapshot store.
 */
#ifndef DAEMON_NODES_DEPOT_KIND_H
#define DAEMON_NODES_DEPOT_KIND_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/nodes/depot.h"

enum {
	SNAPSHOT_STORE_MAX_ITEMS = 64,
	SNAPSHOT_STORE_DIGEST_BYTES = 32,
	SNAPSHOT_STORE_NAME_BYTES = 64
};

/* Numbers of snapshots, ascending; only the newest if there are more. */
struct snapshot_store_list {
	uint64_t numbers[SNAPSHOT_STORE_MAX_ITEMS];
	size_t count;
};

/* The complete content that was written to the file of begin(). */
struct snapshot_store_body {
	int file;
	uint64_t size; /* size in bytes */
	unsigned char sha256[SNAPSHOT_STORE_DIGEST_BYTES];
};

struct snapshot_store_ops {
	/* Create a file for the snapshot; commit() or abandon() closes it. */
	enum error (*begin)(void *place, struct snapshot_store_item item,
			    int *file_out);
	enum error (*commit)(void *place, struct snapshot_store_item item,
			     const struct snapshot_store_body *body);
	void (*abandon)(void *place, struct snapshot_store_item item);
	enum error (*fetch)(void *place, struct snapshot_store_item item,
			    snapshot_store_sink *sink, void *context);
	/* List the snapshots. An empty list is not an error. */
	enum error (*list)(void *place, unsigned partition,
			   struct snapshot_store_list *list_out);
	enum error (*drop)(void *place, unsigned partition,
			   const struct snapshot_store_list *gone);
	void (*close)(void *place);
};

/* Open a snapshot store of each kind; see snapshot_store_open(). */
enum error
snapshot_store_folder_open(void **place_out,
			   const struct snapshot_store_options *options);
enum error
snapshot_store_http_open(void **place_out,
			 const struct snapshot_store_options *options);
extern const struct snapshot_store_ops depot_folder_kind;
extern const struct snapshot_store_ops depot_http_kind;

/* Insert the number in order; drop the oldest if the list is full. */
void snapshot_store_list_add(struct snapshot_store_list *list, uint64_t number);

#endif
