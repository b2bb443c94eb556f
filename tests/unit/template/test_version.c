#include "template/version.h"

#include <math.h>

#include "cluster/signature.h"
#include "extract/text/fragment.h"
#include "page/page.h"
#include "tests/unit/run.h"

enum { PAGES = 4 };

static struct page *pages[PAGES];
static struct record *records; /* [PAGES] */
static const struct page *parsed[PAGES];
static struct slice urls[PAGES];

static void setup(void)
{
	records = ARENA_NEW(test_arena, struct record, PAGES);
	memset(pages, 0, sizeof(pages));
}

static void teardown(void)
{
	for (int i = 0; i < PAGES; i++)
		page_destroy(pages[i]);
}

/* What daemon/privsep/analyse_task.c makes of a page, as far as a version reads
 * it.
 */
static void add(uint32_t index, const char *html)
{
	struct record *record = &records[index];
	const struct fragment *fragments;
	struct record_fragment *copies;

	ASSERT_OK(page_parse(&pages[index], slice_of(html), slice_of("UTF-8"),
			     &page_limits_default));
	for (unsigned i = MEASURE_CP; i <= MEASURE_CPC; i += MEASURE_CPC) {
		struct signature signature = signature_compute(
			test_arena, pages[index],
			(struct signature_rule){.measure = i});

		record->signatures[i] = signature.shingles;
		record->signature_counts[i] = (uint32_t)signature.count;
	}
	fragments = fragments_distinct(
		test_arena, fragments_of_page(test_arena, pages[index]),
		pages[index]->text_count, &record->fragment_count);
	copies = ARENA_NEW(test_arena, struct record_fragment,
			   record->fragment_count);
	for (uint32_t i = 0; i < record->fragment_count; i++)
		copies[i].hash = fragments[i].hash;
	record->fragments = copies;
	parsed[index] = pages[index];
	urls[index] = slice_of("http://a.example/");
}

static struct version *make(uint32_t count, uint32_t samples)
{
	return version_make(test_arena,
			    &(struct version_input){.page_count = 9,
						    .generation = 5,
						    .records = records,
						    .record_count = count,
						    .pages = parsed,
						    .urls = urls,
						    .sample_count = samples});
}

static void expect(struct slice text, const char *wanted)
{
	ck_assert_msg(slice_equal(text, slice_of(wanted)), "%.*s is not %s",
		      (int)text.size, (const char *)text.data, wanted);
}

static const struct version_item *find(const struct version_item *items,
				       uint32_t count, const char *text)
{
	for (uint32_t i = 0; i < count; i++)
		if (slice_equal(items[i].text, slice_of(text)))
			return &items[i];
	return NULL;
}

static struct version *again(const struct version *version)
{
	AUTO_BUFFER json = {0};
	struct version *read = NULL;

	version_encode(version, &json);
	ASSERT_OK(version_decode(test_arena, buffer_slice(&json), &read));
	return read;
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(what_more_than_half_of_the_pages_have_is_stable)
{
	const struct version_item *item;
	struct version *version;

	/* the p in three of four, the i in two, the b in one */
	add(0, "<body><div class='menu post-17'><a>Home</a></div><p>One</p>");
	add(1, "<body><div class='menu post-3'><a>Home</a></div><p>Two</p>"
	       "<i>x</i>");
	add(2, "<body><div class='post-4 menu'><a>Home</a></div><p>Three</p>"
	       "<i>x</i>");
	add(3, "<body><div class='menu post-9'><a>Home</a></div><b>4</b>");
	version = make(4, 4);
	ck_assert(version->has_classes);
	ck_assert_uint_eq(version->page_count, 9);
	ck_assert_uint_eq(version->generation, 5);
	/* html>body>div.menu.post-0>a, html>body>p, and html>head */
	item = find(version->paths, version->path_count,
		    "html>body>div.menu.post-0>a");
	ck_assert_ptr_nonnull(item);
	ck_assert_double_eq((double)item->ratio, 1);
	item = find(version->paths, version->path_count, "html>body>p");
	ck_assert_ptr_nonnull(item);
	ck_assert_double_eq((double)item->ratio, 0.75);
	ck_assert_ptr_null(
		find(version->paths, version->path_count, "html>body>i"));
	ck_assert_uint_eq(version->fragment_count, 1);
	expect(version->fragments[0].text, "Home");
	ck_assert_double_eq((double)version->fragments[0].ratio, 1);
	ck_assert_uint_eq(version->sample_count, 4);
	expect(version->samples[3], "http://a.example/");
}

TEST(hashes_are_shingles_of_the_signature)
{
	struct version *version;

	add(0, "<body class=x><ul><li>a<li>b<b>c</b></ul><p id=1>d<br>e");
	version = make(1, 1);
	ck_assert_uint_eq(version->path_count,
			  records[0].signature_counts[MEASURE_CPC]);
	for (uint32_t i = 0; i < version->path_count; i++) {
		bool is_shingle = false;

		for (uint32_t j = 0; j < version->path_count; j++)
			is_shingle |= records[0].signatures[MEASURE_CPC][j] ==
				      version->paths[i].hash;
		ck_assert(is_shingle);
		ck_assert_uint_gt(version->paths[i].text.size, 0);
	}
	expect(find(version->paths, version->path_count, "html>body.x>ul>li>b")
		       ->text,
	       "html>body.x>ul>li>b");
	/* which itself holds text */
	ck_assert_ptr_nonnull(
		find(version->paths, version->path_count, "html>body.x>ul>li"));
}

TEST(classes_of_each_page_on_body_are_passed_over)
{
	struct version *version;

	add(0, "<body class=a><p>1</p><div><u>x</u></div>");
	add(1, "<body class=b><p>2</p><div><u>y</u></div>");
	add(2, "<body class=c><p>3</p><div><u>z</u></div>");
	version = make(3, 2);
	ck_assert(!version->has_classes);
	ck_assert_ptr_nonnull(
		find(version->paths, version->path_count, "html>body>p"));
	ck_assert_ptr_nonnull(
		find(version->paths, version->path_count, "html>body>div>u"));
}

TEST(what_no_sampled_page_has_is_known_by_its_hash)
{
	struct version *version;

	add(0, "<body><p>Home</p>");
	add(1, "<body><p>Home</p><i>of two</i>");
	add(2, "<body><p>Home</p><i>of two</i>");
	version = again(make(3, 1));
	ck_assert_uint_eq(version->fragment_count, 2);
	expect(version->fragments[0].text, "Home");
	ck_assert_ptr_null(version->fragments[1].text.data);
	ck_assert_double_eq_tol((double)version->fragments[1].ratio, 0.667,
				1e-6);
}

#define FIRST                                                                  \
	"The people of the town had gathered at the river, since the bridge "  \
	"that was built by their fathers had fallen in the night, and nobody " \
	"knew how the market on the other side would be held that week. "
#define SECOND                                                                 \
	"An old ferryman, who had lost his work when it was opened, said "     \
	"that "                                                                \
	"he still had a boat under the willows, and would row whoever wished " \
	"for the price that his father had taken, which was two eggs. "
#define THIRD                                                                 \
	"By noon forty of them had crossed, with baskets and with children, " \
	"and the ferryman had more eggs than he could count; the mayor, who " \
	"came last, paid with a promise that there would be no new bridge. "

TEST(content_is_where_the_default_method_finds_it)
{
	static const char *const html =
		"<html><body><div class=menu><ul><li><a href=/a>Home</a>"
		"<li><a href=/b>News</a><li><a href=/c>About</a></ul></div>"
		"<div class=main><div class=post><h1>The bridge has fallen</h1>"
		"<p>" FIRST "</p><p>" SECOND "</p><p>" THIRD
		"</p></div></div><div class=foot><a href=/i>Imprint</a></div>";
	struct version *version;

	add(0, html);
	add(1, html);
	version = again(make(2, 2));
	ck_assert_uint_ge(version->region_count, 1);
	expect(version->regions[0].path, "html>body>div.main>div.post");
	ck_assert_double_eq((double)version->regions[0].ratio, 1);
	ck_assert_double_ge((double)version->regions[0].words, 0.9);
}

TEST(long_texts_are_cut_between_characters)
{
	AUTO_BUFFER html = {0};
	struct version *version;

	/* "x" and 150 times two bytes: 200 would end in the middle of one */
	buffer_append_text(&html, "<body><p>x");
	for (int i = 0; i < 150; i++)
		buffer_append_text(&html, "\xC3\xA9");
	add(0, html.data);
	version = again(make(1, 1));
	ck_assert_uint_eq(version->fragments[0].text.size, 199 + 3);
	ck_assert_int_eq(
		memcmp((const char *)version->fragments[0].text.data + 196,
		       "\xA9\xC3\xA9\xE2\x80\xA6", 6),
		0);
}

TEST(long_paths_keep_their_end)
{
	AUTO_BUFFER html = {0};
	struct version *version;
	struct slice text;

	buffer_append_text(&html, "<body>");
	for (int i = 0; i < 400; i++)
		buffer_append_text(&html, "<div class=c>");
	buffer_append_text(&html, "<b>x</b>");
	add(0, html.data);
	version = make(1, 1);
	text = version->paths[0].text;
	for (uint32_t i = 0; i < version->path_count; i++)
		if (version->paths[i].text.size > text.size)
			text = version->paths[i].text;
	ck_assert_uint_le(text.size, 1024);
	ck_assert_int_eq(memcmp(text.data, "...>div.c>", 10), 0);
	ck_assert_int_eq(
		memcmp((const char *)text.data + text.size - 8, ">div.c>b", 8),
		0);
}

TEST(an_empty_page_makes_an_empty_version)
{
	struct version *version;

	add(0, "");
	version = again(make(1, 1));
	ck_assert_uint_eq(version->path_count, 0);
	ck_assert_uint_eq(version->fragment_count, 0);
	ck_assert_uint_eq(version->region_count, 0);
}

TEST(what_is_written_is_read_again)
{
	struct version *version;
	struct version *read;
	AUTO_BUFFER first = {0};
	AUTO_BUFFER second = {0};

	add(0, "<body><p class='a\"b'>H&#0;\"o\\m\xF0\x9F\x98\x80"
	       "e</p><i>x</i>");
	add(1, "<body><p class='a\"b'>Home</p><i>x</i>");
	add(2, "<body><p class='a\"b'>Home</p><i>x</i>");
	version = make(3, 3);
	read = again(version);
	version_encode(version, &first);
	version_encode(read, &second);
	ck_assert(slice_equal(buffer_slice(&first), buffer_slice(&second)));
	ck_assert_uint_eq(read->paths[0].hash, version->paths[0].hash);
}

#define HEAD  "{\"format\":1,\"pages\":3,\"generation\":1,\"classes\":true,"
#define LISTS "\"regions\":[],\"samples\":[],\"fragments\":[],"
#define ITEM(hash, ratio, text)                                     \
	HEAD LISTS "\"paths\":[{\"hash\":" hash ",\"ratio\":" ratio \
		   ",\"text\":" text "}]}"
#define GOOD_HASH "\"00ff00ff00ff00ff\""

TEST(foreign_bytes_are_refused)
{
	static const struct {
		const char *json;
		enum error error;
	} cases[] = {
		{"", ERR_MALFORMED},
		{"null", ERR_MALFORMED},
		{"[1]", ERR_MALFORMED},
		{"{}", ERR_MALFORMED},
		{"{\"format\":\"1\"}", ERR_MALFORMED},
		{"{\"format\":2}", ERR_VERSION},
		{"{\"format\":1}", ERR_MALFORMED},
		{"{\"format\":1,\"format\":1}", ERR_MALFORMED},
		{HEAD LISTS "\"paths\":[]}", ERR_NONE},
		{HEAD LISTS "\"paths\":[]} ", ERR_NONE},
		{HEAD LISTS "\"paths\":[]}}", ERR_MALFORMED},
		{HEAD LISTS "\"paths\":{}}", ERR_MALFORMED},
		{HEAD LISTS "\"paths\":[7]}", ERR_MALFORMED},
		{HEAD "\"regions\":[{},{},{},{},{},{}],\"samples\":[],"
		      "\"fragments\":[],\"paths\":[]}",
		 ERR_MALFORMED},
		{HEAD "\"regions\":[],\"samples\":[7],\"fragments\":[],"
		      "\"paths\":[]}",
		 ERR_MALFORMED},
		{ITEM(GOOD_HASH, "0.5", "\"a\""), ERR_NONE},
		{ITEM(GOOD_HASH, "1", "null"), ERR_NONE},
		{ITEM(GOOD_HASH, "1.1", "null"), ERR_MALFORMED},
		{ITEM(GOOD_HASH, "-0.1", "null"), ERR_MALFORMED},
		{ITEM(GOOD_HASH, "1e999", "null"), ERR_MALFORMED},
		{ITEM(GOOD_HASH, "\"1\"", "null"), ERR_MALFORMED},
		{ITEM(GOOD_HASH, "1", "7"), ERR_MALFORMED},
		{ITEM(GOOD_HASH, "1", "\"\xFF\""), ERR_MALFORMED},
		{ITEM("\"00FF00ff00ff00ff\"", "1", "null"), ERR_MALFORMED},
		{ITEM("\"0\"", "1", "null"), ERR_MALFORMED},
		{ITEM("7", "1", "null"), ERR_MALFORMED},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct version *version;
		enum error error = version_decode(
			test_arena, slice_of(cases[i].json), &version);

		ck_assert_msg(error == cases[i].error, "%s: %d", cases[i].json,
			      error);
	}
}

TEST(more_items_than_there_may_be_are_refused)
{
	AUTO_BUFFER json = {0};
	struct version *version;

	buffer_append_text(&json, HEAD LISTS "\"paths\":[");
	for (int i = 0; i <= VERSION_MAX_PATHS; i++)
		buffer_printf(&json,
			      "%s{\"hash\":%s,\"ratio\":1,\"text\":null}",
			      i == 0 ? "" : ",", GOOD_HASH);
	buffer_append_text(&json, "]}");
	ck_assert_int_eq(
		version_decode(test_arena, buffer_slice(&json), &version),
		ERR_MALFORMED);
}

/* Versions with only paths, with a ratio of 1. */
static struct version *with_paths(uint64_t first, uint32_t count)
{
	struct version *version = ARENA_NEW(test_arena, struct version, 1);

	version->has_classes = true;
	version->paths = ARENA_NEW(test_arena, struct version_item, count);
	version->path_count = count;
	for (uint32_t i = 0; i < count; i++)
		version->paths[i] =
			(struct version_item){.hash = first + i, .ratio = 1};
	return version;
}

TEST(a_difference_has_two_sides)
{
	/* 1..6 and 4..8: 1, 2, 3 are removed, 7, 8 added; 5 of 8 */
	struct version *before = with_paths(1, 6);
	struct version *after = with_paths(4, 5);
	struct version_diff diff;

	version_compare(test_arena, before, after, &diff);
	ck_assert_uint_eq(diff.gone_path_count, 3);
	ck_assert_uint_eq(diff.gone_paths[2]->hash, 3);
	ck_assert_uint_eq(diff.come_path_count, 2);
	ck_assert_uint_eq(diff.come_paths[0]->hash, 7);
	ck_assert_double_eq_tol(diff.paths_moved, 5.0 / 8, 1e-12);
	ck_assert_double_eq(diff.fragments_moved, 0);
	/* what few have weighs less: 1 + 0.5 + 0.5 + 2 of 5 + 2 */
	before->paths[1].ratio = 0.5F;
	before->paths[2].ratio = 0.5F;
	version_compare(test_arena, before, after, &diff);
	ck_assert_double_eq_tol(diff.paths_moved, 4.0 / 7, 1e-6);
	version_compare(test_arena, before, before, &diff);
	ck_assert_uint_eq(diff.gone_path_count + diff.come_path_count, 0);
	ck_assert_double_eq(diff.paths_moved, 0);
}
