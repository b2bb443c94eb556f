#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "extract/core/document_walk.h"
#include "extract/core/extractor.h"
#include "extract/core/numeric.h"
#include "extract/core/trace.h"
#include "extract/methods/block_methods.h"
#include "extract/methods/plain.h"
#include "extract/text/fragment.h"
#include "extract/text/word.h"
#include "page/page.h"

enum { TEXT_LABEL = 0 };

/*
 * An item of the tree of a page: an element or a text. Texts are leaves, and
 * their `subtree` is the hash of the text. Item 0 is the page, which contains
 * all other items.
 */
struct tree_item {
	uint64_t subtree; /* hash of everything inside the item */
	uint32_t end;     /* index after its last descendant */
	uint32_t label;   /* hash of the tag and the classes; TEXT_LABEL for a
			     text */
};

struct item_tree {
	const struct tree_item *items; /* [count], pre-order */
	uint32_t count;
	const uint32_t *text_items; /* [text_count]: the item of each text; NULL
				       in a copy */
};

/* Labels that are no hashes. TEXT_LABEL is 0. */
enum { PAGE_LABEL = TEXT_LABEL + 1, FIRST_LABEL };

/* The tree of a page under construction. */
struct tree_maker {
	struct tree_item *items;
	uint32_t count;
	uint32_t *text_items; /* [text_count] */
	uint32_t *node_items; /* [node_count] */
	const uint64_t *steps;
};

static uint32_t item_tree_add(struct tree_maker *maker, uint64_t subtree,
			      uint32_t label)
{
	uint32_t index = maker->count++;

	maker->items[index] = (struct tree_item){subtree, index + 1, label};
	return index;
}

/*
 * Add the hash of item `child`, which is complete, to the hash of its parent,
 * the element `parent`.
 */
static void item_tree_fold(struct tree_maker *maker, uint32_t parent,
			   uint32_t child)
{
	struct tree_item *items = maker->items;
	uint64_t *subtree =
		&items[parent == NO_NODE ? 0 : maker->node_items[parent]]
			 .subtree;

	*subtree = hash_chain(items[child].subtree, *subtree);
}

/*
 * Build the tree of a page. It belongs to `arena`: 16 bytes an item, and the
 * same amount of scratch memory. Linear.
 */
static struct item_tree item_tree_make(struct arena *arena,
				       const struct page *page)
{
	const struct fragment *fragments = fragments_of_page(arena, page);
	struct tree_maker maker = {
		.items = ARENA_NEW(arena, struct tree_item,
				   (size_t)page->node_count + page->text_count +
					   1),
		.text_items = ARENA_NEW(arena, uint32_t, page->text_count),
		.node_items = ARENA_NEW(arena, uint32_t, page->node_count),
		.steps = node_steps(arena, page, true),
	};
	struct page_walk walk = walk_begin(page);
	enum step step;
	uint32_t index;

	item_tree_add(&maker, 0, PAGE_LABEL);
	while ((step = walk_next(&walk, &index)) != STEP_END) {
		uint32_t item;

		switch (step) {
		case STEP_OPEN:
			maker.node_items[index] = item_tree_add(
				&maker, maker.steps[index],
				(uint32_t)maker.steps[index] | FIRST_LABEL);
			break;
		case STEP_CLOSE:
			item = maker.node_items[index];
			maker.items[item].end = maker.count;
			item_tree_fold(&maker, page->nodes[index].parent, item);
			break;
		default:
			item = item_tree_add(&maker, fragments[index].hash,
					     TEXT_LABEL);
			maker.text_items[index] = item;
			item_tree_fold(&maker, page->texts[index].node, item);
			break;
		}
	}
	assert(maker.count == page->node_count + page->text_count + 1);
	maker.items[0].end = maker.count;
	return (struct item_tree){
		.items = maker.items,
		.count = maker.count,
		.text_items = maker.text_items,
	};
}

/*
 * The functions below find texts that are at the same position on two pages,
 * with the restricted top-down mapping of Reis, Golgher, Silva and Laender, WWW
 * 2004. An element is mapped to an element with the same tag and classes, and
 * only if their parents are mapped to each other.
 */

/* Number of cells in a row of the band around the diagonal; must be odd. */
enum { BAND = 65 };

enum tree_mapping_direction { SKIP_MINE, SKIP_THEIRS, PAIR };

/* Consecutive siblings. */
struct siblings {
	uint32_t *items; /* [count] */
	uint32_t count;
};

/* A mapping between the trees of two pages. */
struct mapping {
	const struct item_tree *mine;
	const struct item_tree *theirs;
	uint32_t *matches; /* [mine->count]: for a text, how often it was mapped
			      to an equal text */
	uint32_t (*pairs)[2]; /* [pair_count]: mapped pairs whose children are
				 not mapped yet */
	uint32_t pair_count;
	struct siblings a;   /* children of the current pair in `mine` */
	struct siblings b;   /* children of the current pair in `theirs` */
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
 * Count a match for every item in the subtree of `mine`, because the other tree
 * has an equal subtree.
 */
static void match_subtree(const struct mapping *mapping, uint32_t mine)
{
	uint32_t end = mapping->mine->items[mine].end;

	for (uint32_t i = mine; i < end; i++)
		mapping->matches[i]++;
}

/*
 * Return the gain of mapping a pair: for equal subtrees the number of all items
 * plus 1, and otherwise 1 for the element.
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

/*
 * Row i of the band. Cell j has the highest gain of aligning the first i items
 * of `a` with the first j items of `b`.
 */
struct band_row {
	uint32_t gains[BAND]; /* the gains of the columns begin..end */
	uint32_t begin;
	uint32_t end; /* the last column */
};

static struct band_row row_at(uint32_t i, const struct siblings *a,
			      const struct siblings *b)
{
	uint32_t middle = (uint32_t)((uint64_t)i * b->count / a->count);
	struct band_row row = {
		.begin = middle > BAND / 2 ? middle - BAND / 2 : 0,
	};

	row.end = row.begin + BAND - 1;
	if (row.end > b->count)
		row.end = b->count;
	return row;
}

/*
 * Return the gain in column j; after the end of the row, return its last gain.
 */
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

/*
 * Follow the directions from the last cell of the band back to the first row,
 * and map the pairs on this path.
 */
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

/*
 * Map the equal children at the start and at the end of `a` and `b`, and remove
 * them from `a` and `b`, because their alignment is certain.
 */
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
 * Map the trees from the roots downwards. The children of elements that are not
 * mapped are not mapped either.
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

/*
 * Map the tree `mine` to each of the trees theirs [count]. Return for each item
 * how often it was mapped to an equal item: [mine->count], owned by `arena`;
 * the numbers are correct only for texts. Equal subtrees are mapped as a whole.
 * Other children are aligned by an edit distance. The source computes the whole
 * matrix, in quadratic time; here only the 65 cells of each row nearest to the
 * diagonal are computed. So there are at most 65 steps for each item of `mine`
 * and each tree, and 65 bytes for each item.
 */
static const uint32_t *
tree_mapping_matches(struct arena *arena, const struct item_tree *mine,
		     const struct item_tree *const *theirs, uint32_t count)
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

/*
 * The parameters of the method rtdm. The default values have the highest mean
 * word F1 over four sites whose templates have many pages
 * (tests/eval/RESULTS.md, "What parameters were chosen by").
 */
enum { REFERENCES, MAX_RATIO };

static const struct parameter rtdm_parameters[] = {
	[REFERENCES] = {"references", "pages", 1, MAX_SAMPLE_PAGES, 16,
			"number of pages of the cluster to map the page to"},
	[MAX_RATIO] =
		{"max_ratio", "ratio of the references", 0, 1, 0.1,
		 "text mapped to the same text in a larger ratio is template"},
};

/* The tree of a page of the sample. */
struct reference_page {
	struct item_tree tree;
	uint32_t bit; /* the page as a set of pages of the sample */
};

struct reference_trees {
	struct sample_pages pages;
	struct reference_page references[MAX_SAMPLE_PAGES]; /* [count] */
	uint32_t count;
};

/* Build the model: the trees of some pages of the sample, evenly selected. */
static const void *rtdm_build_model(const struct sample *sample,
				    const double *values, struct arena *arena)
{
	struct reference_trees *known =
		ARENA_NEW(arena, struct reference_trees, 1);
	uint32_t wanted = (uint32_t)values[REFERENCES];

	known->pages = sample_pages_of(sample);
	known->count = wanted < sample->count ? wanted : sample->count;
	for (uint32_t i = 0; i < known->count; i++) {
		uint32_t page =
			(uint32_t)((uint64_t)i * sample->count / known->count);
		struct reference_page *reference = &known->references[i];
		struct arena *scratch = arena_create();
		struct item_tree tree =
			item_tree_make(scratch, sample->pages[page]);
		struct tree_item *items;

		reference->bit = UINT32_C(1) << page;
		items = ARENA_NEW(arena, struct tree_item, tree.count);
		memcpy(items, tree.items, tree.count * sizeof(*items));
		reference->tree =
			(struct item_tree){.items = items, .count = tree.count};
		arena_destroy(scratch);
	}
	return known;
}

static void rtdm_run(const struct extractor_input *input,
		     struct verdict *verdicts)
{
	const struct page *page = input->page;
	const bool *is_visible = visible_texts(input->arena, page);
	struct item_tree tree = item_tree_make(input->arena, page);
	const struct item_tree *trees[MAX_SAMPLE_PAGES];
	const struct reference_trees *known = input->learned;
	const uint32_t own_bit = sample_bit(&known->pages, page);
	double max_ratio = input->parameters[MAX_RATIO];
	const uint32_t *matches;
	uint32_t count = 0;

	for (uint32_t i = 0; i < known->count; i++)
		if (known->references[i].bit != own_bit)
			trees[count++] = &known->references[i].tree;
	matches = tree_mapping_matches(input->arena, &tree, trees, count);
	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t same = matches[tree.text_items[i]];
		double ratio = count == 0 ? 0 : (double)same / count;

		verdicts[i] = (struct verdict){
			.score = (float)(1 - ratio),
			.is_content = is_visible[i] && ratio <= max_ratio,
		};
		if (input->trace != NULL)
			trace_reason(input->trace, i,
				     "mapped to the same text in %u of %u "
				     "pages, maximum %.2f",
				     same, count, max_ratio);
	}
}

const struct extractor extractor_rtdm = {
	.name = "rtdm",
	.summary = "Text that other pages do not have at the same position.",
	.source = "Reis, Golgher, Silva and Laender, Automatic Web News "
		  "Extraction Using Tree Edit Distance, WWW 2004",
	PARAMETERS(rtdm_parameters),
	.needs = NEEDS_SAMPLE,
	.learn = rtdm_build_model,
	.learned_parameters =
		sizeof(rtdm_parameters) / sizeof(rtdm_parameters[0]),
	.run = rtdm_run,
};

/*
 * The site style tree of Yi, Liu and Li, KDD 2003: the trees of the pages of a
 * site, merged into one tree, with an importance for each place in it.
 *
 * In the source, an element node belongs to one sequence of children, so that
 * an additional banner makes all siblings of the banner different nodes. Here,
 * a place is a path of steps, and each step has its number among the siblings
 * with the same tag and classes. A text is a leaf below its element. So every
 * place occurs at most once on a page.
 */

/* The keys of the places of a page's elements and texts in the style tree. */
struct page_places {
	uint64_t *nodes;    /* [node_count]: the key of each element's place */
	uint64_t *texts;    /* [text_count]: key of the place of each text */
	uint64_t *styles;   /* [node_count]: hash of the sequence of each
			       element's children */
	uint32_t *children; /* [node_count]: number of children */
};

/*
 * The importance of the place of an element, or of a text outside of any
 * element.
 */
struct importance {
	uint64_t key;    /* key of the place */
	float composite; /* composite importance, in [0, 1]; 1 if only one page
			    has the place */
	uint32_t pages;  /* number of pages of the sample that have the place */
};

/* A place in the style tree: an element node or a leaf. */
struct style_place {
	uint64_t key;
	uint32_t parent;  /* index of the place of the parent, or NO_ENTRY */
	uint32_t pages;   /* number of pages that have the place */
	uint32_t page;    /* the last page that was counted, + 1 */
	uint32_t styles;  /* number of distinct sequences of children */
	double style_sum; /* sum over the styles of c ln c, c = number of pages
			     with the style */
	double weight;    /* sum over the pages of 1 / number of children of the
			     parent */
	double inner; /* sum of the importance of the children, by their weights
		       */
	uint32_t features;  /* for a leaf: number of distinct words */
	double feature_sum; /* for a leaf: sum of the entropies of its words */
};

struct child_sequence {
	uint64_t key;
	uint32_t place;
	uint32_t pages;
};

struct place_feature {
	uint64_t key;
	uint32_t place;
	struct entropy entropy;
};

struct style_tree {
	struct hash_table places;   /* struct style_place */
	struct hash_table styles;   /* struct child_sequence */
	struct hash_table features; /* struct place_feature */
};

/* The step from an element to a text in it. */
static const uint64_t text_step = 1;

struct step_counter {
	uint64_t key;
	uint64_t count;
};

/* Compute the places of a page. They belong to `arena`. Linear. */
static struct page_places style_tree_places(struct arena *arena,
					    const struct page *page)
{
	const uint64_t *steps = node_steps(arena, page, true);
	struct hash_table counters =
		hash_table_make(arena, sizeof(struct step_counter));
	struct page_places places = {
		.nodes = ARENA_NEW(arena, uint64_t, page->node_count),
		.texts = ARENA_NEW(arena, uint64_t, page->text_count),
		.styles = ARENA_NEW(arena, uint64_t, page->node_count),
		.children = ARENA_NEW(arena, uint32_t, page->node_count),
	};
	struct page_walk walk = walk_begin(page);
	enum step step;
	uint32_t index;

	while ((step = walk_next(&walk, &index)) != STEP_END) {
		const bool is_node = step == STEP_OPEN;
		struct step_counter *counter;
		uint32_t parent;
		uint64_t next;

		if (step == STEP_CLOSE)
			continue;
		parent = is_node ? page->nodes[index].parent
				 : page->texts[index].node;
		next = is_node ? steps[index] : text_step;
		if (parent != NO_NODE) {
			places.styles[parent] =
				hash_chain(next, places.styles[parent]);
			places.children[parent]++;
		}
		counter = hash_table_add(
			&counters,
			hash_chain(next, parent == NO_NODE
						 ? 0
						 : places.nodes[parent]));
		*(is_node ? &places.nodes[index] : &places.texts[index]) =
			hash_chain(counter->count++, counter->key);
	}
	return places;
}

/*
 * Count a place of page `page`, and return it. `siblings` is the number of
 * children of its parent. The parent must be counted before its children.
 */
static struct style_place *count_place(struct style_tree *tree, uint64_t key,
				       const uint64_t *parent_key,
				       uint32_t siblings, uint32_t page)
{
	const struct style_place *parent =
		parent_key == NULL
			? NULL
			: hash_table_find(&tree->places, *parent_key);
	uint32_t parent_index =
		parent == NULL ? NO_ENTRY
			       : hash_table_index(&tree->places, parent);
	struct style_place *place = hash_table_add(&tree->places, key);

	if (place->page == page + 1)
		return place;
	place->page = page + 1;
	place->pages++;
	place->parent = parent_index;
	place->weight += siblings == 0 ? 0 : 1.0 / siblings;
	return place;
}

static void style_tree_add_nodes(struct style_tree *tree,
				 const struct page *page,
				 const struct page_places *places,
				 uint32_t number)
{
	for (uint32_t i = 0; i < page->node_count; i++) {
		uint32_t parent = page->nodes[i].parent;
		const struct style_place *place =
			parent == NO_NODE
				? count_place(tree, places->nodes[i], NULL, 0,
					      number)
				: count_place(tree, places->nodes[i],
					      &places->nodes[parent],
					      places->children[parent], number);
		struct child_sequence *style;

		style = hash_table_add(
			&tree->styles,
			hash_chain(places->styles[i], places->nodes[i]));
		style->place = hash_table_index(&tree->places, place);
		style->pages++;
	}
}

static void style_tree_add_texts(struct style_tree *tree,
				 const struct page *page,
				 const struct page_places *places,
				 const struct term_list *list, uint32_t number)
{
	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t node = page->texts[i].node;
		uint64_t key = places->texts[i];
		uint32_t place = hash_table_index(
			&tree->places,
			node == NO_NODE
				? count_place(tree, key, NULL, 0, number)
				: count_place(tree, key, &places->nodes[node],
					      places->children[node], number));

		for (uint32_t k = list->begin[i]; k < list->begin[i + 1]; k++) {
			struct place_feature *feature =
				hash_table_add(&tree->features,
					       hash_chain(list->terms[k], key));

			feature->place = place;
			entropy_add(&feature->entropy, number);
		}
	}
}

static void style_tree_add_page(struct style_tree *tree,
				const struct page *page, uint32_t number)
{
	struct arena *scratch = arena_create();
	struct page_places places = style_tree_places(scratch, page);
	struct term_list list =
		terms_of_page(scratch, page, visible_texts(scratch, page));

	style_tree_add_nodes(tree, page, &places, number);
	style_tree_add_texts(tree, page, &places, &list, number);
	arena_destroy(scratch);
}

static void sum_styles(struct style_tree *tree)
{
	for (uint32_t i = 0; i < tree->styles.count; i++) {
		const struct child_sequence *style =
			hash_table_entry(&tree->styles, i);
		struct style_place *place;

		if (style->place == NO_ENTRY)
			continue;
		place = hash_table_entry(&tree->places, style->place);
		place->styles++;
		place->style_sum += style->pages * log(style->pages);
	}
}

static void sum_features(struct style_tree *tree)
{
	for (uint32_t i = 0; i < tree->features.count; i++) {
		const struct place_feature *feature =
			hash_table_entry(&tree->features, i);
		struct style_place *place;

		if (feature->place == NO_ENTRY)
			continue;
		place = hash_table_entry(&tree->places, feature->place);
		place->features++;
		place->feature_sum +=
			entropy_value(&feature->entropy, place->pages);
	}
}

/*
 * Return the node importance (NodeImp in the source). For an inner node, it is
 * the entropy of its styles; for a leaf, one minus the mean entropy of its
 * features; for a place that only one page has, 1.
 */
static double node_importance(const struct style_place *place)
{
	double pages = place->pages;

	if (place->pages == 1)
		return 1;
	if (place->styles == 0)
		return place->features == 0
			       ? 1
			       : 1 - place->feature_sum / place->features;
	return (log(pages) - place->style_sum / pages) / log(pages);
}

/*
 * Return the table of the composite importance of all places. Parents are
 * before their children in the tree, so loop from the last place to the first.
 */
static struct hash_table
rate_places(struct arena *arena, struct style_tree *tree, double attenuation)
{
	struct hash_table rated =
		hash_table_make(arena, sizeof(struct importance));

	for (uint32_t i = tree->places.count; i-- > 0;) {
		const struct style_place *place =
			hash_table_entry(&tree->places, i);
		/*
		 * The composite importance (CompImp in the source): the fewer
		 * styles a node has, the more it depends on the children.
		 */
		double ratio = pow(attenuation, place->styles);
		double composite = node_importance(place);

		if (place->styles > 0)
			composite = (1 - ratio) * composite +
				    ratio * place->inner / place->pages;
		if (place->parent != NO_ENTRY) {
			struct style_place *parent =
				hash_table_entry(&tree->places, place->parent);

			parent->inner += place->weight * composite;
		}
		if (place->parent == NO_ENTRY || place->styles > 0) {
			struct importance *importance =
				hash_table_add(&rated, place->key);

			importance->composite = (float)composite;
			importance->pages = place->pages;
		}
	}
	return rated;
}

/*
 * Return the composite importance of all places on the pages of the sample, as
 * a table of struct importance in `arena`. `attenuation` is gamma in the
 * source, in [0, 1]. Linear in the sample.
 */
static struct hash_table style_tree_rate(struct arena *arena,
					 const struct sample *sample,
					 double attenuation)
{
	struct arena *scratch = arena_create();
	struct style_tree tree = {
		.places = hash_table_make(scratch, sizeof(struct style_place)),
		.styles =
			hash_table_make(scratch, sizeof(struct child_sequence)),
		.features =
			hash_table_make(scratch, sizeof(struct place_feature)),
	};
	struct hash_table rated;

	for (uint32_t i = 0; i < sample->count; i++)
		style_tree_add_page(&tree, sample->pages[i], i);
	sum_styles(&tree);
	sum_features(&tree);
	rated = rate_places(scratch, &tree, attenuation);
	rated = hash_table_copy(arena, &rated);
	arena_destroy(scratch);
	return rated;
}

/*
 * The parameters of the method sst. The attenuation is from the source. The
 * threshold has the highest mean word F1 over four sites whose templates have
 * many pages (tests/eval/RESULTS.md, "What parameters were chosen by").
 */
enum { MIN_IMPORTANCE, ATTENUATION };

static const struct parameter sst_parameters[] = {
	[MIN_IMPORTANCE] = {"min_importance", "", 0, 1, 0.42,
			    "a node with less composite importance is noise"},
	[ATTENUATION] = {"attenuation", "", 0, 1, 0.9,
			 "how much the children of a node with few styles "
			 "decide its importance"},
};

static const void *sst_build_model(const struct sample *sample,
				   const double *values, struct arena *arena)
{
	struct hash_table *known = ARENA_NEW(arena, struct hash_table, 1);

	*known = style_tree_rate(arena, sample, values[ATTENUATION]);
	return known;
}

/*
 * The source drops an element if it and all its descendants are below the
 * threshold. So the decision about a text depends only on its leaf, and the
 * source keeps dates and names in menus. This implementation differs: the
 * composite importance of a block decides about the texts directly in the
 * block, which is better (tests/eval/RESULTS.md, "What parameters were chosen
 * by"). The importance of a place that no other page has is 1.
 */
static void sst_run(const struct extractor_input *input,
		    struct verdict *verdicts)
{
	const struct page *page = input->page;
	const bool *is_visible = visible_texts(input->arena, page);
	struct page_places places = style_tree_places(input->arena, page);
	double threshold = input->parameters[MIN_IMPORTANCE];

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t block = page_block_around(page, page->texts[i].node);
		const struct importance *known;
		double composite;

		known = hash_table_find(input->learned,
					block == NO_NODE ? places.texts[i]
							 : places.nodes[block]);
		composite = known == NULL ? 1 : known->composite;
		verdicts[i] = (struct verdict){
			.score = (float)composite,
			.is_content = is_visible[i] && composite >= threshold,
		};
		if (input->trace != NULL)
			trace_reason(input->trace, i,
				     "importance of its block %.2f, minimum "
				     "%.2f; on %u pages",
				     composite, threshold,
				     known == NULL ? 0 : known->pages);
	}
}

const struct extractor extractor_sst = {
	.name = "sst",
	.summary = "Places whose texts differ from page to page.",
	.source = "Yi, Liu and Li, Eliminating Noisy Information in Web Pages "
		  "for Data Mining, KDD 2003",
	PARAMETERS(sst_parameters),
	.needs = NEEDS_SAMPLE,
	.learn = sst_build_model,
	.learned_parameters =
		sizeof(sst_parameters) / sizeof(sst_parameters[0]),
	.run = sst_run,
};
