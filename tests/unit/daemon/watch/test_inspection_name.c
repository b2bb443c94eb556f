/* Names of clusters: derived once, kept, given by a client. */
#include "daemon/watch/names.h"

#include "store/key.h"
#include "template/template_name.h"
#include "tests/unit/daemon/watched.h"
#include "tests/unit/daemon/watched_parts.h"
#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"

enum { EACH = 6 };

static struct watched web;
static unsigned article;
static unsigned product;

static void setup(void)
{
	watched_open(&web);
	article = watched_add(&web, "article", FORM_ARTICLE, EACH);
	product = watched_add(&web, "product", FORM_PRODUCT, EACH);
}

static void teardown(void)
{
	watched_close(&web);
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 60);

static void check_name(uint32_t cluster, const char *name)
{
	uint32_t site = world_site(&web.world, WATCHED_HOST).id;
	struct txn txn = txn_begin_read(web.world.store);
	struct name_row row;

	ck_assert(name_row_get(&txn, site, cluster, &row));
	ck_assert_str_eq(arena_copy(test_arena, row.name.data, row.name.size),
			 name);
	txn_abort(&txn);
}

static enum error rename_to(uint32_t cluster, const char *name)
{
	struct change change = {.kind = CHANGE_NAME,
				.name = {cluster, slice_of(name)}};

	return watched_commit(&web, &change);
}

#define ARTICLE_NAME "page \xC2\xB7 /article/N"
#define BOTH_NAME    "product \xC2\xB7 /article|product/N"
#define PRODUCT_NAME "product \xC2\xB7 /product/N"

TEST(each_cluster_gets_a_name_once)
{
	watched_begin(&web);
	/* the seed is a cluster, too */
	ck_assert_uint_eq(watched_rows(&web, TABLE_NAMES), 3);
	check_name(watched_name(&web, product, "product"), PRODUCT_NAME);
	ck_assert(!watched_inspect(&web));
}

TEST(no_name_is_derived_while_pages_are_awaited)
{
	ASSERT_OK(watched_set_options(&web));
	while (world_site(&web.world, WATCHED_HOST).pending_count > 0) {
		ck_assert_uint_eq(watched_rows(&web, TABLE_NAMES), 0);
		ck_assert(watched_step(&web));
	}
	ck_assert_uint_eq(watched_rows(&web, TABLE_NAMES), 3);
}

TEST(names_do_not_depend_on_the_order_of_pages)
{
	watched_begin(&web);
	check_name(watched_name(&web, article, "article"), ARTICLE_NAME);
	check_name(watched_name(&web, product, "product"), PRODUCT_NAME);
	watched_close(&web);
	watched_open(&web);
	product = watched_add(&web, "product", FORM_PRODUCT, EACH);
	article = watched_add(&web, "article", FORM_ARTICLE, EACH);
	web.max_work = 1;
	watched_begin(&web);
	check_name(watched_name(&web, article, "article"), ARTICLE_NAME);
	check_name(watched_name(&web, product, "product"), PRODUCT_NAME);
}

TEST(event_has_the_name)
{
	struct event_row row;
	AUTO_JSON *detail;

	web.section_count = 1;
	watched_begin(&web);
	detail = watched_only(&web, EVENT_TEMPLATE_NEW, &row);
	ck_assert_str_eq(
		json_string_value(json_object_get(detail, EVENT_NAME_MEMBER)),
		"page \xC2\xB7 /article/N");
}

TEST(given_name_stays)
{
	uint32_t cluster;

	watched_begin(&web);
	cluster = watched_name(&web, product, "product");
	ASSERT_OK(rename_to(cluster, "Product page"));
	check_name(cluster, "Product page");
	watched_pass(&web, 3 * DAY_MS);
	check_name(cluster, "Product page");
}

TEST(given_name_stays_through_a_redesign)
{
	uint32_t cluster;

	watched_begin(&web);
	cluster = watched_name(&web, product, "product");
	ASSERT_OK(rename_to(cluster, "Product page"));
	watched_set(&web, product, FORM_REDESIGN, 0);
	watched_pass(&web, 12 * DAY_MS);
	ck_assert_uint_eq(watched_name(&web, product, "redesign"), cluster);
	check_name(cluster, "Product page");
}

TEST(given_name_moves_to_the_template_that_replaces)
{
	uint32_t before;
	uint32_t after;

	watched_begin(&web);
	before = watched_name(&web, product, "product");
	after = watched_name(&web, article, "article");
	ASSERT_OK(rename_to(before, "Product page"));
	watched_set(&web, product, FORM_ARTICLE, 0);
	watched_pass(&web, 12 * DAY_MS);
	ck_assert_uint_eq(watched_name(&web, product, "article"), after);
	check_name(after, "Product page");
	/* the ended template still has the name, but a client may move on */
	check_name(before, "Product page");
	ASSERT_OK(rename_to(after, ""));
	watched_settle(&web);
	check_name(after, BOTH_NAME);
}

TEST(empty_name_is_derived_again)
{
	uint32_t cluster;

	watched_begin(&web);
	cluster = watched_name(&web, product, "product");
	ASSERT_OK(rename_to(cluster, "Product page"));
	ASSERT_OK(rename_to(cluster, ""));
	watched_settle(&web);
	check_name(cluster, PRODUCT_NAME);
}

TEST(names_are_unique)
{
	uint32_t first;
	uint32_t second;

	watched_begin(&web);
	first = watched_name(&web, product, "product");
	second = watched_name(&web, article, "article");
	ck_assert_int_eq(rename_to(second, PRODUCT_NAME),
			 ERR_ADDRESS_FORBIDDEN);
	ASSERT_OK(rename_to(first, PRODUCT_NAME));
	ASSERT_OK(rename_to(second, "Other"));
	ck_assert_int_eq(rename_to(99, "No cluster"), ERR_NOT_FOUND);
}
