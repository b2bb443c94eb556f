#include "extract/text/subtree.h"

#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "extract/core/ln1.h"
#include "extract/core/ratio.h"
#include "page/page.h"

/* Return true if elements of the tag count; CETD first removes the others. */
static bool is_element(uint16_t tag)
{
	switch (tag) {
	case TAG_base:
	case TAG_br:
	case TAG_canvas:
	case TAG_head:
	case TAG_iframe:
	case TAG_link:
	case TAG_meta:
	case TAG_object:
	case TAG_script:
	case TAG_style:
	case TAG_title:
		return false;
	default:
		return true;
	}
}

struct subtrees subtrees_make(struct arena *arena,
			      const struct passages *passages)
{
	const struct page *page = passages->page;
	uint32_t *before =
		ARENA_NEW(arena, uint32_t, (size_t)page->node_count + 1);

	for (uint32_t i = 0; i < page->node_count; i++)
		before[i + 1] = before[i] + is_element(page->nodes[i].tag);
	return (struct subtrees){passages, before};
}

static uint32_t elements_of(const struct subtrees *subtrees, uint32_t node)
{
	const struct page *page = subtrees->passages->page;
	uint32_t begin = node == NO_NODE ? 0 : node;
	uint32_t end =
		node == NO_NODE ? page->node_count : page->nodes[node].end;
	uint32_t count = subtrees->elements_before[end] -
			 subtrees->elements_before[begin];

	assert(node == NO_NODE || node < page->node_count);
	assert(begin <= end && end <= page->node_count);
	return count == 0 ? 1 : count;
}

struct subtree subtree_of(const struct subtrees *subtrees, uint32_t node)
{
	const struct passages *passages = subtrees->passages;
	const struct passage_sums sums =
		passages_sum(passages, passages_inside(passages, node));
	const struct passage_sums page = passages->sums[passages->count];
	const float link_ratio = ratio(sums.link_characters, sums.characters);
	const float characters = (float)sums.characters;
	const float density = characters / (float)elements_of(subtrees, node);

	return (struct subtree){
		.words = ln1((float)sums.words),
		.passages = ln1((float)sums.passages),
		.link_ratio = link_ratio,
		.page_ratio = ratio(sums.words, page.words),
		.long_ratio = ratio(sums.long_words, sums.words),
		.sentence_ends = ratio(sums.ends, sums.passages),
		.prices = ratio(sums.prices, sums.passages),
		.dates = ratio(sums.dates, sums.passages),
		.density = density,
		.composite_density = density *
				     ln1(characters * (1 - link_ratio)) /
				     logf(2 + characters * link_ratio),
	};
}

float subtree_link_ratio(const struct passages *passages, uint32_t node)
{
	const struct passage_sums sums =
		passages_sum(passages, passages_inside(passages, node));

	return ratio(sums.link_characters, sums.characters);
}
