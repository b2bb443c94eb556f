#include "daemon/query/query.h"

#include "daemon/config/config.h"
#include "store/key.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

static struct world world;

static void setup(void)
{
	world_open(&world, 0);
	world_add_site(&world, "a.test");
	for (unsigned i = 0; i < 9; i++) {
		AUTO_BUFFER html = {0};
		char url[64];

		snprintf(url, sizeof(url), "http://a.test/page/%u", i);
		world_page(&html, i < 7 ? 0 : 1, i);
		world_put(&world, url, buffer_slice(&html));
	}
}

static void teardown(void)
{
	world_close(&world);
}

static enum error ask(const char *text, const char *method,
		      struct extraction_result *answer)
{
	struct text_request request = {.format = FORMAT_TXT, .method = method};
	struct url url;

	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	request.url = &url;
	return query_text(world.store, &extraction_options_default, &request,
			  answer);
}

static bool has(const struct buffer *text, const char *word)
{
	return text->data != NULL && strstr(text->data, word) != NULL;
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_page_of_a_big_cluster_is_answered_by_its_template)
{
	struct extraction_result answer;

	ASSERT_OK(ask("http://a.test/page/3", NULL, &answer));
	ck_assert_str_eq(answer.method, "auto");
	ck_assert(answer.has_template);
	ck_assert_str_eq(answer.reason, "template: cluster of 7 pages");
	extraction_result_free(&answer);
	ASSERT_OK(ask("http://a.test/page/3", "df", &answer));
	ck_assert_str_eq(answer.method, "df");
	ck_assert_uint_eq(answer.cluster_pages, 7);
	ck_assert_str_eq(answer.cluster, "a.test/1");
	ck_assert(has(&answer.text, "The text of page 3"));
	ck_assert(!has(&answer.text, "Home"));
	ck_assert(!has(&answer.text, "Printed by"));
	ck_assert(slice_equal(answer.page->title, slice_of("Page 3")));
	ck_assert(slice_equal(answer.page->language, slice_of("en")));
	extraction_result_free(&answer);
}

TEST(a_page_of_a_small_cluster_has_no_template_and_says_so)
{
	AUTO_RESULT answer;

	ASSERT_OK(ask("http://a.test/page/8", NULL, &answer));
	ck_assert_str_eq(answer.method, "auto");
	ck_assert(!answer.has_template);
	ck_assert_uint_eq(answer.cluster_pages, 2);
	ck_assert_ptr_nonnull(strstr(answer.reason, "2 pages"));
}

TEST(a_method_that_is_named_is_used)
{
	AUTO_RESULT answer;

	ASSERT_OK(ask("http://a.test/page/3", "plain", &answer));
	ck_assert_str_eq(answer.method, "plain");
	ck_assert(has(&answer.text, "Home"));
}

TEST(an_unknown_page_or_method_is_refused_with_a_reason)
{
	struct extraction_result answer;

	ck_assert_int_eq(ask("http://a.test/other", NULL, &answer),
			 ERR_NOT_FOUND);
	ck_assert_str_ne(answer.reason, "");
	extraction_result_free(&answer);
	ck_assert_int_eq(ask("http://b.test/", NULL, &answer), ERR_NOT_FOUND);
	ck_assert_str_ne(answer.reason, "");
	extraction_result_free(&answer);
	ck_assert_int_eq(ask("http://a.test/page/3", "magic", &answer),
			 ERR_NOT_FOUND);
	ck_assert_str_ne(answer.reason, "");
	extraction_result_free(&answer);
	ck_assert_int_eq(ask("http://a.test/page/8", "sst", &answer),
			 ERR_ADDRESS_FORBIDDEN);
	ck_assert_str_ne(answer.reason, "");
	extraction_result_free(&answer);
}

TEST(a_page_without_template_is_answered_in_place_of_df)
{
	AUTO_RESULT answer;
	AUTO_RESULT alone;

	ASSERT_OK(ask("http://a.test/page/8", "auto", &alone));
	ASSERT_OK(ask("http://a.test/page/8", "df", &answer));
	ck_assert_str_eq(answer.method, "auto");
	ck_assert(!answer.has_template);
	ck_assert_ptr_nonnull(strstr(answer.reason, "instead of df"));
	ck_assert_uint_gt(answer.text.size, 0);
	ck_assert_uint_eq(answer.text.size, alone.text.size);
	ck_assert_mem_eq(answer.text.data, alone.text.data, alone.text.size);
}

static enum error hand_in(const char *text, const char *method, unsigned kind,
			  unsigned seed, struct extraction_result *answer)
{
	struct text_request request = {.format = FORMAT_TXT, .method = method};
	AUTO_BUFFER html = {0};
	struct url url;
	enum error error;

	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	request.url = &url;
	world_page(&html, kind, seed);
	request.body = buffer_slice(&html);
	error = query_extract(world.store, &extraction_options_default,
			      &request, answer);
	return error;
}

static const char *const methods[] = {NULL, "df", "sst", "plain"};

/* Law 7: the same page with the same template gives the same text. */
TEST_ROWS(an_uploaded_stored_page_gives_the_stored_text, methods)
{
	AUTO_RESULT stored;
	AUTO_RESULT handed;

	ASSERT_OK(ask("http://a.test/page/3", methods[_i], &stored));
	ASSERT_OK(hand_in("http://a.test/page/3", methods[_i], 0, 3, &handed));
	ck_assert(slice_equal(buffer_slice(&handed.text),
			      buffer_slice(&stored.text)));
	ck_assert_str_eq(handed.reason, stored.reason);
	ck_assert_uint_eq(handed.quality, stored.quality);
	ck_assert_uint_eq(handed.cluster_pages, stored.cluster_pages);
}

TEST(an_ingested_new_page_counts_once)
{
	AUTO_RESULT answer;

	ASSERT_OK(hand_in("http://a.test/new", "df", 0, 50, &answer));
	ck_assert_str_eq(answer.method, "df");
	ck_assert_uint_eq(answer.cluster_pages, 8);
	ck_assert(has(&answer.text, "The text of page 50"));
	ck_assert(!has(&answer.text, "Home"));
}

/* The URL of b.test, of some, whose page comes last in its cluster. */
static void last_url(char *out, size_t size)
{
	uint64_t last = 0;

	for (unsigned i = 100; i < 300; i++) {
		char url[64];
		uint64_t key;

		snprintf(url, sizeof(url), "http://b.test/%u", i);
		key = page_key_of(slice_of(url));
		if (key > last)
			snprintf(out, size, "%s", url);
		last = key > last ? key : last;
	}
}

/*
 * Forty pages of nine paths and one of eight, all of which the others have: a
 * distance of 1/9. That page comes last, after those that are read first.
 */
TEST(a_rare_structure_is_found_in_a_large_cluster)
{
	AUTO_BUFFER html = {0};
	AUTO_RESULT answer;
	struct url url;
	char text[64];

	world_add_site(&world, "b.test");
	for (unsigned i = 0; i < 40; i++) {
		snprintf(text, sizeof(text), "http://b.test/%u", i);
		world_put_blocks(&world, text, 0xFF);
	}
	last_url(text, sizeof(text));
	world_put_blocks(&world, text, 0x7F);
	ASSERT_OK(url_parse(&url, slice_of("http://b.test/new"), NULL));
	world_blocks(&html, 0x7F);
	ASSERT_OK(query_extract(world.store, &extraction_options_default,
				&(struct text_request){
					.url = &url,
					.body = buffer_slice(&html),
					.format = FORMAT_TXT,
				},
				&answer));
	ck_assert_str_eq(answer.cluster, "b.test/1");
	ck_assert_uint_eq(answer.cluster_pages, 42);
}

TEST(a_template_is_what_more_than_a_third_of_the_pages_hold)
{
	struct template_result answer;

	ASSERT_OK(query_template(NULL, world.store, &extraction_options_default,
				 &(struct template_name){"a.test", 1},
				 &answer));
	ck_assert_uint_eq(answer.page_count, 7);
	/* Home, News, Printed by template 0 */
	ck_assert_uint_eq(answer.count, 3);
	for (size_t i = 0; i < answer.count; i++) {
		ck_assert_uint_eq(answer.fragments[i].document_frequency, 7);
		ck_assert(answer.fragments[i].is_known);
	}
	template_result_free(&answer);
	ck_assert_int_eq(
		query_template(NULL, world.store, &extraction_options_default,
			       &(struct template_name){"a.test", 99}, &answer),
		ERR_NOT_FOUND);
}

TEST(a_standing_tells_what_became_of_a_url)
{
	struct page_status standing;
	struct url url;

	ASSERT_OK(url_parse(&url, slice_of("http://a.test/page/3"), NULL));
	ASSERT_OK(query_page_status(world.store, &url, &standing));
	ck_assert_int_eq(standing.state, PAGE_STORED);
	ck_assert_uint_eq(standing.cluster_pages, 7);
	ASSERT_OK(url_parse(&url, slice_of("http://a.test/none"), NULL));
	ASSERT_OK(query_page_status(world.store, &url, &standing));
	ck_assert_int_eq(standing.state, PAGE_UNKNOWN);
}

TEST(the_defaults_are_the_same_everywhere)
{
	const struct page_limits *offline = &extraction_options_default.limits;
	struct config config;

	config_defaults(&config);
	ck_assert_mem_eq(offline, &page_limits_default, sizeof(*offline));
	ck_assert_uint_eq(config.max_body_bytes, offline->max_bytes);
	ck_assert_uint_eq(config.max_nodes, offline->max_nodes);
	ck_assert_uint_eq(config.max_page_depth, offline->max_depth);
	ck_assert_uint_eq(config.max_attributes, offline->max_attributes);
	ck_assert_uint_eq(config.min_cluster_pages,
			  extraction_options_default.min_cluster_pages);
}
