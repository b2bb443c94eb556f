#include <time.h>

#include "tests/unit/page/invariant.h"
#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

/* Of processor time, for any page here: a quadratic step takes minutes. */
enum { MAX_SECONDS = 10 };

static void append_times(struct buffer *out, const char *part, uint32_t count)
{
	size_t length = strlen(part);
	char *at = buffer_reserve(out, length * count);

	out->size += length * count;
	for (; count > 0; count--, at += length)
		memcpy(at, part, length);
	*at = '\0';
}

/* `part` as often, then `rest`. */
static struct page *page_of_times(const char *part, uint32_t count,
				  const char *rest)
{
	AUTO_BUFFER html = {0};
	clock_t begin = clock();
	struct page *page;

	append_times(&html, part, count);
	buffer_append_text(&html, rest);
	page = page_of_slice(buffer_slice(&html), &page_limits_default);
	ck_assert_int_lt((clock() - begin) / CLOCKS_PER_SEC, MAX_SECONDS);
	ck_assert_ptr_null(page_problem(page));
	return page;
}

static void check_times(const char *part, uint32_t count, const char *rest,
			bool is_truncated)
{
	AUTO_PAGE *page = page_of_times(part, count, rest);

	ck_assert(page->is_truncated == is_truncated);
}

/* The rest of `html` with a limit of `max` bytes; its text continues. */
static void check_cut(const char *html, size_t max, const char *source,
		      bool is_truncated)
{
	struct page_limits limits = page_limits_default;
	AUTO_PAGE *page;

	limits.max_bytes = max;
	page = page_of_slice(slice_of(html), &limits);
	check_slice(page->source, source);
	ck_assert(page->is_truncated == is_truncated);
	ck_assert_ptr_null(page_problem(page));
}

TEST(a_body_over_the_limit_is_cut)
{
	check_cut("<b>a", 4, "<b>a", false);
	check_cut("<b>aa", 4, "<b>a", true);
	check_cut("<b>aa", 0, "", true);
	check_cut("", 0, "", false);
}

TEST(no_character_is_cut)
{
	check_cut("<b>é", 5, "<b>é", false);
	check_cut("<b>é", 4, "<b>", true);
	check_cut("<b>éa", 5, "<b>é", true);
	check_cut("<b>世", 5, "<b>", true);
	check_cut("<b>😀", 6, "<b>", true);
	check_cut("<b>😀!", 7, "<b>😀", true);
	check_cut("é", 1, "", true);
	/* no UTF-8 at all: some bytes less */
	check_cut("a\xBF\xBF\xBF\xBF\xBF", 5, "a¿", true);
}

static void check_error(const char *bytes, size_t size, const char *charset,
			enum error expected)
{
	AUTO_PAGE *page = NULL;

	ck_assert_int_eq(page_parse(&page, (struct slice){bytes, size},
				    slice_of(charset), &page_limits_default),
			 expected);
}

TEST(binary_bodies_are_no_pages)
{
	char noise[512];
	char wide[512];

	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (char)(i * 37 % 256);
	for (size_t i = 0; i < sizeof(wide); i++)
		wide[i] = i % 2 == 0 ? 'a' : '\0';
	check_error("%PDF-1.4", 8, NULL, ERR_NOT_HTML);
	check_error("\x89PNG\r\n\x1A\n", 8, NULL, ERR_NOT_HTML);
	check_error("PK\3\4....", 8, NULL, ERR_NOT_HTML);
	check_error("GIF89a", 6, NULL, ERR_NOT_HTML);
	check_error(noise, sizeof(noise), NULL, ERR_NOT_HTML);
	check_error(wide, sizeof(wide), NULL, ERR_NOT_HTML);
	check_error(wide, sizeof(wide), "utf-16le", ERR_NONE);
	check_error("<p>\0\0\0\1</p>", 11, NULL, ERR_NONE);
}

TEST(depth_is_cut_at_the_limit)
{
	struct page_limits limits = page_limits_default;
	struct page *page;

	limits.max_depth = 4; /* html body div div, and the head */
	page = page_of_slice(slice_of("<div><div>a</div></div>b"), &limits);
	ck_assert(!page->is_truncated);
	ck_assert_uint_eq(page->node_count, 5);
	ck_assert_uint_eq(page->text_count, 2);
	page_destroy(page);
	page = page_of_slice(slice_of("<div><div>a<b>c</b></div></div>b"),
			     &limits);
	ck_assert(page->is_truncated);
	ck_assert_uint_eq(page->node_count, 5);
	ck_assert_uint_eq(page->text_count, 1);
	ck_assert_ptr_null(page_problem(page));
	page_destroy(page);
}

TEST(nodes_are_cut_at_the_limit)
{
	struct page_limits limits = page_limits_default;
	struct page *page;

	limits.max_nodes = 5; /* html head body p p */
	page = page_of_slice(slice_of("<p>a<p>b"), &limits);
	ck_assert(!page->is_truncated);
	ck_assert_uint_eq(page->text_count, 2);
	page_destroy(page);
	page = page_of_slice(slice_of("<p>a<p>b<p>c"), &limits);
	ck_assert(page->is_truncated);
	ck_assert_uint_eq(page->node_count, 5);
	ck_assert_uint_eq(page->text_count, 2);
	ck_assert_ptr_null(page_problem(page));
	page_destroy(page);
}

TEST(attributes_are_cut_at_the_limit)
{
	struct page_limits limits = page_limits_default;
	struct page *page;

	limits.max_attributes = 2;
	page = page_of_slice(slice_of("<p a b>"), &limits);
	ck_assert(!page->is_truncated);
	page_destroy(page);
	page = page_of_slice(slice_of("<p a b c><p d>e"), &limits);
	ck_assert(page->is_truncated);
	ck_assert_uint_eq(page->attribute_count, 3);
	ck_assert_uint_eq(page->text_count, 1);
	page_destroy(page);
}

TEST(texts_are_cut_at_the_limit)
{
	struct page_limits limits = page_limits_default;
	AUTO_BUFFER html = {0};
	struct page *page;

	limits.max_nodes = 8;
	append_times(&html, "a<!---->", 4 * 8 + 1024);
	page = page_of_slice(buffer_slice(&html), &limits);
	ck_assert(!page->is_truncated);
	ck_assert_uint_eq(page->text_count, 4 * 8 + 1024);
	page_destroy(page);
	buffer_append_text(&html, "b");
	page = page_of_slice(buffer_slice(&html), &limits);
	ck_assert(page->is_truncated);
	ck_assert_uint_eq(page->text_count, 4 * 8 + 1024);
	page_destroy(page);
}

TEST(names_of_tags_are_bounded)
{
	AUTO_BUFFER html = {0};
	AUTO_PAGE *page;

	for (int i = 0; i < 2000; i++)
		buffer_printf(&html, "<x%d>a</x%d>", i, i);
	append_times(&html, "<y", 1000);
	buffer_append_text(&html, ">");
	page = page_of_slice(buffer_slice(&html), &page_limits_default);
	ck_assert_uint_eq(page->unknown_tag_count, 1000);
	ck_assert_uint_eq(page->node_count, 3 + 2000 + 1);
	check_slice(page_tag_name(page, TAG_COUNT + 998), "x998");
	check_slice(page_tag_name(page, page->nodes[3 + 999].tag), "x-other");
	check_slice(page_tag_name(page, page->nodes[3 + 1999].tag), "x-other");
	ck_assert_ptr_null(page_problem(page));
}

TEST(deep_nests_end_soon)
{
	AUTO_BUFFER rest = {0};

	check_times("<div>", 200000, "", true);
	check_times("<b>", 200000, "", true);
	append_times(&rest, "</span>", 200000);
	check_times("<div>", 200000, rest.data, true);
	buffer_clear(&rest);
	append_times(&rest, "</i>", 50000);
	check_times("<i><div>", 250, rest.data, false);
	check_times("</b>", 500000, "", false);
}

TEST(runs_of_one_thing_end_soon)
{
	check_times("a", 4000000, "", false);
	check_times("<", 4000000, "", false);
	check_times("&", 4000000, "", false);
	check_times("&a", 2000000, "", false);
	check_times("&#9", 1000000, "", false);
	check_times("</", 2000000, "", false);
	check_times("<!", 2000000, "", false);
	check_times("<p>", 1000000, "", true);
	check_times("\xFF", 1000000, "", false);
}

TEST(what_never_ends_ends_soon)
{
	check_times("<a ", 1000000, "", false);
	check_times("<a b=\"", 500000, "", false);
	check_times("<a b='\"", 500000, "", false);
	check_times("<!--", 1000000, "", false);
	check_times("<!-- >", 1000000, "", false);
	check_times("<script>", 500000, "", false);
	check_times("<script></", 500000, "", false);
	check_times("<![CDATA[", 500000, "", false);
}

TEST(attributes_without_end_end_soon)
{
	AUTO_BUFFER html = {0};
	struct page *page;

	buffer_append_text(&html, "<a");
	for (int i = 0; i < 500000; i++)
		buffer_printf(&html, " a%d=1", i);
	buffer_append_text(&html, ">x");
	page = page_of_times(html.data, 1, "");
	ck_assert(page->is_truncated);
	ck_assert_uint_eq(page->attribute_count, 256);
	ck_assert_uint_eq(page->text_count, 1);
	page_destroy(page);
	buffer_clear(&html);
	buffer_append_text(&html, "<p title='");
	append_times(&html, "v", 4000000);
	page = page_of_times(html.data, 1, "'>x");
	ck_assert(!page->is_truncated);
	ck_assert_uint_eq(page->attributes[0].value.size, 4000000);
	page_destroy(page);
}

/* Levels of `open` and one text, closed by `close` or not. */
static void check_depth(const char *open, const char *close, uint32_t depth,
			bool is_truncated)
{
	AUTO_BUFFER html = {0};
	AUTO_PAGE *page;
	uint32_t deepest = 0;

	append_times(&html, open, depth);
	buffer_append_text(&html, "x");
	append_times(&html, close, depth);
	page = page_of_times(html.data, 1, "");
	ck_assert(page->is_truncated == is_truncated);
	for (uint32_t i = 0; i < page->node_count; i++)
		if (page->nodes[i].depth > deepest)
			deepest = page->nodes[i].depth;
	/* html and body are two of the 512 */
	ck_assert_uint_eq(deepest, is_truncated ? 511 : depth + 1);
	ck_assert_uint_eq(page->text_count, is_truncated ? 0 : 1);
}

/* libxml2 drops elements deeper than 256 without an error. */
TEST(nothing_deep_is_dropped_in_silence)
{
	static const char *const opens[] = {"<div>", "<b>", "<x-y>",
					    "<blockquote>"};

	for (size_t i = 0; i < COUNT_OF(opens); i++) {
		check_depth(opens[i], "", 200, false);
		check_depth(opens[i], "", 256, false);
		check_depth(opens[i], "", 300, false);
		check_depth(opens[i], "", 510, false);
		check_depth(opens[i], "", 511, true);
		check_depth(opens[i], "", 600, true);
		check_depth(opens[i], "", 5000, true);
	}
	check_depth("<b>", "", 200000, true);
	check_depth("<div>", "</div>", 300, false);
	check_depth("<div>", "</div>", 600, true);
	check_depth("<div>", "</div>", 20000, true);
}

/* libxml2 cuts a text after 10,000,000 bytes. */
TEST(a_text_is_as_long_as_the_page_may_be)
{
	struct page_limits limits = page_limits_default;
	AUTO_BUFFER html = {0};
	struct page *page;

	limits.max_bytes = 24000000;
	buffer_append_text(&html, "<p>");
	append_times(&html, "0123456789", 1200000);
	page = page_of_slice(buffer_slice(&html), &limits);
	ck_assert(!page->is_truncated);
	ck_assert_uint_eq(page->texts[0].length, 12000000);
	page_destroy(page);
	page = page_of_slice(buffer_slice(&html), &page_limits_default);
	ck_assert(page->is_truncated);
	ck_assert_uint_eq(page->texts[0].length, 10000000 - 3);
	page_destroy(page);
}

TEST(attributes_of_all_tags_are_bounded)
{
	struct page_limits limits = page_limits_default;
	AUTO_BUFFER html = {0};
	struct page *page;

	limits.max_nodes = 1000; /* 4 * 1,000 + 1,024 attributes */
	append_times(&html, "<br a b c d e f g h>", 628);
	page = page_of_slice(buffer_slice(&html), &limits);
	ck_assert(!page->is_truncated);
	ck_assert_uint_eq(page->attribute_count, 5024);
	page_destroy(page);
	buffer_append_text(&html, "<br><br i>");
	page = page_of_slice(buffer_slice(&html), &limits);
	ck_assert(page->is_truncated);
	ck_assert_uint_eq(page->attribute_count, 5024);
	ck_assert_uint_eq(page->node_count, 3 + 630);
	page_destroy(page);
}

TEST(nuls_are_spaces_and_entities_end)
{
	AUTO_BUFFER html = {0};
	struct page *page;

	buffer_append_text(&html, "<p>a");
	buffer_append(&html, "\0<b\0c\0>d\0", 9);
	page = page_of_slice(buffer_slice(&html), &page_limits_default);
	check_slice(page->source, "<p>a <b c >d ");
	ck_assert_uint_eq(page->text_count, 2);
	ck_assert_uint_eq(page->attribute_count, 1);
	ck_assert_ptr_null(page_problem(page));
	page_destroy(page);

	page = page_of_times("&amp;", 300000, "");
	ck_assert(!page->is_truncated);
	ck_assert_uint_eq(page->texts[0].length, 300000);
	page_destroy(page);
	check_times("&CounterClockwiseContourIntegral;", 50000, "", false);
	check_times("<p title='&lt;&#x41;&nosuch'>", 20000, "", false);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

TEST(any_page_keeps_the_invariants)
{
	static const char *const parts[] = {
		"<p>",        "</p>",        "<div>",      "</div>",
		"<a href=x>", "</a>",        "<table>",    "<tr>",
		"<td>",       "</table>",    "<br>",       "text ",
		"&amp;",      "<b hidden>",  "</b>",       "<head>",
		"</head>",    "<body>",      "</body>",    "</html>",
		"<html>",     "<title>",     "</title>",   "<ul><li>",
		"</ul>",      "<!-- -->",    "<x-y>",      "</x-y>",
		"<script>",   "</script>",   "<form>",     "<select><option>",
		"<svg/>",     "<",           "\"",         "\n",
		"<noscript>", "</noscript>", "<frameset>", "<h1>",
	};
	enum { PARTS = COUNT_OF(parts) };
	uint32_t state = 20240609;

	printf("seed %u\n", state);
	for (int round = 0; round < 5000; round++) {
		struct page_limits limits = page_limits_default;
		uint32_t count = next_random(&state) % 40;
		AUTO_BUFFER html = {0};
		AUTO_PAGE *page;
		const char *problem;

		if (round % 4 == 0)
			limits.max_depth = 1 + next_random(&state) % 8;
		if (round % 4 == 1)
			limits.max_nodes = next_random(&state) % 16;
		while (count-- > 0)
			buffer_append_text(&html,
					   parts[next_random(&state) % PARTS]);
		page = page_of_slice(buffer_slice(&html), &limits);
		problem = page_problem(page);
		ck_assert_msg(problem == NULL, "%s: %s", problem, html.data);
		ck_assert_uint_le(page->node_count, limits.max_nodes);
	}
}
