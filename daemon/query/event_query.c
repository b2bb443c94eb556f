#include "daemon/query/event_query.h"

#include "store/key.h"

enum { MAX_LOOKED_AT = 10000 /* maximum number of events per transaction */ };

static bool event_query_matches(const struct event_query *query,
				const struct event_row *event)
{
	if (query->host[0] != '\0' &&
	    !slice_equal(event->host, slice_of(query->host)))
		return false;
	if (query->is_firing &&
	    (event->flags & (EVENT_IS_SILENCED | EVENT_IS_ACKED)) != 0)
		return false;
	return kind_set_has(query->kinds, event->kind);
}

/* Read a part of the events; *goes_on_out = there may be more. */
static enum error run_part(struct event_query *query, struct store *store,
			   event_handler *take, void *context,
			   bool *goes_on_out)
{
	struct key from = key_number(query->since + 1);
	struct txn txn = txn_begin_read(store);
	struct scan scan =
		scan_begin_at(&txn, TABLE_EVENTS, key_slice(&from), 0);
	size_t looked_at = 0;
	bool goes_on = query->limit > 0;

	while (goes_on && looked_at < MAX_LOOKED_AT && scan_next(&scan)) {
		uint64_t number = key_u64(scan.key, 0);
		struct event_row event;

		looked_at++;
		query->since = number;
		if (!event_decode(scan.value, &event) ||
		    !event_query_matches(query, &event))
			continue;
		query->limit--;
		goes_on = take(context, number, &event) && query->limit > 0;
	}
	scan_end(&scan);
	*goes_on_out = goes_on && looked_at == MAX_LOOKED_AT;
	return txn_end(&txn);
}

enum error event_query_run(struct event_query *query, struct store *store,
			   event_handler *take, void *context)
{
	enum error error;
	bool goes_on;

	do {
		error = run_part(query, store, take, context, &goes_on);
	} while (error == ERR_NONE && goes_on);
	return error;
}

uint64_t event_last_number(struct store *store)
{
	struct txn txn = txn_begin_read(store);
	uint64_t number = store_last_number(&txn, "event");

	txn_abort(&txn);
	return number;
}
