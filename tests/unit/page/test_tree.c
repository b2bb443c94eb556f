#include "tests/unit/page/invariant.h"
#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

/*
 * Pages whose tree differs in order from the source; html5lib's cases test the
 * trees.
 */

/* The texts in the order of the tree, with "|" between. */
static void check_texts(const char *html, const char *texts)
{
	AUTO_PAGE *page = page_of(html);
	AUTO_BUFFER out = {0};

	for (uint32_t i = 0; i < page->text_count; i++) {
		if (i > 0)
			buffer_append_byte(&out, '|');
		buffer_append_slice(&out, page_text(page, i));
	}
	buffer_append_byte(&out, '\0');
	ck_assert_str_eq(out.data, texts);
	ck_assert_ptr_null(page_problem(page));
}

TEST(what_stands_in_a_table_comes_before_it)
{
	check_texts("<table>a<tr><td>b</td>c</table>d", "a|c|b|d");
	check_texts("a<table><tr><td>b</table>c", "a|b|c");
	check_texts("<table><tr><td><table>a<tr><td>b</table>c</table>",
		    "a|b|c");
}

TEST(the_source_keeps_its_order)
{
	struct page *page = page_of("<table>a<tr><td>b</td>c</table>d");

	ck_assert_ptr_nonnull(page->source_order);
	ck_assert_uint_eq(page_text_in_source(page, 0), 0);
	ck_assert_uint_eq(page_text_in_source(page, 1), 2);
	ck_assert_uint_eq(page_text_in_source(page, 2), 1);
	ck_assert_uint_eq(page_text_in_source(page, 3), 3);
	page_destroy(page);
	page = page_of("<p>a<p>b");
	ck_assert_ptr_null(page->source_order);
	ck_assert_uint_eq(page_text_in_source(page, 1), 1);
	page_destroy(page);
}

TEST(formatting_elements_are_reopened)
{
	AUTO_PAGE *page = page_of("<p><b class=x>a<p>b</b>c");

	ck_assert_uint_eq(page->text_count, 3);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t node = page->texts[i].node;

		ck_assert_uint_eq(page->nodes[node].tag, TAG_b);
		check_slice(page_attribute(page, node, "class"), "x");
	}
	ck_assert_uint_ne(page->texts[0].node, page->texts[1].node);
	check_slice(source_of(page, page->nodes[page->texts[1].node].source),
		    "b</b>");
	ck_assert_ptr_null(page_problem(page));
}

TEST(flags_follow_the_tree)
{
	AUTO_PAGE *page = page_of("<table hidden>a<tr><td>b</table>");

	/* "a" is before the table, where it is visible */
	check_slice(page_text(page, 0), "a");
	ck_assert_uint_eq(page->texts[0].flags, 0);
	ck_assert_uint_eq(page->texts[1].flags, TEXT_IS_HIDDEN);
}

TEST(a_line_end_after_pre_is_ignored)
{
	check_texts("<pre>\na\n\nb</pre>", "a\n\nb");
	check_texts("<pre>\r\n\r\na", "\na");
	check_texts("<textarea>\na", "a");
	check_texts("<pre><b>\na", "\na");
	check_texts("<p>\na", "\na");
	check_texts("<p>a\r\nb\rc", "a\nb\nc");
}

TEST(a_second_body_gives_what_is_new)
{
	AUTO_PAGE *page = page_of("<body class=a><p>x<body class=b id=c><p>y");
	uint32_t body = 2;

	ck_assert_uint_eq(page->nodes[body].tag, TAG_body);
	ck_assert_uint_eq(page->nodes[body].attribute_count, 2);
	check_slice(page_attribute(page, body, "class"), "a");
	check_slice(page_attribute(page, body, "id"), "c");
	ck_assert_ptr_null(page_problem(page));
}

TEST(scripts_and_styles_are_no_text)
{
	check_texts("<script>a<!--<script>b</script>c</script>d", "d");
	check_texts("<style>a</style>b<svg><style>c</style><text>d", "b|d");
	check_texts("<script>a<!--b</script>c--></script>d", "c-->|d");
}

TEST(depth_counts_where_things_were_moved_to)
{
	struct page_limits limits = page_limits_default;
	AUTO_PAGE *page;

	limits.max_depth = 8;
	page = page_of_slice(
		slice_of("<b><i><u><s><p>a</b></i></u></s>b<p>c</p>"), &limits);
	ck_assert_ptr_null(page_problem(page));
	for (uint32_t i = 0; i < page->node_count; i++)
		ck_assert_uint_lt(page->nodes[i].depth, limits.max_depth);
}

TEST(a_body_after_the_end_tag_of_the_body_is_empty)
{
	/* </body> is ignored in the template; the end of the file opens one */
	static const char html[] = "<template><p>a</body></html>";
	AUTO_PAGE *page = page_of(html);
	const struct node *body = &page->nodes[page->node_count - 1];

	ck_assert_uint_eq(body->tag, TAG_body);
	ck_assert_uint_eq(body->source.begin, strlen(html));
	ck_assert_uint_eq(body->source.end, strlen(html));
	ck_assert_uint_eq(page->nodes[0].source.end, strlen(html));
}
