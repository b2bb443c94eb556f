#include "daemon/api/event_tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "daemon/query/event_kinds.h"
#include "store/key.h"
#include "store/rows_event.h"

/* The counts up to an event. */
struct event_snapshot {
	uint64_t last; /* number of the last event read */
	uint64_t events[EVENT_KINDS];
	struct buffer open; /* uint64_t: numbers of alerts, ascending */
};

struct event_counters {
	struct store *store;
	uint64_t first;   /* first event to count */
	struct lock lock; /* guards the members below */
	struct event_snapshot known;
};

static uint64_t last_of(struct store *store)
{
	struct txn txn = txn_begin_read(store);
	uint64_t number = store_last_number(&txn, "event");

	txn_abort(&txn);
	return number;
}

struct event_counters *event_counters_create(struct store *store)
{
	struct event_counters *tally = mem_alloc(1, sizeof(*tally));

	tally->store = store;
	tally->first = last_of(store) + 1;
	lock_init(&tally->lock, LOCK_EVENT_COUNTERS);
	return tally;
}

void event_counters_destroy(struct event_counters *tally)
{
	if (tally == NULL)
		return;
	lock_destroy(&tally->lock);
	buffer_free(&tally->known.open);
	free(tally);
}

static size_t count_open(const struct event_snapshot *known)
{
	return known->open.size / sizeof(uint64_t);
}

static struct event_snapshot event_counters_copy(struct event_counters *tally)
{
	struct event_snapshot known;

	lock_acquire(&tally->lock);
	known = tally->known;
	known.open = (struct buffer){0};
	buffer_append(&known.open, tally->known.open.data,
		      tally->known.open.size);
	lock_release(&tally->lock);
	return known;
}

/*
 * Store `known`, unless another thread has read more events meanwhile. Takes
 * ownership.
 */
static void event_counters_publish(struct event_counters *tally,
				   struct event_snapshot *known)
{
	struct event_snapshot old = *known;

	lock_acquire(&tally->lock);
	if (known->last >= tally->known.last) {
		old = tally->known;
		tally->known = *known;
	}
	lock_release(&tally->lock);
	buffer_free(&old.open);
}

static void read_new(struct event_snapshot *known, struct txn *txn,
		     uint64_t first)
{
	struct key from = key_number(known->last + 1);
	struct scan scan =
		scan_begin_at(txn, TABLE_EVENTS, key_slice(&from), 0);
	struct event_row row;

	while (scan_next(&scan)) {
		uint64_t number = key_u64(scan.key, 0);

		known->last = number;
		if (!event_decode(scan.value, &row) || row.kind >= EVENT_KINDS)
			continue;
		known->events[row.kind] += number >= first;
		if (event_kind_is_alert(row.kind) &&
		    count_open(known) < MAX_OPEN_ALERTS)
			buffer_append(&known->open, &number, sizeof(number));
	}
	scan_end(&scan);
}

/* Drop the alerts that are no longer open, and count the others. */
static void count_alerts(struct event_snapshot *known, struct txn *txn,
			 uint64_t *open_alerts)
{
	uint64_t *numbers = (uint64_t *)(void *)known->open.data;
	size_t count = count_open(known);
	size_t kept = 0;
	struct event_row row;

	for (size_t i = 0; i < count; i++) {
		if (!event_get(txn, numbers[i], &row) ||
		    row.kind >= EVENT_KINDS ||
		    (row.flags & (EVENT_IS_ACKED | EVENT_IS_SILENCED)) != 0)
			continue;
		open_alerts[row.kind]++;
		numbers[kept++] = numbers[i];
	}
	known->open.size = kept * sizeof(uint64_t);
}

enum error event_counters_read(struct event_counters *tally,
			       struct event_counts *counts_out)
{
	struct event_snapshot known = event_counters_copy(tally);
	struct txn txn = txn_begin_read(tally->store);
	enum error error;

	*counts_out = (struct event_counts){0};
	read_new(&known, &txn, tally->first);
	count_alerts(&known, &txn, counts_out->open_alerts);
	memcpy(counts_out->events, known.events, sizeof(known.events));
	error = txn_end(&txn);
	if (error == ERR_NONE)
		event_counters_publish(tally, &known);
	else
		buffer_free(&known.open);
	return error;
}
