#include "store/key.h"
#include "store/rows.h"
#include "store/verify.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

enum { SITE = 1, GUARD = 1 };

/* A site with one page, an error, and a guard that fails on it. */
static struct scratch scratch;
static struct store *store;
static struct txn txn;
static struct verify_report report;
static const struct slice host = {"a.example", 9};
static const struct slice url = {"http://a.example/0", 18};

static void put_guard(uint32_t checked, uint32_t failing)
{
	guard_row_put(&txn, SITE, GUARD,
		      &(struct guard_row){
			      .minimum = 1,
			      .maximum = 1,
			      .checked = checked,
			      .failing = failing,
			      .selector = slice_of("h1"),
		      });
}

static void put_guarded(uint32_t guard, struct slice name)
{
	guarded_row_put(
		&txn, SITE, guard, page_key_of(url),
		&(struct guarded_row){.good_ms = 1, .matches = 2, .url = name});
}

static void setup(void)
{
	scratch_make(&scratch);
	store = scratch_store(&scratch);
	txn = txn_begin_write(store);
	report = (struct verify_report){0};
	site_put(&txn, &(struct site_row){
			       .id = (uint32_t)store_next_number(&txn, "site"),
			       .next_cluster = 1,
			       .host = host,
			       .seed = url});
	page_row_put(&txn, SITE, page_key_of(url),
		     &(struct page_row){.url = url});
	ck_assert_uint_eq(store_next_number(&txn, "guard"), GUARD);
	put_guard(1, 1);
	put_guarded(GUARD, url);
}

static void teardown(void)
{
	txn_abort(&txn);
	buffer_free(&report.text);
	store_close(store);
	scratch_remove(&scratch, NULL);
}

/* The report on guards is exactly `text`. */
static void expect(const char *text)
{
	const char *line;
	size_t count = 0;

	ASSERT_OK(store_verify(&txn, &report));
	for (line = report.text.data;
	     line != NULL && (line = strstr(line, "guard a.example")) != NULL;
	     line++) {
		count++;
		ck_assert_msg(text != NULL &&
				      strncmp(line, text, strlen(text)) == 0,
			      "%s", report.text.data);
	}
	ck_assert_uint_eq(count, text != NULL);
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_guard_that_counts_right_holds)
{
	expect(NULL);
}

TEST(wrong_counts_are_reported)
{
	put_guard(2, 1);
	expect("guard a.example 1: has 1 pages, but counts 2");
}

TEST(a_page_that_is_none_is_told)
{
	struct key key = key_page(SITE, page_key_of(url));

	txn_delete(&txn, TABLE_PAGES, key_slice(&key));
	expect("guard a.example 1: page ");
}

TEST(a_page_under_another_key_is_reported)
{
	put_guarded(GUARD, slice_of("http://a.example/other"));
	expect("guard a.example 1: page ");
}

TEST(pages_without_a_guard_are_reported)
{
	put_guarded(GUARD + 1, url);
	expect("guard a.example 2: does not exist, but has pages");
}

TEST(an_unused_number_is_reported)
{
	struct key key = key_cluster(SITE, 7);

	guard_row_put(&txn, SITE, 7,
		      &(struct guard_row){.selector = slice_of("h1")});
	expect("guard a.example 7: the number was never assigned");
	txn_delete(&txn, TABLE_GUARDS, key_slice(&key));
}

TEST(a_damaged_row_is_reported)
{
	struct key key = key_cluster(SITE, GUARD);

	txn_put(&txn, TABLE_GUARDS, key_slice(&key), slice_of("x"));
	expect("guard a.example 1: the row is damaged");
}
