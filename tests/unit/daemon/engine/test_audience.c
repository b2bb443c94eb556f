#include "daemon/engine/commit_event.h"

#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

static struct scratch scratch;
static struct store *store;
static struct event_subscriptions audience;

static void setup(void)
{
	scratch_make(&scratch);
	store = scratch_store(&scratch);
	audience = (struct event_subscriptions){0};
}

static void teardown(void)
{
	subscriptions_reset(&audience);
	store_close(store);
	scratch_remove(&scratch, NULL);
}

static const struct event_row event = {
	.kind = EVENT_TEMPLATE_CHANGED,
	.cluster = 3,
	.host = {"a.test", 6},
};

static void put_rules(struct txn *txn)
{
	silence_row_put(txn, 1,
			&(struct silence_row){.kind = EVENT_TEMPLATE_CHANGED,
					      .cluster = 3,
					      .host = slice_of("a.test")});
	hook_row_put(txn, 7,
		     &(struct hook_row){.target = slice_of("http://h.test/"),
					.kinds = slice_of("template.*"),
					.host = slice_of("a.test")});
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(what_was_undone_is_forgotten)
{
	struct txn txn = txn_begin_write(store);

	put_rules(&txn);
	subscriptions_read(&audience, &txn);
	ck_assert(subscriptions_silence(&audience, &event));
	ck_assert_uint_eq(audience.wish_count, 1);
	txn_abort(&txn);
	subscriptions_reset(&audience);
	txn = txn_begin_read(store);
	subscriptions_read(&audience, &txn);
	ck_assert(!subscriptions_silence(&audience, &event));
	ck_assert_uint_eq(audience.wish_count, 0);
	txn_abort(&txn);
}

TEST(a_rule_silences_its_template_alone)
{
	struct txn txn = txn_begin_write(store);
	struct event_row other = event;

	put_rules(&txn);
	subscriptions_read(&audience, &txn);
	other.cluster = 4;
	ck_assert(!subscriptions_silence(&audience, &other));
	other = event;
	other.host = slice_of("b.test");
	ck_assert(!subscriptions_silence(&audience, &other));
	txn_abort(&txn);
}

TEST(a_hook_receives_its_kinds_and_its_site)
{
	struct txn txn = txn_begin_write(store);
	struct event_row other = event;

	put_rules(&txn);
	subscriptions_read(&audience, &txn);
	ck_assert_uint_eq(audience.wishes[0].hook, 7);
	ck_assert(hook_filter_matches(&audience.wishes[0], &event));
	other.kind = EVENT_PAGE_ADDED;
	ck_assert(!hook_filter_matches(&audience.wishes[0], &other));
	other = event;
	other.host = slice_of("b.test");
	ck_assert(!hook_filter_matches(&audience.wishes[0], &other));
	txn_abort(&txn);
}
