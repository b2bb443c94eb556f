#include "extract/auto/dom_path.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "extract/auto/features.h"
#include "extract/core/numeric.h"
#include "extract/text/block.h"
#include "extract/text/class_words.h"
#include "extract/text/token_stream.h"
#include "page/page.h"

/* The index of a distance feature among DOM_PATH_DISTANCES. */
#define DISTANCE(name) (DOM_PATH_##name - DOM_PATH_to_article)

enum {
	DISTANCE_GROUPS =
		DISTANCE(to_class_navigation), /* + enum class_group */
	DISTANCE_COUNT = DISTANCE_GROUPS + GROUP_COUNT,

	DISTANCE_NONE = 30,  /* no such element, or it is farther away */
	DISTANCE_BYTES = 48, /* DISTANCE_COUNT, rounded up to whole vectors */
};

/*
 * Which distance is 0 at an element of this tag: its index + 1, or 0 for none.
 */
static const uint8_t of_tag[TAG_COUNT] = {
#define ROW(tag, name) [TAG_##tag] = (DISTANCE(name) + 1)
	ROW(article, to_article),
	ROW(main, to_main),
	ROW(nav, to_nav),
	ROW(header, to_header),
	ROW(footer, to_footer),
	ROW(aside, to_aside),
	ROW(section, to_section),
	ROW(form, to_form),
	ROW(ul, to_ul),
	ROW(ol, to_ol),
	ROW(table, to_table),
	ROW(a, to_a),
	ROW(button, to_button),
	ROW(figure, to_figure),
	ROW(details, to_details),
	ROW(dialog, to_dialog),
	ROW(dl, to_dl),
	ROW(pre, to_pre),
	ROW(blockquote, to_blockquote),
	ROW(label, to_label),
	ROW(li, to_li),
	ROW(td, to_cell),
	ROW(th, to_cell),
	ROW(h1, to_heading),
	ROW(h2, to_heading),
	ROW(h3, to_heading),
	ROW(h4, to_heading),
	ROW(h5, to_heading),
	ROW(h6, to_heading),
#undef ROW
};

/* WAI-ARIA 1.2, section 5.4: roles that are equivalent to an HTML element. */
static const struct {
	const char *role;
	uint8_t distance;
} roles[] = {
	{"alertdialog", DISTANCE(to_dialog)},
	{"article", DISTANCE(to_article)},
	{"banner", DISTANCE(to_header)},
	{"button", DISTANCE(to_button)},
	{"complementary", DISTANCE(to_aside)},
	{"contentinfo", DISTANCE(to_footer)},
	{"dialog", DISTANCE(to_dialog)},
	{"main", DISTANCE(to_main)},
	{"menu", DISTANCE(to_nav)},
	{"menubar", DISTANCE(to_nav)},
	{"navigation", DISTANCE(to_nav)},
	{"search", DISTANCE(to_form)},
	{"tablist", DISTANCE(to_nav)},
};

/*
 * Compute the distances at element `node`, whose class names belong to the
 * groups `groups`, from the distances at its parent; both [DISTANCE_BYTES].
 */
static void distances_enter(const struct page *page, uint32_t node,
			    uint32_t groups, const uint8_t *parent,
			    uint8_t *distances)
{
	const uint16_t tag = page->nodes[node].tag;
	const struct slice role = page_attribute(page, node, "role");

	for (size_t i = 0; i < DISTANCE_BYTES; i++)
		distances[i] =
			(uint8_t)(parent[i] + (parent[i] < DISTANCE_NONE));
	if (tag < TAG_COUNT && of_tag[tag] != 0)
		distances[of_tag[tag] - 1] = 0;
	for (size_t i = 0;
	     role.size > 0 && i < sizeof(roles) / sizeof(roles[0]); i++)
		if (slice_equal(role, slice_of(roles[i].role)))
			distances[roles[i].distance] = 0;
	for (unsigned i = 0; groups >> i != 0; i++)
		if ((groups >> i & 1) != 0)
			distances[DISTANCE_GROUPS + i] = 0;
}

enum {
	NEAREST = 6, /* number of elements over which composite_density is the
			maximum */
	MIN_REPEATS = 3, /* an element is an item if it has at least this many
			    siblings of its kind, including itself */
	MAX_REPEATS = 50,
	MAX_ITEM_REPEATS = 100,
};

_Static_assert(DISTANCE(class_groups) == DISTANCE_COUNT &&
		       DISTANCE(to_class_action) ==
			       DISTANCE_GROUPS + GROUP_ACTION,
	       "enum class_group is in the order of DOM_PATH_DISTANCES");

/*
 * Data of an element around the current passage. Level 0 is the page, and level
 * d + 1 is the element of depth d.
 */
struct dom_level {
	uint32_t node;       /* NO_NODE: the page */
	uint32_t repeats;    /* repetition_siblings() of `node` */
	uint32_t item;       /* the level of the nearest item; 0: none */
	uint32_t around_top; /* the level of the nearest element that is also
				around readability.top */
	float best_score; /* the highest score of this element and the elements
			     around it */
	/* the highest density of these elements */
	float best_density;
	struct subtree subtree;
	uint8_t distances[DISTANCE_BYTES];
};

struct dom_path {
	const struct passages *passages;
	const uint32_t *groups;
	struct subtrees subtrees;
	struct readability readability;
	struct repetition repetition;
	struct dom_level *levels; /* up to the level of the deepest passage */
	uint32_t open;            /* the innermost open level */
	uint32_t level; /* the level of the passage's own element, at most
			   `open` */
	uint32_t next;  /* index of the next passage */
};

static uint32_t dom_level_of(const struct page *page, uint32_t node)
{
	return node == NO_NODE ? 0 : (uint32_t)page->nodes[node].depth + 1;
}

static uint32_t deepest_level(const struct passages *passages)
{
	uint32_t deepest = 0;

	for (uint32_t i = 0; i < passages->count; i++) {
		uint32_t level =
			dom_level_of(passages->page, passages->items[i].node);

		if (level > deepest)
			deepest = level;
	}
	return deepest;
}

struct dom_path *dom_path_make(struct arena *arena,
			       const struct passages *passages)
{
	struct dom_path *dom_path = ARENA_NEW(arena, struct dom_path, 1);
	struct dom_level *page;

	dom_path->passages = passages;
	dom_path->groups = class_groups_make(arena, passages);
	dom_path->subtrees = subtrees_make(arena, passages);
	dom_path->readability =
		readability_make(arena, passages, dom_path->groups);
	dom_path->repetition = repetition_make(arena, passages);
	dom_path->levels = ARENA_NEW(arena, struct dom_level,
				     (size_t)deepest_level(passages) + 1);
	page = &dom_path->levels[0];
	page->node = NO_NODE;
	page->repeats = 1;
	page->subtree = subtree_of(&dom_path->subtrees, NO_NODE);
	page->best_density = page->subtree.density;
	memset(page->distances, DISTANCE_NONE, DISTANCE_BYTES);
	return dom_path;
}

static bool is_inside_element(const struct page *page, uint32_t node,
			      uint32_t outer)
{
	return node >= outer && node < page->nodes[outer].end;
}

/* Open levels[open + 1], whose `node` is set: fill in its data. */
static void dom_path_enter(struct dom_path *dom_path)
{
	const struct page *page = dom_path->passages->page;
	const struct dom_level *parent = &dom_path->levels[dom_path->open];
	struct dom_level *level = &dom_path->levels[++dom_path->open];
	uint32_t node = level->node;
	uint32_t top = dom_path->readability.top;

	level->subtree = subtree_of(&dom_path->subtrees, node);
	level->repeats = repetition_siblings(&dom_path->repetition, node);
	level->item = parent->item;
	if (level->repeats >= MIN_REPEATS && level->subtree.passages > 0)
		level->item = dom_path->open;
	level->around_top = parent->around_top;
	if (top != NO_NODE && is_inside_element(page, top, node))
		level->around_top = dom_path->open;
	level->best_score = float_larger(parent->best_score,
					 dom_path->readability.scores[node]);
	level->best_density =
		float_larger(parent->best_density, level->subtree.density);
	distances_enter(page, node, dom_path->groups[node], parent->distances,
			level->distances);
}

/*
 * Close the levels that end before the passage, and open the levels around the
 * passage. An inline element that contains the first texts of both passages
 * stays open, possibly below `level`, so that no element is entered twice.
 */
static void move_to(struct dom_path *dom_path, const struct passage *passage)
{
	const struct page *page = dom_path->passages->page;
	struct dom_level *levels = dom_path->levels;
	uint32_t owner = page->texts[passage->first_text].node;
	uint32_t node = passage->node;

	while (dom_path->open > 0 &&
	       !is_inside_element(page, owner, levels[dom_path->open].node))
		dom_path->open--;
	dom_path->level = dom_level_of(page, node);
	for (uint32_t i = dom_path->level; i > dom_path->open; i--) {
		levels[i].node = node;
		node = page->nodes[node].parent;
	}
	while (dom_path->open < dom_path->level)
		dom_path_enter(dom_path);
}

/*
 * Return the level that is `steps` above the passage's element, but not above
 * the page.
 */
static const struct dom_level *dom_path_up(const struct dom_path *dom_path,
					   uint32_t steps)
{
	uint32_t level = dom_path->level;

	return &dom_path->levels[level > steps ? level - steps : 0];
}

static void write_subtrees(const struct dom_path *dom_path, float *row)
{
	const struct subtree *one = &dom_path_up(dom_path, 1)->subtree;
	const struct subtree *two = &dom_path_up(dom_path, 2)->subtree;
	const struct subtree *four = &dom_path_up(dom_path, 4)->subtree;

	row[DOM_PATH_element_words] = dom_path_up(dom_path, 0)->subtree.words;
	row[DOM_PATH_words_1up] = one->words;
	row[DOM_PATH_words_2up] = two->words;
	row[DOM_PATH_words_4up] = four->words;
	row[DOM_PATH_link_ratio_1up] = one->link_ratio;
	row[DOM_PATH_link_ratio_2up] = two->link_ratio;
	row[DOM_PATH_link_ratio_4up] = four->link_ratio;
	row[DOM_PATH_passages_1up] = one->passages;
	row[DOM_PATH_passages_2up] = two->passages;
	row[DOM_PATH_passages_4up] = four->passages;
	row[DOM_PATH_page_ratio_2up] = two->page_ratio;
	row[DOM_PATH_page_ratio_4up] = four->page_ratio;
	row[DOM_PATH_ends_2up] = two->sentence_ends;
	row[DOM_PATH_ends_4up] = four->sentence_ends;
	row[DOM_PATH_long_ratio_2up] = two->long_ratio;
	row[DOM_PATH_long_ratio_4up] = four->long_ratio;
	row[DOM_PATH_prices_2up] = two->prices;
	row[DOM_PATH_prices_4up] = four->prices;
	row[DOM_PATH_dates_4up] = four->dates;
}

static void write_density(const struct dom_path *dom_path, float *row)
{
	const struct dom_level *level = dom_path_up(dom_path, 0);
	float page = dom_path->levels[0].subtree.density;
	float highest = 0;

	if (page <= 0)
		page = 1;
	for (uint32_t i = 0; i < NEAREST; i++)
		highest = float_larger(
			highest,
			dom_path_up(dom_path, i)->subtree.composite_density);
	row[DOM_PATH_density] = level->subtree.density / page;
	row[DOM_PATH_highest_density] = level->best_density / page;
	row[DOM_PATH_composite_density] = ln1(highest);
}

static void write_score(const struct dom_path *dom_path, float *row)
{
	const struct page *page = dom_path->passages->page;
	const struct dom_level *level = dom_path_up(dom_path, 0);
	uint32_t top = dom_path->readability.top;
	float top_score = dom_path->readability.top_score;
	uint32_t top_level = dom_level_of(page, top);
	uint32_t steps = top_level - level->around_top;

	row[DOM_PATH_subtree_score] = level->best_score;
	row[DOM_PATH_subtree_ratio] =
		top_score > 0 ? level->best_score / top_score : 0;
	row[DOM_PATH_in_top] = steps == 0 ? 1 : 0;
	row[DOM_PATH_to_top] =
		(float)(steps < DISTANCE_NONE ? steps : DISTANCE_NONE);
}

static void write_repetition(const struct dom_path *dom_path, float *row)
{
	uint32_t item = dom_path_up(dom_path, 0)->item;

	row[DOM_PATH_repeats] =
		limited(dom_path_up(dom_path, 0)->repeats, MAX_REPEATS);
	row[DOM_PATH_repeats_1up] =
		limited(dom_path_up(dom_path, 1)->repeats, MAX_REPEATS);
	row[DOM_PATH_repeats_2up] =
		limited(dom_path_up(dom_path, 2)->repeats, MAX_REPEATS);
	row[DOM_PATH_to_item] = DISTANCE_NONE;
	for (int i = DOM_PATH_item_words; i <= DOM_PATH_list_long_ratio; i++)
		row[i] = 0;
	if (item > 0) {
		const struct dom_level *level = &dom_path->levels[item];
		const struct subtree *list = &(level - 1)->subtree;

		row[DOM_PATH_to_item] =
			limited(dom_path->level - item, DISTANCE_NONE);
		row[DOM_PATH_item_words] = level->subtree.words;
		row[DOM_PATH_item_repeats] =
			limited(level->repeats, MAX_ITEM_REPEATS);
		row[DOM_PATH_item_link_ratio] = level->subtree.link_ratio;
		row[DOM_PATH_item_dates] = level->subtree.dates;
		row[DOM_PATH_list_ends] = list->sentence_ends;
		row[DOM_PATH_list_dates] = list->dates;
		row[DOM_PATH_list_link_ratio] = list->link_ratio;
		row[DOM_PATH_list_page_ratio] = list->page_ratio;
		row[DOM_PATH_list_long_ratio] = list->long_ratio;
	}
}

static void write_path(const struct dom_path *dom_path, uint32_t node,
		       float *row)
{
	const struct passages *passages = dom_path->passages;
	const struct path_group group =
		repetition_group(&dom_path->repetition, node);
	uint32_t page_words = passages->sums[passages->count].words;

	row[DOM_PATH_path_words] = ln1((float)group.words);
	row[DOM_PATH_path_passages] = ln1((float)group.passages);
	row[DOM_PATH_path_page_ratio] = ratio(group.words, page_words);
	row[DOM_PATH_path_link_ratio] = ratio(group.link_words, group.words);
	row[DOM_PATH_path_mean_words] = ratio(group.words, group.passages);
	row[DOM_PATH_path_ends] = ratio(group.sentence_ends, group.passages);
}

void dom_path_next(struct dom_path *dom_path, float *row)
{
	const struct passages *passages = dom_path->passages;
	const struct passage *passage = &passages->items[dom_path->next];
	const uint8_t *distances;
	unsigned groups = 0;

	dom_path->next++;
	move_to(dom_path, passage);
	distances = dom_path_up(dom_path, 0)->distances;
	row[DOM_PATH_depth] = (float)dom_path->level;
	row[DOM_PATH_element_kind] = tag_kind(passages->page, passage->node);
	for (size_t i = 0; i < DISTANCE_COUNT; i++)
		row[DOM_PATH_to_article + i] = distances[i];
	for (size_t i = DISTANCE_GROUPS; i < DISTANCE_COUNT; i++)
		groups += distances[i] < DISTANCE_NONE;
	row[DOM_PATH_class_groups] = (float)groups;
	write_subtrees(dom_path, row);
	write_density(dom_path, row);
	write_score(dom_path, row);
	write_repetition(dom_path, row);
	write_path(dom_path, passage->node, row);
}

const struct repetition *dom_path_repetition(const struct dom_path *dom_path)
{
	return &dom_path->repetition;
}
