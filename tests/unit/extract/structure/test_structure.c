#include "extract/structure/structure.h"

#include "base/arena.h"
#include "extract/core/document_walk.h"
#include "page/page.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* A paragraph of ten words, and one of a hundred. */
#define TEN     "<p>Ten words are a text of the body that stays. "
#define TENS(x) x x x x x x x x x x
#define TWENTY  TEN "Ten words are a text of the body that stays. "
#define HUNDRED "<p>" TENS("Ten words are a text of the body that stays. ")

#define ROWS "<tr><td>a<td>b<tr><td>c<td>d</table>"

/*
 * Return the choice for a page whose passages have these scores, a digit each
 * in tenths, by the threshold: a digit for each passage.
 */
static char *kept_of(const char *html, const char *scores, double threshold)
{
	AUTO_PAGE *page = parse(html);
	const struct passages passages = passages_make(page->arena, page);
	float *score = ARENA_NEW(page->arena, float, passages.count);
	bool *is_chosen = ARENA_NEW(page->arena, bool, passages.count);
	char *kept = arena_alloc(test_arena, passages.count + 1, 1);
	const bool *is_kept;

	ck_assert_uint_eq(passages.count, strlen(scores));
	for (uint32_t i = 0; i < passages.count; i++) {
		score[i] = (float)(scores[i] - '0') / 10;
		is_chosen[i] = (double)score[i] > threshold;
	}
	is_kept = structure_choose(
		page->arena,
		&(struct structure_input){
			.passages = &passages,
			.scores = score,
			.is_chosen = is_chosen,
			.is_showable = showable_texts(page->arena, page),
			.threshold = threshold,
		});
	for (uint32_t i = 0; i < passages.count; i++)
		kept[i] = is_kept[i] ? '1' : '0';
	return kept;
}

static void assert_kept(const char *html, const char *scores,
			const char *expected)
{
	ck_assert_str_eq(kept_of(html, scores, 0.5), expected);
}

TEST(no_choice_stays_empty)
{
	assert_kept("", "", "");
	assert_kept("<p>a<pre>b</pre><h2>c</h2>", "444", "000");
}

TEST(only_a_few_words_of_headings_become_an_empty_choice)
{
	assert_kept("<h2>Follow us</h2>", "9", "0");
	assert_kept("<h2>a b c d e f</h2><h2>g h i j k l</h2>", "99", "11");
}

/* Eight lines, each of which is a passage. */
TEST(a_snippet_in_prose_is_kept)
{
	assert_kept("<h2>Use</h2>" TEN
		    "<pre><div>a {<div>b;<div>c;<div>d;<div>e;<div>f;<div>g;"
		    "<div>}</div></div></div></div></div></div></div></div>"
		    "</pre>" TEN,
		    "99333333339", "11111111111");
	/* a box around it, with the name of the file and a button */
	assert_kept(TEN "<div class=code-box><p>a.sh</p><pre>ls</pre>"
			"<button>Copy</button></div>" TEN,
		    "92329", "11101");
}

TEST(the_classes_of_tokens_in_code_mean_nothing)
{
	assert_kept(TWENTY
		    "<div class=highlight><pre><code><span class="
		    "'token comment'># all</span> ls</code></pre></div>" TWENTY,
		    "949", "111");
	assert_kept(TWENTY "<div class=comment><pre>ls</pre></div>" TWENTY,
		    "949", "101");
}

TEST(code_with_a_low_score_is_no_content)
{
	assert_kept(TEN "<pre>a b</pre>" TEN, "919", "101");
}

TEST(code_is_whole_or_left_out)
{
	const char *code = TEN "<pre><div>a</div><div>b</div><div>c</div>"
			       "<div>d</div><div>e</div></pre><footer>f";

	assert_kept(code, "9990000", "1111110");
	/* a fifth is less than a quarter */
	assert_kept(code, "9900000", "1000000");
}

/* The panel of a tab that is not open. */
TEST(hidden_code_is_whole)
{
	assert_kept("<div hidden>" TEN "<pre><div>a</div><div>}</div></pre>",
		    "990", "111");
	/* in a list that is kept as a whole, but with no hidden text */
	assert_kept("<div hidden><ol><li>" TEN "<li>b<pre><div>c</div>"
		    "<div>}</div></pre></ol>",
		    "9090", "1011");
	/* the code is shown, and a label in it is not */
	assert_kept("<pre><div>a</div><div hidden>b</div></pre>", "90", "10");
}

TEST(lines_of_code_may_repeat)
{
	AUTO_PAGE *page =
		parse("<pre><div>one two three four five</div><div>six</div>"
		      "<div>one two three four five</div></pre>");
	const struct passages passages = passages_make(page->arena, page);
	const bool *is_kept = structure_choose(
		page->arena,
		&(struct structure_input){
			.passages = &passages,
			.scores = (const float[]){1, 1, 1},
			.is_chosen = (const bool[]){true, true, false},
			.is_showable = showable_texts(page->arena, page),
			.threshold = 0.5,
		});

	ck_assert(is_kept[2]);
}

TEST(code_between_short_texts_is_kept)
{
	assert_kept("<div><p>The first try:<pre>" TENS(
			    TENS("a b ")) "</pre><p>It ran.</div>",
		    "939", "111");
	assert_kept("<ul><li>Press the key:<div><pre>" TENS(
			    TENS("a b ")) "</pre></div><li>Wait.</ul>",
		    "939", "111");
	/* its score is too low */
	assert_kept("<div><p>The first try:<pre>a</pre><p>It ran.</div>", "919",
		    "101");
}

TEST(a_run_of_texts_between_two_texts_is_kept)
{
	assert_kept("<div>" TEN HUNDRED "<pre>a b</pre>" HUNDRED TEN "</div>",
		    "94249", "11111");
	assert_kept("<div>" TEN HUNDRED HUNDRED TEN "</div>", "9439", "1001");
	assert_kept("<div>" TEN HUNDRED "<div class=share>a</div>" TEN "</div>",
		    "9449", "1001");
	assert_kept("<div>" TEN HUNDRED "<form><p>a</form>" TEN "</div>",
		    "9449", "1001");
	assert_kept("<div>" TEN HUNDRED HUNDRED HUNDRED HUNDRED TEN TEN
		    "</div>",
		    "9444449", "1000001");
}

TEST(a_section_is_completed)
{
	assert_kept("<div>" HUNDRED HUNDRED TWENTY "<pre>a b</pre>" HUNDRED
		    "</div>" TEN,
		    "993239", "111111");
	/* without code */
	assert_kept("<div>" HUNDRED TWENTY HUNDRED "</div>" TEN, "9939",
		    "1101");
	/* too little of it is kept */
	assert_kept("<div>" TWENTY TWENTY "<pre>a b</pre>" HUNDRED "</div>" TEN,
		    "93239", "10001");
	/* nothing is kept after it */
	assert_kept("<div>" HUNDRED HUNDRED TWENTY "<pre>a b</pre>" HUNDRED
		    "</div><p>x",
		    "993230", "110000");
}

TEST(the_begin_of_a_section_is_kept)
{
	assert_kept("<div>" TEN "</div><div><h2>Use</h2>" TWENTY "<div>" TEN
		    "</div></div>",
		    "9449", "1111");
	assert_kept("<div>" TEN "</div><div><p>Use" TWENTY "<div>" TEN
		    "</div></div>",
		    "9339", "1001");
}

TEST(a_table_of_data_is_kept_as_a_whole)
{
	assert_kept(TEN "<table>" ROWS, "96000", "11111");
	/* one word of six */
	assert_kept("<table><tr><td>e<td>f" ROWS "<p>x", "9000009", "0000001");
	assert_kept(TEN "<table>" ROWS TEN, "944449", "111111");
}

TEST(a_table_for_layout_is_no_unit)
{
	/* a table in it, a title in it, one column, a long text */
	assert_kept("<table><tr><td><table>" ROWS "<td>e<tr><td>f<td>g</table>",
		    "9900999", "1111111");
	assert_kept("<table><tr><td>x<table><tr><td>y</table><td>e<tr><td>f"
		    "<td>g</table>",
		    "99099", "11011");
	assert_kept("<table><tr><td><h1>a</h1><td>b<tr><td>c<td>d</table>",
		    "9900", "1100");
	assert_kept("<table><tr><td>a<tr><td>b<tr><td>c<tr><td>d</table>",
		    "9900", "1100");
	assert_kept("<table><tr><td>" HUNDRED "<td>b<tr><td>c<td>d</table>",
		    "9900", "1100");
}

TEST(a_table_at_the_end_of_the_body_is_kept)
{
	assert_kept("<article>" HUNDRED "<table>" ROWS "</article><p>x",
		    "944440", "111110");
	/* the body is short */
	assert_kept("<article>" TEN "<table>" ROWS "</article><p>x", "944440",
		    "100000");
}

TEST(a_label_goes_with_its_unit)
{
	assert_kept(TEN "<details><summary>Why?</summary><p>It is so, and it "
			"was so.</details>" TEN,
		    "9399", "1111");
	assert_kept(TEN "<figure><img src=a><figcaption>The slip</figcaption>"
			"</figure>" TEN,
		    "919", "111");
	assert_kept(HUNDRED "<div class=wp-caption><img src=a><p>The slip</p>"
			    "</div>" TEN,
		    "929", "111");
	assert_kept("<dl><dt>ring<dd>tasks that run in turn<dt>loom<dd>all of "
		    "the rings</dl>" TEN,
		    "39399", "11111");
}

TEST(a_box_is_kept)
{
	assert_kept(TEN "<div class='alert alert--tip'><div>tip</div><p>Use an "
			"index.</div>" TEN,
		    "9239", "1111");
	assert_kept(TEN "<blockquote><p>My aunt wrote:<blockquote><p>Gone."
			"</blockquote></blockquote>" TEN,
		    "9939", "1111");
}

TEST(the_frame_is_not_kept_between_two_texts)
{
	assert_kept(TEN "<div class=ad>Advertisement</div>" TEN, "949", "101");
	assert_kept(TEN "<div class=related>Read that text.</div>" TEN, "949",
		    "101");
	assert_kept(TEN "<div><a href=/x>Read that text.</a></div>" TEN, "949",
		    "101");
	assert_kept(TEN "<form><p>Get our letter.</form>" TEN, "949", "101");
	assert_kept(TEN "<div hidden>Not shown at all.</div>" TEN, "949",
		    "101");
	/* a byline after the title */
	assert_kept("<h1>Title</h1><div>By A. Smith</div>" TEN, "949", "101");
}

/* The element of the frame is between two texts, with one of the scores. */
static const struct {
	const char *frame;
	bool is_kept;
} frames[] = {
	{"<ul class=share><li><a href=a>Share</a></ul>", false},
	{"<div class=share-bar><button>Print</button></div>", false},
	{"<form><p>Get our letter</form>", false},
	{"<nav class=menu><a href=a>Sport</a></nav>", false},
	{"<div class=related><a href=a>Bridge opens</a></div>", false},
	{"<ul class=steps><li><a href=a>Share</a></ul>", true},
	{"<div class=menu>Soup and bread</div>", true},
	{"<div class=sidebar>" TWENTY "</div>", true},
};

TEST_ROWS(a_choice_for_recall_has_no_frame, frames)
{
	char html[512];

	snprintf(html, sizeof(html), "%s%s%s", TEN, frames[_i].frame, TEN);
	ck_assert_str_eq(kept_of(html, "949", 0.3),
			 frames[_i].is_kept ? "111" : "101");
	ck_assert_str_eq(kept_of(html, "959", 0.3), "111");
}

TEST(the_frame_is_not_all_of_a_choice_for_recall)
{
	ck_assert_str_eq(kept_of("<body class=sidebar><p>Soup", "4", 0.3), "1");
}

TEST(a_unit_under_a_heading_is_kept)
{
	/* in a later section, but not under the title */
	assert_kept(TWENTY "<h2>Use</h2><pre>a b c</pre>" TWENTY, "9929",
		    "1111");
	assert_kept(TWENTY "<h2>Use</h2><div class=tip>Dry it.</div>"
			   "<h2>More</h2>" TWENTY,
		    "99299", "11111");
	assert_kept("<h1>Use</h1><div class=tip>Dry it.</div>" TWENTY, "919",
		    "101");
}

TEST(a_unit_after_the_last_paragraph_is_kept)
{
	assert_kept("<div>" TWENTY "<pre>a b c</pre></div><p>x", "910", "110");
	assert_kept("<div>" TWENTY "<div class=note>Dry it.</div></div><p>x",
		    "910", "110");
	assert_kept("<div>" TWENTY "<blockquote>So it is.</blockquote></div>"
		    "<p>x",
		    "920", "110");
	assert_kept("<div>" TWENTY "<p>Ways:<ul><li>a<li>b</ul></div><p>x",
		    "99330", "11110");
	assert_kept("<div>" TWENTY "<div class=math>a = b</div></div><p>x",
		    "910", "110");
	/* nothing of this */
	assert_kept("<div>" TWENTY "<div>By A. Smith.</div></div><p>x", "940",
		    "100");
	assert_kept("<div>" TWENTY "<footer><pre>a</pre></footer></div><p>x",
		    "940", "100");
}

TEST(the_tabs_of_code_are_kept)
{
	assert_kept(TWENTY "<div class=tabs><button role=tab>npm</button>"
			   "<button role=tab>yarn</button><pre>npm i</pre>"
			   "<pre>yarn</pre><button>Copy</button></div>" TWENTY,
		    "9222229", "1111101");
}

TEST(parts_of_the_template_alone_are_never_added)
{
	AUTO_PAGE *page = parse(TWENTY "<pre>a b</pre>" TWENTY);
	const struct passages passages = passages_make(page->arena, page);
	struct structure_input input = {
		.passages = &passages,
		.scores = (const float[]){1, 0.4F, 1},
		.is_chosen = (const bool[]){true, false, true},
		.is_showable = showable_texts(page->arena, page),
		.is_frame = (const bool[]){false, true, false},
		.threshold = 0.5,
	};

	ck_assert(!structure_choose(page->arena, &input)[1]);
	input.is_frame = (const bool[]){true, false, true};
	ck_assert(structure_choose(page->arena, &input)[1]);
	ck_assert(structure_choose(page->arena, &input)[0]);
}

/* "Option" and "Meaning" are on many pages of a manual. */
TEST(heads_of_the_template_are_added_to_a_table)
{
	AUTO_PAGE *page = parse("<table><tr><th>Option<th>Meaning<tr><td>" TEN
				"<td>" TEN "</table>");
	const struct passages passages = passages_make(page->arena, page);
	const bool *is_kept = structure_choose(
		page->arena,
		&(struct structure_input){
			.passages = &passages,
			.scores = (const float[]){1, 0.45F, 1, 1},
			.is_chosen = (const bool[]){true, false, true, true},
			.is_showable = showable_texts(page->arena, page),
			.is_frame = (const bool[]){true, true, false, false},
			.threshold = 0.5,
		});

	ck_assert(is_kept[1]);
}

TEST(a_list_of_links_needs_a_colon)
{
	assert_kept("<p>Ten words say that it has three parts in all:"
		    "<ol><li><a href=1>One</a><li><a href=2>Two</a></ol>" TEN,
		    "9339", "1111");
	assert_kept(TEN
		    "<ol><li><a href=1>One</a><li><a href=2>Two</a></ol>" TEN,
		    "9339", "1001");
}

TEST(a_list_is_completed)
{
	assert_kept(TEN "<ul><li>a b<li>c d<li>e f<li>g h</ul>", "99990",
		    "11111");
	assert_kept(TEN "<ul><li>a b<li>c d<li>e f<li>g h</ul>", "99900",
		    "11100");
}

TEST(notes_are_kept_with_their_marks)
{
	const char *notes =
		"<p>A text.<sup><a href='#n1'>1</a></sup> It goes on."
		"<div>x y z</div><div><p id=n1>See Ames.</p>"
		"<p id=n2>See nobody.</p></div>";

	assert_kept(notes, "9000", "1010");
	assert_kept(notes, "0900", "0100");
	/* the name of an anchor, and of two equal ids the first */
	assert_kept("<p>A text.<a href='#n'>*</a><hr><ul><li><a name=n></a>"
		    "See Ames.<li id=n>b</ul>",
		    "900", "110");
	/* the address of the page is before the fragment */
	assert_kept("<p>A text.<a href='/a?b#n'>1</a><hr><p id=n>See Ames.",
		    "90", "11");
	/* the mark is in the block to which it links */
	assert_kept("<div id=n>See<p>a text.<a href='#n'>1</a></div>", "09",
		    "01");
}

TEST(a_heading_without_text_is_dropped)
{
	assert_kept("<h2>a</h2><h2>b</h2><p>c<h2>d</h2>", "9999", "0110");
	/* the levels */
	assert_kept("<h2>a</h2><h3>b</h3><p>c<h3>d</h3><h2>e</h2><p>f",
		    "999999", "111011");
	assert_kept("<h2>a</h2><h3>b</h3><h2>c</h2><p>d", "9999", "0011");
	/* an image between two kept texts is written */
	assert_kept("<h2>a</h2><img src=b><h2>c</h2><p>d", "999", "111");
	assert_kept("<h2>a</h2><p>b<img src=c><h2>d</h2><p>e", "9099", "0011");
	/* nothing of the section is kept: "three sections:" */
	assert_kept("<h2>a</h2><p>b<h2>c</h2><p>d", "9990", "1100");
}

TEST(a_refrain_is_kept)
{
	AUTO_PAGE *page = parse(
		"<div>" TEN "<p>one more bridge and one more town<p>The fox "
		"looks up, the field is white.<p>one more bridge and one more "
		"town" TEN "</div>");
	const struct passages passages = passages_make(page->arena, page);
	const bool *is_kept = structure_choose(
		page->arena,
		&(struct structure_input){
			.passages = &passages,
			.scores = (const float[]){1, 1, 1, 1, 1},
			.is_chosen =
				(const bool[]){true, true, true, false, true},
			.is_showable = showable_texts(page->arena, page),
			.threshold = 0.5,
		});

	ck_assert_uint_eq(passages.count, 5);
	ck_assert(is_kept[3]);
}

/* Choose every second passage of the page; return the number of kept ones. */
static uint32_t kept_of_half(const char *html)
{
	AUTO_PAGE *page = parse(html);
	const struct passages passages = passages_make(page->arena, page);
	float *scores = ARENA_NEW(page->arena, float, passages.count);
	bool *is_chosen = ARENA_NEW(page->arena, bool, passages.count);
	const bool *is_kept;
	uint32_t count = 0;

	for (uint32_t i = 0; i < passages.count; i++) {
		scores[i] = 0.4F + 0.2F * (float)(i % 2);
		is_chosen[i] = i % 2 == 1;
	}
	is_kept = structure_choose(
		page->arena,
		&(struct structure_input){
			.passages = &passages,
			.scores = scores,
			.is_chosen = is_chosen,
			.is_showable = showable_texts(page->arena, page),
			.threshold = 0.5,
		});
	for (uint32_t i = 0; i < passages.count; i++)
		count += is_kept[i];
	return count;
}

/* The limits of a page end these long before a million elements. */
static const struct {
	const char *begin;
	const char *piece;
	uint32_t count;
} large[] = {
	{"<table>", "<tr><td>a<td>b", 300000},
	{"", "<table><tr><td>a<td>b<tr><td>", 512},
	{"", "<table><tr><td>", 512},
	{"", "<details><summary>a</summary><p>b</details>", 200000},
	{"", "<details><summary>a</summary><p>b", 512},
	{"", "<p id=x>a<a href='#x'>1</a>", 200000},
	{"<p><a href='#x'>1</a>", "<div id=x>a", 512},
	{"", "<h2>a</h2>", 200000},
	{"", "<blockquote><ul><li>a", 512},
};

TEST_ROWS(a_large_page_takes_linear_time, large)
{
	struct buffer html = {0};

	buffer_append_text(&html, large[_i].begin);
	for (uint32_t i = 0; i < large[_i].count; i++)
		buffer_append_text(&html, large[_i].piece);
	buffer_append_byte(&html, '\0');
	kept_of_half(html.data);
	buffer_free(&html);
}

TEST(random_pages_have_a_choice)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		char *html = random_html(seed);

		kept_of_half(html);
		free(html);
	}
}
