#include "extract/render/outline.h"

#include <time.h>

#include "extract/render/layout.h"
#include "extract/render/render.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

static void assert_html(const char *html, const char *expected)
{
	AUTO_TEXT *markup = html_of(html);

	ck_assert_str_eq(markup, expected);
}

FIXTURE(.timeout_s = 60);

TEST(text_is_in_lines)
{
	assert_html("<h1>a</h1><p>b", "<h1>a</h1>\n<p>b</p>\n");
	assert_html("a<div>b<section>c</section>d</div>",
		    "<p>a</p>\n<p>b</p>\n<p>c</p>\n<p>d</p>\n");
	assert_html("<p>a<br>b", "<p>a<br>b</p>\n");
	assert_html("<h2><div>a</div></h2>", "<h2>a</h2>\n");
	assert_html("<h2><a href=x><div>a</div>b<div>c<p>d</div></a></h2>e",
		    "<h2><a href=\"x\">a<br>b<br>c<br>d</a></h2>\n"
		    "<p>e</p>\n");
	assert_html("<h2>a<div>b<ul><li>c</ul></div>d</h2>",
		    "<h2>a<br>b</h2>\n<ul><li>c</li>\n</ul>\n"
		    "<h2>d</h2>\n");
	assert_html("<h1>a<div>b<h2>c</h2></div></h1>",
		    "<h1>a<br>b</h1>\n<h2>c</h2>\n");
	assert_html("<blockquote>a<p>b</blockquote>",
		    "<blockquote><p>a</p>\n<p>b</p>\n</blockquote>\n");
	assert_html("<pre>\na\n <b>b</b> <i>c</i>\n</pre>",
		    "<pre>a\n <b>b</b> <i>c</i></pre>\n");
}

TEST(inline_elements_are_kept)
{
	assert_html("<p>a <b>b</b> <em>c</em><u>d</u> <code>e</code>",
		    "<p>a <b>b</b> <em>c</em>d <code>e</code></p>\n");
	assert_html("<p><a href='/x?a&b' onclick=y>a <strong>b</strong></a>",
		    "<p><a href=\"/x?a&amp;b\">a <strong>b</strong></a></p>\n");
	assert_html("<a href=x><div>a</div><div>b</div></a>",
		    "<p><a href=\"x\">a</a></p>\n"
		    "<p><a href=\"x\">b</a></p>\n");
	assert_html("<p><b></b>a", "<p>a</p>\n");
}

TEST(unsafe_addresses_lose_their_link)
{
	assert_html("<p><a href='java\tscript:x'>a</a> <a>b</a>",
		    "<p>a b</p>\n");
	assert_html("<p><a href='&#106;avascript:x'>a</a>", "<p>a</p>\n");
	assert_html("<p><a href='\"><script>x</script>'>a</a>",
		    "<p><a href=\"&quot;&gt;&lt;script&gt;x&lt;/script&gt;\">a"
		    "</a></p>\n");
	assert_html("<p>&lt;script&gt;x", "<p>&lt;script&gt;x</p>\n");
}

TEST(lists_and_tables_are_kept)
{
	assert_html("<ul><li>a<li><p>b</ul>",
		    "<ul><li>a</li>\n<li><p>b</p>\n</li>\n</ul>\n");
	assert_html("<ol><li>a<ul><li>b</ul></ol>",
		    "<ol><li>a<ul><li>b</li>\n</ul>\n</li>\n</ol>\n");
	assert_html("<table><tbody><tr><th>a<td>b</table>",
		    "<table><tr><th>a</th>\n<td>b</td>\n</tr>\n</table>\n");
}

static void record_open(void *context, const struct layout_element *element)
{
	buffer_append_slice(context, tag_name(element->tag));
	buffer_append_text(context, element->is_bare ? "=(" : "(");
}

static void record_close(void *context, uint16_t tag)
{
	(void)tag;
	buffer_append_byte(context, ')');
}

TEST(what_stands_wrong_is_put_right)
{
	AUTO_BUFFER out = {0};
	AUTO_ARENA *arena = arena_create();
	const struct layout_writer writer = {
		.context = &out, .open = record_open, .close = record_close};
	const struct columns none = {0, 0};
	struct block_outline outline = outline_begin(arena, &writer, 8);

	/* a list in a list, and text in a table */
	outline_open_block(&outline, TAG_ul, 1, 1, none);
	outline_open_block(&outline, TAG_ul, 2, 2, none);
	outline_open_line(&outline, TAG_p, NO_NODE, 2);
	ck_assert(outline_is_in_line(&outline));
	outline_end_line(&outline);
	ck_assert(!outline_is_in_line(&outline));
	outline_close(&outline, 2);
	outline_close(&outline, 1);
	outline_open_block(&outline, TAG_table, 1, 1, none);
	outline_open_line(&outline, TAG_p, NO_NODE, 1);
	outline_end_line(&outline);
	outline_open_block(&outline, TAG_li, 2, 2,
			   none); /* no list: left out */
	outline_open_block(&outline, TAG_td, 2, 2, none);
	outline_open_line(&outline, TAG_figcaption, NO_NODE, 2);
	outline_close(&outline, 0);
	ck_assert_str_eq(out.data, "ul(li(ul(li(p=()))))"
				   "table(tr(td(p=()))tr(td(p=())))");
}

TEST(a_caption_begins_its_table)
{
	assert_html("<table><caption>a</caption><tr><td>b</table>",
		    "<table><caption>a</caption>\n<tr><td>b</td>\n</tr>\n"
		    "</table>\n");
	assert_html("<table><tr><td>b</tr><caption>a</caption></table>",
		    "<table><tr><td>b</td>\n</tr>\n<tr><td>a</td>\n</tr>\n"
		    "</table>\n");
	assert_html(
		"<figure><p>a</p><figcaption><p>b</p></figcaption></figure>",
		"<figure><p>a</p>\n<figcaption>b</figcaption>\n"
		"</figure>\n");
	assert_html("<figcaption>b</figcaption>", "<p>b</p>\n");
}

TEST(a_cell_keeps_its_column)
{
	assert_html("<table><tr><td><td><th>a<td><tr><td colspan=2><td>b<td>c"
		    "</table>",
		    "<table><tr><td></td>\n<td></td>\n<th>a</th>\n</tr>\n"
		    "<tr><td></td>\n<td></td>\n<td>b</td>\n<td>c</td>\n"
		    "</tr>\n</table>\n");
	/* empty cells for rowspan, because a covered row may be left out */
	assert_html("<table><tr><th rowspan=3>a<th colspan=2>b<tr><td><td>"
		    "<tr><td>c<td>d<tr><td>e<td>f<td>g</table>",
		    "<table><tr><th>a</th>\n<th colspan=\"2\">b</th>\n</tr>\n"
		    "<tr><td></td>\n<td>c</td>\n<td>d</td>\n</tr>\n"
		    "<tr><td>e</td>\n<td>f</td>\n<td>g</td>\n</tr>\n"
		    "</table>\n");
}

/* 17 nested lists: the content of the last is in the 16th. */
TEST(nesting_has_a_limit)
{
	AUTO_BUFFER html = {0};
	AUTO_TEXT *markup;
	const char *at;
	int count = 0;

	for (int i = 0; i < MAX_OUTLINE_NESTING + 1; i++)
		buffer_append_text(&html, "<ul><li>a");
	markup = html_of(html.data);
	for (at = strstr(markup, "<ul>"); at != NULL;
	     at = strstr(at + 1, "<ul>"))
		count++;
	ck_assert_int_eq(count, MAX_OUTLINE_NESTING);
	ck_assert_ptr_nonnull(strstr(markup, "<li>a<p>a</p>\n</li>"));
}

TEST(two_breaks_are_a_paragraph)
{
	assert_html("<p>a<br><br>b<br>c", "<p>a</p>\n<p>b<br>c</p>\n");
	assert_html("<ul><li>a<br><br>b</ul>",
		    "<ul><li>a<p>b</p>\n</li>\n</ul>\n");
	assert_html("<h2>a<br><br>b</h2>", "<h2>a<br><br>b</h2>\n");
}

TEST(pre_is_one_line_whatever_is_in_it)
{
	assert_html("<pre><div>a</div><div>b</div>c<br>d</pre>",
		    "<pre>a\nb\nc\nd</pre>\n");
	assert_html("<div class='highlight-source-c'><pre>a</pre></div>",
		    "<pre class=\"language-c\">a</pre>\n");
	assert_html("<pre><code class='x language-c++'>a</code></pre>",
		    "<pre class=\"language-c++\"><code>a</code></pre>\n");
	assert_html("<pre class='lang-\"x'>a</pre>", "<pre>a</pre>\n");
}

/* The class of an element is read for each pre inside of it. */
TEST(many_pres_in_a_long_class_are_linear)
{
	AUTO_BUFFER html = {0};
	clock_t begin = clock();

	buffer_append_text(&html, "<div class='");
	for (int i = 0; i < 100000; i++)
		buffer_append_text(&html, "hljs x ");
	buffer_append_text(&html, "'>");
	for (int i = 0; i < 10000; i++)
		buffer_append_text(&html, "<pre>a</pre>");
	AUTO_TEXT *markup = html_of(html.data);
	ck_assert_uint_eq(strlen(markup), 10000 * strlen("<pre>a</pre>\n"));
	/* quadratic would be minutes */
	ck_assert_int_lt((clock() - begin) / CLOCKS_PER_SEC, 10);
}

TEST(inline_elements_of_a_kind_are_one)
{
	assert_html("<p><b>a <strong>b</strong></b><strong>c</strong>",
		    "<p><b>a bc</b></p>\n");
	assert_html("<p><code>a <a href=x>b</a></code>",
		    "<p><code>a</code> <a href=\"x\"><code>b</code></a></p>\n");
	assert_html("<p><a href=x>a</a><a href=x>b</a>",
		    "<p><a href=\"x\">a</a><a href=\"x\">b</a></p>\n");
}

/* Its fifth line is no reference. */
TEST(a_link_continues_over_few_lines)
{
	AUTO_TEXT *markup =
		html_of("<a href=x><div>1</div><div>2</div><div>3</div>"
			"<div>4</div><div>5</div></a>");

	ck_assert_ptr_nonnull(strstr(markup, "<p><a href=\"x\">4</a></p>"));
	ck_assert_ptr_nonnull(strstr(markup, "<p>5</p>"));
}

/* 180,000 elements inside of 400: linear in every way. */
TEST(a_hostile_page_is_rendered_in_linear_time)
{
	AUTO_BUFFER html = {0};
	AUTO_BUFFER out = {0};
	AUTO_PAGE *page;
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
}
