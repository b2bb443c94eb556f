/* Write events and queue them for hooks. */
#include "daemon/engine/batch.h"

#include <inttypes.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/query/event_kinds.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows_event.h"
#include "store/rows_hook.h"

enum { MAX_FORGOTTEN = 8 /* rows deleted per new row */ };

/* Log one line for each power of two. */
static void log_dropped(uint32_t hook, uint64_t before, uint64_t after)
{
	if ((before ^ after) > before)
		log_warn_limited("hook %" PRIu32 ": the queue is full "
				 "(hooks.max_queued_events); %" PRIu64
				 " events dropped, oldest first",
				 hook, after);
}

/* Drop the oldest events to make room for one more. */
static void hook_queue_drop_oldest(struct commit *batch, uint32_t hook,
				   struct hook_row *row)
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
		if (!store_owns_event(batch->txn->store,
				      key_u64(scan.key, sizeof(hook))))
			continue;
		scan_delete(&scan);
		row->waiting--;
		row->dropped++;
	}
	scan_end(&scan);
	log_dropped(hook, before, row->dropped);
}

void commit_queue_event(struct commit *batch, uint32_t hook, uint64_t number)
{
	struct hook_row room;
	struct hook_row row;
	struct event_row event;

	/* read the row again, because a write invalidates LMDB's memory */
	if (!hook_row_get(batch->txn, hook, &room))
		return;
	hook_queue_drop_oldest(batch, hook, &room);
	if (event_get(batch->txn, number, &event))
		outbox_put(batch->txn, hook, number, &event);
	if (!hook_row_get(batch->txn, hook, &row))
		return;
	row.dropped = room.dropped;
	row.waiting = room.waiting + 1;
	hook_row_put(batch->txn, hook, &row);
}

void commit_event(struct commit *batch, const struct site *site,
		  const struct event_row *event)
{
	struct event_subscriptions *audience = batch->audience;
	struct event_row row = *event;
	bool is_silenced;
	uint64_t number;

	row.time_ms = batch->now_ms;
	row.host = site->row.host;
	subscriptions_read(audience, batch->txn);
	is_silenced = subscriptions_silence(audience, &row);
	if (is_silenced)
		row.flags |= EVENT_IS_SILENCED;
	number = event_add(batch->txn, &row);
	for (size_t i = 0; i < audience->wish_count && !is_silenced; i++)
		if (hook_filter_matches(&audience->wishes[i], &row))
			commit_queue_event(batch, audience->wishes[i].hook,
					   number);
}
