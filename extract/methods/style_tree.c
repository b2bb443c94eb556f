#include "extract/methods/style_tree.h"

#include <math.h>

#include "base/arena.h"
#include "base/hash.h"
#include "extract/core/visible.h"
#include "extract/core/walk.h"
#include "extract/methods/entropy.h"
#include "extract/text/node_path.h"
#include "extract/text/term.h"
#include "page/page.h"

/* An element node of the style tree, or a leaf. */
struct style_place {
	uint64_t key;
	uint32_t parent;  /* index of its place, or NO_ENTRY */
	uint32_t pages;   /* pages that have it */
	uint32_t page;    /* the last page that had it, + 1 */
	uint32_t styles;  /* number of distinct sequences of children */
	double style_sum; /* sum of c ln c, c = the pages with a style */
	double weight;    /* sum over the pages of 1 / number of its siblings */
	double inner;     /* importance of the children, summed by weight */
	uint32_t features;  /* number of distinct words of a leaf */
	double feature_sum; /* sum of their entropies */
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

/* The step of a path to a text. */
static const uint64_t text_step = 1;

struct step_counter {
	uint64_t key;
	uint64_t count;
};

/* Return the key of the next child of `parent` with this step. */
static uint64_t place_key(struct hash_table *counters, uint64_t parent,
			  uint64_t step)
{
	struct step_counter *counter =
		hash_table_add(counters, hash_chain(step, parent));

	return hash_chain(counter->count++, counter->key);
}

static void style_tree_add_child(struct page_places *places, uint32_t parent,
				 uint64_t step)
{
	if (parent == NO_NODE)
		return;
	places->styles[parent] = hash_chain(step, places->styles[parent]);
	places->children[parent]++;
}

struct page_places style_tree_places(struct arena *arena,
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
		uint32_t parent;

		if (step == STEP_CLOSE)
			continue;
		parent = step == STEP_OPEN ? page->nodes[index].parent
					   : page->texts[index].node;
		style_tree_add_child(&places, parent,
				     step == STEP_OPEN ? steps[index]
						       : text_step);
		*(step == STEP_OPEN ? &places.nodes[index]
				    : &places.texts[index]) =
			place_key(&counters,
				  parent == NO_NODE ? 0 : places.nodes[parent],
				  step == STEP_OPEN ? steps[index] : text_step);
	}
	return places;
}

/*
 * Return a place of the page after counting it; `siblings` is the number of
 * children of its parent. A parent must be counted before its children.
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

static void add_style(struct style_tree *tree, uint32_t place, uint64_t key,
		      uint64_t sequence)
{
	struct child_sequence *style =
		hash_table_add(&tree->styles, hash_chain(sequence, key));

	style->place = place;
	style->pages++;
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

		add_style(tree, hash_table_index(&tree->places, place),
			  places->nodes[i], places->styles[i]);
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
 * NodeImp of the source: for an inner node the entropy of its styles; for a
 * leaf one minus the mean entropy of its features; 1 if only one page has it.
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
 * CompImp of the source: the fewer styles a node has, the more its importance
 * depends on its children.
 */
static double composite_importance(const struct style_place *place,
				   double attenuation)
{
	double ratio = pow(attenuation, place->styles);

	if (place->styles == 0)
		return node_importance(place);
	return (1 - ratio) * node_importance(place) +
	       ratio * place->inner / place->pages;
}

static void style_tree_store_rating(struct hash_table *rated,
				    const struct style_place *place,
				    double composite)
{
	struct importance *importance = hash_table_add(rated, place->key);

	importance->composite = (float)composite;
	importance->pages = place->pages;
}

/* Parents come before their children, so sum up from the last to the first. */
static struct hash_table
rate_places(struct arena *arena, struct style_tree *tree, double attenuation)
{
	struct hash_table rated =
		hash_table_make(arena, sizeof(struct importance));

	for (uint32_t i = tree->places.count; i-- > 0;) {
		const struct style_place *place =
			hash_table_entry(&tree->places, i);
		double composite = composite_importance(place, attenuation);

		if (place->parent != NO_ENTRY) {
			struct style_place *parent =
				hash_table_entry(&tree->places, place->parent);

			parent->inner += place->weight * composite;
		}
		if (place->parent == NO_ENTRY || place->styles > 0)
			style_tree_store_rating(&rated, place, composite);
	}
	return rated;
}

struct hash_table style_tree_rate(struct arena *arena,
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
