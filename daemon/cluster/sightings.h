/*
 * daemon/cluster/sightings.h - when the leases of nodes were renewed, by our
 * own steady clock.
 *
 * The servers let a lease end by their clocks, which somebody may set: forward,
 * and all leases end at once, though their nodes live; back, and none does,
 * though its node is gone. Nothing here locks.
 */
#ifndef DAEMON_CLUSTER_SIGHTINGS_H
#define DAEMON_CLUSTER_SIGHTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/bus/bus.h"
#include "daemon/cluster/cluster.h"

struct sighting {
	char name[NODE_NAME_BYTES];
	uint64_t revision;
	uint64_t seen_ms;   /* it came, or was renewed */
	uint64_t looked_ms; /* it was there */
	uint64_t silent_ms; /* it was not renewed, as long as we looked */
};

struct sightings {
	uint64_t lease_ms;
	uint64_t since_ms;      /* we look without a gap; 0: not yet */
	uint64_t looked_ms;     /* the last time */
	struct sighting *items; /* [count] */
	size_t count;
	size_t capacity;
};

/* The leases that are there now, all of them: the key is the node's name. */
void sightings_note(struct sightings *sightings, const struct bus_row *rows,
		    size_t count, uint64_t now_ms);

/* Whether this lease, which is there, was not renewed for two leases while we
 * looked: its node has ended it long since. */
bool sightings_is_silent(const struct sightings *sightings,
			 const struct bus_row *row);

/* Whether the lease of a node, which is not there, has ended by our clock, too:
 * it was renewed a lease ago, and since then we have looked without a gap. */
bool sightings_has_ended(const struct sightings *sightings, const char *name,
			 uint64_t now_ms);

void sightings_free(struct sightings *sightings);

#endif
