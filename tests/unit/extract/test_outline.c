#include "extract/outline.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "extract/render.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

static void assert_html(const char *html, const char *expected)
{
	char *markup = html_of(html);

	ck_assert_str_eq(markup, expected);
	free(markup);
}

START_TEST(text_stands_in_lines)
{
	assert_html("<h1>a</h1><p>b", "<h1>a</h1>\n<p>b</p>\n");
	assert_html("a<div>b<section>c</section>d</div>",
		    "<p>a</p>\n<p>b</p>\n<p>c</p>\n<p>d</p>\n");
	assert_html("<p>a<br>b", "<p>a<br>b</p>\n");
	assert_html("<h2><div>a</div></h2>", "<h2>a</h2>\n");
	assert_html("<blockquote>a<p>b</blockquote>",
		    "<blockquote><p>a</p>\n<p>b</p>\n</blockquote>\n");
	assert_html("<pre>\na\n <b>b</b> <i>c</i>\n</pre>",
		    "<pre>a\n <b>b</b> <i>c</i></pre>\n");
}
END_TEST

START_TEST(inline_elements_are_kept)
{
	assert_html("<p>a <b>b</b> <em>c</em><u>d</u> <code>e</code>",
		    "<p>a <b>b</b> <em>c</em>d <code>e</code></p>\n");
	assert_html("<p><a href='/x?a&b' onclick=y>a <strong>b</strong></a>",
		    "<p><a href=\"/x?a&amp;b\">a <strong>b</strong></a></p>\n");
	assert_html("<a href=x><div>a</div><div>b</div></a>",
		    "<a href=\"x\"><p>a</p>\n<p>b</p>\n</a>");
	assert_html("<p><b></b>a", "<p>a</p>\n");
}
END_TEST

START_TEST(unsafe_addresses_lose_their_link)
{
	assert_html("<p><a href='java\tscript:x'>a</a> <a>b</a>",
		    "<p>a b</p>\n");
	assert_html("<p><a href='&#106;avascript:x'>a</a>", "<p>a</p>\n");
	assert_html("<p><a href='\"><script>x</script>'>a</a>",
		    "<p><a href=\"&quot;&gt;&lt;script&gt;x&lt;/script&gt;\">a"
		    "</a></p>\n");
	assert_html("<p>&lt;script&gt;x", "<p>&lt;script&gt;x</p>\n");
}
END_TEST

START_TEST(lists_and_tables_are_kept)
{
	assert_html("<ul><li>a<li><p>b</ul>",
		    "<ul><li>a</li>\n<li><p>b</p>\n</li>\n</ul>\n");
	assert_html("<ol><li>a<ul><li>b</ul></ol>",
		    "<ol><li>a<ul><li>b</li>\n</ul>\n</li>\n</ol>\n");
	assert_html("<table><tbody><tr><th>a<td>b</table>",
		    "<table><tr><th>a</th>\n<td>b</td>\n</tr>\n</table>\n");
}
END_TEST

START_TEST(what_stands_wrong_is_put_right)
{
	struct buffer out = {0};
	struct page *page = parse("");
	struct outline outline = outline_begin(page->arena, &out, 8);

	/* a list in a list, and text in a table */
	outline_open_block(&outline, TAG_ul, 1);
	outline_open_block(&outline, TAG_ul, 2);
	outline_open_line(&outline, TAG_p, 2);
	outline_text(&outline, slice_of("a"));
	outline_end_line(&outline);
	outline_close(&outline, 2);
	outline_close(&outline, 1);
	outline_open_block(&outline, TAG_table, 1);
	outline_open_inline(&outline, TAG_b, slice_of(NULL), 2);
	outline_open_line(&outline, TAG_p, 1);
	outline_text(&outline, slice_of("b"));
	outline_end_line(&outline);
	outline_open_block(&outline, TAG_li, 2); /* no list: left out */
	outline_open_block(&outline, TAG_td, 2);
	outline_open_line(&outline, TAG_p, 2);
	outline_text(&outline, slice_of("c"));
	outline_close(&outline, 0);
	ck_assert_str_eq(out.data,
			 "<ul><li><ul><li>a</li>\n</ul>\n</li>\n</ul>\n"
			 "<table><tr><td>b</td>\n</tr>\n"
			 "<tr><td>c</td>\n</tr>\n</table>\n");
	buffer_free(&out);
	page_destroy(page);
}
END_TEST

START_TEST(a_link_stands_in_no_link)
{
	struct buffer out = {0};
	struct page *page = parse("");
	struct outline outline = outline_begin(page->arena, &out, 8);

	outline_open_line(&outline, TAG_p, 1);
	outline_open_inline(&outline, TAG_a, slice_of("x"), 2);
	outline_open_inline(&outline, TAG_b, slice_of(NULL), 3);
	outline_open_inline(&outline, TAG_a, slice_of("y"), 4);
	outline_text(&outline, slice_of("a"));
	outline_end_line(&outline);
	ck_assert_str_eq(out.data, "<p><a href=\"x\"><b>a</b></a></p>\n");
	buffer_free(&out);
	page_destroy(page);
}
END_TEST

/* 180,000 elements inside of 400: linear in every way. */
START_TEST(a_hostile_page_is_rendered_in_linear_time)
{
	struct buffer html = {0};
	struct buffer out = {0};
	struct page *page;
	clock_t begin;

	for (int i = 0; i < 400; i++)
		buffer_append_text(&html, i % 2 == 0 ? "<b>" : "<a href=x>");
	for (int i = 0; i < 60000; i++)
		buffer_append_text(&html, "<div>a<i>b</i> <i>c</i></div>");
	page = parse(html.data);
	begin = clock();
	render_text(page, run(page, "plain", NULL, NULL), &out);
	render_html(page, run(page, "plain", NULL, NULL), &out);
	run(page, "accb", NULL, NULL);
	ck_assert_uint_eq(page->text_count, 180000);
	ck_assert_uint_lt(out.size, 10 * html.size);
	/* quadratic would be minutes */
	ck_assert_int_lt((clock() - begin) / CLOCKS_PER_SEC, 20);
	page_destroy(page);
	buffer_free(&html);
	buffer_free(&out);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("outline");
	TCase *tcase = tcase_create("outline");

	tcase_add_test(tcase, text_stands_in_lines);
	tcase_add_test(tcase, inline_elements_are_kept);
	tcase_add_test(tcase, unsafe_addresses_lose_their_link);
	tcase_add_test(tcase, lists_and_tables_are_kept);
	tcase_add_test(tcase, what_stands_wrong_is_put_right);
	tcase_add_test(tcase, a_link_stands_in_no_link);
	tcase_add_test(tcase, a_hostile_page_is_rendered_in_linear_time);
	tcase_set_timeout(tcase, 60);
	suite_add_tcase(suite, tcase);
	return suite;
}
