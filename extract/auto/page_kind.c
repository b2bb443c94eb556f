#include "extract/auto/page_kind.h"

#include <math.h>

#include "extract/core/ln1.h"
#include "extract/core/ratio.h"
#include "extract/text/passage.h"
#include "page/page.h"

/*
 * Return the feature that counts elements of this tag; PAGE_KIND_COUNT if there
 * is none.
 */
static unsigned feature_of(uint16_t tag)
{
	switch (tag) {
	case TAG_p:
		return PAGE_KIND_page_paragraphs;
	case TAG_li:
		return PAGE_KIND_page_items;
	case TAG_h2:
	case TAG_h3:
		return PAGE_KIND_page_headings;
	case TAG_article:
		return PAGE_KIND_page_articles;
	case TAG_form:
	case TAG_input:
		return PAGE_KIND_page_fields;
	case TAG_tr:
		return PAGE_KIND_page_rows;
	case TAG_pre:
	case TAG_code:
		return PAGE_KIND_page_codes;
	case TAG_time:
		return PAGE_KIND_page_times;
	default:
		return PAGE_KIND_COUNT;
	}
}

static void write_tag_counts(const struct page *page, float *row)
{
	uint32_t counts[PAGE_KIND_COUNT + 1] = {0};

	for (uint32_t i = 0; i < page->node_count; i++)
		counts[feature_of(page->nodes[i].tag)]++;
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
