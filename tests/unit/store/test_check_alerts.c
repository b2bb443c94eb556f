/* The problems that store_verify() reports for hooks, outboxes and silences. */
#include "store/verify.h"

#include "store/key.h"
#include "store/rows.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

static struct scratch scratch;
static struct store *store;
static struct txn txn;

/* Hook 1, for which events 1 and 2 wait, and rule 1. */
static void begin(void)
{
	const struct hook_row hook = {.target = slice_of("http://a/"),
				      .waiting = 2};
	const struct silence_row silence = {.kind = EVENT_GUARD_OK,
					    .host = slice_of("a")};
	const struct event_row event = {.kind = EVENT_GUARD_OK,
					.host = slice_of("a")};

	scratch_make(&scratch);
	store = scratch_store(&scratch);
	txn = txn_begin_write(store);
	store_next_number(&txn, "hook");
	store_next_number(&txn, "silence");
	hook_row_put(&txn, 1, &hook);
	silence_row_put(&txn, 1, &silence);
	for (int i = 0; i < 2; i++)
		outbox_put(&txn, 1, event_add(&txn, &event), &event);
}

static void end(void)
{
	txn_abort(&txn);
	store_close(store);
	scratch_remove(&scratch, NULL);
}

/* Exactly one problem, with this text; none if it is NULL. */
static void check(const char *wanted)
{
	struct verify_report report = {0};

	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_msg(report.problems == (wanted != NULL), "%s",
		      report.text.data);
	if (wanted != NULL)
		ck_assert_msg(strstr(report.text.data, wanted) != NULL, "%s",
			      report.text.data);
	buffer_free(&report.text);
}

/* The value of event 1 in the outbox. */
static struct buffer row_of_event(void)
{
	struct buffer value = {0};

	buffer_append_slice(&value,
			    txn_get(&txn, TABLE_OUTBOX, KEY(key_outbox(1, 1))));
	return value;
}

FIXTURE(.setup = begin, .teardown = end);

TEST(what_agrees_has_no_problem)
{
	check(NULL);
}

TEST(waiting_rows_are_counted)
{
	struct key key = key_outbox(1, 2);

	txn_delete(&txn, TABLE_OUTBOX, key_slice(&key));
	check("hook 1: 2 events counted, but 1 rows");
}

TEST(an_outbox_has_a_hook)
{
	struct key key = key_small(1);

	txn_delete(&txn, TABLE_HOOKS, key_slice(&key));
	check("hook 1: has queued events, but does not exist");
}

TEST(refused_events_are_checked)
{
	struct buffer event = row_of_event();
	const struct refused_row refused = {
		.http_status = 400,
		.answer = slice_of("no"),
		.event = buffer_slice(&event),
	};
	struct key key = key_outbox(1, 2);

	refused_row_put(&txn, 1, 2, &refused);
	check(NULL);
	refused_row_put(&txn, 1, 3, &refused);
	check("refused event 3: above the last number, 2");
	txn_delete(&txn, TABLE_REFUSED, KEY(key_outbox(1, 3)));
	refused_row_put(&txn, 2, 1, &refused);
	check("hook 2: has refused events, but does not exist");
	hook_delete_events(&txn, KEY(key_small(2)));
	txn_put(&txn, TABLE_REFUSED, key_slice(&key), slice_of("x"));
	check("hook 1: a refused event is damaged");
	buffer_free(&event);
}

TEST(an_event_that_waits_was_there)
{
	const struct event_row event = {.host = slice_of("a")};
	const struct hook_row hook = {.target = slice_of("http://a/"),
				      .waiting = 3};

	outbox_put(&txn, 1, 3, &event);
	hook_row_put(&txn, 1, &hook);
	check("queued event 3: above the last number, 2");
}

TEST(damaged_rows_are_reported)
{
	struct key outbox = key_outbox(1, 2);
	struct key silence = key_small(1);

	txn_put(&txn, TABLE_OUTBOX, key_slice(&outbox), slice_of("x"));
	check("hook 1: a queued event is damaged");
	txn_delete(&txn, TABLE_OUTBOX, key_slice(&outbox));
	hook_row_put(&txn, 1,
		     &(struct hook_row){.target = slice_of("http://a/"),
					.waiting = 1});
	txn_put(&txn, TABLE_SILENCES, key_slice(&silence), slice_of("x"));
	check("silence 1: damaged");
}

TEST(a_damaged_hook_is_reported)
{
	struct key key = key_small(1);

	txn_put(&txn, TABLE_HOOKS, key_slice(&key), slice_of("x"));
	check("hook 1: damaged");
}

TEST(numbers_come_from_their_counters)
{
	silence_row_put(&txn, 2, &(struct silence_row){.host = slice_of("a")});
	check("silence 2: above the last number, 1");
}
