/* An event is written, and waits for those who are to be told. */
#include "daemon/engine/batch.h"

#include <inttypes.h>
#include <stdlib.h>

#include "daemon/answer/event_kinds.h"
#include "store/key.h"
#include "store/log.h"
#include "store/memory.h"
#include "store/rows_hook.h"

enum { MAX_FORGOTTEN = 8 /* rows that make room for a new one */ };

/* Does the rule, all of whose parts but those that are 0 must agree, hold? */
static bool matches_silence(const struct silence_row *silence,
			    const struct event_row *event)
{
	return silence->kind == event->kind &&
	       slice_equal(silence->host, event->host) &&
	       (silence->cluster == 0 || silence->cluster == event->cluster) &&
	       (silence->guard == 0 || silence->guard == event->guard);
}

static bool is_silenced(struct batch *batch, const struct event_row *event)
{
	struct scan scan = scan_begin(batch->txn, TABLE_SILENCES, slice_of(""));
	struct silence_row silence;
	bool is_found = false;

	while (!is_found && scan_next(&scan))
		is_found = silence_row_decode(scan.value, &silence) &&
			   matches_silence(&silence, event);
	scan_end(&scan);
	return is_found;
}

static bool wants(const struct hook_row *hook, const struct event_row *event)
{
	struct slice wrong;
	kind_set kinds;

	if (hook->host.size > 0 && !slice_equal(hook->host, event->host))
		return false;
	if (hook->kinds.size == 0)
		return event_kind_is_alert(event->kind);
	return kinds_read(hook->kinds, &kinds, &wrong) &&
	       kinds_have(kinds, event->kind);
}

/* The hooks that want the event: [count]; free() them. */
static uint32_t *find_hooks(struct batch *batch, const struct event_row *event,
			    size_t *count_out)
{
	struct scan scan = scan_begin(batch->txn, TABLE_HOOKS, slice_of(""));
	struct hook_row hook;
	uint32_t *hooks = NULL;
	size_t capacity = 0;

	*count_out = 0;
	while (scan_next(&scan)) {
		if (!hook_row_decode(scan.value, &hook) || !wants(&hook, event))
			continue;
		hooks = mem_grow(hooks, *count_out, &capacity, sizeof(*hooks));
		hooks[(*count_out)++] = key_u32(scan.key, 0);
	}
	scan_end(&scan);
	return hooks;
}

/* A line for each power of two. */
static void log_dropped(uint32_t hook, uint64_t before, uint64_t after)
{
	if ((before ^ after) > before)
		log_warn("hook %" PRIu32 ": too many events wait "
			 "(delivery.max_waiting): %" PRIu64
			 " dropped, the oldest first",
			 hook, after);
}

/* Make room for one more: the oldest go. */
static void make_room(struct batch *batch, uint32_t hook, struct hook_row *row)
{
	uint64_t max = batch->options->max_waiting;
	uint64_t before = row->dropped;
	struct key prefix = key_small(hook);
	struct scan scan;

	if (row->waiting < max)
		return;
	scan = scan_begin(batch->txn, TABLE_OUTBOX, key_slice(&prefix));
	for (int i = 0;
	     i < MAX_FORGOTTEN && row->waiting >= max && scan_next(&scan);
	     i++) {
		scan_delete(&scan);
		row->waiting--;
		row->dropped++;
	}
	scan_end(&scan);
	log_dropped(hook, before, row->dropped);
}

void batch_queue(struct batch *batch, uint32_t hook, uint64_t number)
{
	struct hook_row room;
	struct hook_row row;
	struct event_row event;

	/* each is read again, because a write moves what was read */
	if (!hook_row_get(batch->txn, hook, &room))
		return;
	make_room(batch, hook, &room);
	if (event_get(batch->txn, number, &event))
		outbox_put(batch->txn, hook, number, &event);
	if (!hook_row_get(batch->txn, hook, &row))
		return;
	row.dropped = room.dropped;
	row.waiting = room.waiting + 1;
	hook_row_put(batch->txn, hook, &row);
}

void batch_event(struct batch *batch, const struct site *site,
		 const struct event_row *event)
{
	struct event_row row = *event;
	uint32_t *hooks = NULL;
	size_t count = 0;
	uint64_t number;

	row.time_ms = batch->now_ms;
	row.host = site->row.host;
	if (is_silenced(batch, &row))
		row.flags |= EVENT_IS_SILENCED;
	else
		hooks = find_hooks(batch, &row, &count);
	number = event_add(batch->txn, &row);
	for (size_t i = 0; i < count; i++)
		batch_queue(batch, hooks[i], number);
	free(hooks);
}
