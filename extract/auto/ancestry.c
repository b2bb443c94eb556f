#include "extract/auto/ancestry.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "extract/auto/ancestry_distance.h"
#include "extract/text/class_group.h"
#include "extract/core/ln1.h"
#include "extract/auto/readability.h"
#include "extract/auto/repetition.h"
#include "extract/core/share.h"
#include "extract/text/subtree.h"
#include "extract/text/tag_kind.h"
#include "page/page.h"
#include "store/arena.h"

enum {
	NEAREST = 6,     /* elements of composite_density */
	MIN_REPEATS = 3, /* of an item */
	MAX_REPEATS = 50,
	MAX_ITEM_REPEATS = 100,
};

_Static_assert(ANCESTRY_class_groups - ANCESTRY_to_article == DISTANCE_COUNT,
	       "enum distance is in the order of ANCESTRY_DISTANCES");
_Static_assert(ANCESTRY_to_class_navigation - ANCESTRY_to_article ==
		       DISTANCE_GROUPS,
	       "the class groups follow the elements");
_Static_assert(ANCESTRY_to_class_action - ANCESTRY_to_class_navigation ==
		       GROUP_ACTION,
	       "enum class_group is in the order of ANCESTRY_DISTANCES");

/* An open element; level 0 is the page, level d + 1 an element of depth d. */
struct level {
	uint32_t node;       /* NO_NODE: the page */
	uint32_t repeats;    /* of struct repetition */
	uint32_t item;       /* the level of the nearest item; 0: none */
	uint32_t around_top; /* the level of the nearest around the top */
	float best_score;    /* of it and those around it */
	float best_density;
	struct subtree subtree;
	uint8_t distances[DISTANCE_BYTES];
};

struct ancestry {
	const struct passages *passages;
	const uint32_t *groups;
	struct subtrees subtrees;
	struct readability readability;
	struct repetition repetition;
	struct level *levels; /* [levels of the deepest passage] */
	uint32_t open;        /* the innermost open level */
	uint32_t level;       /* the passage's own, at most that */
	uint32_t next;        /* passage */
};

static uint32_t level_of(const struct page *page, uint32_t node)
{
	return node == NO_NODE ? 0 : (uint32_t)page->nodes[node].depth + 1;
}

static uint32_t deepest_level(const struct passages *passages)
{
	uint32_t deepest = 0;

	for (uint32_t i = 0; i < passages->count; i++) {
		uint32_t level =
			level_of(passages->page, passages->items[i].node);

		if (level > deepest)
			deepest = level;
	}
	return deepest;
}

static void open_page(struct ancestry *ancestry)
{
	struct level *level = &ancestry->levels[0];

	level->node = NO_NODE;
	level->repeats = 1;
	level->subtree = subtree_of(&ancestry->subtrees, NO_NODE);
	level->best_density = level->subtree.density;
	distances_begin(level->distances);
}

struct ancestry *ancestry_make(struct arena *arena,
			       const struct passages *passages)
{
	struct ancestry *ancestry = ARENA_NEW(arena, struct ancestry, 1);

	ancestry->passages = passages;
	ancestry->groups = class_groups_make(arena, passages);
	ancestry->subtrees = subtrees_make(arena, passages);
	ancestry->readability =
		readability_make(arena, passages, ancestry->groups);
	ancestry->repetition = repetition_make(arena, passages);
	ancestry->levels = ARENA_NEW(arena, struct level,
				     (size_t)deepest_level(passages) + 1);
	open_page(ancestry);
	return ancestry;
}

static bool is_inside(const struct page *page, uint32_t node, uint32_t outer)
{
	return node >= outer && node < page->nodes[outer].end;
}

/* Open the element that the next level names. */
static void enter(struct ancestry *ancestry)
{
	const struct page *page = ancestry->passages->page;
	const struct level *parent = &ancestry->levels[ancestry->open];
	struct level *level = &ancestry->levels[++ancestry->open];
	uint32_t node = level->node;
	uint32_t top = ancestry->readability.top;

	level->subtree = subtree_of(&ancestry->subtrees, node);
	level->repeats = repetition_siblings(&ancestry->repetition, node);
	level->item = parent->item;
	if (level->repeats >= MIN_REPEATS && level->subtree.passages > 0)
		level->item = ancestry->open;
	level->around_top = parent->around_top;
	if (top != NO_NODE && is_inside(page, top, node))
		level->around_top = ancestry->open;
	level->best_score =
		fmaxf(parent->best_score, ancestry->readability.scores[node]);
	level->best_density =
		fmaxf(parent->best_density, level->subtree.density);
	distances_enter(page, node, ancestry->groups[node], parent->distances,
			level->distances);
}

/*
 * Close the levels that end before the passage, and open those around it. An
 * inline element that does not end between two passages stays open below the
 * first one's level, so that none is entered twice.
 */
static void move_to(struct ancestry *ancestry, const struct passage *passage)
{
	const struct page *page = ancestry->passages->page;
	struct level *levels = ancestry->levels;
	uint32_t owner = page->texts[passage->first_text].node;
	uint32_t node = passage->node;

	while (ancestry->open > 0 &&
	       !is_inside(page, owner, levels[ancestry->open].node))
		ancestry->open--;
	ancestry->level = level_of(page, node);
	for (uint32_t i = ancestry->level; i > ancestry->open; i--) {
		levels[i].node = node;
		node = page->nodes[node].parent;
	}
	while (ancestry->open < ancestry->level)
		enter(ancestry);
}

/* The level `steps` up, at most the page. */
static const struct level *up(const struct ancestry *ancestry, uint32_t steps)
{
	uint32_t level = ancestry->level;

	return &ancestry->levels[level > steps ? level - steps : 0];
}

static void write_distances(const struct level *level, float *row)
{
	for (size_t i = 0; i < DISTANCE_COUNT; i++)
		row[ANCESTRY_to_article + i] = level->distances[i];
	row[ANCESTRY_class_groups] = (float)distances_groups(level->distances);
}

static void write_subtrees(const struct ancestry *ancestry, float *row)
{
	const struct subtree *one = &up(ancestry, 1)->subtree;
	const struct subtree *two = &up(ancestry, 2)->subtree;
	const struct subtree *four = &up(ancestry, 4)->subtree;

	row[ANCESTRY_element_words] = up(ancestry, 0)->subtree.words;
	row[ANCESTRY_words_1up] = one->words;
	row[ANCESTRY_words_2up] = two->words;
	row[ANCESTRY_words_4up] = four->words;
	row[ANCESTRY_link_share_1up] = one->link_share;
	row[ANCESTRY_link_share_2up] = two->link_share;
	row[ANCESTRY_link_share_4up] = four->link_share;
	row[ANCESTRY_passages_1up] = one->passages;
	row[ANCESTRY_passages_2up] = two->passages;
	row[ANCESTRY_passages_4up] = four->passages;
	row[ANCESTRY_page_share_2up] = two->page_share;
	row[ANCESTRY_page_share_4up] = four->page_share;
	row[ANCESTRY_ends_2up] = two->sentence_ends;
	row[ANCESTRY_ends_4up] = four->sentence_ends;
	row[ANCESTRY_long_share_2up] = two->long_share;
	row[ANCESTRY_long_share_4up] = four->long_share;
	row[ANCESTRY_prices_2up] = two->prices;
	row[ANCESTRY_prices_4up] = four->prices;
	row[ANCESTRY_dates_4up] = four->dates;
}

static void write_density(const struct ancestry *ancestry, float *row)
{
	const struct level *level = up(ancestry, 0);
	float page = ancestry->levels[0].subtree.density;
	float highest = 0;

	if (page <= 0)
		page = 1; /* all are 0 */
	for (uint32_t i = 0; i < NEAREST; i++)
		highest = fmaxf(highest,
				up(ancestry, i)->subtree.composite_density);
	row[ANCESTRY_density] = level->subtree.density / page;
	row[ANCESTRY_highest_density] = level->best_density / page;
	row[ANCESTRY_composite_density] = ln1(highest);
}

static void write_score(const struct ancestry *ancestry, float *row)
{
	const struct page *page = ancestry->passages->page;
	const struct level *level = up(ancestry, 0);
	uint32_t top = ancestry->readability.top;
	float top_score = ancestry->readability.top_score;
	uint32_t top_level = level_of(page, top);
	uint32_t steps = top_level - level->around_top;

	row[ANCESTRY_subtree_score] = level->best_score;
	row[ANCESTRY_subtree_share] =
		top_score > 0 ? level->best_score / top_score : 0;
	row[ANCESTRY_in_top] = steps == 0 ? 1 : 0;
	row[ANCESTRY_to_top] =
		(float)(steps < DISTANCE_NONE ? steps : DISTANCE_NONE);
}

static float at_most(uint32_t count, uint32_t most)
{
	return (float)(count < most ? count : most);
}

static void write_repetition(const struct ancestry *ancestry, float *row)
{
	uint32_t item = up(ancestry, 0)->item;

	row[ANCESTRY_repeats] = at_most(up(ancestry, 0)->repeats, MAX_REPEATS);
	row[ANCESTRY_repeats_1up] =
		at_most(up(ancestry, 1)->repeats, MAX_REPEATS);
	row[ANCESTRY_repeats_2up] =
		at_most(up(ancestry, 2)->repeats, MAX_REPEATS);
	row[ANCESTRY_to_item] = DISTANCE_NONE;
	for (int i = ANCESTRY_item_words; i <= ANCESTRY_list_long_share; i++)
		row[i] = 0;
	if (item > 0) {
		const struct level *level = &ancestry->levels[item];
		const struct subtree *list = &(level - 1)->subtree;

		row[ANCESTRY_to_item] =
			at_most(ancestry->level - item, DISTANCE_NONE);
		row[ANCESTRY_item_words] = level->subtree.words;
		row[ANCESTRY_item_repeats] =
			at_most(level->repeats, MAX_ITEM_REPEATS);
		row[ANCESTRY_list_link_share] = list->link_share;
		row[ANCESTRY_list_page_share] = list->page_share;
		row[ANCESTRY_list_long_share] = list->long_share;
	}
}

static void write_path(const struct ancestry *ancestry, uint32_t node,
		       float *row)
{
	const struct passages *passages = ancestry->passages;
	const struct path_group group =
		repetition_group(&ancestry->repetition, node);
	uint32_t page_words = passages->sums[passages->count].words;

	row[ANCESTRY_path_words] = ln1((float)group.words);
	row[ANCESTRY_path_passages] = ln1((float)group.passages);
	row[ANCESTRY_path_page_share] = share(group.words, page_words);
	row[ANCESTRY_path_link_share] = share(group.link_words, group.words);
	row[ANCESTRY_path_mean_words] = share(group.words, group.passages);
	row[ANCESTRY_path_ends] = share(group.sentence_ends, group.passages);
}

void ancestry_next(struct ancestry *ancestry, float *row)
{
	const struct passages *passages = ancestry->passages;
	const struct passage *passage = &passages->items[ancestry->next];

	assert(ancestry->next < passages->count);
	ancestry->next++;
	move_to(ancestry, passage);
	row[ANCESTRY_depth] = (float)ancestry->level;
	row[ANCESTRY_element_kind] = tag_kind(passages->page, passage->node);
	write_distances(up(ancestry, 0), row);
	write_subtrees(ancestry, row);
	write_density(ancestry, row);
	write_score(ancestry, row);
	write_repetition(ancestry, row);
	write_path(ancestry, passage->node, row);
}

const struct repetition *ancestry_repetition(const struct ancestry *ancestry)
{
	return &ancestry->repetition;
}
