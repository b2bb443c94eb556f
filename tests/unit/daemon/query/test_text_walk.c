/* Rows that represent pages: which pages a walk reads, and in which order. */
#include "daemon/query/text_export.h"

#include <pthread.h>

#include "page/page_class.h"
#include "store/key.h"
#include "store/rows.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

#define HOST "a.test"

enum { NOW_MS = 1000000, MANY = 40000, READERS = 520 };

static struct world world;
static uint32_t site;
static const struct text_filter everything = {
	.host = HOST,
	.before_ms = NOW_MS,
	.classes = UINT32_MAX,
};

static void setup(void)
{
	world_open(&world, 0);
	world_add_site(&world, HOST);
	site = world_site(&world, HOST).id;
}

static void teardown(void)
{
	world_close(&world);
}

static void put(struct txn *txn, const char *url, struct page_row row)
{
	row.url = slice_of(url);
	page_row_put(txn, site, page_key_of(row.url), &row);
}

/* Six rows: three that are pages, two of them of one millisecond. */
static void put_few(void)
{
	struct txn txn = txn_begin_write(world.store);

	put(&txn, "http://a.test/new", (struct page_row){.stored_ms = 900});
	put(&txn, "http://a.test/old",
	    (struct page_row){.stored_ms = 5, .fetched_ms = 4, .cluster = 7});
	put(&txn, "http://a.test/same", (struct page_row){.stored_ms = 900});
	put(&txn, "http://a.test/error",
	    (struct page_row){.stored_ms = 20, .page_class = CLASS_ERROR});
	put(&txn, "http://a.test/moved",
	    (struct page_row){.stored_ms = 30,
			      .redirect = {"http://a.test/new", 17}});
	put(&txn, "http://a.test/late", (struct page_row){.stored_ms = NOW_MS});
	ASSERT_OK(txn_end(&txn));
}

static struct text_walk *begin(const struct text_filter *what,
			       struct text_position since)
{
	struct text_filter filter = *what;
	struct text_walk *walk = NULL;

	filter.since = since;
	ASSERT_OK(text_walk_begin(&walk, world.store, &filter));
	return walk;
}

/* The next page, checked to be behind `last`. */
static bool next(struct text_walk *walk, struct text_position *last)
{
	struct text_position place;
	bool is_there;

	ASSERT_OK(text_walk_next(walk, &place, &is_there));
	if (!is_there)
		return false;
	ck_assert(
		place.stored_ms > last->stored_ms ||
		(place.stored_ms == last->stored_ms && place.key > last->key));
	*last = place;
	return true;
}

static unsigned count_behind(const struct text_filter *filter,
			     struct text_position since)
{
	struct text_walk *walk = begin(filter, since);
	unsigned count = 0;

	while (next(walk, &since))
		count++;
	text_walk_end(walk);
	return count;
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(pages_come_in_the_order_in_which_they_were_stored)
{
	struct text_position place = {0, 0};
	struct text_walk *walk;

	put_few();
	walk = begin(&everything, place);
	ck_assert(next(walk, &place));
	ck_assert_uint_eq(place.stored_ms, 5);
	ck_assert(next(walk, &place));
	ck_assert_uint_eq(place.stored_ms, 20);
	ck_assert(next(walk, &place));
	ck_assert(next(walk, &place));
	ck_assert_uint_eq(place.stored_ms, 900);
	/* not the redirect, and no page added after the walk began */
	ck_assert(!next(walk, &place));
	ck_assert(!next(walk, &place));
	text_walk_end(walk);
}

TEST(a_walk_continues_after_a_position)
{
	uint64_t keys[] = {page_key_of(slice_of("http://a.test/new")),
			   page_key_of(slice_of("http://a.test/same"))};
	uint64_t first = keys[0] < keys[1] ? keys[0] : keys[1];

	put_few();
	ck_assert_uint_eq(count_behind(&everything,
				       (struct text_position){5, UINT64_MAX}),
			  3);
	ck_assert_uint_eq(
		count_behind(&everything, (struct text_position){900, first}),
		1);
	ck_assert_uint_eq(count_behind(&everything,
				       (struct text_position){900, UINT64_MAX}),
			  0);
}

TEST(filters)
{
	struct text_filter pages = everything;
	struct text_filter seven = everything;

	pages.classes = 1U << CLASS_PAGE;
	seven.cluster = 7;
	put_few();
	ck_assert_uint_eq(count_behind(&pages, (struct text_position){0, 0}),
			  3);
	ck_assert_uint_eq(count_behind(&seven, (struct text_position){0, 0}),
			  1);
}

/* More than one read of the rows returns, and not a whole number of reads; the
 * times are not in the order of the keys, and three pages share each time. */
TEST(all_of_many_pages_come_once)
{
	struct txn txn = txn_begin_write(world.store);
	char url[64];

	for (unsigned i = 0; i < MANY; i++) {
		snprintf(url, sizeof(url), "http://a.test/%u", i);
		put(&txn, url, (struct page_row){.stored_ms = 1 + i / 3});
	}
	ASSERT_OK(txn_end(&txn));
	ck_assert_uint_eq(
		count_behind(&everything, (struct text_position){0, 0}), MANY);
}

TEST(a_page_at_its_place)
{
	struct text_position place = {
		5, page_key_of(slice_of("http://a.test/old"))};
	struct positioned_page page;

	put_few();
	ASSERT_OK(text_position_page(world.store, site, place, &page));
	ck_assert_str_eq(page.url, "http://a.test/old");
	ck_assert_uint_eq(page.fetched_ms, 4);
	ck_assert_uint_eq(page.cluster, 7);
	/* it was stored again: its position changed */
	place.stored_ms = 4;
	ck_assert_int_eq(text_position_page(world.store, site, place, &page),
			 ERR_NOT_FOUND);
}

/* The last event is the site's; its commit is over, and none follows. */
TEST(what_another_commit_may_still_store_is_not_seen)
{
	struct txn txn = txn_begin_write(world.store);
	struct text_filter now = everything;
	uint64_t last_ms = world.now_ms;

	put(&txn, "http://a.test/1",
	    (struct page_row){.stored_ms = last_ms - 1});
	put(&txn, "http://a.test/2", (struct page_row){.stored_ms = last_ms});
	put(&txn, "http://a.test/3",
	    (struct page_row){.stored_ms = last_ms + 1});
	ASSERT_OK(txn_end(&txn));
	now.before_ms = last_ms + 1000;
	ck_assert_uint_eq(count_behind(&now, (struct text_position){0, 0}), 2);
	/* in the millisecond of the last commit there may be another */
	now.before_ms = last_ms;
	ck_assert_uint_eq(count_behind(&now, (struct text_position){0, 0}), 1);
}

TEST(a_deleted_site_ends_the_walk)
{
	struct text_position place = {0, 0};
	struct text_walk *walk = NULL;
	struct text_filter other = everything;
	bool is_there = true;
	struct txn txn;

	other.host = "b.test";
	ck_assert_int_eq(text_walk_begin(&walk, world.store, &other),
			 ERR_NOT_FOUND);
	put_few();
	walk = begin(&everything, place);
	txn = txn_begin_write(world.store);
	txn_delete(&txn, TABLE_SITES, slice_of(HOST));
	ASSERT_OK(txn_end(&txn));
	ck_assert_int_eq(text_walk_next(walk, &place, &is_there),
			 ERR_NOT_FOUND);
	ck_assert(!is_there);
	text_walk_end(walk);
}

/* More threads read than can, from one gate to the next. */
static pthread_barrier_t gates[2];

static void *read_long(void *context)
{
	struct txn txn = txn_begin_read(world.store);

	(void)context;
	pthread_barrier_wait(&gates[0]);
	pthread_barrier_wait(&gates[1]);
	txn_abort(&txn);
	return NULL;
}

TEST(after_an_error_it_is_tried_again)
{
	static pthread_t readers[READERS];
	struct text_position place = {0, 0};
	struct text_walk *walk;
	bool is_there;

	put_few();
	walk = begin(&everything, place);
	for (int i = 0; i < 2; i++)
		pthread_barrier_init(&gates[i], NULL, READERS + 1);
	for (int i = 0; i < READERS; i++)
		ck_assert_int_eq(
			pthread_create(&readers[i], NULL, read_long, NULL), 0);
	pthread_barrier_wait(&gates[0]);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(text_walk_next(walk, &place, &is_there),
				 ERR_BUSY);
	pthread_barrier_wait(&gates[1]);
	for (int i = 0; i < READERS; i++)
		pthread_join(readers[i], NULL);
	for (int i = 0; i < 4; i++)
		ck_assert(next(walk, &place));
	ck_assert(!next(walk, &place));
	text_walk_end(walk);
}

static const struct {
	const char *text;
	bool is_right;
	struct text_position place;
} texts[] = {
	{"0", true, {0, UINT64_MAX}},
	{"17", true, {17, UINT64_MAX}},
	{"17.00000000000000ff", true, {17, 255}},
	{"18446744073709551615.ffffffffffffffff",
	 true,
	 {UINT64_MAX, UINT64_MAX}},
	{"18446744073709551616", false, {0, 0}},
	{"", false, {0, 0}},
	{"-1", false, {0, 0}},
	{"17.", false, {0, 0}},
	{".00000000000000ff", false, {0, 0}},
	{"17.0000000000000ff", false, {0, 0}},
	{"17.000000000000000ff", false, {0, 0}},
	{"17.00000000000000FF", false, {0, 0}},
	{"17 00000000000000ff", false, {0, 0}},
};

FIXTURE();

TEST_ROWS(places_as_text, texts)
{
	struct text_position place;

	ck_assert_msg(text_position_read(slice_of(texts[_i].text), &place) ==
			      texts[_i].is_right,
		      "%s", texts[_i].text);
	if (!texts[_i].is_right)
		return;
	ck_assert_uint_eq(place.stored_ms, texts[_i].place.stored_ms);
	ck_assert_uint_eq(place.key, texts[_i].place.key);
}

TEST(a_place_is_read_as_it_is_written)
{
	struct text_position place = {1763908400123, 0x00A1B2C3D4E5F607};
	char text[TEXT_POSITION_BYTES];

	text_position_write(place, text);
	ck_assert_str_eq(text, "1763908400123.00a1b2c3d4e5f607");
	ck_assert(text_position_read(slice_of(text), &place));
	ck_assert_uint_eq(place.key, 0x00A1B2C3D4E5F607);
}
