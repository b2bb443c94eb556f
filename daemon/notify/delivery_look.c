/* Read the hooks and their next events from the store. */
#include "daemon/notify/delivery_parts.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/query/event_json.h"
#include "daemon/runtime/clock.h"
#include "store/journal.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/sealed.h"

void hook_queue_destroy(struct hook_queue *outlet)
{
	buffer_free(&outlet->target);
	buffer_free(&outlet->secret);
	buffer_free(&outlet->sealed_target);
	buffer_free(&outlet->sealed_secret);
	buffer_free(&outlet->body);
	buffer_free(&outlet->site);
	free(outlet);
}

static void hook_queue_set_text(struct buffer *out, struct slice text)
{
	buffer_clear(out);
	buffer_append_slice(out, text);
	buffer_append_text(out, ""); /* adds a NUL */
}

/* Return false if the text can no longer be decrypted. */
static bool open_text(const struct delivery *delivery, struct buffer *out,
		      struct slice sealed)
{
	buffer_append_text(out, "");
	return secret_text_read(delivery->store, sealed, out);
}

static struct hook_queue *hook_queue_create(const struct delivery *delivery,
					    uint32_t hook,
					    const struct hook_row *row)
{
	struct hook_queue *outlet = mem_alloc(1, sizeof(*outlet));

	outlet->hook = hook;
	outlet->report.hook = hook;
	outlet->is_current = true;
	buffer_append_slice(&outlet->sealed_target, row->target);
	buffer_append_slice(&outlet->sealed_secret, row->secret);
	outlet->is_locked =
		!open_text(delivery, &outlet->target, row->target) ||
		!open_text(delivery, &outlet->secret, row->secret);
	return outlet;
}

/* Insert the outlet at the index, before those with larger numbers. */
static void hook_queue_insert(struct delivery *delivery, size_t index,
			      struct hook_queue *outlet)
{
	lock_acquire(&delivery->lock);
	delivery->outlets = mem_grow(delivery->outlets, delivery->outlet_count,
				     &delivery->outlet_capacity,
				     sizeof(struct hook_queue *));
	memmove(delivery->outlets + index + 1, delivery->outlets + index,
		(delivery->outlet_count - index) * sizeof(struct hook_queue *));
	delivery->outlets[index] = outlet;
	delivery->outlet_count++;
	lock_release(&delivery->lock);
}

/* Return whether the outlet was created from this row of its hook. */
static bool is_of_row(const struct hook_queue *outlet,
		      const struct hook_row *row)
{
	return !outlet->is_replaced &&
	       slice_equal(buffer_slice(&outlet->sealed_target), row->target) &&
	       slice_equal(buffer_slice(&outlet->sealed_secret), row->secret);
}

/*
 * The hook at the index has another row: its number was used again, or another
 * node has copied the hook to this node. Replace its outlet. If the outlet is
 * in use, replace it later and ignore its results; return NULL then.
 */
static struct hook_queue *hook_queue_replace(struct delivery *delivery,
					     size_t index,
					     const struct hook_row *row)
{
	struct hook_queue *outlet = delivery->outlets[index];
	struct hook_queue *next;
	bool is_in_use;

	lock_acquire(&delivery->lock);
	outlet->is_replaced = true;
	outlet->has_news = false; /* prevents a new save */
	is_in_use = outlet->is_running || outlet->is_saving;
	lock_release(&delivery->lock);
	if (is_in_use)
		return NULL;
	next = hook_queue_create(delivery, outlet->hook, row);
	lock_acquire(&delivery->lock);
	delivery->outlets[index] = next;
	lock_release(&delivery->lock);
	hook_queue_destroy(outlet);
	return next;
}

/*
 * Return the outlet of the hook: from the ascending list, starting at `*next`,
 * or a new one. Hooks are added and removed in any order when another node
 * copies them. Return NULL if the outlet cannot be used yet.
 */
static struct hook_queue *hook_queue_find(struct delivery *delivery,
					  size_t *next, uint32_t hook,
					  const struct hook_row *row)
{
	struct hook_queue *outlet;

	while (*next < delivery->outlet_count &&
	       delivery->outlets[*next]->hook < hook)
		++*next;
	if (*next == delivery->outlet_count ||
	    delivery->outlets[*next]->hook != hook) {
		outlet = hook_queue_create(delivery, hook, row);
		hook_queue_insert(delivery, (*next)++, outlet);
		return outlet;
	}
	outlet = delivery->outlets[*next];
	if (!is_of_row(outlet, row))
		outlet = hook_queue_replace(delivery, *next, row);
	++*next;
	return outlet;
}

/*
 * Use the state in the row, which an earlier run or a test has written, unless
 * the state in memory is newer.
 */
static void hook_queue_load_state(struct delivery *delivery,
				  struct hook_queue *outlet,
				  const struct hook_row *row)
{
	if (!outlet->is_current || outlet->is_running)
		return;
	lock_acquire(&delivery->lock);
	outlet->report.next_ms = row->next_ms;
	outlet->report.failures = row->failures;
	outlet->report.http_status = row->http_status;
	snprintf(outlet->error, sizeof(outlet->error), "%.*s",
		 (int)row->error.size,
		 row->error.size == 0 ? "" : (const char *)row->error.data);
	lock_release(&delivery->lock);
}

/* Return whether the event was delivered after the snapshot. */
static bool is_delivered(struct delivery *delivery,
			 const struct hook_queue *outlet, uint64_t number)
{
	const struct hook_report *report = &outlet->report;
	bool is_there = false;

	lock_acquire(&delivery->lock);
	for (size_t i = 0; i < report->number_count; i++)
		is_there |= report->numbers[i] == number;
	lock_release(&delivery->lock);
	return is_there;
}

/* Read an event. Return false if it is damaged; log that once. */
static bool take_event(struct hook_queue *outlet, uint64_t number,
		       struct scan *scan)
{
	struct event_row event;

	if (scan_try(scan) && event_decode(scan->value, &event)) {
		outlet->number = number;
		outlet->kind = event.kind;
		hook_queue_set_text(&outlet->site, event.host);
		event_append(number, &event, &outlet->body);
		return true;
	}
	if (number > outlet->damaged) {
		log_error("hook %" PRIu32 ": event %" PRIu64
			  " is damaged; it is not delivered",
			  outlet->hook, number);
		outlet->damaged = number;
	}
	return false;
}

/*
 * Find the next event to send: the first event of this node's partitions that
 * was not delivered. Few events precede it, except events of other nodes:
 * events are ordered by number, and a newly adopted partition brings old
 * events. If a partition is adopted after the scan has passed its first event,
 * it waits for the next scan, so that this event is not sent after later ones.
 */
static void load_event(struct delivery *delivery, struct txn *txn,
		       struct hook_queue *outlet)
{
	struct key prefix = key_small(outlet->hook);
	struct scan scan = scan_begin(txn, TABLE_OUTBOX, key_slice(&prefix));
	bool is_passed[JOURNAL_PARTITIONS] = {false};
	bool is_found = false;

	assert(!outlet->is_running && outlet->body.size == 0);
	scan.is_keys_only = true;
	while (!is_found && scan_next(&scan)) {
		uint64_t number = key_u64(scan.key, sizeof(outlet->hook));
		unsigned partition =
			store_partition_of_event(delivery->store, number);

		if (partition >= JOURNAL_PARTITIONS)
			continue; /* damaged key */
		if (is_passed[partition] ||
		    !store_owns(delivery->store, partition))
			is_passed[partition] = true;
		else if (!is_delivered(delivery, outlet, number))
			is_found = take_event(outlet, number, &scan);
	}
	scan_end(&scan);
}

/*
 * Return whether the hook waits for its retry. A longer wait than the maximum
 * means that the clock was set back.
 */
static bool is_resting(const struct hook_queue *outlet, uint64_t now_ms)
{
	uint64_t next_ms = outlet->report.next_ms;

	return now_ms < next_ms && next_ms - now_ms <= DELIVERY_MAX_PAUSE_MS;
}

/*
 * Load the next event of each hook again: the last one may now belong to
 * another node, which may have delivered it.
 */
static void look_at_hooks(struct delivery *delivery, struct txn *txn)
{
	struct scan scan = scan_begin(txn, TABLE_HOOKS, slice_of(""));
	uint64_t now_ms = clock_wall_ms();
	struct hook_row row;
	size_t next = 0;

	while (scan_next(&scan)) {
		struct hook_queue *outlet;

		if (!hook_row_decode(scan.value, &row) ||
		    scan.key.size != sizeof(outlet->hook))
			continue; /* damaged row */
		outlet = hook_queue_find(delivery, &next, key_u32(scan.key, 0),
					 &row);
		if (outlet == NULL)
			continue;
		outlet->is_there = true;
		hook_queue_load_state(delivery, outlet, &row);
		if (outlet->is_running)
			continue;
		buffer_clear(&outlet->body);
		if (row.waiting > 0 && !outlet->is_locked &&
		    !is_resting(outlet, now_ms))
			load_event(delivery, txn, outlet);
	}
	scan_end(&scan);
}

void hook_report_drop(struct hook_report *report, size_t count)
{
	assert(count <= report->number_count);
	report->number_count -= count;
	memmove(report->numbers, report->numbers + count,
		report->number_count * sizeof(report->numbers[0]));
}

/*
 * Before the snapshot, note which hooks have no unsaved results. Events that
 * were saved before are not in its outbox.
 */
static void begin_look(struct delivery *delivery)
{
	lock_acquire(&delivery->lock);
	for (size_t i = 0; i < delivery->outlet_count; i++) {
		struct hook_queue *outlet = delivery->outlets[i];

		hook_report_drop(&outlet->report, outlet->saved);
		outlet->saved = 0;
		outlet->is_there = false;
		outlet->is_current = !outlet->has_news && !outlet->is_saving;
	}
	lock_release(&delivery->lock);
}

/* Free the outlets of deleted hooks that are not in use. */
static void hook_queues_drop(struct delivery *delivery)
{
	size_t kept = 0;

	lock_acquire(&delivery->lock);
	for (size_t i = 0; i < delivery->outlet_count; i++) {
		struct hook_queue *outlet = delivery->outlets[i];

		if (outlet->is_there || outlet->is_running || outlet->is_saving)
			delivery->outlets[kept++] = outlet;
		else
			hook_queue_destroy(outlet);
	}
	assert(kept <= delivery->outlet_count);
	delivery->outlet_count = kept;
	lock_release(&delivery->lock);
}

void delivery_load_hooks(struct delivery *delivery)
{
	struct txn txn;
	enum error error;

	begin_look(delivery);
	txn = txn_begin_read(delivery->store);
	look_at_hooks(delivery, &txn);
	error = txn_end(&txn);
	if (error != ERR_NONE)
		log_error("hooks: %s", error_text(error));
	else
		hook_queues_drop(delivery);
}
