#include "tests/unit/page/invariant.h"
#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

/* The nodes as "html(head(title)body(p p))"; free() it. */
static char *tree_of(const struct page *page)
{
	struct buffer out = {0};
	uint32_t depth = 0;

	buffer_append_text(&out, "");
	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct node *node = &page->nodes[i];

		if (i > 0 && node->depth >= depth)
			buffer_append_byte(&out,
					   node->depth > depth ? '(' : ' ');
		for (; depth > node->depth; depth--)
			buffer_append_byte(&out, ')');
		depth = node->depth;
		buffer_append_slice(&out, page_tag_name(page, node->tag));
	}
	for (; depth > 0; depth--)
		buffer_append_byte(&out, ')');
	return out.data;
}

static void check_tree(const char *html, const char *tree)
{
	AUTO_PAGE *page = page_of(html);
	AUTO_TEXT *found = tree_of(page);

	ck_assert_str_eq(found, tree);
	ck_assert_ptr_null(page_problem(page));
}

/* The index of the first node of that tag. */
static uint32_t index_of(const struct page *page, uint16_t tag)
{
	for (uint32_t i = 0; i < page->node_count; i++)
		if (page->nodes[i].tag == tag)
			return i;
	ck_abort_msg("no such node");
	return NO_NODE;
}

static const struct node *find(const struct page *page, uint16_t tag)
{
	return &page->nodes[index_of(page, tag)];
}

TEST(the_block_around_a_node_is_the_innermost)
{
	AUTO_PAGE *page = page_of("<div><p><b><i>a</i></b></p></div>");
	uint32_t p = index_of(page, TAG_p);

	ck_assert_uint_eq(page_block_around(page, index_of(page, TAG_i)), p);
	ck_assert_uint_eq(page_block_around(page, p), p);
	ck_assert_uint_eq(page_block_around(page, NO_NODE), NO_NODE);
}

TEST(an_empty_body_is_an_empty_page)
{
	struct page *page = page_of("");

	ck_assert_uint_eq(page->node_count, 0);
	ck_assert_uint_eq(page->text_count, 0);
	ck_assert_uint_eq(page->link_count, 0);
	ck_assert_uint_eq(page->title.size, 0);
	check_slice(page->charset, "UTF-8");
	ck_assert(!page->is_truncated);
	page_destroy(page);
	page = page_of_slice((struct slice){NULL, 0}, &page_limits_default);
	ck_assert_uint_eq(page->node_count, 0);
	page_destroy(page);
	page_destroy(NULL);
}

TEST(missing_tags_are_implied)
{
	check_tree("<html><head><title>t</title></head><body><p>a</p></body>"
		   "</html>",
		   "html(head(title)body(p))");
	check_tree("<title>t</title><p>a<p>b", "html(head(title)body(p p))");
	check_tree("a", "html(head body)");
	check_tree("<ul><li>a<li>b</ul>", "html(head body(ul(li li)))");
	check_tree("<table><tr><td>a<td>b<tr><td>c</table>",
		   "html(head body(table(tbody(tr(td td)tr(td)))))");
}

TEST(empty_elements_have_no_content)
{
	check_tree("<p>a<br>b<wbr>c<img>d<hr>e",
		   "html(head body(p(br wbr img)hr))");
	check_tree("<picture><source><source><img></picture>",
		   "html(head body(picture(source source img)))");
	check_tree("<x-y/><b>a</b>", "html(head body(x-y(b)))");
	check_tree("<svg><x-y/><g>a", "html(head body(svg(x-y g)))");
}

TEST(end_tags_that_close_nothing_are_ignored)
{
	check_tree("<div></p></span></b>a</div></div></div><i>b</i>",
		   "html(head body(div(p)i))");
	check_tree("<b><div></b></div>", "html(head body(b div(b)))");
}

/* White space is no text of a page, but it is inside open elements. */
TEST(white_space_reopens_formatting)
{
	check_tree("<p><b></p> ", "html(head body(p(b)b))");
	check_tree("<table><b><table><i></i> ",
		   "html(head body(b table b(i)table))");
	check_tree("<table><b><table> ", "html(head body(b table table))");
}

TEST(what_follows_the_end_of_the_body_belongs_to_it)
{
	check_tree("<body><p>a</p></body></html><div>b</div>",
		   "html(head body(p div))");
}

TEST(unknown_tags_keep_their_names)
{
	check_tree("<My-Tag><u1><my-tag></MY-TAG></u1></my-tag><ns:t><h7>",
		   "html(head body(my-tag(u1(my-tag))ns:t(h7)))");
}

TEST(texts_belong_to_their_elements)
{
	AUTO_PAGE *page =
		page_of("<div> a <b>c</b>\n<i>&nbsp;</i>d</div><p>e</p>");
	const struct node *div = find(page, TAG_div);

	ck_assert_uint_eq(page->text_count, 4);
	check_slice(page_text(page, 0), " a ");
	check_slice(page_text(page, 1), "c");
	check_slice(page_text(page, 2), "d");
	check_slice(page_text(page, 3), "e");
	ck_assert_uint_eq(div->first_text, 0);
	ck_assert_uint_eq(div->end_text, 3);
	ck_assert_uint_eq(page->texts[1].node, index_of(page, TAG_b));
	ck_assert_uint_eq(page->texts[2].node, index_of(page, TAG_div));
	ck_assert_uint_eq(find(page, TAG_p)->first_text, 3);
	ck_assert_uint_eq(find(page, TAG_i)->first_text, 2);
	ck_assert_uint_eq(find(page, TAG_i)->end_text, 2);
}

TEST(comments_and_tags_end_a_text)
{
	AUTO_PAGE *page = page_of("<p>a<!-- b -->c</i>d<script>e</script>"
				  "<style>f</style> < g</p>");

	ck_assert_uint_eq(page->text_count, 4);
	check_slice(page_text(page, 0), "a");
	check_slice(page_text(page, 1), "c");
	check_slice(page_text(page, 2), "d");
	check_slice(page_text(page, 3), " < g");
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(page->nodes[page->texts[i].node].tag, TAG_p);
	ck_assert_ptr_null(page_problem(page));
}

TEST(spans_cover_the_raw_source)
{
	AUTO_PAGE *page =
		page_of("<div id=a>1 &lt;&#50;<p>3<br/>4<p>5</div ><b>6");

	check_slice(source_of(page, page->texts[0].source), "1 &lt;&#50;");
	check_slice(page_text(page, 0), "1 <2");
	check_slice(source_of(page, find(page, TAG_div)->source),
		    "<div id=a>1 &lt;&#50;<p>3<br/>4<p>5</div >");
	check_slice(source_of(page, find(page, TAG_p)->source), "<p>3<br/>4");
	check_slice(source_of(page, find(page, TAG_br)->source), "<br/>");
	check_slice(source_of(page, find(page, TAG_b)->source), "<b>6");
	check_slice(source_of(page, find(page, TAG_html)->source),
		    "<div id=a>1 &lt;&#50;<p>3<br/>4<p>5</div ><b>6");
	ck_assert_ptr_null(page_problem(page));
}

TEST(the_body_ends_with_its_end_tag_when_nothing_follows)
{
	struct page *page = page_of("<body><div>a</body> <!-- x --></html>\n");

	check_slice(source_of(page, find(page, TAG_body)->source),
		    "<body><div>a</body>");
	check_slice(source_of(page, find(page, TAG_div)->source),
		    "<div>a</body>");
	check_slice(source_of(page, find(page, TAG_html)->source),
		    "<body><div>a</body> <!-- x --></html>");
	page_destroy(page);
	page = page_of("<body>a</body>b</html>");
	check_slice(source_of(page, find(page, TAG_body)->source),
		    "<body>a</body>b</html>");
	ck_assert_ptr_null(page_problem(page));
	page_destroy(page);
}

TEST(attributes_are_folded_decoded_and_unique)
{
	AUTO_PAGE *page = page_of("<a HREF='?a&amp;b' href=2 @on:Click=\"x>y\" "
				  "Title = T&eacute; checked data-x=''>");
	uint32_t a = index_of(page, TAG_a);

	ck_assert_uint_eq(page->nodes[a].attribute_count, 5);
	check_slice(page_attribute(page, a, "href"), "?a&b");
	check_slice(page_attribute(page, a, "@on:click"), "x>y");
	check_slice(page_attribute(page, a, "title"), "Té");
	check_slice(page_attribute(page, a, "checked"), "");
	check_slice(page_attribute(page, a, "data-x"), "");
	ck_assert_ptr_nonnull(page_attribute(page, a, "checked").data);
	ck_assert_ptr_null(page_attribute(page, a, "id").data);
	ck_assert_uint_eq(page->nodes[0].attribute_count, 0);
}

/* The flags of the only text of the page. */
static unsigned flags_of(const char *html)
{
	AUTO_PAGE *page = page_of(html);
	unsigned flags;

	ck_assert_uint_eq(page->text_count, 1);
	flags = page->texts[0].flags;
	return flags;
}

TEST(hidden_text_is_flagged)
{
	ck_assert_uint_eq(flags_of("<p style='display:none'>a"),
			  TEXT_IS_HIDDEN);
	ck_assert_uint_eq(
		flags_of("<p style='color:red; DISPLAY : none !important'>a"),
		TEXT_IS_HIDDEN);
	ck_assert_uint_eq(flags_of("<p style='visibility:hidden;'>a"),
			  TEXT_IS_HIDDEN);
	ck_assert_uint_eq(flags_of("<p hidden><b>a</b>"), TEXT_IS_HIDDEN);
	ck_assert_uint_eq(flags_of("<p aria-hidden=true>a"), TEXT_IS_HIDDEN);
	ck_assert_uint_eq(flags_of("<p aria-hidden=false>a"), 0);
	ck_assert_uint_eq(flags_of("<p style='display:nonesuch'>a"), 0);
	ck_assert_uint_eq(flags_of("<p style='x-display:none'>a"), 0);
	ck_assert_uint_eq(flags_of("<p style=''>a"), 0);
	ck_assert_uint_eq(flags_of("<p hidden>&nbsp;</p>a"), 0);
}

TEST(where_text_stands_is_flagged)
{
	ck_assert_uint_eq(flags_of("<body><noscript><p>a"), TEXT_IS_NOSCRIPT);
	ck_assert_uint_eq(flags_of("<a href=x><b>a"), TEXT_IS_LINK);
	ck_assert_uint_eq(flags_of("<a name=x>a"), 0);
	ck_assert_uint_eq(flags_of("<link href=x>a"), 0);
	ck_assert_uint_eq(flags_of("<title>a"), TEXT_IS_TITLE);
	ck_assert_uint_eq(flags_of("<select><option>a"), TEXT_IS_CONTROL);
	ck_assert_uint_eq(flags_of("<label>a"), TEXT_IS_CONTROL);
	ck_assert_uint_eq(flags_of("<svg><text>a"), TEXT_IS_TEMPLATE);
	ck_assert_uint_eq(flags_of("<body><template><p>a"), TEXT_IS_TEMPLATE);
	ck_assert_uint_eq(flags_of("<body><template shadowrootmode=open><p>a"),
			  0);
	ck_assert_uint_eq(flags_of("<body><template><a href=x hidden>a"),
			  TEXT_IS_TEMPLATE | TEXT_IS_LINK | TEXT_IS_HIDDEN);
	ck_assert_uint_eq(flags_of("<div hidden></div><p>a"), 0);
}

TEST(a_meta_does_not_change_the_decoder)
{
	AUTO_PAGE *page = NULL;

	ASSERT_OK(page_parse(&page,
			     slice_of("<meta charset=koi8-r><title>é</title>ю"),
			     slice_of("utf-8"), &page_limits_default));
	check_slice(page->charset, "UTF-8");
	check_slice(page->title, "é");
	check_slice(page_text(page, 1), "ю");
}

TEST(nuls_are_spaces)
{
	AUTO_PAGE *page = page_of_slice((struct slice){"<p>a\0b</p>", 10},
					&page_limits_default);

	check_slice(page_text(page, 0), "a b");
}
