#include "extract/render/layout.h"
#include "extract/render/markdown_inline.h"
#include "extract/render/render.h"

#include <time.h>

#include "extract/render/outline.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/extract/render/markdown.h"
#include "tests/unit/run.h"

FIXTURE(.timeout_s = 60);

TEST(blocks_are_parted_by_a_blank_line)
{
	assert_markdown("", "");
	assert_markdown("<h1>a</h1><p>b<h6>c</h6>d",
			"# a\n\nb\n\n###### c\n\nd\n");
	assert_markdown("<p>a<br>b", "a\\\nb\n");
	assert_markdown("<h2>a<br>b #</h2>", "## a b \\#\n");
	assert_markdown("<blockquote>a<p>b<br>c<blockquote>d</blockquote>"
			"</blockquote><blockquote>e</blockquote>",
			"> a\n>\n> b\\\n> c\n>\n> > d\n\n> e\n");
}

TEST(lists_nest_by_the_width_of_their_marker)
{
	assert_markdown("<ul><li>a<li>b</ul><p>c", "- a\n- b\n\nc\n");
	assert_markdown("<ul><li>a<ul><li>b<ul><li>c</ul></ul><li>d</ul>",
			"- a\n  - b\n    - c\n- d\n");
	assert_markdown("<ol start=9><li>a<li>b<ul><li>c</ul></ol>",
			"9. a\n10. b\n    - c\n");
	assert_markdown("<ul><li><p>a<p>b<li>c</ul>", "- a\n\n  b\n\n- c\n");
	assert_markdown("<ul><li><ul><li>a</ul></ul>", "- - a\n");
	assert_markdown("<ul><li><h2>a</h2><pre>b\n\nc</pre></ul>",
			"- ## a\n\n  ```\n  b\n\n  c\n  ```\n");
}

/* A number other than 1 continues the paragraph before it. */
TEST(lists_that_follow_are_two)
{
	assert_markdown("<ul><li>a</ul><ul><li>b</ul><ul><li>c</ul>",
			"- a\n\n* b\n\n- c\n");
	assert_markdown("<ol><li>a</ol><ol><li>b</ol>", "1. a\n\n1) b\n");
	assert_markdown("<ul><li>a</ul><p>x<ul><li>b</ul>",
			"- a\n\nx\n\n- b\n");
	assert_markdown("<ul><li>a<ol start=2><li>b</ol></ul>",
			"- a\n\n  2. b\n");
	assert_markdown("<ul><li>a<ol><li>b</ol></ul>", "- a\n  1. b\n");
}

TEST(simple_tables_have_pipes)
{
	assert_markdown("<table><caption>t</caption><tr><th>a|b<th>c"
			"<tr><td>d<br>e<td><tr><td colspan=2>f<tr><td><td>g"
			"</table>",
			"t\n\n| a\\|b | c |\n| --- | --- |\n| d<br>e |  |\n"
			"| f |  |\n|  | g |\n");
	assert_markdown("<ul><li><table><tr><td>a<td>b<tr><td>c<td>"
			"<code>d|</code></table></ul>",
			"- | a | b |\n  | --- | --- |\n  | c | `d\\|` |\n");
}

/* Media open tables and cells that have no text. */
TEST(tables_may_have_only_media)
{
	assert_markdown("<p>x<table><tr><td><td><td>"
			"<iframe src=//youtube.com/embed/x></iframe></table>"
			"<p>y<table><tr><td>a<td>b<tr><td>c<td>d</table>",
			"x\n\n[video](//youtube.com/embed/x)\n\ny\n\n"
			"| a | b |\n| --- | --- |\n| c | d |\n");
	assert_markdown("<p>x<table><tr><td>a<td>b<tr><td>c<td>d<td>"
			"<iframe src=//youtube.com/embed/x></iframe>"
			"<tr><td>e<td>f</table><p>y",
			"x\n\n| a | b |  |\n| --- | --- | --- |\n"
			"| c | d | [video](//youtube.com/embed/x) |\n"
			"| e | f |  |\n\ny\n");
}

/* A callout is no table, although its role says so. */
TEST(tables_after_a_callout_have_their_own_shape)
{
	assert_markdown("<p>x<div role=table class='callout note'><p>y</div>"
			"<table><tr><td>a<td>b<tr><td>c<td>d</table>",
			"x\n\n> [!NOTE]\n> y\n\n"
			"| a | b |\n| --- | --- |\n| c | d |\n");
}

TEST(spans_have_empty_cells)
{
	assert_markdown("<table><tr><td>a<td rowspan=2>b<tr><td>c</table>",
			"| a | b |\n| --- | --- |\n| c |  |\n");
	assert_markdown(
		"<table><tr><th rowspan=2>a<th colspan=2>b<tr><th>c<th>d"
		"<tr><td>e<td>f<td>g</table>",
		"| a | b |  |\n| --- | --- | --- |\n|  | c | d |\n"
		"| e | f | g |\n");
	assert_markdown("<table><tr><td rowspan=2>a<td>b<tr><td>"
			"<table><tr><td>c</table><tr><td>d<td>e</table>",
			"a\n\nb\n\nc\n\nd\n\ne\n");
	assert_markdown("<table><tr><td rowspan=99999999>a<td>b<tr><td>c<td>d"
			"</table>",
			"| a | b |\n| --- | --- |\n| c | d |\n");
}

TEST(items_in_cells_are_lines)
{
	assert_markdown("<table><tr><td>a<td><ul><li>b<li>c<ol><li>d</ol></ul>"
			"<tr><td>e<td><p>f<p>g</table><ul><li>h</ul>",
			"| a | b<br>c<br>d |\n| --- | --- |\n| e | f<br>g |\n"
			"\n- h\n");
}

TEST(tables_that_are_not_simple_are_their_cells)
{
	assert_markdown("<table><tr><th><h3>a</h3><th>b<tr><td>c<td>d</table>",
			"| a | b |\n| --- | --- |\n| c | d |\n");
	assert_markdown("<table><tr><td><h3>a</h3>b<td>c<tr><td>d</table>",
			"### a\n\nb\n\nc\n\nd\n");
	assert_markdown("<table><tr><td>a<td>b</table>", "a\n\nb\n");
	assert_markdown("<table><tr><td>a<tr><td>b</table>", "a\n\nb\n");
	assert_markdown("<table><tr><td>a<td><pre>b</pre><tr><td>c<td>d"
			"</table>",
			"a\n\n```\nb\n```\n\nc\n\nd\n");
	assert_markdown("<table><tr><td>x<table><tr><td>a<td>b<tr><td>c<td>d"
			"</table></table>",
			"x\n\n| a | b |\n| --- | --- |\n| c | d |\n");
}

TEST(code_has_a_fence_that_it_does_not_hold)
{
	assert_markdown(
		"<pre><code class='language-c'>a *b*\n  c\n</code></pre>",
		"```c\na *b*\n  c\n```\n");
	assert_markdown("<pre>```\n````</pre>", "`````\n```\n````\n`````\n");
	assert_markdown("<p>a <code>b`c</code> <code>`</code>",
			"a ``b`c`` `` ` ``\n");
}

TEST(sub_and_sup_are_tags)
{
	assert_markdown("<p>H<sub>2</sub>O<sub>2</sub> 10<sup>6</sup>",
			"H<sub>2</sub>O<sub>2</sub> 10<sup>6</sup>\n");
	assert_markdown("<p>a<sup><a href=#f>[1]</a></sup>.",
			"a<sup>[\\[1\\]](#f)</sup>.\n");
	assert_markdown("<h2>x<sup>2</sup></h2><p><sup>1</sup> b",
			"## x<sup>2</sup>\n\n<sup>1</sup> b\n");
	assert_markdown("<p><code>O(n<sup>2</sup>)</code>",
			"`O(n`<sup>`2`</sup>`)`\n");
	assert_markdown("<p><sub>- a<br>b</sub>", "<sub>- a\\\nb</sub>\n");
	assert_markdown("<pre>n<sup>2</sup></pre>", "```\nn2\n```\n");
	/* > is punctuation for the marks next to it */
	assert_markdown("<p><i>a</i><sub>b</sub> c<b><sub>d</sub></b>",
			"_a_<sub>b</sub> c<sub>d</sub>\n");
}

TEST(a_caption_stands_under_its_image)
{
	assert_markdown("<p>a<figure><img src=i alt=x><figcaption>c <i>d</i>"
			"</figcaption></figure><p>b",
			"a\n\n![x](i)\n\nc _d_\n\nb\n");
}

TEST(a_video_may_be_the_last_thing)
{
	assert_markdown("<main><p>a<div><iframe src=//youtube.com/embed/x>"
			"</iframe></div></main>",
			"a\n\n[video](//youtube.com/embed/x)\n");
	assert_markdown("<p>a<iframe src=//youtube.com/embed/x></iframe>"
			"<video src=v>none</video><p>b",
			"a\n\n[video](//youtube.com/embed/x)\n\n[video](v)"
			"\n\nb\n");
	assert_markdown("<main><p>a</main><div><iframe "
			"src=//youtube.com/embed/x></iframe></div>",
			"a\n");
}

TEST(what_is_played_is_a_link_of_its_own)
{
	assert_markdown("<p>a<iframe src=//www.youtube.com/embed/x></iframe>b",
			"a\n\n[video](//www.youtube.com/embed/x)\n\nb\n");
	assert_markdown("<p>a<iframe src=https://www.instagram.com/p/x/embed>"
			"</iframe><p>b<iframe title=c src=https://x.y/embed/>"
			"</iframe><p>c",
			"a\n\n[post](https://www.instagram.com/p/x/embed)\n\nb"
			"\n\nc\n");
	assert_markdown("<p>a<iframe title='A\n[walk]' "
			"src=//www.youtube.com/embed/x></iframe><p>b"
			"<iframe title='YouTube video player' "
			"src=//www.youtube.com/embed/y></iframe><p>c",
			"a\n\n[A \\[walk\\]](//www.youtube.com/embed/x)\n\nb"
			"\n\n[video](//www.youtube.com/embed/y)\n\nc\n");
	assert_markdown("<p>a<div><video><source src=v.webm></video></div>"
			"<audio src=s.mp3></audio><p>b",
			"a\n\n[video](v.webm)\n\n[audio](s.mp3)\n\nb\n");
	assert_markdown(
		"<p>a<embed type=video/mp4 src=v><embed src=w>"
		"<iframe src=https://w.soundcloud.com/player/?url=x></iframe>b",
		"a\n\n[video](v)\n\n"
		"[audio](https://w.soundcloud.com/player/?url=x)\n\nb\n");
	assert_markdown(
		"<p>a<figure><iframe data-src=https://vimeo.com/video/1>"
		"</iframe><figcaption>c</figcaption></figure>",
		"a\n\n[video](https://vimeo.com/video/1)\n\nc\n");
}

TEST(what_plays_nothing_is_none)
{
	assert_markdown("<p>a<iframe src=https://ads.x/embed/1></iframe>b"
			"<iframe src=https://xyoutube.com/embed/1></iframe>",
			"ab\n");
	assert_markdown("<p>a<iframe src=https://x.y/?youtube.com/embed/>"
			"</iframe><video src=blob:1></video><video></video>b",
			"ab\n");
	assert_markdown("<iframe src=//youtube.com/embed/x></iframe><p>a"
			"<video hidden src=v></video><video src=w width=1>"
			"</video>b",
			"ab\n");
	assert_markdown("<p>a<video src=v></video><noscript><video src=v>"
			"</video></noscript>b",
			"a\n\n[video](v)\n\nb\n");
	assert_markdown("<p>a <a href=c>d<video src=v></video></a>b",
			"a [d](c)b\n");
}

TEST(text_is_no_markup)
{
	assert_markdown("<p>1. a *b* _c_ d_e [f](g) `h` <p>- i<p># j<p>&gt; k",
			"1\\. a \\*b\\* \\_c\\_ d_e \\[f\\](g) \\`h\\`\n\n"
			"\\- i\n\n\\# j\n\n\\> k\n");
	assert_markdown("<p>&lt;b&gt; a &lt; b &amp;lt; AT&amp;T; c &amp; d \\",
			"\\<b> a < b \\&lt; AT\\&T; c & d \\\\\n");
	assert_markdown("<p>a<br>===<br>---|---<br>:--", "a\\\n\\===\\\n"
							 "\\---|---\\\n"
							 "\\:--\n");
	assert_markdown("<p><span>1</span><span>2. a</span>", "12\\. a\n");
	assert_markdown("<p>12345678901. a", "12345678901. a\n");
	assert_markdown("<p>a!<a href=x>b</a>! <p>c!", "a\\![b](x)!\n\nc!\n");
	assert_markdown("<h2>1. a</h2>", "## 1. a\n");
}

TEST(links_and_images_have_safe_addresses)
{
	assert_markdown("<p><a href='/a (b)?c&amp;copy;|`'>a <b>b</b></a>",
			"[a **b**](/a%20\\(b\\)?c\\&copy;%7C%60)\n");
	assert_markdown("<p><a href='javascript:x'>a</a>", "a\n");
	assert_markdown("<p>a<img src='x y.png' alt='b ] c'>d",
			"a![b \\] c](x%20y.png)d\n");
	assert_markdown("<p><a href=x><code>[a]: b</code></a>", "`[a]: b`\n");
}

/* Worked by CommonMark's rules of flanking. */
TEST(emphasis_is_written_where_it_is_read)
{
	assert_markdown("<p><b>a</b> <i>b</i> c<b>d</b>e f<i>g</i>h",
			"**a** _b_ c**d**e f*g*h\n");
	assert_markdown("<p>a<b>(b)</b>c", "a(b)c\n");
	assert_markdown("<p>a <b>(b)</b> c", "a **(b)** c\n");
	assert_markdown("<p><b><i>a</i> b</b>", "**_a_ b**\n");
	assert_markdown("<p><b>a</b><i>b</i>", "**a**_b_\n");
	assert_markdown("<p><b>a </b>b", "**a** b\n");
	assert_markdown("<p><b>a</b> <strong>b</strong>", "**a b**\n");
	assert_markdown("<p>x<i>a</i><b>b</b>", "xa**b**\n");
	assert_markdown("<p>\xE6\x96\x87<b>\xE6\x96\x87</b>\xE6\x96\x87",
			"\xE6\x96\x87**\xE6\x96\x87**\xE6\x96\x87\n");
	assert_markdown("<p>\xE6\x96\x87<b>\xE3\x80\x8C\xE6\x96\x87</b>",
			"\xE6\x96\x87\xE3\x80\x8C\xE6\x96\x87\n");
}

TEST(characters_have_the_class_that_all_versions_agree_on)
{
	ck_assert_int_eq(markdown_class_first(slice_of("")), MARKDOWN_SPACE);
	ck_assert_int_eq(markdown_class_first(slice_of("a.")), MARKDOWN_LETTER);
	ck_assert_int_eq(markdown_class_last(slice_of("a.")),
			 MARKDOWN_PUNCTUATION);
	ck_assert_int_eq(markdown_class_last(slice_of("a\xC3\xA9")),
			 MARKDOWN_LETTER);
	/* a symbol: punctuation since CommonMark 0.31 */
	ck_assert_int_eq(markdown_class_last(slice_of("\xE2\x82\xAC")),
			 MARKDOWN_UNSURE);
	ck_assert_int_eq(markdown_class_first(slice_of("\xE2\x80\xAF")),
			 MARKDOWN_SPACE);
}

/* A marker of eleven columns fits twice into 32, and a quote five times. */
TEST(wide_marks_are_left_out)
{
	assert_markdown(
		"<ol start=999999998><li>a<ol start=999999998><li>b"
		"<ol start=999999998><li>c<li>d<blockquote>e<ul><li>f"
		"</ul></blockquote></ol><li>g</ol></ol>",
		"999999998. a\n\n           999999998. b\n\n"
		"                      c\n\n                      d\n\n"
		"                      > e\n                      >\n"
		"                      > - f\n           999999999. g\n");
	assert_markdown("<ol start=999999998><li><ol start=999999998><li>"
			"<ol start=1000000><li>a<div role=note>b</div></ol>"
			"</ol></ol>",
			"999999998. 999999998. 1000000. a\n\n"
			"                               b\n");
}

/* 40 lists and 40 quotes: each line has at most 32 columns before it. */
TEST(hostile_nesting_is_bounded)
{
	AUTO_BUFFER html = {0};
	AUTO_BUFFER out = {0};
	AUTO_PAGE *page;
	clock_t begin;

	for (int i = 0; i < 40; i++)
		buffer_append_text(&html, "<blockquote><ul><li>");
	for (int i = 0; i < 50000; i++)
		buffer_append_text(&html, "a<br>*<b>b</b><i>c</i>`");
	page = parse(html.data);
	begin = clock();
	render(FORMAT_MD,
	       &(struct render_request){
		       .page = page,
		       .verdicts = run(page, "plain", NULL, NULL),
	       },
	       &out);
	ck_assert_uint_gt(page->text_count, 200000);
	ck_assert_uint_lt(out.size, (size_t)50000 * (32 + 40));
	/* quadratic would be minutes */
	ck_assert_int_lt((clock() - begin) / CLOCKS_PER_SEC, 10);
}
