#include "page/selector.h"

#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

/* The number of the first element with the id, or of that tag. */
static uint32_t find(const struct page *page, const char *name)
{
	for (uint32_t i = 0; i < page->node_count; i++)
		if (slice_equal(page_attribute(page, i, "id"),
				slice_of(name)) ||
		    slice_equal(page_tag_name(page, page->nodes[i].tag),
				slice_of(name)))
			return i;
	ck_abort_msg("no %s", name);
	return 0;
}

static void check_value(const char *html, const char *name, const char *value)
{
	AUTO_PAGE *page = page_of(html);
	char out[ELEMENT_VALUE_BYTES + 1];
	size_t size = element_value(page, find(page, name), out);

	ck_assert_str_eq(out, value);
	ck_assert_uint_eq(size, strlen(value));
}

static void check_path(const char *html, const char *name, const char *path)
{
	AUTO_PAGE *page = page_of(html);
	AUTO_BUFFER out = {0};

	element_path(page, find(page, name), &out);
	ck_assert_str_eq(out.data, path);
}

TEST(an_element_says_its_text_collapsed)
{
	check_value("<p>  a\n b <b>c</b>d", "p", "a b cd");
	check_value("<div id=x><p>a</p><p>b</p></div>", "x", "a b");
	check_value("<p>a<b>b</b>c", "p", "abc");
	check_value("<p><b>a</b> <i>b</i>", "p", "a b");
	check_value("<p></p>", "p", "");
}

TEST(without_text_an_attribute_speaks)
{
	check_value("<meta name=description content=' a  b '>", "meta", "a b");
	check_value("<img src=/x.png alt='a cat'>", "img", "a cat");
	check_value("<img src=/x.png alt=''>", "img", "/x.png");
	check_value("<a id=x href=/y></a>", "x", "/y");
}

TEST(a_value_is_cut_between_characters)
{
	AUTO_BUFFER html = {0};
	AUTO_PAGE *page;
	char out[ELEMENT_VALUE_BYTES + 1];

	/* 85 characters of three bytes are 255, 86 are 258 */
	buffer_append_text(&html, "<p>");
	for (int i = 0; i < 2000; i++)
		buffer_append_text(&html, "\xE2\x82\xAC");
	page = page_of(html.data);
	ck_assert_uint_eq(element_value(page, find(page, "p"), out), 255);
	ck_assert_uint_eq(element_cut(slice_of(html.data + 3), out), 255);
	ck_assert_uint_eq(element_cut(slice_of(""), out), 0);
}

TEST(a_path_names_tags_ids_and_classes)
{
	check_path("<div id=a class='b  c'><p class=d>x", "p",
		   "html>body>div#a.b.c>p.d");
	check_path("<div id=a.b class='1x -2 -'><p>x", "p",
		   "html>body>div#a\\.b.\\31 x.-\\32 .\\->p");
	check_path("<p>x", "html", "html");
}

TEST(a_deep_path_is_its_end)
{
	AUTO_BUFFER html = {0};
	AUTO_BUFFER out = {0};
	struct page *page;

	for (int i = 0; i < 100; i++)
		buffer_append_text(&html, "<div>");
	buffer_append_text(&html, "<p>x");
	page = page_of(html.data);
	element_path(page, find(page, "p"), &out);
	/* 39 times "div>", and "p" */
	ck_assert_uint_eq(out.size, 39 * 4 + 1);
	page_destroy(page);
}
