/*
 * When nodes were heard of, by our own steady clock: the servers let a lease
 * end by theirs, which somebody may set. Forward, all leases end at once,
 * though their nodes live; back, none does, though its node is gone.
 */
#include "daemon/cluster/cluster_parts.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/runtime/clock.h"
#include "store/memory.h"

enum {
	SILENT_LEASES = 2, /* in which a node that lives has renewed its own */
	KEPT_LEASES = 4,   /* after it was heard of last */
	STEPS = 4,         /* in a lease: what is counted of a pause of ours */
};

static struct sighting *find(const struct cluster *cluster, const char *name)
{
	for (size_t i = 0; i < cluster->sighting_count; i++)
		if (strcmp(cluster->sightings[i].name, name) == 0)
			return &cluster->sightings[i];
	return NULL;
}

static void add(struct cluster *cluster, const struct bus_row *row)
{
	struct sighting *sighting;

	cluster->sightings = mem_grow(
		cluster->sightings, cluster->sighting_count,
		&cluster->sighting_capacity, sizeof(*cluster->sightings));
	sighting = &cluster->sightings[cluster->sighting_count++];
	*sighting = (struct sighting){.revision = row->revision,
				      .seen_ms = clock_steady_ms()};
	memcpy(sighting->name, row->key,
	       strnlen(row->key, sizeof(sighting->name) - 1));
}

static void forget_old(struct cluster *cluster, uint64_t now_ms)
{
	uint64_t kept_ms =
		(uint64_t)KEPT_LEASES * cluster->options.bus.lease_ms;
	size_t kept = 0;

	for (size_t i = 0; i < cluster->sighting_count; i++)
		if (cluster->sightings[i].looked_ms == now_ms ||
		    now_ms < cluster->sightings[i].seen_ms + kept_ms)
			cluster->sightings[kept++] = cluster->sightings[i];
	cluster->sighting_count = kept;
}

void sightings_note(struct cluster *cluster, const struct bus_row *rows,
		    size_t count)
{
	uint64_t now_ms = clock_steady_ms();
	uint64_t step_ms = cluster->options.bus.lease_ms / STEPS;

	lock_acquire(&cluster->lock);
	if (cluster->sighted_ms == 0)
		cluster->sighted_ms = now_ms;
	for (size_t i = 0; i < count; i++) {
		struct sighting *sighting = find(cluster, rows[i].key);
		uint64_t since_ms;

		if (strlen(rows[i].key) >= NODE_NAME_BYTES)
			continue; /* no node has such a name */
		if (sighting == NULL) {
			add(cluster, &rows[i]);
			sighting = find(cluster, rows[i].key);
			sighting->looked_ms = now_ms;
			continue;
		}
		since_ms = now_ms - sighting->looked_ms;
		sighting->silent_ms += since_ms < step_ms ? since_ms : step_ms;
		sighting->looked_ms = now_ms;
		if (sighting->revision == rows[i].revision)
			continue;
		sighting->revision = rows[i].revision;
		sighting->seen_ms = now_ms;
		sighting->silent_ms = 0;
	}
	forget_old(cluster, now_ms);
	lock_release(&cluster->lock);
}

bool sightings_is_silent(struct cluster *cluster, const struct bus_row *row)
{
	const struct sighting *sighting;
	bool is_silent;

	lock_acquire(&cluster->lock);
	sighting = find(cluster, row->key);
	is_silent =
		sighting != NULL && sighting->revision == row->revision &&
		sighting->silent_ms >=
			(uint64_t)SILENT_LEASES * cluster->options.bus.lease_ms;
	lock_release(&cluster->lock);
	return is_silent;
}

bool sightings_has_ended(struct cluster *cluster, const char *name)
{
	const struct sighting *sighting;
	uint64_t seen_ms;

	lock_acquire(&cluster->lock);
	sighting = find(cluster, name);
	seen_ms = sighting != NULL ? sighting->seen_ms : cluster->sighted_ms;
	lock_release(&cluster->lock);
	return clock_steady_ms() >= seen_ms + cluster->options.bus.lease_ms;
}
