#include "extract/methods/tree_mapping.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "extract/methods/item_tree.h"

/* Number of cells in a row of the band; odd. */
enum { BAND = 65 };

enum tree_mapping_direction { SKIP_MINE, SKIP_THEIRS, PAIR };

/* A run of siblings. */
struct siblings {
	uint32_t *items; /* [count] */
	uint32_t count;
};

struct mapping {
	const struct item_tree *mine;
	const struct item_tree *theirs;
	uint32_t *matches;    /* [mine->count]: incremented for a text with an
				 equal text */
	uint32_t (*pairs)[2]; /* [pair_count]: pairs whose children are mapped
				 next */
	uint32_t pair_count;
	struct siblings a;   /* children in `mine` */
	struct siblings b;   /* children in `theirs` */
	uint8_t *directions; /* [a.count * BAND] */
};

static void list_children(const struct item_tree *tree, uint32_t item,
			  struct siblings *out)
{
	out->count = 0;
	for (uint32_t i = item + 1; i < tree->items[item].end;
	     i = tree->items[i].end)
		out->items[out->count++] = i;
}

static bool is_same_subtree(const struct mapping *mapping, uint32_t mine,
			    uint32_t theirs)
{
	return mapping->mine->items[mine].subtree ==
		       mapping->theirs->items[theirs].subtree &&
	       mapping->mine->items[mine].label ==
		       mapping->theirs->items[theirs].label;
}

/*
 * Count a match for every item of the subtree: the other tree has the same
 * subtree.
 */
static void match_subtree(const struct mapping *mapping, uint32_t mine)
{
	uint32_t end = mapping->mine->items[mine].end;

	for (uint32_t i = mine; i < end; i++)
		mapping->matches[i]++;
}

/*
 * Return the gain of a pair: all items for equal subtrees, otherwise one for
 * the element.
 */
static uint32_t mapping_gain(const struct mapping *mapping, uint32_t mine,
			     uint32_t theirs)
{
	const struct tree_item *item = &mapping->mine->items[mine];

	if (is_same_subtree(mapping, mine, theirs))
		return item->end - mine + 1;
	if (item->label == TEXT_LABEL ||
	    item->label != mapping->theirs->items[theirs].label)
		return 0;
	return 1;
}

/* Return the first column of the band in row `i` of `rows`, among `columns`. */
static uint32_t band_begin(uint32_t i, uint32_t rows, uint32_t columns)
{
	uint32_t middle = (uint32_t)((uint64_t)i * columns / rows);

	return middle > BAND / 2 ? middle - BAND / 2 : 0;
}

/* A row of the band: the gain of the first i of `a` and the first j of `b`. */
struct band_row {
	uint32_t gains[BAND]; /* of columns begin..end */
	uint32_t begin;
	uint32_t end; /* the last column */
};

static struct band_row row_at(uint32_t i, const struct siblings *a,
			      const struct siblings *b)
{
	struct band_row row = {.begin = band_begin(i, a->count, b->count)};

	row.end = row.begin + BAND - 1;
	if (row.end > b->count)
		row.end = b->count;
	return row;
}

/* Return a gain; beyond the end of the band a row has its last gain. */
static uint32_t gain_at(const struct band_row *row, uint32_t j)
{
	return row->gains[(j < row->end ? j : row->end) - row->begin];
}

static void fill_row(const struct mapping *mapping, uint32_t i,
		     const struct band_row *above, struct band_row *row)
{
	uint8_t *directions = mapping->directions + (size_t)(i - 1) * BAND;

	for (uint32_t j = row->begin; j <= row->end; j++) {
		uint32_t best = gain_at(above, j);
		enum tree_mapping_direction direction = SKIP_MINE;
		uint32_t paired = 0;

		if (j > above->begin)
			paired = mapping_gain(mapping, mapping->a.items[i - 1],
					      mapping->b.items[j - 1]);
		if (paired > 0 && paired + gain_at(above, j - 1) > best) {
			best = paired + gain_at(above, j - 1);
			direction = PAIR;
		}
		if (j > row->begin && row->gains[j - 1 - row->begin] > best) {
			best = row->gains[j - 1 - row->begin];
			direction = SKIP_THEIRS;
		}
		row->gains[j - row->begin] = best;
		directions[j - row->begin] = (uint8_t)direction;
	}
}

static void map_pair(struct mapping *mapping, uint32_t mine, uint32_t theirs)
{
	if (is_same_subtree(mapping, mine, theirs)) {
		match_subtree(mapping, mine);
		return;
	}
	mapping->pairs[mapping->pair_count][0] = mine;
	mapping->pairs[mapping->pair_count++][1] = theirs;
}

/* Trace the path from the last cell of the band back to the first row. */
static void trace_back(struct mapping *mapping)
{
	const struct siblings *a = &mapping->a;
	const struct siblings *b = &mapping->b;
	uint32_t j = b->count;

	for (uint32_t i = a->count; i > 0;) {
		const struct band_row row = row_at(i, a, b);
		uint32_t at = j < row.end ? j : row.end;

		switch ((enum tree_mapping_direction)
				mapping->directions[(size_t)(i - 1) * BAND +
						    at - row.begin]) {
		case PAIR:
			map_pair(mapping, a->items[i - 1], b->items[at - 1]);
			j = at - 1;
			i--;
			break;
		case SKIP_THEIRS:
			j = at - 1;
			break;
		case SKIP_MINE:
			j = at;
			i--;
			break;
		}
	}
}

static void mapping_align(struct mapping *mapping)
{
	const struct siblings *a = &mapping->a;
	const struct siblings *b = &mapping->b;
	struct band_row rows[2];

	if (a->count == 0 || b->count == 0)
		return;
	rows[0] = row_at(0, a, b);
	memset(rows[0].gains, 0, sizeof(rows[0].gains));
	for (uint32_t i = 1; i <= a->count; i++) {
		rows[i & 1] = row_at(i, a, b);
		fill_row(mapping, i, &rows[(i - 1) & 1], &rows[i & 1]);
	}
	trace_back(mapping);
}

/* Map and remove equal children at both ends, whose alignment is certain. */
static void strip_ends(struct mapping *mapping)
{
	struct siblings *a = &mapping->a;
	struct siblings *b = &mapping->b;
	uint32_t common = 0;

	while (a->count > 0 && b->count > 0 &&
	       is_same_subtree(mapping, a->items[a->count - 1],
			       b->items[b->count - 1])) {
		match_subtree(mapping, a->items[--a->count]);
		b->count--;
	}
	while (common < a->count && common < b->count &&
	       is_same_subtree(mapping, a->items[common], b->items[common]))
		match_subtree(mapping, a->items[common++]);
	a->count -= common;
	b->count -= common;
	memmove(a->items, a->items + common, a->count * sizeof(*a->items));
	memmove(b->items, b->items + common, b->count * sizeof(*b->items));
}

/*
 * Map from the roots downwards: children of unmapped elements are not mapped.
 */
static void map_trees(struct mapping *mapping)
{
	map_pair(mapping, 0, 0);
	while (mapping->pair_count > 0) {
		const uint32_t *pair = mapping->pairs[--mapping->pair_count];

		list_children(mapping->mine, pair[0], &mapping->a);
		list_children(mapping->theirs, pair[1], &mapping->b);
		strip_ends(mapping);
		mapping_align(mapping);
	}
}

const uint32_t *tree_mapping_matches(struct arena *arena,
				     const struct item_tree *mine,
				     const struct item_tree *const *theirs,
				     uint32_t count)
{
	uint32_t longest = 0;
	struct mapping mapping = {
		.mine = mine,
		.matches = ARENA_NEW(arena, uint32_t, mine->count),
		.pairs = arena_alloc(arena, mine->count, sizeof(uint32_t[2])),
		.a.items = ARENA_NEW(arena, uint32_t, mine->count),
		.directions =
			ARENA_NEW(arena, uint8_t, (size_t)mine->count * BAND),
	};

	for (uint32_t i = 0; i < count; i++)
		if (theirs[i]->count > longest)
			longest = theirs[i]->count;
	mapping.b.items = ARENA_NEW(arena, uint32_t, longest);
	for (uint32_t i = 0; i < count; i++) {
		mapping.theirs = theirs[i];
		map_trees(&mapping);
	}
	return mapping.matches;
}
