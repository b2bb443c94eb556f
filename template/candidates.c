#include "template/candidates.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "page/page.h"
#include "template/candidate_place.h"
#include "template/candidate_selector.h"
#include "template/candidate_text.h"

enum {
	MAX_ELEMENTS = 8, /* elements to return */
	PER_ELEMENT = 2,  /* selectors per element */
	MAX_VISITS = 20000000,
};

/*
 * The weight of the text similarity; the rest is the weight of the position.
 * Any weight from 0.4 to 0.85 gives the same results in
 * tests/eval/candidates.py.
 */
static const double text_weight = 0.7;

struct scored {
	uint32_t node;
	double text; /* similarity */
	double score;
};

struct replacement_search {
	struct arena *arena;
	const struct page *page;
	const struct lost_element *lost;
	struct element_position place;
	struct wanted_text wanted;
};

/*
 * Return the text of a node to compare with the lost value; for an attribute,
 * the attribute of the same name.
 */
static size_t replacement_node_value(const struct replacement_search *finding,
				     uint32_t node,
				     char out[ELEMENT_VALUE_BYTES + 1])
{
	struct slice name = finding->place.attribute;
	const struct node *owner = &finding->page->nodes[node];
	const struct attribute *attributes =
		finding->page->attributes + owner->first_attribute;

	assert(node < finding->page->node_count);
	if (name.size == 0)
		return element_value(finding->page, node, out);
	for (uint32_t i = 0; i < owner->attribute_count; i++)
		if (slice_equal(attributes[i].name, name))
			return element_cut(attributes[i].value, out);
	out[0] = '\0';
	return 0;
}

static int replacement_by_score(const void *left, const void *right)
{
	const struct scored *a = left;
	const struct scored *b = right;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/*
 * Return whether a node is a candidate: without a similar text it must have the
 * same tag.
 */
static bool is_considered(const struct replacement_search *finding,
			  uint32_t node, double text)
{
	const struct element_position *place = &finding->place;

	return text >= 0.2 ||
	       (place->count > 0 &&
		page_tag_hash(finding->page, finding->page->nodes[node].tag) ==
			place->steps[place->count - 1].tag);
}

static double replacement_node_score(const struct replacement_search *finding,
				     uint32_t node, double text)
{
	struct element_position place;
	double similarity;

	assert(text >= 0 && text <= 1);
	element_position_of(&place, finding->page, node);
	similarity = element_position_similarity(&finding->place, &place);
	if (finding->wanted.text.size == 0)
		return similarity;
	if (finding->place.count == 0)
		return text;
	return text_weight * text + (1 - text_weight) * similarity;
}

/* Find the most similar elements [MAX_ELEMENTS], best first. */
static uint32_t
replacement_find_elements(const struct replacement_search *finding,
			  struct scored *elements)
{
	const struct page *page = finding->page;
	struct scored *all =
		ARENA_NEW(finding->arena, struct scored, page->node_count);
	uint32_t count = 0;

	for (uint32_t i = 0; i < page->node_count &&
			     !search_is_stopped(finding->lost->is_stopped);
	     i++) {
		char value[ELEMENT_VALUE_BYTES + 1];
		size_t size = replacement_node_value(finding, i, value);
		double text = wanted_text_agreement(
			&finding->wanted, (struct slice){value, size});

		if (is_considered(finding, i, text))
			all[count++] = (struct scored){
				i, text,
				replacement_node_score(finding, i, text)};
	}
	if (count > 1)
		qsort(all, count, sizeof(*all), replacement_by_score);
	if (count > MAX_ELEMENTS)
		count = MAX_ELEMENTS;
	if (count > 0)
		memcpy(elements, all, count * sizeof(*all));
	assert(count <= MAX_ELEMENTS);
	return count;
}

static int best_candidate_first(const void *left, const void *right)
{
	const struct replacement *a = left;
	const struct replacement *b = right;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return strcmp(a->selector, b->selector);
}

static uint32_t add_selectors(const struct replacement_search *finding,
			      const struct scored *element,
			      struct selector_budget *budget,
			      struct replacement *candidates)
{
	const struct element_query query = {
		.page = finding->page,
		.node = element->node,
		.minimum = finding->lost->minimum,
		.maximum = finding->lost->maximum,
	};
	struct element_selector selectors[MAX_ELEMENT_SELECTORS];
	uint32_t count =
		element_selectors(finding->arena, &query, budget, selectors);

	if (count > PER_ELEMENT)
		count = PER_ELEMENT;
	for (uint32_t i = 0; i < count; i++) {
		candidates[i].selector = selectors[i].text;
		candidates[i].score =
			element->score * (0.9 + 0.1 * selectors[i].trust);
		candidates[i].node = element->node;
		replacement_node_value(finding, element->node,
				       candidates[i].value);
	}
	assert(count <= PER_ELEMENT);
	return count;
}

uint32_t replacements_find(struct arena *arena, const struct page *page,
			   const struct lost_element *lost,
			   const struct replacement **candidates_out)
{
	struct replacement_search finding = {
		.arena = arena, .page = page, .lost = lost};
	struct selector_budget budget = {MAX_VISITS, lost->is_stopped};
	struct replacement *candidates =
		ARENA_NEW(arena, struct replacement, MAX_CANDIDATES);
	struct scored elements[MAX_ELEMENTS];
	uint32_t element_count;
	uint32_t count = 0;

	*candidates_out = candidates;
	if (lost->maximum == 0)
		return 0;
	element_position_read(&finding.place, lost->path);
	wanted_text_read(&finding.wanted, lost->value);
	element_count = replacement_find_elements(&finding, elements);
	for (uint32_t i = 0; i < element_count; i++)
		count += add_selectors(&finding, &elements[i], &budget,
				       &candidates[count]);
	if (count > 1)
		qsort(candidates, count, sizeof(*candidates),
		      best_candidate_first);
	assert(count <= MAX_CANDIDATES);
	return count;
}
