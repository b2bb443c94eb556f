#include "extract/render/layout.h"

#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* "heading 1 [a]" a line. */
static void assert_blocks(const char *html, const char *expected)
{
	AUTO_PAGE *page = parse(html);
	struct content_blocks blocks = content_blocks_make(
		page->arena, page, run(page, "plain", NULL, NULL));
	AUTO_BUFFER out = {0};

	for (size_t i = 0; i < blocks.count; i++)
		buffer_printf(&out, "%s %u [%.*s]\n",
			      content_kind_name(blocks.items[i].kind),
			      blocks.items[i].level,
			      (int)blocks.items[i].length,
			      blocks.text + blocks.items[i].begin);
	buffer_append_text(&out, "");
	ck_assert_str_eq(out.data, expected);
}

TEST(a_block_says_what_it_is)
{
	assert_blocks("", "");
	assert_blocks("<h2>a <b>b</b></h2><p>c<br>d",
		      "heading 2 [a b]\nparagraph 0 [c\nd]\n");
	assert_blocks("<ul><li>a<ul><li>b</ul></ul>",
		      "list-item 1 [a]\nlist-item 2 [b]\n");
	assert_blocks("<blockquote>a<ul><li>b</ul><p>c</blockquote>",
		      "quote 1 [a]\nlist-item 1 [b]\nquote 1 [c]\n");
	assert_blocks("<pre>\na\n  b\n</pre>", "code 0 [a\n  b]\n");
	assert_blocks("<figure><img src=x><figcaption>a</figcaption></figure>",
		      "caption 0 [a]\n");
}

TEST(a_row_has_its_cells)
{
	assert_blocks("<table><caption>t</caption><tr><td>a<td><td>b<tr><td>"
		      "<td>c<br>d<td>e</table>",
		      "caption 0 [t]\ntable-row 0 [a\t\tb]\n"
		      "table-row 0 [\tc\nd\te]\n");
	assert_blocks("<table><tr><td>a<ul><li>b</ul><tr><td>c</table>",
		      "paragraph 0 [a]\nlist-item 1 [b]\nparagraph 0 [c]\n");
}

/* ("ab" of 1.0 and "cdefgh" of 0.2) / 8 bytes = (2 + 1.2) / 8 = 0.4 */
TEST(its_score_is_the_mean_by_length)
{
	AUTO_PAGE *page = parse("<p>ab<b>cdefgh</b><p>i");
	const struct verdict verdicts[] = {
		{1.0F, true}, {0.2F, true}, {0.5F, false}};
	struct content_blocks blocks =
		content_blocks_make(page->arena, page, verdicts);

	ck_assert_uint_eq(blocks.count, 1);
	ck_assert_float_eq_tol(blocks.items[0].score, 0.4F, 1e-6F);
}
