#include <math.h>

#include "extract/core/document_walk.h"
#include "extract/methods/box_layout.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

/* A body without margins, 1024 px wide, 16 px: characters are 8 px wide and
   lines 19.2 px high. */
#define BODY "<body style='margin:0'>"
#define LINE 19.2F

static const struct box *estimate(const struct page *page)
{
	return boxes_estimate(page->arena, page,
			      visible_texts(page->arena, page));
}

/* The box of the element with that id. */
static struct box box_of(const struct page *page, const char *id)
{
	const struct box *boxes = estimate(page);

	for (uint32_t i = 0; i < page->node_count; i++)
		if (slice_equal(page_attribute(page, i, "id"), slice_of(id)))
			return boxes[i];
	ck_abort_msg("there is no #%s", id);
}

static void ck_box(struct box box, float left, float top, float width,
		   float height)
{
	ck_assert_float_eq_tol(box.left, left, .01F);
	ck_assert_float_eq_tol(box.top, top, .01F);
	ck_assert_float_eq_tol(box.width, width, .01F);
	ck_assert_float_eq_tol(box.height, height, .01F);
}

FIXTURE(.timeout_s = 60);

TEST(a_text_fills_lines)
{
	/* 100 characters of 8 px in 400 px: two lines; the last of 101 makes a
	   third */
	AUTO_PAGE *page = parse(
		BODY
		"<p id=a style='width:400px'>"
		"0123456789012345678901234567890123456789012345678901234567"
		"890123456789012345678901234567890123456789</p>"
		"<p id=b style='width:400px'>"
		"0123456789012345678901234567890123456789012345678901234567"
		"8901234567890123456789012345678901234567890</p>");

	ck_box(box_of(page, "a"), 0, 0, 400, 2 * LINE);
	/* a margin of 16 px is between the paragraphs */
	ck_box(box_of(page, "b"), 0, 2 * LINE + 16, 400, 3 * LINE);
}

TEST(cells_ratio_what_others_leave)
{
	AUTO_PAGE *page = parse(
		BODY "<table width=600 id=t><tr id=r><td width=150 id=a>one"
		     "<td id=b>two words<td width=25% id=c>x</table>");

	ck_box(box_of(page, "t"), 0, 0, 600, LINE);
	ck_box(box_of(page, "r"), 0, 0, 600, LINE);
	ck_box(box_of(page, "a"), 0, 0, 150, LINE);
	ck_box(box_of(page, "b"), 150, 0, 300, LINE);
	ck_box(box_of(page, "c"), 450, 0, 150, LINE);
}

TEST(cells_without_widths_ratio_as_their_texts_want)
{
	/* 3 characters want 24 px and 9 want 72: a quarter and the rest */
	AUTO_PAGE *page = parse(BODY "<table width=400><tr><td id=a>abc"
				     "<td id=b>abcdefghi</table>");

	ck_box(box_of(page, "a"), 0, 0, 100, LINE);
	ck_box(box_of(page, "b"), 100, 0, 300, LINE);
}

TEST(too_wide_cells_are_made_narrower)
{
	AUTO_PAGE *page = parse(BODY "<table width=400><tr>"
				     "<td width=600 id=a>abc"
				     "<td width=200 id=b>abc</table>");

	ck_box(box_of(page, "a"), 0, 0, 300, LINE);
	ck_box(box_of(page, "b"), 300, 0, 100, LINE);
}

TEST(percents_are_of_the_parent)
{
	AUTO_PAGE *page = parse(
		BODY "<div style='width:50%' id=a><div style='width:50%' id=b>"
		     "<div style='width:10em' id=c>x</div></div></div>");

	ck_box(box_of(page, "a"), 0, 0, 512, LINE);
	ck_box(box_of(page, "b"), 0, 0, 256, LINE);
	ck_box(box_of(page, "c"), 0, 0, 160, LINE);
}

TEST(a_sidebar_floats_next_to_following_boxes)
{
	AUTO_PAGE *page = parse(
		"<style>.side { float: left; width: 200px }"
		"#main { margin-left: 220px } .end { clear: both }</style>" BODY
		"<div class='box side' id=s>a<br>b<br>c</div>"
		"<div id=main><p>x</p></div><div class=end id=e>y</div>");

	ck_box(box_of(page, "s"), 0, 0, 200, 3 * LINE);
	ck_box(box_of(page, "main"), 220, 0, 804, LINE);
	ck_box(box_of(page, "e"), 0, 3 * LINE, 1024, LINE);
}

TEST(floats_that_do_not_fit_move_below)
{
	AUTO_PAGE *page =
		parse("<style>i { float: right; width: 400px; height: 50px "
		      "}</style>" BODY
		      "<div id=d><i id=a></i><i id=b></i><i id=c></i></div>");

	ck_box(box_of(page, "a"), 624, 0, 400, 50);
	ck_box(box_of(page, "b"), 224, 0, 400, 50);
	ck_box(box_of(page, "c"), 624, 50, 400, 50);
	ck_box(box_of(page, "d"), 0, 0, 1024, 100);
}

TEST(a_column_is_centred)
{
	AUTO_PAGE *page = parse(
		BODY "<div style='max-width: 960px; margin: 0 auto' id=a>x"
		     "</div><table align=center width=24 id=b><tr><td>x"
		     "</table>");

	ck_box(box_of(page, "a"), 32, 0, 960, LINE);
	ck_box(box_of(page, "b"), 500, LINE, 24, LINE);
}

TEST(a_row_of_flex_ratios_the_width)
{
	AUTO_PAGE *page = parse(
		"<style>.row { display: flex }</style>" BODY
		"<div class=row id=r><div style='width: 824px' id=a>a<p>b</div>"
		"<span id=b>b</span></div>"
		"<div class=row style='flex-direction:column'><p id=c>x</div>");

	ck_box(box_of(page, "r"), 0, 0, 1024, 2 * LINE + 16);
	ck_box(box_of(page, "a"), 0, 0, 824, 2 * LINE + 16);
	ck_box(box_of(page, "b"), 824, 0, 8, LINE);
	ck_box(box_of(page, "c"), 0, 2 * LINE + 16, 1024, LINE);
}

TEST(html_has_default_styles)
{
	AUTO_PAGE *page = parse(
		"<h1 id=a>x</h1><p id=b>y<b id=c>z</b><small id=d>z</small></p>"
		"<ul id=e><li>x</ul><font size='+2' id=f>x</font>");

	/* the body's margins are 8 px on both sides; h1 is 2 em, and the margin
	   below it .67 of that, more than the 1 em of the p */
	ck_box(box_of(page, "a"), 8, 0, 1008, 38.4F);
	ck_assert_float_eq(box_of(page, "a").font_size, 32);
	ck_assert(box_of(page, "a").is_bold);
	ck_box(box_of(page, "b"), 8, 38.4F + 21.44F, 1008, LINE);
	ck_box(box_of(page, "c"), 16, 38.4F + 21.44F, 8, LINE);
	ck_assert(box_of(page, "c").is_bold && box_of(page, "c").is_inline);
	ck_assert(!box_of(page, "b").is_bold && !box_of(page, "b").is_inline);
	ck_assert_float_eq_tol(box_of(page, "d").font_size, 13.28F, .001F);
	ck_assert_float_eq(box_of(page, "e").left, 48);
	ck_assert_float_eq(box_of(page, "e").width, 968);
	ck_assert_float_eq(box_of(page, "f").font_size, 24);
}

TEST(a_background_shows_through)
{
	AUTO_PAGE *page = parse(
		"<body bgcolor=#f0f0f0 id=a><div class=x id=b><p id=c>x</p>"
		"</div><div style='background:transparent' id=d>x</div>"
		"<style>.x { background: url(x.png;y) #abc no-repeat }</style>"
		"<p style='background-color: RGB(1, 2, 3)' id=e>x");

	ck_assert_uint_eq(box_of(page, "a").background, 0xF0F0F0);
	ck_assert_uint_eq(box_of(page, "b").background, 0xAABBCC);
	ck_assert_uint_eq(box_of(page, "c").background, 0xAABBCC);
	ck_assert_uint_eq(box_of(page, "d").background, 0xF0F0F0);
	ck_assert_uint_eq(box_of(page, "e").background, 0x010203);
}

TEST(the_stronger_rule_holds)
{
	AUTO_PAGE *page = parse(
		"<style>/* p { width: 1px } */ #a { width: 300px }"
		"p.x { width: 200px } p { width: 20px } .x { width: 100px }"
		".x { height: 5px } .y { height: 6px } "
		".z { width: 7px !important } div p { width: 8px }"
		"p:hover, p, .b > p { font-size: 10pt } @import "
		"'x';</style>" BODY
		"<p id=a class=x>x<p id=b class='y x'>x<p id=c>x"
		"<p id=d class=z style='width:9px'>x"
		"<p id=e class=x width=5 style='width:10px'>x");

	ck_assert_float_eq(box_of(page, "a").width, 300);
	ck_assert_float_eq(box_of(page, "b").width, 200);
	ck_assert_float_eq(box_of(page, "b").height, 6);
	ck_assert_float_eq(box_of(page, "c").width, 20);
	ck_assert_float_eq_tol(box_of(page, "c").font_size, 13.333F, .001F);
	ck_assert_float_eq(box_of(page, "d").width, 7);
	ck_assert_float_eq(box_of(page, "e").width, 10);
}

TEST(rules_for_other_media_are_left_away)
{
	AUTO_PAGE *page = parse(
		"<style>@media print { p { width: 1px } }"
		"@media (max-width: 600px) { p { width: 2px } b { x: y } }"
		"@media screen and (min-width: 50em) { p { height: 3px } }"
		"@font-face { width: 4px } @supports (x: y) { i { width: 5px }}"
		"i { float: left }</style>"
		"<style media=print>p { width: 6px }</style>" BODY
		"<p id=a>x</p><i id=b>x</i>");

	ck_box(box_of(page, "a"), 0, 0, 1024, 3);
	ck_assert_float_eq(box_of(page, "b").width, 5);
}

TEST(what_is_not_displayed_has_no_size)
{
	AUTO_PAGE *page = parse(
		"<style>.menu { display: none }</style>" BODY
		"<div class=menu id=a>x<p id=b>y</div><div hidden id=c>x</div>"
		"<p id=d>x<p style='position:absolute' id=e>x<p id=f>x");

	ck_assert(!box_of(page, "b").is_displayed);
	ck_box(box_of(page, "a"), 0, 0, 0, 0);
	ck_box(box_of(page, "b"), 0, 0, 0, 0);
	ck_box(box_of(page, "c"), 0, 0, 0, 0);
	ck_assert_float_eq(box_of(page, "d").top, 0);
	/* it takes no room, and its margin takes none */
	ck_assert_float_eq_tol(box_of(page, "f").top, LINE + 16, .01F);
}

TEST(han_is_twice_as_wide)
{
	AUTO_PAGE *page = parse(BODY "<b id=a>ab</b><b id=b>\xE4\xB8\xAD"
				     "\xE6\x96\x87</b><b id=c>\xC3\xA9</b>");

	ck_assert_float_eq(box_of(page, "a").width, 16);
	ck_assert_float_eq(box_of(page, "b").width, 32);
	ck_assert_float_eq(box_of(page, "c").width, 8);
}

static void ck_sane(const struct page *page)
{
	const struct box *boxes = estimate(page);

	for (uint32_t i = 0; i < page->node_count; i++) {
		ck_assert(isfinite(boxes[i].left) && isfinite(boxes[i].top));
		ck_assert(boxes[i].width >= 0 && isfinite(boxes[i].width));
		ck_assert(boxes[i].height >= 0 && isfinite(boxes[i].height));
		ck_assert(boxes[i].font_size >= 0 &&
			  boxes[i].font_size <= 1000);
	}
}

TEST(what_a_page_claims_is_clamped)
{
	static const char *const values[] = {
		"-5px",
		"NaN",
		"inf",
		"1e99px",
		"99999999999999999999999999px",
		"-99999999999999%",
		"999999999%",
		"calc(1px + 2px)",
		"",
		"px",
		"0",
		".",
		"1.2.3em",
		"+7em",
		"9999999em",
		"\\",
		"'",
		"(",
		"url(",
		"auto",
		"/*",
		"!important",
	};

	for (size_t i = 0; i < COUNT_OF(values); i++) {
		AUTO_BUFFER html = {0};
		AUTO_PAGE *page;

		buffer_append_text(&html, "<style>p,td{width:");
		buffer_append_text(&html, values[i]);
		buffer_append_text(&html, ";font-size:");
		buffer_append_text(&html, values[i]);
		buffer_append_text(&html, ";margin:");
		buffer_append_text(&html, values[i]);
		buffer_append_text(&html, "}</style><table><tr><td width=\"");
		buffer_append_text(&html, values[i]);
		buffer_append_text(&html, "\">x<td height=\"");
		buffer_append_text(&html, values[i]);
		buffer_append_text(&html,
				   "\">y</table><p id=a>some <i>text</i>");
		page = parse(html.data);
		ck_sane(page);
	}
}

TEST(a_negative_width_says_nothing)
{
	AUTO_PAGE *page =
		parse(BODY "<p id=a style='width:-5px'>x<p id=b width=-5>x"
			   "<p id=c style='width:99999999999999999999px'>x");

	ck_assert_float_eq(box_of(page, "a").width, 1024);
	ck_assert_float_eq(box_of(page, "b").width, 1024);
	ck_assert_float_eq(box_of(page, "c").width, 1e6F);
}

TEST(broken_css_harms_only_itself)
{
	AUTO_PAGE *page = parse(
		"<style>} p { width: ; color } ; { width: 1px } "
		"p { width: 10px; } } p { nested { width: 3px } height: 9px }"
		"p { content: '}' ; width: 11px</style>" BODY "<p id=a>x");

	ck_box(box_of(page, "a"), 0, 0, 11, 9);
}

/* `count` times `piece`, between `head` and `tail`. */
static struct page *repeat(const char *head, const char *piece, size_t count,
			   const char *tail)
{
	AUTO_BUFFER html = {0};
	struct page *page;

	buffer_append_text(&html, head);
	for (size_t i = 0; i < count; i++)
		buffer_append_text(&html, piece);
	buffer_append_text(&html, tail);
	buffer_append_text(&html, "");
	page = parse(html.data);
	return page;
}

TEST(huge_pages_are_estimated)
{
	static const char *const pages[][3] = {
		{"<style>", "a{width:1px}", "</style><p id=a>x"},
		{"<style>", "(", "</style><p id=a>x"},
		{"<style>", "/*", "</style><p id=a>x"},
		{"<style>p", "{", "</style><p id=a>x"},
		{"<style>", "p,", "{width:1px}</style><p id=a>x"},
		{"", "<p class=x style='width:9e9px;float:left'>x", ""},
		{"", "<div style='font-size:9em;width:999%'>x", ""},
		{"<table><tr>", "<td width=99%>x", ""},
		{"<p class='", "x ", "'>x"},
	};

	for (size_t i = 0; i < COUNT_OF(pages); i++) {
		AUTO_PAGE *page =
			repeat(pages[i][0], pages[i][1], 100000, pages[i][2]);

		ck_sane(page);
	}
}

TEST(rules_beyond_the_limit_are_left_away)
{
	AUTO_BUFFER html = {0};
	AUTO_PAGE *page;

	buffer_append_text(&html, "<style>");
	for (int i = 0; i < 4097; i++)
		buffer_printf(&html, ".c%d{width:%dpx}", i, i + 1);
	buffer_append_text(&html, "</style><body style='margin:0'>"
				  "<p id=a class=c4095>x<p id=b class=c4096>x");
	page = parse(html.data);
	ck_assert_float_eq(box_of(page, "a").width, 4096);
	ck_assert_float_eq(box_of(page, "b").width, 1024);
}

TEST(random_pages_have_sane_boxes)
{
	for (uint64_t seed = 1; seed <= random_rounds(300); seed++) {
		AUTO_TEXT *html = random_html(seed);
		AUTO_PAGE *page = parse(html);

		ck_sane(page);
	}
}
