#include "extract/auto/features.h"

#include <assert.h>

#include "base/arena.h"
#include "extract/core/numeric.h"
#include "extract/text/block.h"
#include "extract/text/class_words.h"
#include "extract/text/fragment.h"
#include "extract/text/passage.h"
#include "page/page.h"

static const struct {
	const char *name;
	const char *definition;
} table[] = {
#define X(name, definition) {#name, definition},
	PAGE_FEATURES(X)
#undef X
};

/*
 * The number of the first feature of each table, in the order of PAGE_FEATURES.
 */
enum {
	DOM_PATH_BEGIN = SHAPE_COUNT,
	SEQUENCE_BEGIN = DOM_PATH_BEGIN + DOM_PATH_COUNT,
	PAGE_CONTEXT_BEGIN = SEQUENCE_BEGIN + SEQUENCE_COUNT,
};

_Static_assert(PAGE_CONTEXT_BEGIN + PAGE_CONTEXT_COUNT == FEATURE_COUNT,
	       "the families must be in the order of PAGE_FEATURES");

struct features {
	const struct passages *passages;
	struct dom_path *dom_path;
	const struct passage_sequence *sequence;
	const struct page_context *page_context;
	uint32_t next;
};

const char *feature_name(size_t feature)
{
	assert(feature < FEATURE_COUNT);
	return table[feature].name;
}

const char *feature_definition(size_t feature)
{
	assert(feature < FEATURE_COUNT);
	return table[feature].definition;
}

struct features *features_make(struct arena *arena,
			       const struct passages *passages,
			       const struct page_hints *claims,
			       const bool *wanted)
{
	struct features *features = ARENA_NEW(arena, struct features, 1);
	struct dom_path *dom_path = dom_path_make(arena, passages);

	*features = (struct features){
		.passages = passages,
		.dom_path = dom_path,
		.sequence = sequence_make(
			arena, passages, dom_path_repetition(dom_path),
			wanted == NULL ? NULL : wanted + SEQUENCE_BEGIN),
		.page_context = page_context_make(arena, passages, claims),
	};
	return features;
}

void features_next(struct features *features, float *row)
{
	uint32_t index = features->next++;

	assert(index < features->passages->count);
	shape_row(&features->passages->items[index], row);
	dom_path_next(features->dom_path, row + DOM_PATH_BEGIN);
	sequence_row(features->sequence, index, row + SEQUENCE_BEGIN);
	page_context_row(features->page_context, index,
			 row + PAGE_CONTEXT_BEGIN);
}

const struct page_context *
features_page_context(const struct features *features)
{
	return features->page_context;
}

const struct repetition *features_repetition(const struct features *features)
{
	return dom_path_repetition(features->dom_path);
}

enum {
	MIN_CHARACTERS = 25,
	LEVELS = 5,
	CLASS_WEIGHT = 25,
	POSITIVE = 1 << GROUP_CONTENT | 1 << GROUP_ARTICLE_BODY,
	NEGATIVE = 1 << GROUP_FOOTER | 1 << GROUP_SIDEBAR | 1 << GROUP_COMMENT |
		   1 << GROUP_SOCIAL | 1 << GROUP_POPUP |
		   1 << GROUP_ADVERTISEMENT | 1 << GROUP_RELATED |
		   1 << GROUP_NAVIGATION,
};

/*
 * The ratio of a passage's score that is added to the parent of the passage's
 * element, to the grandparent, and so on.
 */
static const float ratios[LEVELS] = {1, 1 / 2.0F, 1 / 6.0F, 1 / 9.0F,
				     1 / 12.0F};

/*
 * Add the score of each passage to the elements around it, but not to the root
 * element, because the root contains everything.
 */
static void add_scores(const struct passages *passages, float *scores)
{
	const struct node *nodes = passages->page->nodes;

	for (uint32_t i = 0; i < passages->count; i++) {
		const struct passage *passage = &passages->items[i];
		uint32_t node = passage->node;
		float hundreds = (float)passage->characters / 100;
		float score = 1 + (float)passage->clauses +
			      (hundreds < 3 ? hundreds : 3);

		if (passage->place != PLACE_PLAIN || node == NO_NODE ||
		    passage->characters < MIN_CHARACTERS)
			continue;
		node = nodes[node].parent;
		for (int level = 0; level < LEVELS && node != NO_NODE &&
				    nodes[node].parent != NO_NODE;
		     level++) {
			scores[node] += score * ratios[level];
			node = nodes[node].parent;
		}
	}
}

struct readability readability_make(struct arena *arena,
				    const struct passages *passages,
				    const uint32_t *groups)
{
	uint32_t count = passages->page->node_count;
	float *scores = ARENA_NEW(arena, float, count);
	struct readability result = {.scores = scores, .top = NO_NODE};

	add_scores(passages, scores);
	for (uint32_t i = 0; i < count; i++) {
		if (scores[i] <= 0)
			continue;
		if ((groups[i] & POSITIVE) != 0)
			scores[i] += CLASS_WEIGHT;
		if ((groups[i] & NEGATIVE) != 0)
			scores[i] -= CLASS_WEIGHT;
		scores[i] *= 1 - subtree_link_ratio(passages, i);
		if (scores[i] > result.top_score) {
			result.top_score = scores[i];
			result.top = i;
		}
	}
	return result;
}

struct sibling_count {
	uint64_t key;
	uint32_t count;
};

/*
 * Return for each element the number of siblings of its kind, including the
 * element. Siblings are of one kind if their paths are equal. The array first
 * has the number of each element's kind, and then the size of that kind.
 */
static const uint32_t *count_siblings(struct arena *arena,
				      const struct page *page,
				      const uint64_t *paths)
{
	uint32_t *siblings = ARENA_NEW(arena, uint32_t, page->node_count);
	struct arena *scratch = arena_create();
	struct hash_table kinds =
		hash_table_make(scratch, sizeof(struct sibling_count));

	hash_table_reserve(&kinds, page->node_count);
	for (uint32_t i = 0; i < page->node_count; i++) {
		/*
		 * paths[i] is a hash already, so combining it with the parent's
		 * number by XOR is enough
		 */
		const uint64_t key = (paths[i] ^ page->nodes[i].parent) *
				     UINT64_C(0x9E3779B97F4A7C15);
		struct sibling_count *kind;

		siblings[i] = hash_table_number(&kinds, key ^ key >> 32);
		if (siblings[i] == NO_ENTRY)
			continue;
		kind = hash_table_entry(&kinds, siblings[i]);
		kind->count++;
	}
	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct sibling_count *kind =
			siblings[i] == NO_ENTRY
				? NULL
				: hash_table_entry(&kinds, siblings[i]);

		siblings[i] = kind == NULL ? 1 : kind->count;
	}
	arena_destroy(scratch);
	return siblings;
}

static uint64_t repetition_path(const struct repetition *repetition,
				uint32_t node)
{
	return node == NO_NODE ? 0 : repetition->paths[node];
}

static void count_paths(struct repetition *repetition,
			const struct passages *passages)
{
	for (uint32_t i = 0; i < passages->count; i++) {
		const struct passage *passage = &passages->items[i];
		struct path_group *group;

		if (passage->place != PLACE_PLAIN)
			continue;
		group = hash_table_add(
			&repetition->groups,
			repetition_path(repetition, passage->node));
		group->passages++;
		group->words += passage->words;
		group->link_words += passage->link_words;
		group->sentence_ends += passage->ends_sentence;
	}
}

struct repetition repetition_make(struct arena *arena,
				  const struct passages *passages)
{
	struct repetition repetition = {
		.paths = node_paths(arena, passages->page, true),
		.groups = hash_table_make(arena, sizeof(struct path_group)),
	};

	repetition.siblings =
		count_siblings(arena, passages->page, repetition.paths);
	count_paths(&repetition, passages);
	return repetition;
}

struct path_group repetition_group(const struct repetition *repetition,
				   uint32_t node)
{
	const struct path_group *group = hash_table_find(
		&repetition->groups, repetition_path(repetition, node));

	return group == NULL ? (struct path_group){0} : *group;
}

enum { MAX_TAGS = 200, MAX_COPIES = 20 };

void shape_row(const struct passage *passage, float *row)
{
	float words = (float)passage->words;
	float sentences = passage->sentences;

	row[SHAPE_link_ratio] = passage_link_ratio(passage);
	row[SHAPE_links] = passage->links;
	row[SHAPE_place] = passage->place;
	row[SHAPE_hiding] = passage->hiding;
	row[SHAPE_tags_before] = limited(passage->tags, MAX_TAGS);
	row[SHAPE_markup_before] = ln1((float)passage->markup);
	row[SHAPE_inlines] = passage->inlines;
	row[SHAPE_bolds] = passage->bolds;
	row[SHAPE_images] = passage->images;
	row[SHAPE_codes] = passage->codes;
	row[SHAPE_breaks] = passage->breaks;
	row[SHAPE_words] = ln1((float)passage->words);
	row[SHAPE_characters] = ln1((float)passage->characters);
	row[SHAPE_clauses] = passage->clauses;
	row[SHAPE_sentences] = sentences;
	row[SHAPE_words_per_clause] =
		words / ((float)passage->clauses + sentences + 1);
	row[SHAPE_words_per_sentence] = words / (sentences + 1);
	row[SHAPE_ends_sentence] = passage->ends_sentence;
	row[SHAPE_ends_colon] = passage->ends_colon;
	row[SHAPE_ends_question] = passage->ends_question;
	row[SHAPE_digit_ratio] = ratio(passage->digits, passage->characters);
	row[SHAPE_mark_ratio] =
		ratio(passage->punctuation, passage->characters);
	row[SHAPE_has_price] = passage->has_price;
	row[SHAPE_has_date] = passage->has_date;
	row[SHAPE_has_rights] = passage->has_rights;
	row[SHAPE_copies] = limited(passage->repeats, MAX_COPIES);
	row[SHAPE_is_copy] = passage->is_repeat;
}
