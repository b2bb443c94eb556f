#include "daemon/query/text_cache.h"

#include <math.h>
#include <pthread.h>
#include <unistd.h>

#include "base/file.h"
#include "daemon/query/query.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

enum {
	PAGES = 24,
	ROUNDS = 4,
	THREADS = 4,
	LONG_PAGE = 20000, /* elements */
	MAX_ATTEMPTS = 50,
	CACHE_BYTES = 16 << 20,
	ROOM_FOR_SOME = 40 << 10
};

static struct world world;
static struct text_cache *cache;
static struct extraction_options rules;

static void url_of(unsigned number, struct url *url)
{
	char text[64];

	snprintf(text, sizeof(text), "http://a.test/page/%u", number);
	ASSERT_OK(url_parse(url, slice_of(text), NULL));
}

static void put(unsigned number, unsigned kind, unsigned seed)
{
	AUTO_BUFFER html = {0};
	struct url url;

	url_of(number, &url);
	world_page(&html, kind, seed);
	ASSERT_OK(world_put(&world, url.text, buffer_slice(&html)));
}

static void setup(void)
{
	world_open(&world, 0);
	world_add_site(&world, "a.test");
	cache = text_cache_create(CACHE_BYTES);
	rules = extraction_options_default;
	rules.answers = cache;
}

static void teardown(void)
{
	text_cache_destroy(cache);
	world_close(&world);
}

/* Asked as `request` says for the page of a number. */
static enum error ask(const struct extraction_options *by,
		      const struct text_request *request, unsigned number,
		      struct text_result *answer)
{
	struct text_request asked = *request;
	struct url url;

	url_of(number, &url);
	asked.url = &url;
	return stored_text_get(NULL, world.store, by, &asked, answer);
}

static struct text_result must_ask(enum format format, unsigned number)
{
	struct text_result answer;

	ASSERT_OK(ask(&rules, &(struct text_request){.format = format}, number,
		      &answer));
	return answer;
}

static struct answer_cache_stats stats(void)
{
	return text_cache_stats(cache);
}

static bool is_same(const struct text_result *a, const struct text_result *b)
{
	return slice_equal(buffer_slice(&a->body), buffer_slice(&b->body)) &&
	       strcmp(a->method, b->method) == 0 &&
	       strcmp(a->reason, b->reason) == 0 &&
	       strcmp(a->cluster, b->cluster) == 0 &&
	       a->quality == b->quality &&
	       (a->confidence == b->confidence ||
		(isnan(a->confidence) && isnan(b->confidence)));
}

/* By query_text(), which asks the store in place: the text, as bytes. */
static bool is_computed_in_place(const struct text_request *request,
				 unsigned number, const struct text_result *as)
{
	struct text_request asked = *request;
	AUTO_RESULT answer;
	struct url url;
	bool is_right;

	url_of(number, &url);
	asked.url = &url;
	is_right =
		query_text(world.store, &rules, &asked, &answer) == ERR_NONE &&
		slice_equal(buffer_slice(&answer.text),
			    buffer_slice(&as->body)) &&
		strcmp(answer.cluster, as->cluster) == 0;
	return is_right;
}

/* What the cache says is what would be computed now. */
static void check_law(const struct text_request *request, unsigned number)
{
	struct extraction_options fresh_rules = rules;
	struct text_result kept;
	struct text_result fresh;

	fresh_rules.answers = NULL;
	ck_assert_int_eq(ask(&rules, request, number, &kept),
			 ask(&fresh_rules, request, number, &fresh));
	ck_assert(is_same(&kept, &fresh));
	if (fresh.body.size > 0 && request->format != FORMAT_JSON)
		ck_assert(is_computed_in_place(request, number, &fresh));
	buffer_free(&kept.body);
	buffer_free(&fresh.body);
}

static const struct text_request requests[] = {
	{.format = FORMAT_JSON},
	{.format = FORMAT_TXT, .method = "df"},
};

static void check_all_laws(void)
{
	for (unsigned number = 0; number < PAGES; number++)
		for (size_t i = 0; i < COUNT_OF(requests); i++)
			check_law(&requests[i], number);
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 120);

TEST(answers_are_those_of_a_fresh_computation_while_the_site_changes)
{
	uint64_t random = 19;

	for (unsigned number = 0; number < PAGES; number++)
		put(number, number % 3, number);
	check_all_laws();
	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned number = world_random(&random) % PAGES;
		struct url url;

		url_of(number, &url);
		if (round == 2)
			world_remove(&world, url.text);
		else
			put(number, world_random(&random) % 3, 100 + round);
		check_all_laws();
	}
	/* each change leaves one template of three unchanged */
	ck_assert_uint_gt(stats().hits, ROUNDS * PAGES / 2);
}

TEST(the_second_answer_is_not_computed)
{
	put(0, 0, 0);
	for (unsigned i = 0; i < 3; i++) {
		struct text_result answer = must_ask(FORMAT_TXT, 0);

		ck_assert_ptr_nonnull(strstr(answer.body.data, "page 0"));
		buffer_free(&answer.body);
	}
	ck_assert_uint_eq(stats().misses, 1);
	ck_assert_uint_eq(stats().hits, 2);
	ck_assert_uint_eq(stats().count, 1);
}

static unsigned asked_number;

static void *ask_at_once(void *argument)
{
	struct text_result *answer = argument;

	*answer = must_ask(FORMAT_TXT, asked_number);
	return NULL;
}

static void check_at_once(unsigned number)
{
	struct text_result answers[THREADS];
	pthread_t threads[THREADS];

	asked_number = number;
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, ask_at_once,
						&answers[i]),
				 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		ck_assert(is_same(&answers[0], &answers[i]));
	}
	for (int i = 0; i < THREADS; i++)
		buffer_free(&answers[i].body);
}

TEST(concurrent_requests_compute_once)
{
	for (unsigned number = 0; number < PAGES; number++)
		put(number, 0, number);
	for (unsigned number = 0; number < PAGES; number++)
		check_at_once(number);
	ck_assert_uint_eq(stats().misses, PAGES);
	ck_assert_uint_eq(stats().hits, (uint64_t)PAGES * (THREADS - 1));
}

/* A page whose text takes longer than a commit. */
static void put_long(unsigned number, unsigned version)
{
	AUTO_BUFFER html = {0};
	struct url url;

	url_of(number, &url);
	buffer_printf(&html, "<p>This is the text of version %u.</p>", version);
	for (int i = 0; i < LONG_PAGE; i++)
		buffer_append_slice(&html, slice_of("<p><b>a</b>"));
	ASSERT_OK(world_put(&world, url.text, buffer_slice(&html)));
}

/* Nothing is kept, because the data may be of both states. */
TEST(a_page_that_changes_while_it_is_read_is_not_kept)
{
	for (unsigned i = 0; stats().misses == stats().count; i++) {
		uint64_t misses = stats().misses;
		struct text_result answer;
		pthread_t thread;

		/* the commit was too late each time */
		ck_assert_uint_lt(i, MAX_ATTEMPTS);
		put_long(i, 1);
		asked_number = i;
		ck_assert_int_eq(
			pthread_create(&thread, NULL, ask_at_once, &answer), 0);
		while (stats().misses == misses)
			usleep(100);
		put_long(i, 2);
		pthread_join(thread, NULL);
		buffer_free(&answer.body);
	}
}

/* The result would be useless. */
TEST(nobody_waits_for_what_a_cache_of_no_bytes_could_keep)
{
	struct text_cache *none = text_cache_create(0);
	struct text_computation first;
	struct text_computation second;
	struct text_key key = {0};

	ck_assert(text_cache_begin(none, &key, &first));
	ck_assert(text_cache_begin(none, &key, &second));
	text_cache_end(none, &first);
	text_cache_end(none, &second);
	text_cache_destroy(none);
}

TEST(a_change_of_another_template_changes_no_answer_but_generations)
{
	struct text_result before;
	struct text_result after;

	for (unsigned number = 0; number < 8; number++)
		put(number, number % 2, number);
	before = must_ask(FORMAT_JSON, 0);
	put(9, 1, 9);
	after = must_ask(FORMAT_JSON, 0);
	ck_assert_uint_eq(stats().hits, 1);
	ck_assert_ptr_nonnull(strstr(before.body.data, ",\"generation\":8,"));
	ck_assert_ptr_nonnull(strstr(before.body.data, ",\"version\":8,"));
	ck_assert_ptr_nonnull(strstr(after.body.data, ",\"generation\":9,"));
	ck_assert_ptr_nonnull(strstr(after.body.data, ",\"version\":9,"));
	buffer_free(&before.body);
	buffer_free(&after.body);
	check_law(&requests[0], 0);
	put(8, 0, 8); /* a separate entry */
	after = must_ask(FORMAT_JSON, 0);
	ck_assert_uint_eq(stats().misses, 2);
	buffer_free(&after.body);
}

/* Store the text of generation 7, and return that with generation 12. */
static bool keep_and_get(struct text_result *answer, struct text_result *out)
{
	struct text_cache *own = text_cache_create(1 << 20);
	struct text_key key = {.generation = 7};
	bool is_kept;

	buffer_append_text(&key.asked, "a page");
	buffer_append_text(&key.state, "as it is");
	text_cache_put(own, &key, answer);
	key.generation = 12;
	*out = (struct text_result){0};
	is_kept = text_cache_get(own, &key, out);
	text_key_free(&key);
	text_cache_destroy(own);
	return is_kept;
}

static void check_second_place(struct text_result *answer, size_t at)
{
	struct text_result later;

	answer->places = (struct generation_places){{17, at}, 2};
	if (keep_and_get(answer, &later))
		ck_assert_int_eq(answer->body.data[at], '7');
	buffer_free(&later.body);
}

/* Other members may have these names. */
TEST(generations_stand_where_the_worker_says)
{
	struct text_result answer = {.places = {{17, 43}, 2}};
	struct text_result later;

	buffer_append_text(&answer.body,
			   "{\"a\":{\"b\":7},\"c\":7,\"d\":1,"
			   "\"e\":{\"generation\":7,\"version\":7}}");
	ck_assert_int_eq(answer.body.data[17], '7');
	ck_assert_int_eq(answer.body.data[43], '7');
	ck_assert(keep_and_get(&answer, &later));
	ck_assert_str_eq(later.body.data,
			 "{\"a\":{\"b\":7},\"c\":12,\"d\":1,"
			 "\"e\":{\"generation\":12,\"version\":7}}");
	buffer_free(&later.body);
	/* but the cache rejects a worker's text in another's slot */
	for (size_t at = 0; at < 100; at++)
		check_second_place(&answer, at);
	buffer_free(&answer.body);
}

TEST(what_is_kept_is_there_without_a_worker)
{
	struct text_result answer;
	struct text_request request = {.format = FORMAT_TXT};
	struct url url;

	url_of(0, &url);
	request.url = &url;
	put(0, 0, 0);
	ck_assert(!stored_text_get_cached(world.store, &rules, &request,
					  &answer));
	check_law(&request, 0);
	ck_assert(
		stored_text_get_cached(world.store, &rules, &request, &answer));
	buffer_free(&answer.body);
	put(0, 0, 1); /* another text: what is kept is of the one before */
	ck_assert(!stored_text_get_cached(world.store, &rules, &request,
					  &answer));
	check_law(&request, 0);
	ck_assert_uint_eq(stats().count, 1);
	ck_assert_uint_eq(stats().misses, 2);
}

TEST(a_large_answer_is_kept_but_not_for_those_in_haste)
{
	struct text_result answer;
	struct text_request request = {.method = "plain"};
	AUTO_BUFFER html = {0};
	struct url url;

	url_of(0, &url);
	request.url = &url;
	buffer_append_text(&html, "<html><body>");
	while (html.size < 420 << 10)
		buffer_append_text(&html, "<p>Some words of a long page.</p>");
	ASSERT_OK(world_put(&world, url.text, buffer_slice(&html)));
	for (int i = 0; i < 2; i++)
		check_law(&request, 0);
	ck_assert_uint_eq(stats().hits, 1);
	ck_assert(!stored_text_get_cached(world.store, &rules, &request,
					  &answer));
}

TEST(every_argument_has_an_answer_of_its_own)
{
	static const char *const radius[] = {"radius=30", NULL};
	const struct text_request all[] = {
		{.format = FORMAT_TXT},
		{.format = FORMAT_MD},
		{.method = "plain"},
		{.method = "accb"},
		{.method = "accb", .parameters = radius},
		{.include = "p"},
		{.exclude = "p"},
		{.extras = EXTRA_COMMENTS},
		{.preference.scope = SCOPE_PAGE},
		{.preference.favor = FAVOR_RECALL},
	};
	const size_t count = COUNT_OF(all);

	put(0, 0, 0);
	for (size_t i = 0; i < count; i++)
		check_law(&all[i], 0);
	ck_assert_uint_eq(stats().count, count);
	rules.limits.max_depth--;
	check_law(&all[0], 0);
	rules.settings = "accb.radius=30";
	check_law(&all[3], 0);
	ck_assert_uint_eq(stats().count, count + 2);
	ck_assert_uint_eq(stats().hits, 0);
}

TEST(a_model_that_is_replaced_is_another)
{
	char path[128];
	AUTO_BUFFER nothing = {0};

	put(0, 0, 0);
	rules.models = world.path;
	check_law(&requests[1], 0);
	snprintf(path, sizeof(path), "%s/a.test.model", world.path);
	buffer_append_text(&nothing, "no model");
	ASSERT_OK(file_replace(path, buffer_slice(&nothing)));
	check_law(&requests[1], 0);
	ck_assert_uint_eq(stats().misses, 2);
	unlink(path);
}

TEST(it_holds_no_more_than_it_may_and_those_who_are_asked_for)
{
	text_cache_destroy(cache);
	rules.answers = cache = text_cache_create(ROOM_FOR_SOME);
	for (unsigned number = 0; number < PAGES; number++)
		put(number, 0, number);
	for (unsigned turn = 0; turn < 3 * PAGES; turn++) {
		struct text_result answer = must_ask(
			FORMAT_JSON, turn % 2 == 0 ? 0 : turn / 2 % PAGES);

		ck_assert_uint_le(stats().bytes, ROOM_FOR_SOME);
		buffer_free(&answer.body);
	}
	ck_assert_msg(stats().evictions > 0, "%zu of %zu bytes", stats().count,
		      stats().bytes);
	/* each second question was for the first page */
	ck_assert_uint_ge(stats().hits, 3 * PAGES / 2 - 1);
}

/* For each page, unchanged computed. */
static struct text_result computed[PAGES];

static void *ask_often(void *context)
{
	unsigned first = *(const unsigned *)context;

	for (unsigned i = 0; i < PAGES; i++) {
		unsigned number = (first + i / 2) % PAGES;
		struct text_result answer = must_ask(FORMAT_JSON, number);

		ck_assert(is_same(&answer, &computed[number]));
		buffer_free(&answer.body);
	}
	return NULL;
}

/* There is room for some of the answers: they come and go all the time. */
TEST(many_threads_ask_while_answers_go)
{
	pthread_t threads[THREADS];
	unsigned firsts[THREADS];

	text_cache_destroy(cache);
	rules.answers = cache = text_cache_create(ROOM_FOR_SOME);
	for (unsigned number = 0; number < PAGES; number++)
		put(number, 0, number);
	for (unsigned number = 0; number < PAGES; number++)
		computed[number] = must_ask(FORMAT_JSON, number);
	for (unsigned i = 0; i < THREADS; i++) {
		firsts[i] = i * PAGES / THREADS;
		ck_assert_int_eq(pthread_create(&threads[i], NULL, ask_often,
						&firsts[i]),
				 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_gt(stats().hits, 0);
	ck_assert_uint_gt(stats().evictions, 0);
	ck_assert_uint_le(stats().bytes, ROOM_FOR_SOME);
	for (unsigned number = 0; number < PAGES; number++)
		buffer_free(&computed[number].body);
}

TEST(a_cache_of_no_bytes_holds_nothing)
{
	text_cache_destroy(cache);
	rules.answers = cache = text_cache_create(0);
	put(0, 0, 0);
	check_law(&requests[0], 0);
	check_law(&requests[0], 0);
	ck_assert_uint_eq(stats().count, 0);
	ck_assert_uint_eq(stats().bytes, 0);
	ck_assert_uint_eq(text_cache_stats(NULL).count, 0);
}

TEST(what_cannot_be_answered_is_not_kept)
{
	struct text_result answer;

	ck_assert_int_eq(ask(&rules, &requests[1], 0, &answer), ERR_NOT_FOUND);
	ck_assert_str_ne(answer.reason, "");
	buffer_free(&answer.body);
	put(0, 0, 0);
	ck_assert_int_eq(ask(&rules, &(struct text_request){.method = "magic"},
			     0, &answer),
			 ERR_NOT_FOUND);
	buffer_free(&answer.body);
	ck_assert_uint_eq(stats().count, 0);
}
