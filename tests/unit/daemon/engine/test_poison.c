#include "daemon/engine/engine.h"

#include "base/compress.h"
#include "base/hash.h"
#include "store/key.h"
#include "store/rows.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

enum { MAX_ROWS = 100 };

static struct world world;

static void setup(void)
{
	world = (struct world){0};
	world_open(&world, 0);
	ASSERT_OK(world_add_site(&world, "a.test"));
}

static void teardown(void)
{
	world_close(&world);
}

static struct url url_of(unsigned number)
{
	char text[64];
	struct url url;

	snprintf(text, sizeof(text), "http://a.test/page/%u", number);
	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	return url;
}

/* Page `number` ended its worker with these bytes; NULL: it was not read. */
static void poison(unsigned number, const char *bytes)
{
	struct url url = url_of(number);
	AUTO_BUFFER packed = {0};
	struct change change = {.kind = CHANGE_QUARANTINE, .url = &url};

	world.now_ms += 1000;
	if (bytes != NULL) {
		compress_slice(slice_of(bytes), &packed);
		change.answer.content_hash = hash64(bytes, strlen(bytes), 0);
		change.answer.body_bytes = (uint32_t)strlen(bytes);
	}
	change.answer.packed = buffer_slice(&packed);
	change.answer.reason = slice_of("signal 11");
	change.answer.charset = slice_of("utf-8");
	ASSERT_OK(engine_commit(world.engine, &change, 1, world.now_ms, NULL));
	ASSERT_OK(change.error);
}

/* Whether page `number` is poisoned; its reason and its bytes are right. */
static bool is_poisoned(unsigned number, const char *bytes)
{
	struct site_row site = world_site(&world, "a.test");
	struct url url = url_of(number);
	struct txn txn = txn_begin_read(world.store);
	AUTO_BUFFER body = {0};
	struct quarantine_row row;
	bool is_there = quarantine_row_get(
		&txn, site.id, page_key_of(slice_of(url.text)), &row);

	if (is_there) {
		ASSERT_OK(decompress_slice(row.body, 1000, &body));
		ck_assert(slice_equal(buffer_slice(&body), slice_of(bytes)));
		ck_assert(slice_equal(row.reason, slice_of("signal 11")));
	}
	txn_abort(&txn);
	return is_there;
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_poisoned_page_is_kept_with_its_reason)
{
	poison(1, "<p>boom");
	ck_assert(is_poisoned(1, "<p>boom"));
	ck_assert(!is_poisoned(2, ""));
	ck_assert_uint_eq(world_problems(&world), 0);
	/* other bytes take their place, the same ones change nothing */
	poison(1, "<p>bang");
	ck_assert(is_poisoned(1, "<p>bang"));
	poison(1, NULL);
	ck_assert(is_poisoned(1, "<p>bang"));
}

static enum error cure(unsigned number)
{
	struct url url = url_of(number);
	struct change change = {.kind = CHANGE_UNQUARANTINE, .url = &url};

	ASSERT_OK(engine_commit(world.engine, &change, 1, world.now_ms, NULL));
	return change.error;
}

TEST(it_is_deleted_on_request)
{
	poison(1, "<p>boom");
	ASSERT_OK(cure(1));
	ck_assert(!is_poisoned(1, ""));
	ck_assert_int_eq(cure(1), ERR_NOT_FOUND);
}

TEST(a_site_keeps_the_newest_hundred)
{
	for (unsigned i = 0; i < MAX_ROWS + 5; i++)
		poison(i, "<p>boom");
	for (unsigned i = 0; i < MAX_ROWS + 5; i++)
		ck_assert_int_eq(is_poisoned(i, "<p>boom"), i >= 5);
}

/* Bytes that a client uploads do not make the daemon visit the site less. */
TEST(what_a_client_hands_in_is_no_reason_to_spare_the_site)
{
	struct url url;
	struct change change = {.kind = CHANGE_SITE_ADD, .url = &url};
	struct work work;
	struct work_order order = {
		.work = &work, .max = 1, .max_per_site = 1, .lease_ms = 1000};

	url_parse(&url, slice_of("http://a.test/"), NULL);
	change.site_add =
		(struct site_options){.max_pages = 10, .max_depth = 10};
	for (unsigned i = 0; i < 5; i++)
		poison(i, "<p>boom");
	ASSERT_OK(
		engine_commit(world.engine, &change, 1, world.now_ms, &order));
	ck_assert_uint_eq(order.count, 1);
}
