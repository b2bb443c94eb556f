#include "extract/core/document_walk.h"
#include "extract/core/trace.h"
#include "extract/methods/box_layout.h"
#include "extract/methods/visual_methods.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

#define BODY "<body style='margin:0'>"

/* How the element #x is judged in a sub-page of a million px^2, where a tenth
   is small. */
static struct vips_division division_of(const char *html)
{
	AUTO_PAGE *page = parse(html);
	const bool *is_visible = visible_texts(page->arena, page);
	const struct box *boxes = boxes_estimate(page->arena, page, is_visible);
	struct vips_rules rules =
		vips_rules_make(page->arena, page, boxes, is_visible);
	struct vips_division division = {0};

	rules.small = .1;
	for (uint32_t i = 0; i < page->node_count; i++)
		if (slice_equal(page_attribute(page, i, "id"), slice_of("x")))
			division = vips_divide(&rules, i, 1e6F, false);
	return division;
}

static void ck_division(const char *html, unsigned rule, bool is_divided,
			unsigned coherence)
{
	struct vips_division division = division_of(html);

	ck_assert_msg(division.rule == rule, "rule %u for %s", division.rule,
		      html);
	ck_assert_msg(division.is_divided == is_divided, "%s", html);
	if (!is_divided)
		ck_assert_msg(division.coherence == coherence, "%u for %s",
			      division.coherence, html);
}

TEST(rules_of_table_1)
{
	ck_division("<div id=x></div>", 1, false, 10);
	ck_division("<div id=x><div>a</div></div>", 2, true, 0);
	ck_division("<div id=x>a</div>", 4, false, 10);
	ck_division("<div id=x>a<i>b</i></div>", 4, false, 10);
	ck_division("<div id=x>a<b>b</b></div>", 4, false, 9);
	ck_division("<div id=x>a<i><b>b</b></i></div>", 4, false, 9);
	ck_division("<p id=x>a<br>b<img></p>", 5, true, 0);
	ck_division("<div id=x>a<hr><div>b</div></div>", 6, true, 0);
	ck_division("<div id=x style='height:1px'><p>a<p>b</div>", 7, true, 0);
	ck_division("<table><tr id=x><td bgcolor=red>a<td>b</table>", 8, true,
		    0);
	ck_division("<div id=x>a<p>b</div>", 9, false, 6);
	ck_division("<div id=x><p>a<p>b</div>", 10, false, 6);
	ck_division("<div id=x><p style='height:500px'>a<p>b</div>", 12, true,
		    0);
	/* an implied tbody is all that its table has, and is itself one of the
	 * other tags of table 2 */
	ck_division("<table id=x><tr><td>a<tr><td>b</table>", 2, true, 0);
	ck_division("<table width=1000><tbody id=x><tr height=500><td "
		    "height=500>a<tr><td>b</table>",
		    12, true, 0);
	ck_division("<table id=x width=1000><thead><tr height=500><td "
		    "height=500>a<tbody><tr><td>b</table>",
		    13, false, 5);
}

/* 1008 * (500 + 16 + 19.2) px^2 are more than a quarter of the sub-page. */
TEST(a_large_block_is_less_coherent)
{
	ck_division("<ul><li id=x><p>a<p>b</ul>", 10, false, 8);
	ck_division("<ul><li id=x style='height:500px'><p>a<p>b</ul>", 10,
		    false, 7);
}

static struct vips_segments segments_of(const struct page *page,
					double coherence)
{
	const bool *is_visible = visible_texts(page->arena, page);
	const struct vips_options options = {coherence, .1};

	return vips_segments_make(page->arena, page,
				  boxes_estimate(page->arena, page, is_visible),
				  is_visible, &options);
}

/*
 * Rule 3 divides the body as the sub-page (rule 2 html and body). The two first
 * paragraphs are 16 px apart, less than a line of 19.2: weight 1, less 2 for
 * being alike. The third is after an hr, 32 px down, that is 2 lines rounded
 * up, 3 for the hr, less 2; the fourth has another colour.
 */
TEST(weak_separators_join_blocks)
{
	AUTO_PAGE *page = parse(BODY "<p style='height:400px'>a<p>b<hr><p>c"
				     "<p style='background:red'>d");
	struct vips_segments segments = segments_of(page, 8);

	ck_assert_uint_eq(page->text_count, 4);
	ck_assert_uint_eq(segments.text_segments[0], segments.text_segments[1]);
	ck_assert_uint_ne(segments.text_segments[1], segments.text_segments[2]);
	ck_assert_uint_eq(segments.text_segments[2], segments.text_segments[3]);
	segments = segments_of(page, 9);
	ck_assert_uint_eq(segments.text_segments[0], segments.text_segments[1]);
	ck_assert_uint_ne(segments.text_segments[2], segments.text_segments[3]);
	segments = segments_of(page, 1);
	ck_assert_uint_eq(segments.count, 1);
	ck_assert_uint_eq(segments.segments[0].length, 4);
}

static void ck_segments(const struct page *page, double coherence)
{
	const bool *is_visible = visible_texts(page->arena, page);
	struct vips_segments segments = segments_of(page, coherence);
	uint64_t length = 0;

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t extent = text_extent(page_text(page, i));

		if (!is_visible[i] || page->texts[i].node == NO_NODE ||
		    extent == 0)
			continue;
		ck_assert_uint_lt(segments.text_segments[i], segments.count);
		length += extent;
	}
	for (uint32_t i = 0; i < segments.count; i++) {
		length -= segments.segments[i].length;
		ck_assert(segments.segments[i].coherence >= 1 &&
			  segments.segments[i].coherence <= 10);
	}
	ck_assert_uint_eq(length, 0);
}

TEST(every_displayed_text_is_in_one_segment)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		AUTO_TEXT *html = random_html(seed);
		AUTO_PAGE *page = parse(html);

		ck_segments(page, (double)(seed % 10 + 1));
	}
}

#define SENTENCE                                                               \
	"It looks after two of the servers that tell computers where to find " \
	"each other, and has engineered around flaws in the <b>DNS</b>. "

/* The rule separates the foot from the article in the same column. */
TEST(an_article_is_separated_from_sidebar_and_foot)
{
	AUTO_PAGE *page = parse(
		"<style>#side { float: left; width: 200px }"
		"#main { margin-left: 220px; width: 700px }</style>"
		"<div id=side><ul><li><a href=/a>Home</a><li><a href=/b>News"
		"</a><li><a href=/c>About</a></ul></div><div id=main><h1>Who "
		"does it?</h1><p>" SENTENCE SENTENCE "</p><p>" SENTENCE
		"</p></div><hr><div>All rights reserved.</div>");
	const struct verdict *verdicts = run(page, "vips", "coherence=8", NULL);

	ck_assert_uint_eq(page->text_count, 13);
	for (uint32_t i = 0; i < page->text_count; i++)
		ck_assert_msg(verdicts[i].is_content == (i > 2 && i < 12),
			      "text %u", i);
}

TEST(the_figure_shows_the_blocks)
{
	AUTO_PAGE *page =
		parse(BODY "<p>one<hr><hr><hr><p>two three<hr>"
			   "<hr><hr><p><a href=x>a link that is longer</a>");
	const struct trace *trace =
		trace_of(page, "vips", "coherence=9,small=0.1", NULL);

	ck_assert_uint_eq(page->text_count, 3);
	ck_assert_uint_eq(trace->figure_count, 1);
	ck_assert_uint_eq(trace->figures[0].box_count, 3);
	ck_assert(trace->figures[0].boxes[1].is_content);
	ck_assert_float_eq(trace->figures[0].boxes[1].value, 10);
	ck_assert_str_eq(trace->figures[0].boxes[1].label,
			 "coherence 10: 9 characters, 0 of them in links");
	ck_assert_str_eq(trace->reasons[0],
			 "its block weighs 3 characters, the largest 9");
}
