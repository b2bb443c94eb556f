/* Pages that stay parsed have the answers that they would have without. */
#include "daemon/ctl/offline.h"

#include "daemon/privsep/model_cache.h"
#include "template/result.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

enum { PAGES = 40 };

static struct world world;
static struct page_cache *kept;
static struct extraction_options rules;

static struct url url_of(unsigned seed)
{
	struct url url;
	char text[64];

	snprintf(text, sizeof(text), "http://a.test/page/%u", seed);
	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	return url;
}

/* Every second page is another template's; page `seed` stays as `seed`. */
static void put(unsigned seed)
{
	struct url url = url_of(seed);
	AUTO_BUFFER body = {0};
	struct page *page;

	world_page(&body, seed % 2, seed);
	ASSERT_OK(world_put(&world, url.text, buffer_slice(&body)));
	ASSERT_OK(page_parse(&page, buffer_slice(&body),
			     (struct slice){NULL, 0}, &rules.limits));
	page_cache_add(kept, seed, &url, page);
}

static void setup_with(size_t max_bytes)
{
	world = (struct world){0};
	world_open(&world, 0);
	ASSERT_OK(world_add_site(&world, "a.test"));
	rules = extraction_options_default;
	rules.learned = model_cache_create(1 << 20);
	rules.max_learned = 1 << 20;
	kept = page_cache_create(max_bytes, 2);
	for (unsigned i = 0; i < PAGES; i++)
		put(i);
}

static void teardown(void)
{
	page_cache_destroy(kept);
	model_cache_destroy(rules.learned);
	world_close(&world);
}

static struct buffer json_of(enum error error, struct extraction_result *answer)
{
	struct buffer json = {0};

	ASSERT_OK(error);
	ck_assert(answer->has_template);
	result_json(answer, NULL, &json);
	buffer_append_byte(&json, '\0');
	extraction_result_free(answer);
	return json;
}

/* The answer to the page that is kept, and that to the one in the store. */
static void check_page(struct text_request request, unsigned seed)
{
	const struct url url = url_of(seed);
	struct extraction_options fresh = rules;
	struct extraction_result answer;
	AUTO_BUFFER of_kept;
	AUTO_BUFFER of_stored;
	enum error error;

	fresh.learned = NULL;
	request.url = &url;
	error = query_parsed_page(world.store, &rules, &request,
				  page_cache_remove(kept, seed), &answer);
	of_kept = json_of(error, &answer);
	error = query_text(world.store, &fresh, &request, &answer);
	of_stored = json_of(error, &answer);
	ck_assert_str_eq(of_kept.data, of_stored.data);
	ck_assert_ptr_null(page_cache_remove(kept, seed).page);
}

static void check(const char *method, size_t max_bytes)
{
	const struct text_request request = {.format = FORMAT_JSON,
					     .method = method};
	size_t taught;

	setup_with(max_bytes);
	page_cache_build_models(kept, world.store, "a.test", &rules, &request);
	taught = model_cache_bytes(rules.learned);
	for (unsigned i = 0; i < PAGES; i++)
		check_page(request, i);
	/* nothing was learned after that */
	ck_assert_uint_gt(taught, 0);
	ck_assert_uint_eq(model_cache_bytes(rules.learned), taught);
	teardown();
}

TEST(a_kept_page_has_the_answer_of_the_stored_one)
{
	check("auto", SIZE_MAX);
	check("df+", SIZE_MAX);
}

TEST(without_room_nothing_prepared_stays)
{
	check("auto", 0);
}

/* What learns nothing is not taught. */
TEST(a_method_of_the_page_alone_is_not_taught)
{
	const struct text_request request = {.method = "accb"};

	setup_with(SIZE_MAX);
	page_cache_build_models(kept, world.store, "a.test", &rules, &request);
	ck_assert_uint_eq(model_cache_bytes(rules.learned), 0);
	teardown();
}

/* The page is read from the store then, and so is the sample. */
TEST(a_cluster_whose_sample_is_not_kept_is_not_taught)
{
	const struct text_request request = {.format = FORMAT_JSON};
	AUTO_BUFFER body = {0};

	setup_with(SIZE_MAX);
	for (unsigned i = PAGES; i < 4 * PAGES; i++) {
		struct url other = url_of(i);

		buffer_clear(&body);
		world_page(&body, i % 2, i);
		ASSERT_OK(world_put(&world, other.text, buffer_slice(&body)));
	}
	page_cache_build_models(kept, world.store, "a.test", &rules, &request);
	ck_assert_uint_eq(model_cache_bytes(rules.learned), 0);
	for (unsigned i = 0; i < 4; i++)
		check_page(request, i);
	ck_assert_ptr_null(page_cache_remove(kept, PAGES).page);
	teardown();
}
