#include "daemon/engine/commit_event.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/compress.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/engine/commit.h"
#include "daemon/engine/incident.h"
#include "daemon/engine/render_decision.h"
#include "daemon/query/event.h"
#include "daemon/query/hook_form.h"
#include "store/content.h"
#include "store/encryption.h"
#include "store/journal.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows.h"
#include "template/version_json.h"

static struct slice subscription_copy_text(struct slice text)
{
	return (struct slice){mem_copy_text(text.data, text.size), text.size};
}

static void read_silences(struct event_subscriptions *audience, struct txn *txn)
{
	struct scan scan = scan_begin(txn, TABLE_SILENCES, slice_of(""));
	struct silence_row silence;

	while (scan_next(&scan)) {
		if (!silence_row_decode(scan.value, &silence))
			continue;
		silence.host = subscription_copy_text(silence.host);
		audience->silences =
			mem_grow(audience->silences, audience->silence_count,
				 &audience->silence_capacity, sizeof(silence));
		audience->silences[audience->silence_count++] = silence;
	}
	scan_end(&scan);
}

static void read_wishes(struct event_subscriptions *audience, struct txn *txn)
{
	struct scan scan = scan_begin(txn, TABLE_HOOKS, slice_of(""));
	struct hook_row hook;

	while (scan_next(&scan)) {
		struct hook_filter wish = {.hook = key_u32(scan.key, 0)};
		struct slice wrong;

		if (!hook_row_decode(scan.value, &hook))
			continue;
		wish.is_default = hook.kinds.size == 0;
		if (!wish.is_default &&
		    !kind_set_parse(hook.kinds, &wish.kinds, &wrong))
			continue;
		wish.host = subscription_copy_text(hook.host);
		audience->wishes =
			mem_grow(audience->wishes, audience->wish_count,
				 &audience->wish_capacity, sizeof(wish));
		audience->wishes[audience->wish_count++] = wish;
	}
	scan_end(&scan);
}

void subscriptions_read(struct event_subscriptions *audience, struct txn *txn)
{
	if (audience->is_read)
		return;
	read_silences(audience, txn);
	read_wishes(audience, txn);
	if (txn->error == ERR_NONE)
		audience->is_read = true;
	else
		subscriptions_reset(audience);
}

void subscriptions_reset(struct event_subscriptions *audience)
{
	for (size_t i = 0; i < audience->silence_count; i++)
		free((void *)audience->silences[i].host.data);
	for (size_t i = 0; i < audience->wish_count; i++)
		free((void *)audience->wishes[i].host.data);
	free(audience->silences);
	free(audience->wishes);
	*audience = (struct event_subscriptions){0};
}

/*
 * Return whether the silence matches the event. Fields of the silence that are
 * 0 match everything; all others must be equal.
 */
static bool silence_matches(const struct silence_row *silence,
			    const struct event_row *event)
{
	return silence->kind == event->kind &&
	       (silence->cluster == 0 || silence->cluster == event->cluster) &&
	       (silence->guard == 0 || silence->guard == event->guard) &&
	       slice_equal(silence->host, event->host);
}

bool subscriptions_silence(const struct event_subscriptions *audience,
			   const struct event_row *event)
{
	for (size_t i = 0; i < audience->silence_count; i++)
		if (silence_matches(&audience->silences[i], event))
			return true;
	return false;
}

bool hook_filter_matches(const struct hook_filter *wish,
			 const struct event_row *event)
{
	if (wish->host.size > 0 && !slice_equal(wish->host, event->host))
		return false;
	return wish->is_default ? event_kind_is_alert(event->kind)
				: kind_set_has(wish->kinds, event->kind);
}

/* Functions that write events and queue them for hooks. */

enum { MAX_FORGOTTEN = 8 /* old events deleted for each new event */ };

/* Log when the number of dropped events passes a power of two. */
static void log_dropped(uint32_t hook, uint64_t before, uint64_t after)
{
	if ((before ^ after) > before)
		log_warn_limited("hook %" PRIu32 ": the queue is full "
				 "(hooks.max_queued_events); %" PRIu64
				 " events dropped, oldest first",
				 hook, after);
}

/* Drop the hook's oldest events if its queue has no room for one more. */
static void hook_queue_drop_oldest(struct commit *batch, uint32_t hook,
				   struct hook_row *row)
{
	uint64_t max = batch->options->max_waiting;
	uint64_t before = row->dropped;
	struct scan scan;

	if (row->waiting < max)
		return;
	scan = scan_begin(batch->txn, TABLE_OUTBOX, KEY(key_small(hook)));
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

/*
 * Queue event `number` for the hook. Drop the oldest events if too many are
 * queued.
 */
static void commit_queue_event(struct commit *batch, uint32_t hook,
			       uint64_t number)
{
	struct hook_row room;
	struct hook_row row;
	struct event_row event;

	/*
	 * read the row again: a write has invalidated the memory of the first
	 * one
	 */
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

/*
 * Add the name of the template to the detail of an alert, as event_json()
 * expects it. The result is in `out`, or is the old detail.
 */
static struct slice commit_name_detail(struct commit *batch,
				       const struct site *site,
				       const struct event_row *event,
				       struct buffer *out)
{
	struct slice rest = event->detail;
	struct name_row row;

	if (event->cluster == 0 ||
	    (!event_kind_is_alert(event->kind) &&
	     finding_kind_of(event->kind) == NULL) ||
	    !name_row_get(batch->txn, site->row.id, event->cluster, &row) ||
	    row.name.size == 0)
		return event->detail;
	buffer_append_text(out, "{\"" EVENT_NAME_MEMBER "\":");
	json_append(out, json_text(row.name), JSON_ENCODE_ANY);
	if (rest.size <= strlen("{}")) {
		buffer_append_byte(out, '}');
	} else {
		buffer_append_byte(out, ',');
		slice_advance(&rest, 1);
		buffer_append_slice(out, rest);
	}
	return buffer_slice(out);
}

/*
 * Return whether the event belongs to an incident. The templates of the first
 * crawl are no change of the site.
 */
static bool commit_is_finding(const struct site *site,
			      const struct event_row *event)
{
	return finding_kind_of(event->kind) != NULL &&
	       (event->kind != EVENT_TEMPLATE_NEW ||
		(site->row.options.flags & SITE_IS_KNOWN) != 0);
}

uint64_t commit_event(struct commit *batch, const struct site *site,
		      const struct event_row *event)
{
	struct event_subscriptions *audience = batch->audience;
	struct event_row row = *event;
	struct buffer detail = {0};
	bool is_silenced;
	uint64_t number;

	row.time_ms = batch->now_ms;
	row.host = site->row.host;
	subscriptions_read(audience, batch->txn);
	is_silenced = subscriptions_silence(audience, &row);
	if (is_silenced)
		row.flags |= EVENT_IS_SILENCED;
	row.detail = commit_name_detail(batch, site, &row, &detail);
	number = event_add(batch->txn, &row);
	for (size_t i = 0; i < audience->wish_count && !is_silenced; i++)
		if (hook_filter_matches(&audience->wishes[i], &row))
			commit_queue_event(batch, audience->wishes[i].hook,
					   number);
	if (!is_silenced && number != 0 && commit_is_finding(site, event))
		commit_incident_finding(batch, site, number, &row);
	buffer_free(&detail);
	return number;
}

/*
 * Changes of hooks and their deliveries, of silences and of acknowledgements.
 */

/* Return whether the table has fewer than `max` rows. */
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

	if (!txn_may_store_secret_text(batch->txn, hook_target_redact,
				       alert->hook.target) ||
	    !txn_may_store_secret_text(batch->txn, redact_all,
				       alert->hook.secret))
		return ERR_NO_ENCRYPTION_KEY;
	if (!commit_table_has_room(batch, TABLE_HOOKS,
				   batch->options->max_hooks))
		return ERR_BUSY;
	journal_collect_hooks(batch->txn);
	alert->made = store_next_number(batch->txn, "hook");
	txn_store_secret_text(batch->txn, hook_target_redact,
			      alert->hook.target, &target);
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
	 * a node that applies this log entry deletes the events of the hook in
	 * all partitions itself, together with the hook; so do not log their
	 * deletion
	 */
	journal = journal_end(batch->txn);
	hook_delete_events(batch->txn, key_slice(&key));
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

/* Queue the refused events of the hook that this node owns. */
static enum error commit_retry_hook(struct commit *batch,
				    struct alert_change *alert)
{
	uint32_t hook = (uint32_t)alert->number;
	struct buffer events[MAX_REFUSED_EVENTS] = {0};
	struct key keys[MAX_REFUSED_EVENTS];
	struct scan scan =
		scan_begin(batch->txn, TABLE_REFUSED, KEY(key_small(hook)));
	struct refused_row refused;
	struct hook_row row;
	size_t count = 0;

	while (count < MAX_REFUSED_EVENTS && scan_next(&scan)) {
		uint64_t number = key_u64(scan.key, sizeof(hook));

		if (!store_owns_event(batch->txn->store, number) ||
		    !refused_row_decode(scan.value, &refused))
			continue;
		buffer_append_slice(&events[count], refused.event);
		keys[count++] = key_outbox(hook, number);
	}
	scan_end(&scan);
	for (size_t i = 0; i < count; i++) {
		txn_put(batch->txn, TABLE_OUTBOX, key_slice(&keys[i]),
			buffer_slice(&events[i]));
		txn_delete(batch->txn, TABLE_REFUSED, key_slice(&keys[i]));
		buffer_free(&events[i]);
	}
	if (!hook_row_get(batch->txn, hook, &row))
		return ERR_NOT_FOUND;
	row.waiting += (uint32_t)count;
	row.next_ms = 0;
	row.failures = 0;
	hook_row_put(batch->txn, hook, &row);
	alert->made = count;
	return ERR_NONE;
}

/* Delete the oldest refused event of the hook that this node owns. */
static void hook_drop_refused(struct commit *batch, uint32_t hook)
{
	struct scan scan =
		scan_begin(batch->txn, TABLE_REFUSED, KEY(key_small(hook)));
	bool is_dropped = false;

	while (!is_dropped && scan_next(&scan)) {
		is_dropped = store_owns_event(batch->txn->store,
					      key_u64(scan.key, sizeof(hook)));
		if (is_dropped)
			scan_delete(&scan);
	}
	scan_end(&scan);
}

/*
 * Copy the refused event of the report from the queue to TABLE_REFUSED. Return
 * whether the oldest refused event was deleted for it.
 */
static bool hook_keep_refused(struct commit *batch,
			      const struct hook_report *report)
{
	struct key key = key_outbox(report->hook, report->refused);
	struct refused_row row = {
		.refused_ms = batch->now_ms,
		.http_status = report->refused_status,
		.answer = report->refused_answer,
	};
	struct buffer event = {0};
	bool is_full;

	buffer_append_slice(&event,
			    txn_get(batch->txn, TABLE_OUTBOX, key_slice(&key)));
	if (event.size == 0 ||
	    !store_owns_event(batch->txn->store, report->refused)) {
		buffer_free(&event);
		return false;
	}
	is_full = hook_count_refused(batch->txn, report->hook) >=
		  MAX_REFUSED_EVENTS;
	if (is_full)
		hook_drop_refused(batch, report->hook);
	row.event = buffer_slice(&event);
	refused_row_put(batch->txn, report->hook, report->refused, &row);
	buffer_free(&event);
	return is_full;
}

/*
 * Delete the events of the report from the hook's queue if this node owns them.
 * Return how many were deleted. Events of other nodes stay, and their owner
 * delivers them again.
 */
static uint32_t delete_sent(struct commit *batch,
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

/*
 * Apply the report of deliveries to the hook. Do nothing if the hook was
 * deleted.
 */
static void commit_apply_hook_report(struct commit *batch,
				     const struct hook_report *report)
{
	struct hook_row row;
	size_t delivered = report->number_count - (report->refused != 0);
	bool is_dropped = false;
	uint32_t gone = 0;

	if (report->refused != 0)
		is_dropped = hook_keep_refused(batch, report);
	if (report->number_count > 0)
		gone = delete_sent(batch, report);
	if (!hook_row_get(batch->txn, report->hook, &row))
		return;
	if (delivered > 0)
		row.delivered_ms = report->delivered_ms;
	row.waiting = row.waiting > gone ? row.waiting - gone : 0;
	row.delivered += delivered;
	row.dropped += is_dropped;
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
 * Add a silence for events like this one: of the same kind, and of the same
 * template or guard. A new template has only one event of its kind, so its
 * silence covers the whole site.
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
	if (event.guard != 0 || event.kind == EVENT_INCIDENT_ADDED)
		rule.cluster = 0;
	silence_row_put(batch->txn, (uint32_t)alert->made, &rule);
	subscriptions_reset(batch->audience);
	return is_here ? commit_acknowledge_event(batch, alert->number)
		       : ERR_NONE;
}

static enum error delete_silence(struct commit *batch, uint32_t number)
{
	struct silence_row row;

	if (!silence_row_get(batch->txn, number, &row))
		return ERR_NOT_FOUND;
	txn_delete(batch->txn, TABLE_SILENCES, KEY(key_small(number)));
	subscriptions_reset(batch->audience);
	return ERR_NONE;
}

/* Add a comment to an incident. ERR_TOO_LARGE: it has too many. */
static enum error commit_add_comment(struct commit *batch,
				     const struct alert_change *alert)
{
	struct incident_comments_row row;
	struct incident_row incident;
	struct buffer text = {0};
	struct site_row site;
	json_t *list = NULL;
	bool is_full;

	if (!store_owns_event(batch->txn->store, alert->number))
		return ERR_NOT_OWNER;
	if (!site_get(batch->txn, alert->host, &site) ||
	    !incident_row_get(batch->txn, site.id, alert->number, &incident))
		return ERR_NOT_FOUND;
	if (incident_comments_row_get(batch->txn, site.id, alert->number, &row))
		list = json_read(row.list);
	if (!json_is_array(list)) {
		json_decref(list);
		list = json_array();
	}
	is_full = json_array_size(list) >= MAX_COMMENTS;
	if (!is_full) {
		json_array_append_new(list, json_pack("{s:I, s:o}", "time",
						      (json_int_t)batch->now_ms,
						      "text",
						      json_text(alert->text)));
		json_append(&text, json_incref(list), JSON_COMPACT);
		row.count = (uint32_t)json_array_size(list);
		row.list = buffer_slice(&text);
		incident_comments_row_put(batch->txn, site.id, alert->number,
					  &row);
	}
	json_decref(list);
	buffer_free(&text);
	return is_full ? ERR_TOO_LARGE : ERR_NONE;
}

/*
 * Return whether only the owner of JOURNAL_COMMON, the partition with hooks and
 * silences, may do this action.
 */
static bool alert_action_is_common(enum alert_change_action action)
{
	return action != HOOKS_REPORT && action != EVENT_ACK &&
	       action != INCIDENT_COMMENT;
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
	case HOOK_RETRY:
		return commit_retry_hook(batch, alert);
	case HOOKS_REPORT:
		for (size_t i = 0; i < alert->report_count; i++)
			commit_apply_hook_report(batch, &alert->reports[i]);
		return ERR_NONE;
	case EVENT_ACK:
		return commit_acknowledge_event(batch, alert->number);
	case INCIDENT_COMMENT:
		return commit_add_comment(batch, alert);
	case EVENT_SILENCE:
		return commit_add_silence(batch, alert);
	case SILENCE_DELETE:
		return delete_silence(batch, (uint32_t)alert->number);
	}
	return ERR_MALFORMED;
}

/* Functions that write the results of a check of a site's templates. */

/*
 * Write a version of a template. If it is new, the previous version ends at the
 * time when it was last seen.
 */
static void commit_put_version(struct commit *batch, uint32_t site,
			       const struct template_update *found)
{
	uint32_t before = found->row.version - 1;
	struct version_row row;

	if (!version_row_get(batch->txn, site, found->cluster,
			     found->row.version, &row) &&
	    before != 0 &&
	    version_row_get(batch->txn, site, found->cluster, before, &row)) {
		row.last_ms = found->version.first_ms > found->row.seen_ms
				      ? found->row.seen_ms
				      : found->version.first_ms;
		if (row.last_ms < row.first_ms)
			row.last_ms = row.first_ms;
		version_row_put(batch->txn, site, found->cluster, before, &row);
	}
	version_row_put(batch->txn, site, found->cluster, found->row.version,
			&found->version);
}

/*
 * Create a packer with the dictionary of the page's record, and write the
 * number of the dictionary to *dictionary_out; 0 = none.
 */
static struct packer *packer_of_page(struct commit *batch, uint32_t site,
				     uint64_t page, uint32_t *dictionary_out)
{
	struct buffer joined = {0};
	struct buffer bytes = {0};
	struct slice record = content_get(batch->txn, TABLE_RECORDS,
					  KEY(key_page(site, page)), &joined);
	struct packer *packer;

	*dictionary_out = 0;
	if (record.data != NULL)
		content_is_packed(record, dictionary_out);
	buffer_free(&joined);
	if (*dictionary_out != 0 &&
	    content_dictionary(batch->txn, TABLE_RECORDS, site, *dictionary_out,
			       &bytes) != ERR_NONE) {
		buffer_clear(&bytes);
		*dictionary_out = 0;
	}
	packer = packer_create(buffer_slice(&bytes), LEVEL_SHORT);
	buffer_free(&bytes);
	return packer;
}

/* Replace the sample of the template. Compress its records. */
static void put_sample(struct commit *batch, uint32_t site,
		       const struct template_update *found)
{
	struct buffer packed = {0};
	uint32_t dictionary;
	struct packer *packer;

	txn_delete_prefix(batch->txn, TABLE_SAMPLE_PAGES,
			  KEY(key_cluster(site, found->cluster)));
	if (found->sample_count == 0)
		return;
	packer =
		packer_of_page(batch, site, found->sample[0].page, &dictionary);
	for (size_t i = 0; i < found->sample_count; i++) {
		struct sample_page_row row = found->sample[i].row;

		buffer_clear(&packed);
		if (row.record.size <= CONTENT_MAX_RECORD_BYTES) {
			content_pack_record(packer, dictionary, row.record,
					    &packed);
			row.record = buffer_slice(&packed);
		}
		sample_page_row_put(batch->txn, site, found->cluster,
				    found->sample[i].page, &row);
	}
	packer_destroy(packer);
	buffer_free(&packed);
}

/* Return whether another cluster of the site has the name. */
static bool commit_name_is_used(struct commit *batch, uint32_t site,
				uint32_t cluster, struct slice name)
{
	struct scan scan = scan_site(batch->txn, TABLE_NAMES, site);
	bool is_used = false;
	struct name_row row;

	while (!is_used && scan_next(&scan)) {
		uint32_t other = key_u32(scan.key, sizeof(uint32_t));
		struct cluster_row found;

		is_used = other != cluster &&
			  name_row_decode(scan.value, &row) &&
			  slice_equal(row.name, name) &&
			  cluster_row_get(batch->txn, site, other, &found);
	}
	scan_end(&scan);
	return is_used;
}

/* Apply derived names, unless a client has given a name meanwhile. */
static void commit_put_names(struct commit *batch, uint32_t site,
			     const struct template_updates *findings)
{
	for (size_t i = 0; i < findings->name_count; i++) {
		const struct name_update *update = &findings->names[i];
		struct name_row row;

		if (!update->is_deleted && !update->is_moved &&
		    name_row_get(batch->txn, site, update->cluster, &row) &&
		    (row.flags & NAME_IS_GIVEN) != 0)
			continue;
		if (update->is_deleted)
			txn_delete(batch->txn, TABLE_NAMES,
				   KEY(key_cluster(site, update->cluster)));
		else
			name_row_put(batch->txn, site, update->cluster,
				     &update->row);
	}
}

enum error commit_change_name(struct commit *batch, struct change *change)
{
	const struct name_change *name = &change->name;
	struct name_row row = {.flags = NAME_IS_GIVEN, .name = name->name};
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));
	struct template_row template;
	struct cluster_row cluster;

	if (site == NULL || (!cluster_row_get(batch->txn, site->row.id,
					      name->cluster, &cluster) &&
			     !template_row_get(batch->txn, site->row.id,
					       name->cluster, &template)))
		return ERR_NOT_FOUND;
	if (name->name.size == 0)
		txn_delete(batch->txn, TABLE_NAMES,
			   KEY(key_cluster(site->row.id, name->cluster)));
	else if (commit_name_is_used(batch, site->row.id, name->cluster,
				     name->name))
		return ERR_ADDRESS_FORBIDDEN;
	else
		name_row_put(batch->txn, site->row.id, name->cluster, &row);
	/* caches and the watcher compare the generation */
	site->row.generation++;
	site->is_changed = true;
	return ERR_NONE;
}

enum error commit_change_fields(struct commit *batch, struct change *change)
{
	const struct fields_change *fields = &change->fields;
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));
	struct fields_row row = fields->row;
	struct buffer broken = {0};
	struct buffer history = {0};
	struct cluster_row cluster;
	struct fields_row before;
	bool is_there;

	if (site == NULL || !cluster_row_get(batch->txn, site->row.id,
					     fields->cluster, &cluster))
		return ERR_NOT_FOUND;
	is_there = fields_row_find(batch->txn, site->row.id, fields->cluster,
				   &before);
	if (!slice_equal(fields->before,
			 is_there ? before.sets : (struct slice){NULL, 0}))
		return ERR_BUSY;
	if (fields->keeps_values && is_there) {
		buffer_append_slice(&broken, before.broken);
		row.learned_ms = before.learned_ms;
		row.healed_ms = before.healed_ms;
		row.pending_ms = before.pending_ms;
		row.broken = buffer_slice(&broken);
	}
	if (is_there) {
		buffer_append_slice(&history, before.history);
		row.history = buffer_slice(&history);
	}
	if (row.sets.size == 0) {
		txn_delete(batch->txn, TABLE_FIELDS,
			   KEY(key_cluster(site->row.id, fields->cluster)));
		txn_delete_prefix(
			batch->txn, TABLE_FIELD_VALUES,
			KEY(key_cluster(site->row.id, fields->cluster)));
	} else {
		fields_row_put(batch->txn, site->row.id, fields->cluster, &row);
	}
	buffer_free(&broken);
	buffer_free(&history);
	/* the watcher reads the pages */
	site->row.generation++;
	site->is_changed = true;
	return ERR_NONE;
}

enum { MOVED_VALUES = 500 /* rows that are in memory at once */ };

/* Move the values of some pages. Return false if there are none left. */
static bool commit_move_values(struct commit *batch, uint32_t site,
			       uint32_t from, uint32_t to)
{
	struct scan scan =
		scan_cluster(batch->txn, TABLE_FIELD_VALUES, site, from);
	struct arena *arena = arena_create();
	struct field_values_entry *moved =
		ARENA_NEW(arena, struct field_values_entry, MOVED_VALUES);
	size_t count = 0;

	while (count < MOVED_VALUES && scan_next(&scan)) {
		struct field_values_entry *entry = &moved[count++];

		entry->page = key_u64(scan.key, 2 * sizeof(uint32_t));
		entry->is_deleted =
			!field_values_row_decode(scan.value, &entry->row);
		entry->row.record = arena_slice(arena, entry->row.record);
		entry->row.latest = arena_slice(arena, entry->row.latest);
		/* what the other template shows is not compared */
		entry->row.marks = slice_of("");
	}
	scan_end(&scan);
	for (size_t i = 0; i < count; i++) {
		txn_delete(batch->txn, TABLE_FIELD_VALUES,
			   KEY(key_member(site, from, moved[i].page)));
		if (!moved[i].is_deleted)
			field_values_row_put(batch->txn, site, to,
					     moved[i].page, &moved[i].row);
	}
	arena_destroy(arena);
	return count > 0 && batch->txn->error == ERR_NONE;
}

/* Move the fields of a template to the one that has its pages now. */
static void commit_move_fields(struct commit *batch, uint32_t site,
			       uint32_t from, uint32_t to)
{
	struct cluster_row cluster;
	struct fields_row row;
	struct buffer copy = {0};

	if (fields_row_get(batch->txn, site, to, &row) ||
	    !cluster_row_get(batch->txn, site, to, &cluster) ||
	    !fields_row_get(batch->txn, site, from, &row))
		return;
	copy = fields_row_encode(&row);
	if (!fields_row_decode(buffer_slice(&copy), &row))
		return;
	row.changes = 0; /* its pages must be read */
	while (commit_move_values(batch, site, from, to))
		;
	fields_row_put(batch->txn, site, to, &row);
	txn_delete(batch->txn, TABLE_FIELDS, KEY(key_cluster(site, from)));
	buffer_free(&copy);
}

/* Write what the watcher found on the pages of a template with fields. */
static void commit_update_fields(struct commit *batch, const struct site *site,
				 const struct fields_update *update)
{
	uint32_t id = site->row.id;
	struct fields_row row;

	if (!fields_row_get(batch->txn, id, update->cluster, &row) ||
	    !slice_equal(row.sets, update->sets))
		return;
	if (update->moved_to != 0) {
		commit_move_fields(batch, id, update->cluster,
				   update->moved_to);
		return;
	}
	fields_row_put(batch->txn, id, update->cluster, &update->row);
	for (size_t i = 0; i < update->value_count; i++) {
		const struct field_values_entry *entry = &update->values[i];

		if (entry->is_deleted)
			txn_delete(batch->txn, TABLE_FIELD_VALUES,
				   KEY(key_member(id, update->cluster,
						  entry->page)));
		else
			field_values_row_put(batch->txn, id, update->cluster,
					     entry->page, &entry->row);
	}
	for (size_t i = 0; i < update->event_count; i++)
		commit_event(batch, site, &update->events[i]);
}

/* Store the health of the site, and accept or drop its waiting visits. */
static void commit_health(struct commit *batch, struct site *site,
			  const struct template_updates *findings)
{
	struct health_row before;

	for (size_t i = 0; i < findings->dropped_count; i++)
		if (commit_wait_is(batch, site, &findings->dropped[i]))
			commit_wait_drop(batch, site,
					 findings->dropped[i].page);
	for (size_t i = 0; i < findings->accepted_count; i++)
		if (commit_wait_is(batch, site, &findings->accepted[i]))
			commit_wait_accept(batch, site,
					   findings->accepted[i].page);
	if (findings->health != NULL) {
		struct health_row health = *findings->health;

		health_row_get(batch->txn, site->row.id, &before);
		health.pause_ms = before.pause_ms;
		health.waiting_bytes = before.waiting_bytes;
		health.waiting_count = before.waiting_count;
		health_row_put(batch->txn, site->row.id, &health);
	}
}

/*
 * Apply the template updates. The pages that they were computed from may have
 * changed since then; the next check corrects the result. Return an error and
 * change nothing if the site was deleted, added again, or got another
 * threshold.
 */
enum error commit_template_updates(struct commit *batch, struct change *change)
{
	const struct template_updates *findings = change->templates.findings;
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));

	if (site == NULL || site->row.id != change->templates.site)
		return ERR_NOT_FOUND;
	if (site->row.options.threshold != findings->threshold)
		/* the pages have moved to other clusters since */
		return ERR_BUSY;
	for (size_t i = 0; i < findings->template_count; i++)
		if (commit_render_is_moving(batch, site,
					    findings->templates[i].cluster))
			return ERR_BUSY;
	commit_put_names(batch, site->row.id, findings);
	for (size_t i = 0; i < findings->template_count; i++) {
		const struct template_update *found = &findings->templates[i];

		if (found->has_version)
			commit_put_version(batch, site->row.id, found);
		if (found->has_sample)
			put_sample(batch, site->row.id, found);
		template_row_put(batch->txn, site->row.id, found->cluster,
				 &found->row);
	}
	commit_health(batch, site, findings);
	for (size_t i = 0; i < findings->swap_count; i++)
		commit_swap_clusters(batch, site, findings->swaps[i].a,
				     findings->swaps[i].b);
	for (size_t i = 0; i < findings->event_count; i++)
		commit_event(batch, site, &findings->events[i]);
	for (size_t i = 0; i < findings->fields_count; i++)
		commit_update_fields(batch, site, &findings->fields[i]);
	for (size_t i = 0; i < findings->visit_count; i++) {
		const struct requested_page *visit = &findings->visits[i];

		if (!visit->is_conditional)
			frontier_clear_validators(batch->txn, site->row.id,
						  visit->page);
		frontier_make_due(batch->txn, site->row.id, visit->page,
				  batch->now_ms);
	}
	for (size_t i = 0; i < findings->render_count; i++)
		commit_render_request(batch, site, &findings->renders[i]);
	commit_incidents(batch, site, findings);
	site->row.options.flags &= ~findings->clear_flags;
	site->row.options.flags |= findings->set_flags;
	site->is_changed = true;
	return ERR_NONE;
}
