#include "extract/auto/page_context.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "extract/auto/auto_score.h"
#include "extract/core/numeric.h"
#include "extract/text/passage.h"
#include "page/page.h"

/* The tags whose elements are counted, and the features with the counts. */
static const struct {
	uint16_t tag;
	uint16_t feature;
} counted_tags[] = {
	{TAG_p, PAGE_KIND_page_paragraphs},
	{TAG_li, PAGE_KIND_page_items},
	{TAG_h2, PAGE_KIND_page_headings},
	{TAG_h3, PAGE_KIND_page_headings},
	{TAG_article, PAGE_KIND_page_articles},
	{TAG_form, PAGE_KIND_page_fields},
	{TAG_input, PAGE_KIND_page_fields},
	{TAG_tr, PAGE_KIND_page_rows},
	{TAG_pre, PAGE_KIND_page_codes},
	{TAG_code, PAGE_KIND_page_codes},
	{TAG_time, PAGE_KIND_page_times},
};

static void write_tag_counts(const struct page *page, float *row)
{
	uint32_t of_tag[TAG_COUNT] = {0};
	uint32_t counts[PAGE_KIND_COUNT] = {0};

	for (uint32_t i = 0; i < page->node_count; i++)
		if (page->nodes[i].tag < TAG_COUNT)
			of_tag[page->nodes[i].tag]++;
	for (size_t i = 0; i < sizeof(counted_tags) / sizeof(counted_tags[0]);
	     i++)
		counts[counted_tags[i].feature] += of_tag[counted_tags[i].tag];
	for (unsigned i = PAGE_KIND_page_paragraphs; i <= PAGE_KIND_page_times;
	     i++)
		row[i] = ln1((float)counts[i]);
	row[PAGE_KIND_page_elements] = ln1((float)page->node_count);
}

static float largest_ratio(const struct passages *passages, uint16_t tag)
{
	const struct page *page = passages->page;
	uint32_t words = passages->sums[passages->count].words;
	float largest = -1;

	for (uint32_t i = 0; i < page->node_count; i++) {
		struct passage_range inside;

		if (page->nodes[i].tag != tag)
			continue;
		inside = passages_inside(passages, i);
		largest = fmaxf(
			largest,
			ratio(passages_sum(passages, inside).words, words));
	}
	return largest;
}

void page_kind_row(const struct passages *passages, float *row)
{
	const struct passage_sums *sums = &passages->sums[passages->count];

	write_tag_counts(passages->page, row);
	row[PAGE_KIND_page_words] = ln1((float)sums->words);
	row[PAGE_KIND_page_passages] = ln1((float)passages->count);
	row[PAGE_KIND_page_link_ratio] =
		ratio(sums->link_characters, sums->characters);
	row[PAGE_KIND_page_long_ratio] = ratio(sums->long_words, sums->words);
	row[PAGE_KIND_page_prices] = ratio(sums->prices, sums->passages);
	row[PAGE_KIND_page_dates] = ratio(sums->dates, sums->passages);
	row[PAGE_KIND_page_ends] = ratio(sums->ends, sums->passages);
	row[PAGE_KIND_page_linked_headings] =
		sums->headings == 0
			? -1
			: ratio(sums->linked_headings, sums->headings);
	row[PAGE_KIND_page_main_ratio] = largest_ratio(passages, TAG_main);
	row[PAGE_KIND_page_article_ratio] =
		largest_ratio(passages, TAG_article);
}

enum {
	MAX_DISTANCE = 99,
	MAX_STEPS = 30,
	HEADING_STEPS = 3,
	MAX_TITLE_WORDS = 39,
	NO_DISTANCE = -9,
	NO_WORDS = -20,
};

_Static_assert(PAGE_CONTEXT_page_words + PAGE_KIND_COUNT == PAGE_CONTEXT_COUNT,
	       "the features of the page are the last ones");

/*
 * A passage whose similarity to the title element is below this value is not
 * the page's title.
 */
#define MIN_LIKENESS 0.4F

/*
 * The similarity of a passage to the hints, and the heading above the passage.
 */
struct heading_note {
	struct hint_overlap overlap;
	uint32_t heading; /* the last heading at or before the passage, or
			     NO_PASSAGE */
};

struct page_context {
	const struct passages *passages;
	struct heading_note *notes; /* [count] */
	uint32_t
		title; /* the passage that is the page's title, or NO_PASSAGE */
	/* The elements around the title, the innermost first. */
	uint32_t *chain;
	uint32_t chain_count;
	enum claimed_kind kind;
	float page[PAGE_KIND_COUNT];
};

/* If the passage is a heading, return its level, 1..6; otherwise return 0. */
static unsigned heading_level_of(const struct passages *passages,
				 uint32_t index)
{
	const struct page *page = passages->page;
	uint32_t node = passages->items[index].node;

	for (unsigned i = 0; i <= HEADING_STEPS && node != NO_NODE; i++) {
		uint16_t tag = page->nodes[node].tag;

		if ((tag_flags(tag) & TAG_IS_HEADING) != 0)
			return tag - (unsigned)TAG_h1 + 1;
		node = page->nodes[node].parent;
	}
	return 0;
}

static bool is_plain_passage(const struct passages *passages, uint32_t index)
{
	return passages->items[index].place == PLACE_PLAIN;
}

static void find_headings(struct page_context *page_context)
{
	uint32_t heading = NO_PASSAGE;

	for (uint32_t i = 0; i < page_context->passages->count; i++) {
		if (is_plain_passage(page_context->passages, i) &&
		    heading_level_of(page_context->passages, i) > 0)
			heading = i;
		page_context->notes[i].heading = heading;
	}
}

/*
 * Return the passage in an h1 that contains the highest ratio of the words of
 * the title element; the first of several, or NO_PASSAGE without an h1.
 */
static uint32_t best_first_heading(const struct page_context *page_context)
{
	uint32_t best = NO_PASSAGE;

	for (uint32_t i = 0; i < page_context->passages->count; i++) {
		if (page_context->notes[i].heading != i ||
		    heading_level_of(page_context->passages, i) != 1)
			continue;
		if (best == NO_PASSAGE ||
		    page_context->notes[i].overlap.title_covered >
			    page_context->notes[best].overlap.title_covered)
			best = i;
	}
	return best;
}

/*
 * Return the passage of at most MAX_TITLE_WORDS that is most similar to the
 * title element, or NO_PASSAGE if no passage is similar enough.
 */
static uint32_t most_alike(const struct page_context *page_context)
{
	uint32_t best = NO_PASSAGE;
	float likeness = MIN_LIKENESS;

	for (uint32_t i = 0; i < page_context->passages->count; i++) {
		const struct hint_overlap *overlap =
			&page_context->notes[i].overlap;
		float product = overlap->title_covered * overlap->title;

		if (!is_plain_passage(page_context->passages, i) ||
		    page_context->passages->items[i].words > MAX_TITLE_WORDS ||
		    product <= likeness)
			continue;
		likeness = product;
		best = i;
	}
	return best;
}

static void find_title(struct page_context *page_context, struct arena *arena)
{
	const struct page *page = page_context->passages->page;
	uint32_t node;

	page_context->title = best_first_heading(page_context);
	if (page_context->title == NO_PASSAGE)
		page_context->title = most_alike(page_context);
	if (page_context->title == NO_PASSAGE)
		return;
	node = page_context->passages->items[page_context->title].node;
	if (node == NO_NODE)
		return;
	page_context->chain =
		ARENA_NEW(arena, uint32_t, page->nodes[node].depth + 1U);
	for (; node != NO_NODE; node = page->nodes[node].parent)
		page_context->chain[page_context->chain_count++] = node;
}

struct page_context *page_context_make(struct arena *arena,
				       const struct passages *passages,
				       const struct page_hints *claims)
{
	struct page_context *page_context =
		ARENA_NEW(arena, struct page_context, 1);
	struct markup_hints *words = markup_hints_make(arena, claims);

	page_context->passages = passages;
	page_context->kind = claims->kind;
	page_context->notes =
		ARENA_NEW(arena, struct heading_note, passages->count);
	for (uint32_t i = 0; i < passages->count; i++)
		page_context->notes[i].overlap =
			markup_hints_compare(words, passages, i);
	find_headings(page_context);
	find_title(page_context, arena);
	page_kind_row(passages, page_context->page);
	return page_context;
}

/*
 * Return the number of words of PLACE_PLAIN after the end of passage `first` up
 * to the end of passage `last`.
 */
static uint32_t words_between(const struct passages *passages, uint32_t first,
			      uint32_t last)
{
	return passages->sums[last + 1].words - passages->sums[first + 1].words;
}

static void write_heading_features(const struct page_context *page_context,
				   uint32_t index, float *row)
{
	const struct passages *passages = page_context->passages;
	uint32_t heading = page_context->notes[index].heading;

	if (heading == NO_PASSAGE) {
		row[PAGE_CONTEXT_heading_distance] = MAX_DISTANCE;
		row[PAGE_CONTEXT_heading_level] = 0;
		row[PAGE_CONTEXT_heading_words] = -1;
		return;
	}
	row[PAGE_CONTEXT_heading_distance] =
		fminf((float)(index - heading), MAX_DISTANCE);
	row[PAGE_CONTEXT_heading_level] =
		(float)heading_level_of(passages, heading);
	row[PAGE_CONTEXT_heading_words] =
		ln1((float)words_between(passages, heading, index));
}

/*
 * Return the index in the title's chain of the first element that is also
 * around `node`, or chain_count if no element is. Every element of the chain
 * contains the elements before it in the chain.
 */
static uint32_t title_chain_meet(const struct page_context *page_context,
				 uint32_t node)
{
	const struct node *nodes = page_context->passages->page->nodes;
	const uint32_t *chain = page_context->chain;
	size_t at;

	if (node == NO_NODE)
		return page_context->chain_count;
	LOWER_BOUND(at, page_context->chain_count,
		    chain[at] > node || node >= nodes[chain[at]].end);
	return (uint32_t)at;
}

static void write_steps(const struct page_context *page_context, uint32_t index,
			float *row)
{
	const struct node *nodes = page_context->passages->page->nodes;
	uint32_t node = page_context->passages->items[index].node;
	uint32_t steps = title_chain_meet(page_context, node);
	uint32_t back = MAX_STEPS;

	if (steps < page_context->chain_count)
		back = (uint32_t)(nodes[node].depth -
				  nodes[page_context->chain[steps]].depth);
	else
		steps = MAX_STEPS;
	row[PAGE_CONTEXT_title_steps] = fminf((float)steps, MAX_STEPS);
	row[PAGE_CONTEXT_steps_to_title] = fminf((float)back, MAX_STEPS);
}

static void write_title_features(const struct page_context *page_context,
				 uint32_t index, float *row)
{
	uint32_t title = page_context->title;
	bool is_behind = index >= title;
	uint32_t first = is_behind ? title : index;
	uint32_t last = is_behind ? index : title;
	float sign = is_behind ? 1 : -1;

	write_steps(page_context, index, row);
	if (title == NO_PASSAGE) {
		row[PAGE_CONTEXT_title_distance] = NO_DISTANCE;
		row[PAGE_CONTEXT_title_words] = NO_WORDS;
		return;
	}
	row[PAGE_CONTEXT_title_distance] = sign * ln1((float)(last - first));
	row[PAGE_CONTEXT_title_words] =
		sign *
		ln1((float)words_between(page_context->passages, first, last));
}

void page_context_row(const struct page_context *page_context, uint32_t index,
		      float *row)
{
	const struct hint_overlap *overlap =
		&page_context->notes[index].overlap;

	write_heading_features(page_context, index, row);
	write_title_features(page_context, index, row);
	row[PAGE_CONTEXT_title_ratio] = overlap->title;
	row[PAGE_CONTEXT_title_covered] = overlap->title_covered;
	row[PAGE_CONTEXT_description_ratio] = overlap->description;
	row[PAGE_CONTEXT_body_ratio] = overlap->body;
	row[PAGE_CONTEXT_claimed_kind] = (float)page_context->kind;
	memcpy(&row[PAGE_CONTEXT_page_words], page_context->page,
	       sizeof(page_context->page));
}

uint32_t page_context_heading(const struct page_context *page_context,
			      uint32_t index)
{
	return page_context->notes[index].heading;
}
