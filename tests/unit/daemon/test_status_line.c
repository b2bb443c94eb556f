#include "daemon/service.h"

#include "store/rows.h"
#include "store/txn.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

static void check(struct world *world, const char *wanted)
{
	AUTO_BUFFER line = {0};

	status_line(world->store, &line);
	ck_assert_str_eq(line.data, wanted);
}

TEST(an_empty_store_has_none_of_all)
{
	struct world world = {0};

	world_open(&world, 0);
	check(&world, "0 sites, 0 pages, 0 crawling");
	world_close(&world);
}

TEST(a_site_of_which_pages_wait_is_crawling)
{
	struct world world = {0};
	struct site_row row;
	struct txn txn;

	world_open(&world, 0);
	ASSERT_OK(world_add_site(&world, "a.example"));
	check(&world, "1 site, 0 pages, 0 crawling");
	txn = txn_begin_write(world.store);
	ck_assert(site_get(&txn, slice_of("a.example"), &row));
	row.pending_count = 1;
	site_put(&txn, &row);
	ASSERT_OK(txn_end(&txn));
	check(&world, "1 site, 0 pages, 1 crawling");
	world_close(&world);
}

/* 999 pages have no comma, 1,000 have one. */
TEST(thousands_are_told_apart)
{
	struct world world = {0};
	struct txn txn;

	world_open(&world, 0);
	txn = txn_begin_write(world.store);
	for (unsigned i = 0; i < 999; i++)
		txn_put(&txn, TABLE_RECORDS, (struct slice){&i, sizeof(i)},
			(struct slice){"x", 1});
	ASSERT_OK(txn_end(&txn));
	check(&world, "0 sites, 999 pages, 0 crawling");
	txn = txn_begin_write(world.store);
	txn_put(&txn, TABLE_RECORDS, (struct slice){"last", 4},
		(struct slice){"x", 1});
	ASSERT_OK(txn_end(&txn));
	check(&world, "0 sites, 1,000 pages, 0 crawling");
	world_close(&world);
}
