#include "extract/core/document_walk.h"
#include "extract/core/trace.h"
#include "extract/methods/visual_methods.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

#define BODY "<body style='margin:0'>"

static struct vce_tree make(const struct page *page, double distance,
			    double link_density)
{
	const struct vce_options options = {distance, link_density};

	return vce_tree_make(page->arena, page,
			     visible_texts(page->arena, page), &options);
}

static uint32_t node_of(const struct page *page, const char *id)
{
	for (uint32_t i = 0; i < page->node_count; i++)
		if (slice_equal(page_attribute(page, i, "id"), slice_of(id)))
			return i;
	ck_abort_msg("there is no #%s", id);
}

TEST(visual_distance_counts_differences)
{
	const struct box a = {
		.width = 100, .height = 50, .font_size = 16, .left = 8};
	struct box b = a;

	ck_assert_uint_eq(vce_distance(&a, &b), 0);
	b.width = 100.5F; /* less than a pixel */
	ck_assert_uint_eq(vce_distance(&a, &b), 0);
	b.width = 101;
	b.top = 20;
	ck_assert_uint_eq(vce_distance(&a, &b), 2);
	b.height = 10;
	b.font_size = 32;
	b.background = 1;
	b.left = 0;
	ck_assert_uint_eq(vce_distance(&a, &b), 6);
	ck_assert_uint_eq(vce_distance(&b, &a), 6);
}

/*
 * Against the body (1024 wide, at 0, 0, white), #a differs in width and, by
 * what follows it, in height; #b in width, left, top and height too.
 */
TEST(an_element_that_looks_different_begins_a_block)
{
	AUTO_PAGE *page = parse(
		BODY "<div id=a style='width:500px'>x</div>"
		     "<div id=b style='width:500px;margin-left:100px'>x</div>");
	struct vce_tree tree = make(page, 3, .5);
	uint32_t a = node_of(page, "a");
	uint32_t b = node_of(page, "b");

	ck_assert_uint_eq(vce_distance(&tree.boxes[a],
				       &tree.boxes[page->nodes[a].parent]),
			  2);
	ck_assert_uint_eq(vce_distance(&tree.boxes[b],
				       &tree.boxes[page->nodes[b].parent]),
			  4);
	ck_assert(!tree.elements[a].is_head);
	ck_assert(tree.elements[b].is_head);
	tree = make(page, 4, .5);
	ck_assert(!tree.elements[b].is_head);
	tree = make(page, 1, .5);
	ck_assert(tree.elements[a].is_head);
}

/*
 * The p has 10 characters, 4 of them of a leaf link: they count although the
 * link contains only a link, 4 in 10 is below a half. The list contains only
 * links and does not count.
 */
TEST(text_goes_up_where_links_are_few)
{
	AUTO_PAGE *page = parse(
		BODY "<div id=d><p id=p>abcdef<a href=x id=a>link</a></p>"
		     "<ul id=u><li id=l><a href=x>menu</a></li></ul></div>");
	struct vce_tree tree = make(page, 6, .5);
	const struct vce_element *p = &tree.elements[node_of(page, "p")];

	ck_assert_uint_eq(p->length, 10);
	ck_assert_uint_eq(p->link_length, 4);
	ck_assert_double_eq(vce_link_density(p), .4);
	ck_assert(p->is_added);
	ck_assert(tree.elements[node_of(page, "a")].is_added);
	ck_assert_uint_eq(tree.elements[node_of(page, "l")].length, 4);
	ck_assert(!tree.elements[node_of(page, "l")].is_added);
	ck_assert_uint_eq(tree.elements[node_of(page, "u")].length, 0);
	ck_assert_uint_eq(tree.elements[node_of(page, "d")].length, 10);
	tree = make(page, 6, .4); /* not below it */
	ck_assert(!tree.elements[node_of(page, "p")].is_added);
}

/* A block that holds a block keeps its text; one that holds none gives it. */
TEST(a_block_with_blocks_keeps_its_text)
{
	AUTO_PAGE *page =
		parse(BODY "<div id=a style='width:9px;margin-left:1px'>"
			   "<div id=b style='width:5px;margin-left:1px;"
			   "background:red'>bbb</div><p>aa</p></div><p>c");
	struct vce_tree tree = make(page, 2, .5);
	const struct vce_element *a = &tree.elements[node_of(page, "a")];

	ck_assert(a->is_head);
	ck_assert(a->holds_block);
	ck_assert(!a->is_added);
	ck_assert_uint_eq(a->length, 5);
	ck_assert(tree.elements[node_of(page, "b")].is_head);
	ck_assert(tree.elements[node_of(page, "b")].is_added);
	ck_assert_uint_eq(tree.elements[0].length, 1);
}

/* Three boxes of one look and one of another: two repeat the first. */
TEST(repeated_patterns_are_counted_for_the_parent)
{
	AUTO_PAGE *page = parse(
		"<style>.c { width: 300px; margin-left: 9px }</style>" BODY
		"<div id=d style='width:500px;background:red'>"
		"<div class=c>x</div><div class=c>x<p>y</div>"
		"<div class=c>x</div>"
		"<div class=c style='background:blue'>x</div></div><p>y");
	struct vce_tree tree = make(page, 2, .5);
	const struct vce_element *d = &tree.elements[node_of(page, "d")];

	ck_assert(d->is_head);
	ck_assert_uint_eq(tree.blocks[d->block].repeats, 2);
}

static const struct trace *traced(const struct page *page)
{
	return trace_of(page, "vce", "distance=1,link_density=0.5", NULL);
}

/*
 * At a distance of 1 html, #a and #b begin blocks: the body's box is html's,
 * the others differ in width and height, #b in its top too. The page is two
 * lines high, 38.4 px; no block has links or repeats. Equation 1:
 *	html = 60 * 1024 * 16 * 38.4 / .05 = 754,974,720
 *	a = 20 * 400 * 16 * 38.4 / .05 = 98,304,000
 *	b = 40 * 500 * 16 * 19.2 / .05 = 122,880,000
 * The means over html, body, a, b and four empty ones: (60 + 60 + 20 + 40) / 8
 * = 22.5 characters, (1024 + 1024 + 400 + 500 + 4) / 8 = 369 px wide, 14.4 px
 * high. All but the length of a meets them: it is no candidate.
 */
#define EMPTY "<div style='width:1px'></div>"
#define TWO_BLOCKS                                                             \
	BODY "<div id=a style='width:400px'>aaaaaaaaaaaaaaaaaaaa</div>"        \
	     "<div id=b style='width:500px'>bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" \
	     "bbbbbbb</div>" EMPTY EMPTY EMPTY EMPTY

TEST(factor_values_worked_by_hand)
{
	AUTO_PAGE *page = parse(TWO_BLOCKS);
	const struct trace *trace = traced(page);
	const struct figure figure = trace->figures[0];

	ck_assert_uint_eq(trace->figure_count, 1);
	ck_assert_uint_eq(figure.box_count, 7);
	ck_assert_float_eq_tol(figure.boxes[0].value, 754974720.0F, 1000);
	ck_assert_float_eq(figure.boxes[1].value, 0);
	ck_assert_float_eq_tol(figure.boxes[2].value, 122880000.0F, 1000);
}

TEST(the_figure_shows_the_numbers)
{
	AUTO_PAGE *page = parse(TWO_BLOCKS);
	const struct figure figure = traced(page)->figures[0];

	ck_assert(figure.boxes[0].is_content && !figure.boxes[1].is_content);
	ck_assert_str_eq(figure.boxes[2].label,
			 "factor 1.23e+08: 40 characters, links 0.00, "
			 "repeats 0, top 19");
}

TEST(the_trace_reports_the_reasons)
{
	AUTO_PAGE *page = parse(TWO_BLOCKS);

	ck_assert_str_eq(traced(page)->reasons[0],
			 "in the main block, factor value 7.55e+08");
}

#define SENTENCE                                                               \
	"It looks after two of the servers that tell computers where to find " \
	"each other, and has engineered around flaws in the <b>DNS</b>. "

/* The figure's caption is a block: by it the article's text stays the
   article's. */
TEST(an_article_is_separated_from_a_sidebar)
{
	AUTO_PAGE *page = parse(
		"<style>#side { float: left; width: 200px }"
		"#main { margin-left: 220px; width: 700px }</style>"
		"<div>The Daily</div><div id=side><ul><li><a href=/a>Home</a>"
		"<li><a href=/b>News</a><li><a href=/c>About</a></ul></div>"
		"<div id=main><h1>Who does it?</h1><p>" SENTENCE SENTENCE
		"</p><figure>What it looks after</figure></div>"
		"<div>All rights reserved.</div>");
	const struct verdict *verdicts = run(page, "vce", "distance=3", NULL);

	ck_assert_uint_eq(page->text_count, 12);
	for (uint32_t i = 0; i < page->text_count; i++)
		ck_assert_msg(verdicts[i].is_content == (i >= 4 && i < 11),
			      "text %u", i);
}
