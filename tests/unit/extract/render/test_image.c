#include "extract/render/media.h"

#include "extract/render/render.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* Texts that begin with x are dropped. */
static void assert_html(const char *html, const char *expected)
{
	AUTO_PAGE *page = parse(html);
	struct verdict verdicts[32] = {{0}};
	AUTO_BUFFER out = {0};

	ck_assert_uint_le(page->text_count, 32);
	for (uint32_t i = 0; i < page->text_count; i++)
		verdicts[i].is_content =
			*(const char *)page_text(page, i).data != 'x';
	render_html(page, verdicts, &out);
	buffer_append_text(&out, "");
	ck_assert_str_eq(out.data, expected);
}

TEST(images_are_between_kept_texts)
{
	assert_html("<p>a<div><img src=i></div><p>b",
		    "<p>a</p>\n<p><img src=\"i\" alt=\"\"></p>\n<p>b</p>\n");
	assert_html("<p>a<img src=i><p>x<p>b", "<p>a</p>\n<p>b</p>\n");
	assert_html("<img src=i><p>a<img src=j>", "<p>a</p>\n");
	assert_html("<p>a<figure><img src=i><figcaption>x</figcaption></figure>"
		    "<p>b",
		    "<p>a</p>\n<figure><img src=\"i\" alt=\"\"></figure>\n"
		    "<p>b</p>\n");
	assert_html("<p>x<figure><img src=i><figcaption>c</figcaption></figure>"
		    "<p>x",
		    "<figure><img src=\"i\" alt=\"\"><figcaption>c"
		    "</figcaption>\n</figure>\n");
}

TEST(a_part_without_kept_text_leaves_only_a_gap)
{
	/* the image belongs to the caption, although texts around it do not */
	assert_html("<p>x<figure><div><p>x<div><table><tr><td><img src=i>"
		    "</table></div><p>x</div><figcaption>c</figcaption>"
		    "</figure><p>x",
		    "<figure><table><tr><td><img src=\"i\" alt=\"\"></td>\n"
		    "</tr>\n</table>\n<figcaption>c</figcaption>\n"
		    "</figure>\n");
	assert_html("<p>a<nav><p>x<ul><li>x<li><b>x</b></ul><table><tr><td>x"
		    "</table></nav>b",
		    "<p>a</p>\n<p>b</p>\n");
	assert_html("<p>a <span>x <i>x</i></span>b", "<p>a b</p>\n");
	/* cells keep their columns */
	assert_html("<table><tr><td>a<td><div><p>x<p>x<p>x</div><td>b<tr>"
		    "<td rowspan=2><p>x<p>x<p>x<td>c<tr><td>d</table>",
		    "<table><tr><td>a</td>\n<td></td>\n<td>b</td>\n</tr>\n"
		    "<tr><td></td>\n<td>c</td>\n</tr>\n"
		    "<tr><td></td>\n<td>d</td>\n</tr>\n</table>\n");
}

TEST(the_source_is_the_first_that_can_be_loaded)
{
	assert_html("<p>a<img src='data:x' data-src=i alt='\"b'>c",
		    "<p>a<img src=\"i\" alt=\"&quot;b\">c</p>\n");
	assert_html("<p>a<img src=blank.gif data-src=i>c",
		    "<p>a<img src=\"i\" alt=\"\">c</p>\n");
	assert_html("<p>a<img src=s srcset=' ,i.png 2x, j.png 3.5x,k 3x'>c",
		    "<p>a<img src=\"j.png\" alt=\"\">c</p>\n");
	assert_html("<p>a<img srcset='i?a,b 60w,\nj?a,b 1600w , k 800w'>c",
		    "<p>a<img src=\"j?a,b\" alt=\"\">c</p>\n");
	assert_html("<p>a<img src=blank.gif data-original=i>c",
		    "<p>a<img src=\"i\" alt=\"\">c</p>\n");
	assert_html("<p>a<img src=/x/spacer.gif>c", "<p>ac</p>\n");
	assert_html("<p>a<picture><source srcset='i 1x, j 2x'><img alt=b>"
		    "</picture>c",
		    "<p>a<img src=\"j\" alt=\"b\">c</p>\n");
	assert_html("<p>a<img data-srcset='i, j'>c",
		    "<p>a<img src=\"i\" alt=\"\">c</p>\n");
	assert_html("<p>a<img src='javascript:x'><img>c", "<p>ac</p>\n");
}

TEST(what_nobody_sees_is_none)
{
	assert_html("<p>a<img src=i width=1 height=1>c", "<p>ac</p>\n");
	assert_html("<p>a<img src=i width='1%'>c",
		    "<p>a<img src=\"i\" alt=\"\">c</p>\n");
	assert_html("<p>a<span hidden><img src=i></span>c", "<p>ac</p>\n");
	assert_html("<p>a<img src=i><img src=i>c",
		    "<p>a<img src=\"i\" alt=\"\">c</p>\n");
	assert_html("<p>a<img src=i><noscript><img src=j></noscript>c",
		    "<p>a<img src=\"i\" alt=\"\"></p>\n<p>c</p>\n");
	assert_html(
		"<p>a<img src='data:x'><noscript><img src=j></noscript><p>c",
		"<p>a</p>\n<p><img src=\"j\" alt=\"\"></p>\n<p>c</p>\n");
}

TEST(links_go_around_images)
{
	assert_html("<p>a <a href=l><img src=i></a>b",
		    "<p>a <a href=\"l\"><img src=\"i\" alt=\"\"></a>b</p>\n");
}
