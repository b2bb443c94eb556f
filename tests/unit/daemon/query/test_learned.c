/* What methods have learnt: the same with the cache and without, bounded, and
 * forgotten when the site changes. */
#include "base/arena.h"
#include "daemon/privsep/model_cache.h"

#include <pthread.h>
#include <unistd.h>

#include "base/file.h"
#include "daemon/privsep/messages.h"
#include "daemon/query/query.h"
#include "daemon/query/stored_site.h"
#include "extract/core/extractor.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

enum { PAGES = 40, THREADS = 4, ROUNDS = 20 };

static struct world world;

static void put(const char *folder, unsigned seed)
{
	AUTO_BUFFER body = {0};
	char url[64];

	snprintf(url, sizeof(url), "%s/%u", folder, seed);
	world_page(&body, 0, seed);
	ASSERT_OK(world_put(&world, url, buffer_slice(&body)));
}

static void setup(void)
{
	world = (struct world){0};
	world_open(&world, 0);
	ASSERT_OK(world_add_site(&world, "a.test"));
	for (unsigned i = 0; i < PAGES; i++)
		put("http://a.test/page", i);
}

static void teardown(void)
{
	world_close(&world);
}

/* The text of page `seed` by df+; free() it. */
static char *text_of(struct model_cache *cache, unsigned seed)
{
	struct extraction_options rules = extraction_options_default;
	struct text_request request = {.format = FORMAT_TXT, .method = "df+"};
	AUTO_RESULT answer;
	struct buffer kept;
	struct url url;
	char text[64];

	snprintf(text, sizeof(text), "http://a.test/page/%u", seed);
	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	request.url = &url;
	rules.learned = cache;
	ASSERT_OK(query_text(world.store, &rules, &request, &answer));
	buffer_append_text(&answer.text, "");
	kept = answer.text;
	answer.text = (struct buffer){0};
	return kept.data;
}

static void check_same(struct model_cache *a, struct model_cache *b,
		       unsigned seed)
{
	AUTO_TEXT *by_a = text_of(a, seed);
	AUTO_TEXT *by_b = text_of(b, seed);

	ck_assert_str_eq(by_a, by_b);
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(the_cache_changes_no_answer)
{
	struct model_cache *cache = model_cache_create(1 << 20);
	size_t bytes;

	check_same(cache, NULL, 3);
	bytes = model_cache_bytes(cache);
	ck_assert_uint_gt(bytes, 0);
	for (unsigned i = 0; i < PAGES; i++)
		check_same(cache, NULL, i);
	/* all of one cluster: learnt once */
	ck_assert_uint_eq(model_cache_bytes(cache), bytes);
	model_cache_destroy(cache);
}

/* A sample has 16 pages of 40 and more: some of the new ones are in it. */
TEST(only_a_page_of_the_sample_teaches_anything)
{
	struct model_cache *cache = model_cache_create(1 << 20);
	unsigned taught = 0;

	check_same(cache, NULL, 3);
	for (unsigned i = PAGES; i < PAGES + 10; i++) {
		size_t bytes = model_cache_bytes(cache);

		put("http://a.test/page", i);
		check_same(cache, NULL, 3);
		ck_assert_uint_ge(model_cache_bytes(cache), bytes);
		taught += model_cache_bytes(cache) > bytes;
	}
	ck_assert_uint_gt(taught, 0);
	ck_assert_uint_lt(taught, 10);
	model_cache_destroy(cache);
}

/* Reads of a sample of a cluster that has changed this many times. */
struct reading {
	enum error error;
	uint32_t changes;
	unsigned reads;
};

static enum error read_page(void *context, uint32_t cluster,
			    struct buffer *list, uint32_t *changes_out)
{
	struct reading *reading = context;
	AUTO_BUFFER page = {0};

	(void)cluster;
	world_page(&page, 0, 1);
	item_append(list, buffer_slice(&page));
	item_append(list, slice_of("utf-8"));
	reading->reads++;
	*changes_out = reading->changes;
	return reading->error;
}

static const void *learn_nothing(const struct sample *sample,
				 const double *parameters, struct arena *arena)
{
	(void)sample;
	(void)parameters;
	(void)arena;
	return NULL;
}

/* What other clusters of the site do is not asked at all. */
TEST(a_sample_is_read_again_when_its_cluster_has_changed)
{
	static const struct extractor extractor = {.name = "test",
						   .learn = learn_nothing};
	struct model_cache *cache = model_cache_create(1 << 20);
	const double parameters[MAX_PARAMETERS] = {0};
	struct reading reading = {0};
	struct cached_model *learned;
	struct model_query question = {
		.extractor = &extractor,
		.parameters = parameters,
		.read = read_page,
		.context = &reading,
		.site = 1,
		.cluster = 1,
		.limits = &page_limits_default,
	};

	for (unsigned i = 0; i < 6; i++) {
		reading.changes = i / 2;
		question.changes = i / 2;
		ASSERT_OK(model_cache_get(cache, &question, &learned));
		model_cache_release(cache, learned);
		ck_assert_uint_eq(reading.reads, i / 2 + 1);
	}
	/* what the reader says, and nothing is kept of that */
	reading.error = ERR_BUSY;
	question.changes = 9;
	ck_assert_int_eq(model_cache_get(cache, &question, &learned), ERR_BUSY);
	ck_assert_ptr_null(learned);
	model_cache_destroy(cache);
}

/* Bytes that the cache holds after two values of a parameter. */
static size_t bytes_after(const char *method, const char *first,
			  const char *second)
{
	const char *const values[][2] = {{first, NULL}, {second, NULL}};
	struct model_cache *cache = model_cache_create(1 << 20);
	struct extraction_options rules = extraction_options_default;
	struct text_request request = {.method = method};
	struct url url;
	size_t bytes;

	ASSERT_OK(url_parse(&url, slice_of("http://a.test/page/1"), NULL));
	request.url = &url;
	rules.learned = cache;
	for (int i = 0; i < 2; i++) {
		AUTO_RESULT answer;

		request.parameters = values[i];
		ASSERT_OK(query_text(world.store, &rules, &request, &answer));
	}
	bytes = model_cache_bytes(cache);
	model_cache_destroy(cache);
	return bytes;
}

/*
 * A lean to recall is no other knowledge, but the scores of another scope are;
 * sst reads its attenuation.
 */
TEST(only_what_learning_reads_is_learnt_again)
{
	const char *favored = "threshold=0.3";

	ck_assert_uint_eq(bytes_after("auto", favored, "threshold=0.7"),
			  bytes_after("auto", favored, favored));
	ck_assert_uint_gt(bytes_after("auto", "scope=1", "scope=2"),
			  bytes_after("auto", "scope=1", "scope=1"));
	ck_assert_uint_gt(
		bytes_after("sst", "attenuation=0.5", "attenuation=0.6"),
		bytes_after("sst", "attenuation=0.5", "attenuation=0.5"));
}

TEST(over_its_bound_the_oldest_is_forgotten)
{
	struct model_cache *none = model_cache_create(0);
	struct model_cache *cache = model_cache_create(1 << 20);
	struct model_cache *small;
	size_t bytes;

	free(text_of(none, 1));
	ck_assert_uint_eq(model_cache_bytes(none), 0);
	free(text_of(cache, 1));
	bytes = model_cache_bytes(cache);
	small = model_cache_create(bytes * 3 / 2);
	for (unsigned i = 0; i < 4; i++) {
		free(text_of(small, 1));
		ck_assert_uint_le(model_cache_bytes(small), bytes * 3 / 2);
		put("http://a.test/page", PAGES + i);
	}
	model_cache_destroy(none);
	model_cache_destroy(cache);
	model_cache_destroy(small);
}

static void *ask_often(void *cache)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		free(text_of(cache, i % PAGES));
	return NULL;
}

TEST(many_threads_ask_at_once)
{
	/* too small to keep anything: what is in use must live all the same */
	const size_t sizes[] = {0, 1 << 20};
	pthread_t threads[THREADS];

	for (int size = 0; size < 2; size++) {
		struct model_cache *cache = model_cache_create(sizes[size]);

		for (int i = 0; i < THREADS; i++)
			ck_assert_int_eq(pthread_create(&threads[i], NULL,
							ask_often, cache),
					 0);
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		check_same(cache, NULL, 7);
		model_cache_destroy(cache);
	}
}

TEST(a_site_may_have_a_model_of_its_own)
{
	struct extraction_options rules = extraction_options_default;
	struct text_request request = {.method = "mountain"};
	struct extraction_result answer;
	struct url url;
	char path[128];

	ASSERT_OK(url_parse(&url, slice_of("http://a.test/page/1"), NULL));
	request.url = &url;
	rules.models = world.path;
	ASSERT_OK(query_text(world.store, &rules, &request, &answer));
	extraction_result_free(&answer);
	snprintf(path, sizeof(path), "%s/a.test.model", world.path);
	ASSERT_OK(file_write(path, slice_of("no model")));
	ck_assert_int_eq(query_text(world.store, &rules, &request, &answer),
			 ERR_MALFORMED);
	ck_assert_msg(strstr(answer.reason, "a.test.model") != NULL, "%s",
		      answer.reason);
	extraction_result_free(&answer);
	request.method = "accb"; /* which reads none */
	ASSERT_OK(query_text(world.store, &rules, &request, &answer));
	extraction_result_free(&answer);
	unlink(path);
}

TEST(settings_stand_between_defaults_and_request)
{
	const char *const given[] = {"threshold=0", NULL};
	struct extraction_options rules = extraction_options_default;
	struct text_request request = {.method = "accb"};
	struct extraction_result answer;
	struct url url;

	ASSERT_OK(url_parse(&url, slice_of("http://a.test/page/1"), NULL));
	request.url = &url;
	rules.settings = "accb.threshold=1, df.max_ratio=0.5";
	ASSERT_OK(query_text(world.store, &rules, &request, &answer));
	ck_assert_uint_eq(answer.text.size, 0);
	extraction_result_free(&answer);
	request.parameters = given;
	ASSERT_OK(query_text(world.store, &rules, &request, &answer));
	ck_assert_uint_gt(answer.text.size, 0);
	extraction_result_free(&answer);
	rules.settings = "accb.threshold=2";
	ck_assert_int_eq(query_text(world.store, &rules, &request, &answer),
			 ERR_MALFORMED);
	extraction_result_free(&answer);
}

/* The titles of the first `count` sampled pages of cluster 1. */
static void sample_titles(const char *host, uint32_t count,
			  struct buffer *titles_out)
{
	struct txn txn = txn_begin_read(world.store);
	struct arena *arena = arena_create();
	uint64_t keys[PAGES];
	struct site_row site;

	*titles_out = (struct buffer){0};
	ck_assert(site_get(&txn, slice_of(host), &site));
	ck_assert_uint_eq(
		stored_pages_find(&(struct stored_pages){&txn, site.id, 1,
							 &page_limits_default},
				  count, UINT64_MAX, keys),
		count);
	for (uint32_t i = 0; i < count; i++) {
		buffer_append_slice(
			titles_out,
			stored_page_title(arena, &txn, site.id, keys[i]));
		buffer_append_byte(titles_out, ' ');
	}
	txn_abort(&txn);
	arena_destroy(arena);
}

/* Law 7: a folder of pages has other addresses than the site has. */
TEST(the_sample_depends_on_the_pages_and_not_on_where_they_stand)
{
	AUTO_BUFFER here;
	struct buffer there;

	ASSERT_OK(world_add_site(&world, "b.test"));
	for (unsigned i = PAGES; i > 0; i--)
		put("http://b.test/other", i - 1);
	sample_titles("a.test", 8, &here);
	sample_titles("b.test", 8, &there);
	ck_assert_str_eq(here.data, there.data);
	buffer_free(&there);
	/* and more of them begin with the same */
	sample_titles("a.test", PAGES, &there);
	ck_assert_int_eq(strncmp(here.data, there.data, here.size), 0);
	buffer_free(&there);
}
