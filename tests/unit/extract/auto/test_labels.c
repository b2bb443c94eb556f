#include "extract/auto/labels.h"

#include <math.h>

#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

enum { MAX_PASSAGES = 8, OTHERS = 10 };

/* Each passage has this score by the page alone: log odds 0. */
static const float alone = 0.5F;

static const float low = 0.1F;
static const float high = 0.9F;

/*
 * Limit `scores` of the passages of `html`; pages[i] of OTHERS other pages
 * contain passage i.
 */
static void limit(const char *html, const unsigned *pages, float *scores)
{
	AUTO_PAGE *page = parse(html);
	const struct passages passages = passages_make(page->arena, page);
	struct passage_evidence evidence[MAX_PASSAGES] = {0};

	ck_assert_uint_le(passages.count, MAX_PASSAGES);
	for (uint32_t i = 0; i < passages.count; i++) {
		evidence[i].values[TEMPLATE_others] = log1pf(OTHERS);
		evidence[i].values[TEMPLATE_frequency] =
			(float)pages[i] / OTHERS;
	}
	evidence_limit(page->arena, &passages, evidence, scores);
}

TEST(a_text_that_few_pages_contain_loses_nothing)
{
	static const char html[] = "<p>one two three four five";
	float few = low;
	float many = low;

	limit(html, (unsigned[]){3}, &few);
	limit(html, (unsigned[]){4}, &many);
	ck_assert_float_eq(few, alone);
	ck_assert_float_eq(many, low);
}

TEST(a_text_that_many_pages_contain_gains_nothing)
{
	static const char html[] = "<p>one two three four five";
	float few = high;
	float many = high;

	limit(html, (unsigned[]){3}, &few);
	limit(html, (unsigned[]){4}, &many);
	ck_assert_float_eq(few, high);
	ck_assert_float_eq(many, alone);
}

/* "Posted on May 2" is no content because each page has another date. */
TEST(a_line_with_the_date_gains_nothing)
{
	AUTO_PAGE *page = parse("<p>Posted on May 2");
	const struct passages passages = passages_make(page->arena, page);
	struct passage_evidence evidence = {0};
	float gains = high;
	float loses = low;

	evidence.values[TEMPLATE_others] = log1pf(OTHERS);
	evidence.values[TEMPLATE_slot_dates] = 1;
	evidence_limit(page->arena, &passages, &evidence, &gains);
	evidence_limit(page->arena, &passages, &evidence, &loses);
	ck_assert_float_eq(gains, alone);
	ck_assert_float_eq(loses, alone);
}

/* One of two other pages may be a copy of this page. */
TEST(one_page_is_not_many)
{
	AUTO_PAGE *page = parse("<p>one two three four five");
	const struct passages passages = passages_make(page->arena, page);
	struct passage_evidence evidence = {0};
	float score = low;

	evidence.values[TEMPLATE_others] = log1pf(2);
	evidence.values[TEMPLATE_frequency] = 0.5F;
	evidence_limit(page->arena, &passages, &evidence, &score);
	ck_assert_float_eq(score, alone);
}

static const struct {
	const char *html; /* the first passage is the label, on all pages */
	float after;      /* score of the second passage */
	float label;
} rows[] = {
	/* a cell, a term, an item and a caption stay with the rest */
	{"<table><tr><th>Price<td>as much as you like to pay</table>", 0.9F,
	 0.5F},
	{"<dl><dt>Price<dd>as much as you like to pay</dl>", 0.9F, 0.5F},
	{"<ul><li>Price:<li>as much as you like to pay</ul>", 0.9F, 0.5F},
	{"<table><caption>What all of these cost today</caption>"
	 "<tr><td>as much as you like to pay</table>",
	 0.9F, 0.5F},
	/* not more than they have by the page alone, nor than the rest has */
	{"<table><tr><th>Price<td>as much as you like to pay</table>", 0.5F,
	 0.5F},
	/* a heading stays with the next passage, a caption with its figure */
	{"<h2>What many people say about it</h2><p>as much as you like", 0.9F,
	 0.5F},
	{"<figure><img><figcaption>The photo was taken by our staff"
	 "</figcaption></figure><p>as much as you like",
	 0.9F, 0.5F},
	/* a table that lays out the page labels nothing; nor does a div */
	{"<table><tr><td>Price<table><tr><td>a</table>"
	 "<td>as much as you like to pay</table>",
	 0.9F, 0.1F},
	{"<div>Price</div><div>as much as you like to pay</div>", 0.9F, 0.1F},
};

TEST_ROWS(a_label_stays_with_what_it_labels, rows)
{
	float scores[MAX_PASSAGES] = {low, rows[_i].after, high};

	/* of the table in the table, the second passage is "a" */
	limit(rows[_i].html, (unsigned[]){OTHERS, 0, 0}, scores);
	ck_assert_float_eq(scores[0], rows[_i].label);
}

/* Nothing in this list is only here: it is a menu. */
TEST(labels_do_not_keep_each_other)
{
	float scores[] = {low, low};

	limit("<ul><li>Home<li>News</ul>", (unsigned[]){OTHERS, OTHERS},
	      scores);
	ck_assert_float_eq(scores[0], low);
	ck_assert_float_eq(scores[1], low);
}

TEST(a_heading_stays_with_a_label_that_stays)
{
	float scores[] = {low, low, high};

	limit("<h2>Prices</h2><table><tr><th>Price<td>twelve and a half euros "
	      "today</table>",
	      (unsigned[]){OTHERS, OTHERS, 0}, scores);
	ck_assert_float_eq(scores[0], alone);
	ck_assert_float_eq(scores[1], alone);
}

TEST(a_page_without_passages_has_no_scores)
{
	limit("<img>", (unsigned[]){0}, (float[]){0});
}
