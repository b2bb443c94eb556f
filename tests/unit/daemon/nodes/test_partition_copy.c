#include "daemon/nodes/snapshot.h"

#include <sys/stat.h>
#include <unistd.h>

#include "store/journal.h"
#include "store/content.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

enum { PAGES = 1200, BODY_BYTES = 5000, NOW_MS = 1234567 };

/* One host, one partition: "b.test" is of 'b'. */
static unsigned partition_of(struct slice host)
{
	return *(const unsigned char *)host.data;
}

struct test_node {
	struct scratch scratch;
	struct store *store;
};

static struct test_node owner;
static struct test_node follower;
static struct scratch place;
static struct snapshot_store *depot;
static struct snapshot_figures copied;

static void open_node(struct test_node *node)
{
	const struct store_options options = {.is_temporary = true,
					      .partition_of = partition_of};

	scratch_make(&node->scratch);
	ASSERT_OK(store_open(&node->store, node->scratch.folder, &options));
}

static void close_node(struct test_node *node)
{
	store_close(node->store);
	scratch_remove(&node->scratch, NULL);
}

/* A site with bodies of 6 MB: a snapshot of several chunks. */
static uint32_t add_site(struct store *store, const char *host)
{
	struct txn txn = txn_begin_write(store);
	struct site_row row = {.host = slice_of(host), .seed = slice_of(host)};
	uint64_t seed = 7;

	row.id = store_next_site(&txn, row.host);
	site_put(&txn, &row);
	for (uint64_t i = 0; i < PAGES; i++) {
		struct key key = key_page(row.id, i);
		uint64_t body[BODY_BYTES / 8];

		for (size_t j = 0; j < BODY_BYTES / 8; j++)
			body[j] = scratch_random(&seed);
		memset(body, 1, sizeof(body[0])); /* the form of the value */
		content_put(&txn, TABLE_BODIES, key_slice(&key),
			    (struct slice){body, sizeof(body)});
	}
	ASSERT_OK(txn_end(&txn));
	return row.id;
}

static void set_place(uint64_t number)
{
	struct txn txn = txn_begin_write(owner.store);

	journal_position_put(
		&txn, 'a',
		&(struct journal_position){number, 3, true, ~number});
	ASSERT_OK(txn_end(&txn));
}

static void setup(void)
{
	scratch_make(&place);
	ASSERT_OK(snapshot_store_open(&depot, &(struct snapshot_store_options){
						      .location = place.folder,
						      .key_file = "",
						      .ca_file = "",
						      .spool_folder = "",
					      }));
	open_node(&owner);
	open_node(&follower);
	add_site(owner.store, "a.test");
	add_site(owner.store, "b.test");
	set_place(42);
}

static void teardown(void)
{
	static const char *const inner[] = {"p097", NULL};
	struct stat facts;
	bool has_folder = stat(scratch_path(&place, "p097"), &facts) == 0;

	close_node(&owner);
	close_node(&follower);
	snapshot_store_close(depot);
	scratch_remove(&place, has_folder ? inner : NULL);
}

static uint64_t sum_of(struct store *store, unsigned partition)
{
	struct txn txn = txn_begin_read(store);
	uint64_t sum = journal_sum(&txn, partition, NULL);

	ASSERT_OK(txn_end(&txn));
	return sum;
}

static struct journal_position element_position_of(struct store *store)
{
	struct txn txn = txn_begin_read(store);
	struct journal_position its;

	journal_position_get(&txn, 'a', &its);
	ASSERT_OK(txn_end(&txn));
	return its;
}

static void expect_whole(void)
{
	struct journal_position its = element_position_of(follower.store);

	ck_assert_uint_eq(its.number, 42);
	ck_assert_uint_eq(its.epoch, 3);
	ck_assert_uint_eq(its.is_whole, 1);
	ck_assert_uint_eq(its.hash, ~UINT64_C(42));
	ck_assert_uint_eq(sum_of(follower.store, 'a'),
			  sum_of(owner.store, 'a'));
	ck_assert_uint_eq(sum_of(follower.store, 'b'), 0);
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_partition_moves_through_a_snapshot_store)
{
	uint64_t number = 0;

	ASSERT_OK(snapshot_save(owner.store, 'a', NOW_MS, depot, &copied));
	ck_assert_uint_eq(copied.rows, PAGES + 1);
	ck_assert_uint_eq(copied.chunks, 2);
	ASSERT_OK(snapshot_store_latest(depot, 'a', UINT64_MAX, &number));
	ck_assert_uint_eq(number, 42);
	ASSERT_OK(snapshot_load(follower.store,
				(struct snapshot_store_item){'a', number},
				depot, &copied));
	ck_assert_uint_eq(copied.head.time_ms, NOW_MS);
	expect_whole();
}

TEST(what_was_there_goes)
{
	add_site(follower.store, "another.test");
	ASSERT_OK(snapshot_save(owner.store, 'a', NOW_MS, depot, &copied));
	ASSERT_OK(snapshot_load(follower.store,
				(struct snapshot_store_item){'a', 42}, depot,
				&copied));
	expect_whole();
}

TEST(a_file_does_as_well)
{
	const char *path = scratch_path(&place, "a.snapshot");

	ASSERT_OK(snapshot_save_file(owner.store, 'a', NOW_MS, path, &copied));
	ASSERT_OK(snapshot_load_file(NULL, path, &copied));
	ck_assert_uint_eq(copied.head.partition, 'a');
	ck_assert_uint_eq(sum_of(follower.store, 'a'), 0);
	ASSERT_OK(snapshot_load_file(follower.store, path, &copied));
	expect_whole();
}

TEST(half_a_file_is_not_whole)
{
	const char *path = scratch_path(&place, "a.snapshot");

	ASSERT_OK(snapshot_save_file(owner.store, 'a', NOW_MS, path, &copied));
	/* a chunk of 4 MiB is in it */
	ck_assert_int_eq(truncate(path, 5 << 20), 0);
	ck_assert_int_eq(snapshot_load_file(follower.store, path, &copied),
			 ERR_CORRUPT);
	ck_assert_uint_eq(element_position_of(follower.store).is_whole, 0);
	ck_assert_uint_ne(sum_of(follower.store, 'a'), 0);
	/* as are no bytes at all */
	ck_assert_int_eq(truncate(path, 0), 0);
	ck_assert_int_eq(snapshot_load_file(NULL, path, &copied), ERR_CORRUPT);
	ck_assert_int_eq(snapshot_load_file(NULL, "/nowhere/a", &copied),
			 ERR_NOT_FOUND);
}

TEST(another_partition_is_refused)
{
	char path[SCRATCH_PATH_BYTES];

	ASSERT_OK(snapshot_save(owner.store, 'a', NOW_MS, depot, &copied));
	snprintf(path, sizeof(path), "%s", scratch_path(&place, "p097"));
	ck_assert_int_eq(rename(path, scratch_path(&place, "p098")), 0);
	ck_assert_int_eq(snapshot_load(follower.store,
				       (struct snapshot_store_item){'b', 42},
				       depot, &copied),
			 ERR_CORRUPT);
	ck_assert_int_eq(rename(scratch_path(&place, "p098"), path), 0);
}
