#include "daemon/api/api_events.h"

#include "daemon/query/event.h"
#include "store/rows.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

static struct scratch scratch;
static struct store *store;

static void begin(void)
{
	scratch_make(&scratch);
	store = scratch_store(&scratch);
}

static void end(void)
{
	store_close(store);
	scratch_remove(&scratch, NULL);
}

/* The number of the new event. */
static uint64_t add(enum event_kind kind, uint16_t flags)
{
	struct txn txn = txn_begin_write(store);
	uint64_t number =
		event_add(&txn, &(struct event_row){.kind = (uint16_t)kind,
						    .flags = flags,
						    .host = slice_of("a")});

	ASSERT_OK(txn_end(&txn));
	return number;
}

static void acknowledge(uint64_t number)
{
	struct txn txn = txn_begin_write(store);
	struct event_row row;

	ck_assert(event_get(&txn, number, &row));
	row.host = slice_of("a");
	row.flags |= EVENT_IS_ACKED;
	event_put(&txn, number, &row);
	ASSERT_OK(txn_end(&txn));
}

static struct event_counts look(struct event_counters *tally)
{
	struct event_counts counts;

	ASSERT_OK(event_counters_read(tally, &counts));
	return counts;
}

FIXTURE(.setup = begin, .teardown = end);

TEST(events_count_from_the_start_and_once)
{
	struct event_counters *tally;
	struct event_counts counts;

	add(EVENT_PAGE_ADDED, 0);
	tally = event_counters_create(store);
	add(EVENT_PAGE_ADDED, 0);
	add(EVENT_PAGE_ADDED, 0);
	add(EVENT_PAGE_GONE, 0);
	counts = look(tally);
	ck_assert_uint_eq(counts.events[EVENT_PAGE_ADDED], 2);
	ck_assert_uint_eq(counts.events[EVENT_PAGE_GONE], 1);
	add(EVENT_PAGE_GONE, 0);
	counts = look(tally);
	ck_assert_uint_eq(counts.events[EVENT_PAGE_ADDED], 2);
	ck_assert_uint_eq(counts.events[EVENT_PAGE_GONE], 2);
	event_counters_destroy(tally);
}

static bool count_event(void *context, uint64_t number,
			const struct event_row *event)
{
	size_t *count = context;

	(void)number;
	(void)event;
	(*count)++;
	return true;
}

TEST(a_query_reads_no_event_after_its_last_one)
{
	uint64_t first = add(EVENT_PAGE_ADDED, 0);
	struct event_query query = {.host = "",
				    .kinds = (kind_set)1 << EVENT_PAGE_GONE,
				    .until = first + 2,
				    .limit = UINT64_MAX};
	size_t count = 0;

	add(EVENT_PAGE_ADDED, 0);
	add(EVENT_PAGE_GONE, 0);
	add(EVENT_PAGE_ADDED, 0);
	add(EVENT_PAGE_GONE, 0);
	ASSERT_OK(event_query_run(&query, store, count_event, &count));
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(query.since, first + 2);
	/* also if none matches */
	query.kinds = 0;
	query.since = 0;
	ASSERT_OK(event_query_run(&query, store, count_event, &count));
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(query.since, first + 2);
}

/* Those before the start, too. */
TEST(an_alert_is_firing_until_acknowledged)
{
	uint64_t old = add(EVENT_INCIDENT_GUARD, 0);
	struct event_counters *tally = event_counters_create(store);
	struct event_counts counts;

	add(EVENT_INCIDENT_GUARD, 0);
	add(EVENT_INCIDENT_GUARD, EVENT_IS_SILENCED);
	add(EVENT_PAGE_ADDED, 0);
	counts = look(tally);
	ck_assert_uint_eq(counts.open_alerts[EVENT_INCIDENT_GUARD], 2);
	ck_assert_uint_eq(counts.open_alerts[EVENT_PAGE_ADDED], 0);
	ck_assert_uint_eq(counts.events[EVENT_INCIDENT_GUARD], 2);
	acknowledge(old);
	counts = look(tally);
	ck_assert_uint_eq(counts.open_alerts[EVENT_INCIDENT_GUARD], 1);
	ck_assert_uint_eq(counts.events[EVENT_INCIDENT_GUARD], 2);
	event_counters_destroy(tally);
}
