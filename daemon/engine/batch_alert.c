/* Hooks and their deliveries, silences and acknowledgements. */
#include "daemon/engine/batch.h"

#include "base/redaction.h"
#include "daemon/engine/alert_change.h"
#include "store/journal.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows_event.h"
#include "store/rows_hook.h"
#include "store/sealed.h"

/* Return whether a table may have one more row. */
static bool commit_table_has_room(struct commit *batch, enum table table,
				  size_t max)
{
	struct scan scan = scan_begin(batch->txn, table, slice_of(""));
	size_t count = 0;

	while (count < max && scan_next(&scan))
		count++;
	scan_end(&scan);
	return count < max;
}

static enum error commit_add_hook(struct commit *batch,
				  struct alert_change *alert)
{
	struct buffer target = {0};
	struct buffer secret = {0};
	struct hook_row row = {
		.created_ms = batch->now_ms,
		.host = alert->hook.host,
		.kinds = alert->hook.kinds,
	};

	if (!txn_may_store_secret_text(batch->txn, redact_target,
				       alert->hook.target) ||
	    !txn_may_store_secret_text(batch->txn, redact_all,
				       alert->hook.secret))
		return ERR_NO_ENCRYPTION_KEY;
	if (!commit_table_has_room(batch, TABLE_HOOKS,
				   batch->options->max_hooks))
		return ERR_BUSY;
	journal_collect_hooks(batch->txn);
	alert->made = store_next_number(batch->txn, "hook");
	txn_store_secret_text(batch->txn, redact_target, alert->hook.target,
			      &target);
	txn_store_secret_text(batch->txn, redact_all, alert->hook.secret,
			      &secret);
	row.target = buffer_slice(&target);
	row.secret = buffer_slice(&secret);
	hook_row_put(batch->txn, (uint32_t)alert->made, &row);
	buffer_free(&target);
	buffer_free(&secret);
	subscriptions_reset(batch->audience);
	return ERR_NONE;
}

static enum error delete_hook(struct commit *batch, uint32_t hook)
{
	struct key key = key_small(hook);
	struct journal *journal;
	struct hook_row row;

	if (!hook_row_get(batch->txn, hook, &row))
		return ERR_NOT_FOUND;
	txn_drop_secret_text(batch->txn, row.target);
	txn_drop_secret_text(batch->txn, row.secret);
	/*
	 * a follower deletes the rows of all partitions together with the hook
	 */
	journal = journal_end(batch->txn);
	txn_delete_prefix(batch->txn, TABLE_OUTBOX, key_slice(&key));
	journal_resume(journal, batch->txn);
	journal_collect_hooks(batch->txn);
	txn_delete(batch->txn, TABLE_HOOKS, key_slice(&key));
	subscriptions_reset(batch->audience);
	return ERR_NONE;
}

static enum error test_hook(struct commit *batch, struct alert_change *alert)
{
	uint32_t hook = (uint32_t)alert->number;
	struct event_row event = {
		.time_ms = batch->now_ms,
		.kind = EVENT_HOOK_TEST,
	};
	struct buffer detail = {0};
	struct hook_row row;

	if (!hook_row_get(batch->txn, hook, &row))
		return ERR_NOT_FOUND;
	buffer_printf(&detail, "{\"hook\":%u}", (unsigned)hook);
	event.host = row.host;
	event.detail = buffer_slice(&detail);
	alert->made = event_add(batch->txn, &event);
	buffer_free(&detail);
	commit_queue_event(batch, hook, alert->made);
	if (!hook_row_get(batch->txn, hook, &row))
		return ERR_NOT_FOUND;
	row.next_ms = 0;
	row.failures = 0;
	hook_row_put(batch->txn, hook, &row);
	return ERR_NONE;
}

/*
 * Delete delivered events from the outbox. Return how many of them this node
 * owns; another owner delivers the others again.
 */
static uint32_t delete_delivered(struct commit *batch,
				 const struct hook_report *report)
{
	uint32_t count = 0;

	for (size_t i = 0; i < report->number_count; i++) {
		uint64_t number = report->numbers[i];
		struct key key = key_outbox(report->hook, number);

		if (!store_owns_event(batch->txn->store, number) ||
		    txn_get(batch->txn, TABLE_OUTBOX, key_slice(&key)).data ==
			    NULL)
			continue;
		txn_delete(batch->txn, TABLE_OUTBOX, key_slice(&key));
		count++;
	}
	return count;
}

/* Apply the report of a delivery, unless the hook was deleted. */
static void commit_apply_hook_report(struct commit *batch,
				     const struct hook_report *report)
{
	struct hook_row row;
	uint32_t gone = 0;

	if (report->number_count > 0)
		gone = delete_delivered(batch, report);
	if (!hook_row_get(batch->txn, report->hook, &row))
		return;
	if (report->number_count > 0)
		row.delivered_ms = report->delivered_ms;
	row.waiting = row.waiting > gone ? row.waiting - gone : 0;
	row.delivered += report->number_count;
	row.next_ms = report->next_ms;
	row.failures = report->failures;
	row.http_status = report->http_status;
	row.error = report->error;
	hook_row_put(batch->txn, report->hook, &row);
}

static enum error commit_acknowledge_event(struct commit *batch,
					   uint64_t number)
{
	struct event_row row;

	if (!store_owns_event(batch->txn->store, number))
		return ERR_NOT_OWNER;
	if (!event_get(batch->txn, number, &row))
		return ERR_NOT_FOUND;
	row.flags |= EVENT_IS_ACKED;
	event_put(batch->txn, number, &row);
	return ERR_NONE;
}

/*
 * Add a silence for events like this one: of the same template or guard. A new
 * template has only one event, so its silence covers the whole site.
 */
static enum error commit_add_silence(struct commit *batch,
				     struct alert_change *alert)
{
	struct event_row event = alert->event;
	bool is_here = event.host.size == 0;
	struct silence_row rule;

	if (!commit_table_has_room(batch, TABLE_SILENCES,
				   batch->options->max_silences))
		return ERR_BUSY;
	alert->made = store_next_number(batch->txn, "silence");
	if (is_here && !event_get(batch->txn, alert->number, &event))
		return ERR_NOT_FOUND;
	rule = (struct silence_row){
		.created_ms = batch->now_ms,
		.kind = event.kind,
		.cluster = event.cluster,
		.guard = event.guard,
		.event = alert->number,
		.host = event.host,
	};
	if (event.guard != 0 || event.kind == EVENT_TEMPLATE_NEW)
		rule.cluster = 0;
	silence_row_put(batch->txn, (uint32_t)alert->made, &rule);
	subscriptions_reset(batch->audience);
	return is_here ? commit_acknowledge_event(batch, alert->number)
		       : ERR_NONE;
}

static enum error delete_silence(struct commit *batch, uint32_t number)
{
	struct key key = key_small(number);
	struct silence_row row;

	if (!silence_row_get(batch->txn, number, &row))
		return ERR_NOT_FOUND;
	txn_delete(batch->txn, TABLE_SILENCES, key_slice(&key));
	subscriptions_reset(batch->audience);
	return ERR_NONE;
}

/* Return whether only the owner of the common partition may do this. */
static bool alert_action_is_common(enum alert_change_action action)
{
	return action != HOOKS_REPORT && action != EVENT_ACK;
}

enum error commit_alerts(struct commit *batch, struct change *change)
{
	struct alert_change *alert = change->alert;

	if (alert_action_is_common(alert->action) &&
	    !store_owns(batch->txn->store, JOURNAL_COMMON))
		return ERR_NOT_OWNER;
	switch (alert->action) {
	case HOOK_ADD:
		return commit_add_hook(batch, alert);
	case HOOK_DELETE:
		return delete_hook(batch, (uint32_t)alert->number);
	case HOOK_TEST:
		return test_hook(batch, alert);
	case HOOKS_REPORT:
		for (size_t i = 0; i < alert->report_count; i++)
			commit_apply_hook_report(batch, &alert->reports[i]);
		return ERR_NONE;
	case EVENT_ACK:
		return commit_acknowledge_event(batch, alert->number);
	case EVENT_SILENCE:
		return commit_add_silence(batch, alert);
	case SILENCE_DELETE:
		return delete_silence(batch, (uint32_t)alert->number);
	}
	return ERR_MALFORMED;
}
