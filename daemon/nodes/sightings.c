#include "daemon/nodes/sightings.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
	SILENT_LEASES =
		2,       /* within which a living node has renewed its lease */
	KEPT_LEASES = 4, /* how long a sighting is stored */
	STEPS = 4, /* steps per lease: a longer gap in our observation counts as
		      one step */
};

static struct failure_detector_item *
failure_detector_find(const struct failure_detector *sightings,
		      const char *name)
{
	for (size_t i = 0; i < sightings->count; i++)
		if (strcmp(sightings->items[i].name, name) == 0)
			return &sightings->items[i];
	return NULL;
}

static void failure_detector_add(struct failure_detector *sightings,
				 const struct broker_row *row, uint64_t now_ms)
{
	struct failure_detector_item sighting = {
		.revision = row->revision,
		.seen_ms = now_ms,
		.looked_ms = now_ms,
	};

	memcpy(sighting.name, row->key, strlen(row->key));
	sightings->items = mem_grow(sightings->items, sightings->count,
				    &sightings->capacity, sizeof(sighting));
	sightings->items[sightings->count++] = sighting;
}

static void see_again(struct failure_detector *sightings,
		      struct failure_detector_item *sighting,
		      const struct broker_row *row, uint64_t now_ms)
{
	uint64_t step_ms = sightings->lease_ms / STEPS;
	uint64_t since_ms = now_ms - sighting->looked_ms;

	sighting->silent_ms += since_ms < step_ms ? since_ms : step_ms;
	sighting->looked_ms = now_ms;
	if (sighting->revision == row->revision)
		return;
	sighting->revision = row->revision;
	sighting->seen_ms = now_ms;
	sighting->silent_ms = 0;
}

static void forget_old(struct failure_detector *sightings, uint64_t now_ms)
{
	uint64_t kept_ms = KEPT_LEASES * sightings->lease_ms;
	size_t kept = 0;

	for (size_t i = 0; i < sightings->count; i++)
		if (now_ms < sightings->items[i].looked_ms + kept_ms)
			sightings->items[kept++] = sightings->items[i];
	sightings->count = kept;
}

void failure_detector_note(struct failure_detector *sightings,
			   const struct broker_row *rows, size_t count,
			   uint64_t now_ms)
{
	if (now_ms > sightings->looked_ms + sightings->lease_ms / STEPS)
		sightings->since_ms = now_ms;
	sightings->looked_ms = now_ms;
	for (size_t i = 0; i < count; i++) {
		struct failure_detector_item *known =
			failure_detector_find(sightings, rows[i].key);

		if (known != NULL)
			see_again(sightings, known, &rows[i], now_ms);
		else if (strlen(rows[i].key) < NODE_NAME_BYTES)
			failure_detector_add(sightings, &rows[i], now_ms);
	}
	forget_old(sightings, now_ms);
}

bool failure_detector_is_silent(const struct failure_detector *sightings,
				const struct broker_row *row)
{
	const struct failure_detector_item *sighting =
		failure_detector_find(sightings, row->key);

	return sighting != NULL && sighting->revision == row->revision &&
	       sighting->silent_ms >= SILENT_LEASES * sightings->lease_ms;
}

bool failure_detector_has_expired(const struct failure_detector *sightings,
				  const char *name, uint64_t now_ms)
{
	const struct failure_detector_item *sighting =
		failure_detector_find(sightings, name);
	uint64_t seen_ms = sightings->since_ms;

	if (sighting != NULL && sighting->seen_ms > seen_ms)
		seen_ms = sighting->seen_ms;
	return now_ms >= seen_ms + sightings->lease_ms;
}

void failure_detector_free(struct failure_detector *sightings)
{
	free(sightings->items);
}
