/*
 * daemon/nodes/membership.h - when the leases of nodes were renewed, by our
 * own steady clock.
 *
 * The servers expire leases by their clocks, which an operator may set. After a
 * step forward all leases expire together although the nodes live; after a step
 * back no lease expires although a node has failed. These functions do not
 * lock.
 */
#ifndef DAEMON_NODES_MEMBERSHIP_H
#define DAEMON_NODES_MEMBERSHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/nodes/broker.h"
#include "daemon/nodes/nodes.h"

struct failure_detector_item {
	char name[NODE_NAME_BYTES];
	uint64_t revision;
	uint64_t seen_ms;   /* when it appeared or was renewed */
	uint64_t looked_ms; /* when it was last seen */
	uint64_t silent_ms; /* observed time without a renewal */
};

struct failure_detector {
	uint64_t lease_ms;
	uint64_t since_ms;  /* start of the current observation without a gap; 0
			       = not started */
	uint64_t looked_ms; /* last observation */
	struct failure_detector_item *items; /* [count] */
	size_t count;
	size_t capacity;
};

/* Note all current leases: the key is the node's name. */
void failure_detector_note(struct failure_detector *sightings,
			   const struct broker_row *rows, size_t count,
			   uint64_t now_ms);

/*
 * Return whether this existing lease was not renewed for two lease durations
 * while we observed it: its node has failed long ago.
 */
bool failure_detector_is_silent(const struct failure_detector *sightings,
				const struct broker_row *row);

/*
 * Return whether the lease of a node, which has no row, has expired by our
 * clock too: its last renewal is one lease ago, and we have observed without a
 * gap since.
 */
bool failure_detector_has_expired(const struct failure_detector *sightings,
				  const char *name, uint64_t now_ms);

void failure_detector_free(struct failure_detector *sightings);

#endif
