#include "daemon/api/api_metrics.h"

#include "store/rows.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

static struct scratch scratch;
static struct store *store;

static void put(struct txn *txn, uint32_t id, const char *host, uint32_t pages,
		uint32_t flags)
{
	site_put(txn, &(struct site_row){
			      .id = id,
			      .host = slice_of(host),
			      .page_count = pages,
			      .found_count = pages + 1,
			      .seen_ms = id == 1 ? 0 : id * 1000U,
			      .options = {.flags = flags},
		      });
}

/* a has 5 pages, b and c have 9, d has 1. */
static void begin(void)
{
	struct txn txn;

	scratch_make(&scratch);
	store = scratch_store(&scratch);
	txn = txn_begin_write(store);
	put(&txn, 1, "a.example", 5, SITE_IS_STALE);
	put(&txn, 2, "b.example", 9, 0);
	put(&txn, 3, "c.example", 9, SITE_IS_BLOCKED);
	put(&txn, 4, "d.example", 1, SITE_IS_STALE);
	ASSERT_OK(txn_end(&txn));
}

static void end(void)
{
	store_close(store);
	scratch_remove(&scratch, NULL);
}

static struct buffer written(size_t max)
{
	struct txn txn = txn_begin_read(store);
	struct buffer out = {0};

	site_metrics(&txn, max, &out);
	ASSERT_OK(txn_end(&txn));
	return out;
}

static void check_has(const struct buffer *out, const char *text)
{
	ck_assert_msg(strstr(out->data, text) != NULL, "%s lacks %s", out->data,
		      text);
}

FIXTURE(.setup = begin, .teardown = end);

TEST(the_largest_come_first_and_the_rest_is_one)
{
	AUTO_BUFFER out = written(2);

	check_has(&out, "templated_site_pages gauge\n"
			"templated_site_pages{site=\"b.example\"} 9\n"
			"templated_site_pages{site=\"c.example\"} 9\n"
			"templated_site_pages{site=\"*\"} 6\n# HELP");
	check_has(&out, "templated_site_urls{site=\"*\"} 8\n");
	check_has(&out, "templated_site_stale{site=\"*\"} 2\n");
	check_has(&out, "templated_site_blocked{site=\"c.example\"} 1\n");
}

TEST(all_sites_count_in_their_states)
{
	AUTO_BUFFER out = written(0);

	check_has(&out, "templated_sites{state=\"all\"} 4\n"
			"templated_sites{state=\"stale\"} 2\n"
			"templated_sites{state=\"blocked\"} 1\n");
	check_has(&out, "templated_site_pages{site=\"*\"} 24\n");
}

TEST(a_site_that_was_never_seen_has_no_time)
{
	AUTO_BUFFER out = written(4);

	check_has(&out, "seen_timestamp_seconds{site=\"b.example\"} 2\n");
	check_has(&out, "site_pages{site=\"a.example\"} 5\n");
	ck_assert_ptr_null(
		strstr(out.data, "timestamp_seconds{site=\"a.example\"}"));
	ck_assert_ptr_null(strstr(out.data, "\"*\""));
}
