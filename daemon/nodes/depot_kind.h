/*
 * daemon/nodes/depot_kind.h - the operations that each kind of snapshot store
 * implements. Internal to the snapshot store.
 */
#ifndef DAEMON_NODES_DEPOT_KIND_H
#define DAEMON_NODES_DEPOT_KIND_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/nodes/depot.h"

enum { DEPOT_MAX_ITEMS = 64, DEPOT_DIGEST_BYTES = 32, DEPOT_NAME_BYTES = 64 };

/* Numbers of snapshots, ascending; only the newest if there are more. */
struct depot_list {
	uint64_t numbers[DEPOT_MAX_ITEMS];
	size_t count;
};

/* The complete content that was written to the file of begin(). */
struct depot_body {
	int file;
	uint64_t size; /* size in bytes */
	unsigned char sha256[DEPOT_DIGEST_BYTES];
};

struct depot_kind {
	/* Create a file for the snapshot; commit() or abandon() closes it. */
	enum error (*begin)(void *place, struct depot_item item, int *file_out);
	enum error (*commit)(void *place, struct depot_item item,
			     const struct depot_body *body);
	void (*abandon)(void *place, struct depot_item item);
	enum error (*fetch)(void *place, struct depot_item item,
			    depot_sink *sink, void *context);
	/* List the snapshots. An empty list is not an error. */
	enum error (*list)(void *place, unsigned partition,
			   struct depot_list *list_out);
	enum error (*drop)(void *place, unsigned partition,
			   const struct depot_list *gone);
	void (*close)(void *place);
};

/* Open a snapshot store of each kind; see depot_open(). */
enum error depot_folder_open(void **place_out,
			     const struct depot_options *options);
enum error depot_http_open(void **place_out,
			   const struct depot_options *options);
extern const struct depot_kind depot_folder_kind;
extern const struct depot_kind depot_http_kind;

/* Insert the number in order; drop the oldest if the list is full. */
void depot_list_add(struct depot_list *list, uint64_t number);

#endif
