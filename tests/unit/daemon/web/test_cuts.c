#include "daemon/web/thresholds.h"

#include <pthread.h>
#include <stdatomic.h>

#include "store/key.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"

enum {
	PAGES = 5, /* of a small site, each with another signature */
	SITES = 9, /* one more than are kept */
#ifdef TESTS_ARE_SLOW
	LARGE = 1200,
#else
	LARGE = 2500,
#endif
};

static struct world world;
static struct site_thresholds *cuts;

static void put(const char *host, unsigned number)
{
	char url[128];

	snprintf(url, sizeof(url), "http://%s/%u", host, number);
	world_put_blocks(&world, url, 1U << number);
}

static void put_site(const char *host)
{
	ASSERT_OK(world_add_site(&world, host));
	for (unsigned i = 0; i < PAGES; i++)
		put(host, i);
}

static void setup(void)
{
	world_open(&world, 0);
	put_site("a.test");
	cuts = thresholds_create(world.store, 100);
}

static void teardown(void)
{
	thresholds_destroy(cuts);
	world_close(&world);
}

/* The answer, with a NUL behind; buffer_free() it. */
static struct buffer ask(const char *host, enum thresholds_format format)
{
	struct buffer answer = {0};

	ASSERT_OK(thresholds_append(cuts, host, format, &answer));
	buffer_append_byte(&answer, '\0');
	return answer;
}

static enum error error_for(const char *host)
{
	AUTO_BUFFER answer = {0};
	enum error error =
		thresholds_append(cuts, host, THRESHOLDS_JSON, &answer);

	if (error != ERR_NONE)
		ck_assert_uint_eq(answer.size, 0);
	return error;
}

/* json_decref() it. */
static json_t *ask_json(const char *host)
{
	AUTO_BUFFER answer = ask(host, THRESHOLDS_JSON);
	json_t *value = json_loads(answer.data, JSON_REJECT_DUPLICATES, NULL);

	ck_assert_ptr_nonnull(value);
	return value;
}

static long long pages_told(void)
{
	AUTO_JSON *value = ask_json("a.test");
	long long pages = json_integer_value(json_object_get(value, "pages"));

	return pages;
}

/* Its pages can no longer be read: who tells of them knows them already. */
static void damage(const char *host)
{
	struct key key = key_site(world_site(&world, host).id);
	struct txn txn = txn_begin_write(world.store);

	txn_delete_prefix(&txn, TABLE_SETS, key_slice(&key));
	ASSERT_OK(txn_end(&txn));
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_tree_is_kept_until_a_page_changes)
{
	struct buffer first = ask("a.test", THRESHOLDS_JSON);
	AUTO_BUFFER second;

	damage("a.test");
	second = ask("a.test", THRESHOLDS_JSON);
	ck_assert_str_eq(first.data, second.data);
	buffer_free(&first);
	/* for every format */
	first = ask("a.test", THRESHOLDS_TEXT);
	buffer_free(&first);
	first = ask("a.test", THRESHOLDS_SVG);
	buffer_free(&first);
	world_remove(&world, "http://a.test/0");
	ck_assert_int_eq(error_for("a.test"), ERR_CORRUPT);
}

TEST(a_changed_page_makes_another_tree)
{
	ck_assert_int_eq(pages_told(), PAGES);
	put("a.test", 20);
	ck_assert_int_eq(pages_told(), PAGES + 1);
	world_remove(&world, "http://a.test/0");
	world_remove(&world, "http://a.test/1");
	ck_assert_int_eq(pages_told(), PAGES - 1);
}

TEST(another_site_of_the_same_name_makes_another_tree)
{
	struct change delete = {.kind = CHANGE_SITE_DELETE};
	struct url url;
	uint64_t generation = world_site(&world, "a.test").generation;

	ck_assert_int_eq(pages_told(), PAGES);
	url_parse(&url, slice_of("http://a.test/"), NULL);
	delete.url = &url;
	engine_commit(world.engine, &delete, 1, ++world.now_ms, NULL);
	ck_assert_int_eq(error_for("a.test"), ERR_NOT_FOUND);
	/* as many changes, but pages on one place */
	world_add_site(&world, "a.test");
	while (world_site(&world, "a.test").generation < generation)
		world_put_blocks(
			&world, "http://a.test/0",
			(uint32_t)world_site(&world, "a.test").generation);
	ck_assert_int_eq(pages_told(), 1);
}

TEST(the_site_is_reported_in_its_current_state)
{
	json_t *value = ask_json("a.test");

	ck_assert_str_eq(json_string_value(json_object_get(value, "host")),
			 "a.test");
	ck_assert_str_eq(json_string_value(json_object_get(value, "measure")),
			 "cpc");
	ck_assert(json_is_false(json_object_get(value, "auto")));
	ck_assert_double_eq(
		json_real_value(json_object_get(value, "threshold")), 0.25);
	ck_assert_int_eq(
		json_integer_value(json_object_get(value, "generation")),
		(long long)world_site(&world, "a.test").generation);
	ck_assert_int_eq(
		json_integer_value(json_object_get(value, "signatures")),
		PAGES);
	json_decref(value);
	/* no page changes by that */
	ASSERT_OK(world_set_threshold(&world, "a.test", THRESHOLD_AUTO));
	value = ask_json("a.test");
	ck_assert(json_is_true(json_object_get(value, "auto")));
	json_decref(value);
	ASSERT_OK(world_set_threshold(&world, "a.test", 700));
	value = ask_json("a.test");
	ck_assert(json_is_false(json_object_get(value, "auto")));
	ck_assert_double_eq(
		json_real_value(json_object_get(value, "threshold")), 0.7);
	json_decref(value);
}

TEST(formats_match_their_names)
{
	AUTO_BUFFER text = ask("a.test", THRESHOLDS_TEXT);
	AUTO_BUFFER svg = ask("a.test", THRESHOLDS_SVG);

	ck_assert_ptr_eq(strstr(text.data, "5 pages"), text.data);
	ck_assert_ptr_nonnull(strstr(text.data, "\ntemplate "));
	ck_assert_ptr_nonnull(strstr(svg.data, "<svg"));
	ck_assert_ptr_nonnull(strstr(svg.data, "</svg>"));
}

TEST(a_site_without_pages_has_cuts)
{
	static const enum thresholds_format formats[] = {
		THRESHOLDS_JSON, THRESHOLDS_TEXT, THRESHOLDS_SVG};

	world_add_site(&world, "empty.test");
	for (size_t i = 0; i < 3; i++) {
		AUTO_BUFFER answer = ask("empty.test", formats[i]);

		ck_assert_uint_gt(answer.size, 1);
	}
}

TEST(a_site_that_is_not_there_is_not_found)
{
	ck_assert_int_eq(error_for("b.test"), ERR_NOT_FOUND);
	ck_assert_int_eq(error_for(""), ERR_NOT_FOUND);
}

TEST(too_many_signatures_are_refused)
{
	thresholds_destroy(cuts);
	cuts = thresholds_create(world.store, PAGES - 1);
	ck_assert_int_eq(error_for("a.test"), ERR_TOO_LARGE);
	world_remove(&world, "http://a.test/0");
	ASSERT_OK(error_for("a.test"));
}

TEST(after_a_stop_no_request_is_served)
{
	put_site("b.test");
	ASSERT_OK(error_for("a.test"));
	thresholds_stop(cuts);
	ck_assert_int_eq(error_for("b.test"), ERR_STOPPED);
	ck_assert_int_eq(error_for("a.test"), ERR_STOPPED);
}

/* s0.test to s8.test. */
static void site_name(char name[16], unsigned number)
{
	snprintf(name, 16, "s%u.test", number);
}

TEST(of_many_trees_that_unasked_for_longest_goes)
{
	char name[16];

	world.max_sites = SITES + 1;
	thresholds_destroy(cuts);
	world_reopen(&world);
	cuts = thresholds_create(world.store, 100);
	for (unsigned i = 0; i < SITES; i++) {
		site_name(name, i);
		put_site(name);
		ASSERT_OK(error_for(name));
		damage(name);
		ASSERT_OK(error_for("s0.test"));
	}
	ck_assert_int_eq(error_for("s1.test"), ERR_CORRUPT);
	for (unsigned i = 2; i < SITES; i++) {
		site_name(name, i);
		ASSERT_OK(error_for(name));
	}
}

/* A site whose tree takes some tenths of a second. */
static void put_large_site(void)
{
	thresholds_destroy(cuts);
	cuts = thresholds_create(world.store, LARGE);
	world_put_many(&world, "large.test", LARGE);
}

/* A thread that requests large.test. */
struct asker {
	pthread_t thread;
	atomic_bool is_answered;
	enum error error;
	struct buffer answer;
};

static void *ask_in_thread(void *argument)
{
	struct asker *asker = argument;

	asker->error = thresholds_append(cuts, "large.test", THRESHOLDS_JSON,
					 &asker->answer);
	atomic_store(&asker->is_answered, true);
	return NULL;
}

/* A page of the site changes. */
static void change(const char *url)
{
	world_put_blocks(&world, url, (uint32_t)world.now_ms);
}

/* b.test has changed; its request is refused, because large.test is being
 * built. */
static bool is_busy(void)
{
	change("http://b.test/0");
	return error_for("b.test") == ERR_BUSY;
}

static void end_asking(struct asker *asker)
{
	pthread_join(asker->thread, NULL);
	buffer_free(&asker->answer);
}

/* Build the tree of large.test in a thread, and return before it is done. */
static void begin_asking(struct asker *asker)
{
	for (;;) {
		*asker = (struct asker){.error = ERR_NONE};
		change("http://large.test/0");
		pthread_create(&asker->thread, NULL, ask_in_thread, asker);
		while (!atomic_load(&asker->is_answered))
			if (is_busy())
				return;
		end_asking(asker); /* too late */
	}
}

static void setup_large(void)
{
	setup();
	put_site("b.test");
	put_large_site();
}

FIXTURE(.timeout_s = 120, .setup = setup_large, .teardown = teardown);

TEST(one_tree_is_made_at_a_time_and_counts_for_all)
{
	struct asker asker;
	AUTO_BUFFER answer;

	begin_asking(&asker);
	while (!atomic_load(&asker.is_answered))
		ck_assert_int_ne(error_for("large.test"), ERR_NOT_FOUND);
	ASSERT_OK(asker.error);
	answer = ask("large.test", THRESHOLDS_JSON);
	buffer_append_byte(&asker.answer, '\0');
	ck_assert_str_eq(answer.data, asker.answer.data);
	end_asking(&asker);
}

TEST(what_is_kept_is_told_while_a_tree_is_made)
{
	struct asker asker;

	ASSERT_OK(error_for("a.test"));
	begin_asking(&asker);
	ASSERT_OK(error_for("a.test"));
	end_asking(&asker);
	ASSERT_OK(asker.error);
}

TEST(a_stop_ends_the_tree_that_is_made)
{
	struct asker asker;

	begin_asking(&asker);
	thresholds_stop(cuts);
	end_asking(&asker);
	ck_assert_int_eq(asker.error, ERR_STOPPED);
}
