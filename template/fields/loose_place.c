#include "template/fields/loose_place.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "page/page.h"
#include "template/fields/column.h"
#include "template/fields/element_name.h"
#include "template/fields/place.h"

enum {
	MIN_LOOSE_PAGES = 2,
	MIN_LOOSE_SHARE = 5,                   /* percent of the pages */
	MAX_LOOSE_KEYS = LIMIT(20000, 16),     /* that are counted */
	MAX_LOOSE_NODES = LIMIT(2000000, 400), /* of all pages */
};

enum { KEY_LOOSE = 6, MAX_LOOSE_STEP = 60 /* bytes */ };

/* The elements that one loose place would have. */
struct loose {
	uint64_t key;
	uint32_t page; /* the first of them */
	uint32_t node;
	uint32_t number;   /* of the key among those of the element */
	uint32_t ordinary; /* its ordinary place, or NO_PLACE */
	bool is_several;   /* the others have another ordinary place */
	uint32_t scope;    /* deepest place around all */
	uint32_t elements;
	uint32_t pages;
	uint32_t repeated;  /* pages that have several */
	uint32_t last_page; /* + 1 */
	uint32_t on_page;
};

/* Write the names that count, with their texts, and return their number. */
static uint32_t loose_names(const struct page *page, uint32_t node,
			    struct element_name names_out[MAX_LOOSE_NAMES])
{
	struct element_name names[MAX_ELEMENT_NAMES];
	size_t all = element_names(page, node, names);
	uint32_t count = 0;

	for (size_t i = 0; i < all && count < MAX_LOOSE_NAMES; i++)
		if (names[i].text[0] != '#')
			names_out[count++] = names[i];
	return count;
}

struct loose_finder loose_finder_make(const struct place_tree *tree,
				      const struct placement *placement,
				      struct arena *arena)
{
	const size_t nodes = placement->page->node_count + 1u;

	return (struct loose_finder){
		.tree = tree,
		.placement = placement,
		.named = ARENA_ROOM(arena, uint32_t, nodes),
		.around = ARENA_ROOM(arena, uint32_t, nodes),
		.last = NO_NODE,
		.cache = name_cache_make(),
	};
}

void loose_finder_free(struct loose_finder *finder)
{
	name_cache_free(&finder->cache);
}

/* Write the names that count to the finder, and return their number. */
static uint32_t finder_set_names(struct loose_finder *finder,
				 const struct name_set *set)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < set->count && count < MAX_LOOSE_NAMES; i++)
		if ((set->ids >> i & 1) == 0)
			finder->names[count++] = set->names[i];
	return count;
}

/* Set the names of an element, or of the next one around it that has some. */
static void finder_read_names(struct loose_finder *finder, uint32_t node)
{
	const struct page *page = finder->placement->page;
	uint32_t parent = page->nodes[node].parent;
	struct name_set set = names_of(&finder->cache, page, node);
	uint32_t count = finder_set_names(finder, &set);

	if (count > 0) {
		finder->named[node] = node;
		finder->count = count;
	} else {
		finder->named[node] =
			parent == NO_NODE ? NO_NODE : finder->named[parent];
		if (finder->named[node] == finder->last)
			return;
		finder->count = 0;
		if (finder->named[node] != NO_NODE) {
			set = names_of(&finder->cache, page,
				       finder->named[node]);
			finder->count = finder_set_names(finder, &set);
		}
	}
	finder->last = finder->named[node];
	name_cache_trim(&finder->cache);
}

static bool is_loose_tag(uint16_t tag)
{
	return tag == TAG_dt || (tag_flags(tag) & TAG_IS_HEADING) != 0;
}

static uint64_t loose_key(uint64_t name, uint64_t tag)
{
	return hash_chain(tag, hash_chain(name, KEY_LOOSE));
}

/* Write the keys of the loose places of an element; return their number. */
static uint32_t finder_keys(struct loose_finder *finder, uint32_t node,
			    uint64_t keys_out[ROOM_FOR_LOOSE])
{
	const struct page *page = finder->placement->page;
	uint16_t tag = page->nodes[node].tag;
	uint64_t tag_hash = page_tag_hash(page, tag);
	uint32_t place = finder->placement->of_node[node];
	uint32_t count = 0;

	finder->around[node] =
		place != NO_PLACE || node == 0
			? place
			: finder->around[page->nodes[node].parent];
	finder_read_names(finder, node);
	if (node == 0 || is_no_item(page, node) ||
	    finder->named[node] == NO_NODE)
		return 0;
	for (uint32_t i = 0; i < finder->count; i++)
		keys_out[count++] =
			loose_key(finder->names[i],
				  finder->named[node] == node ? 0 : tag_hash);
	if (is_loose_tag(tag))
		keys_out[count++] = loose_key(0, tag_hash);
	return count;
}

uint32_t loose_finder_next(struct loose_finder *finder, uint32_t node,
			   uint32_t places_out[ROOM_FOR_LOOSE])
{
	uint64_t keys[ROOM_FOR_LOOSE];
	uint32_t key_count = finder_keys(finder, node, keys);
	uint32_t parent = finder->placement->page->nodes[node].parent;
	uint32_t around = parent == NO_NODE ? NO_PLACE : finder->around[parent];
	uint32_t count = 0;

	for (uint32_t i = 0; i < key_count; i++) {
		const struct place *place =
			hash_table_find(&finder->tree->places, keys[i]);

		/* all elements around one that has a place have one, too */
		if (place != NULL && place->is_loose &&
		    place_is_below(finder->tree, around, place->parent))
			places_out[count++] =
				hash_table_index(&finder->tree->places, place);
	}
	return count;
}

/* Learning */

struct loose_learner {
	struct place_tree *tree;
	const struct page *const *pages;
	uint32_t page;
	struct hash_table keys; /* struct loose */
};

/* Return the deepest place that is around both, or one of them. */
static uint32_t common_place(const struct place_tree *tree, uint32_t a,
			     uint32_t b)
{
	while (a != b) {
		if (place_at(tree, a)->depth >= place_at(tree, b)->depth)
			a = place_at(tree, a)->parent;
		else
			b = place_at(tree, b)->parent;
	}
	return a;
}

/* Return the place that stands for all positions of a series. */
static uint32_t series_place(const struct place_tree *tree, uint32_t index)
{
	return index != NO_PLACE && place_at(tree, index)->positions > 0
		       ? place_at(tree, index)->first
		       : index;
}

static void learn_key(struct loose_learner *learner,
		      const struct loose_finder *finder, uint32_t node,
		      uint64_t key, uint32_t number)
{
	const struct place_tree *tree = learner->tree;
	const struct placement *placement = finder->placement;
	struct loose *loose = hash_table_find(&learner->keys, key);
	uint32_t scope = finder->around[placement->page->nodes[node].parent];
	uint32_t ordinary = series_place(tree, placement->of_node[node]);

	if (loose == NULL) {
		if (learner->keys.count >= MAX_LOOSE_KEYS)
			return;
		loose = hash_table_add(&learner->keys, key);
		if (hash_table_index(&learner->keys, loose) == NO_ENTRY)
			return;
		loose->page = learner->page;
		loose->node = node;
		loose->number = number;
		loose->ordinary = ordinary;
		loose->scope = scope;
	}
	loose->is_several |=
		ordinary == NO_PLACE || ordinary != loose->ordinary;
	loose->scope = common_place(tree, loose->scope, scope);
	loose->elements++;
	if (loose->last_page != learner->page + 1) {
		loose->last_page = learner->page + 1;
		loose->on_page = 0;
		loose->pages++;
	}
	loose->repeated += ++loose->on_page == 2;
}

static void learn_page(struct loose_learner *learner, struct arena *arena,
		       uint32_t node_count)
{
	const struct placement placement =
		place_page(learner->tree, learner->pages[learner->page], arena);
	struct loose_finder finder =
		loose_finder_make(learner->tree, &placement, arena);
	uint64_t keys[ROOM_FOR_LOOSE];

	for (uint32_t node = 0; node < node_count; node++) {
		uint32_t count = finder_keys(&finder, node, keys);

		for (uint32_t i = 0; i < count; i++)
			learn_key(learner, &finder, node, keys[i], i);
	}
	loose_finder_free(&finder);
}

/* Return whether the elements are more than an ordinary place has. */
static bool is_useful(const struct loose *loose, uint32_t pages)
{
	return loose->is_several && loose->pages >= MIN_LOOSE_PAGES &&
	       loose->pages * 100 >= pages * MIN_LOOSE_SHARE &&
	       loose->elements <= loose->pages * MAX_PAGE_VALUES;
}

/* Set what people and names of fields need to know of the place. */
static void place_describe(struct loose_learner *learner,
			   const struct loose *loose, struct place *place)
{
	const struct page *page = learner->pages[loose->page];
	uint32_t named = loose->node;
	struct element_name names[MAX_LOOSE_NAMES];
	uint32_t count;

	place->step = arena_slice(
		learner->tree->arena,
		utf8_truncate(page_tag_name(page, page->nodes[loose->node].tag),
			      MAX_LOOSE_STEP));
	do {
		count = loose_names(page, named, names);
		named = page->nodes[named].parent;
	} while (count == 0 && named != NO_NODE);
	if (loose->number < count)
		place->names =
			arena_slice(learner->tree->arena,
				    (struct slice){names[loose->number].text,
						   names[loose->number].size});
}

static void learn_places(struct loose_learner *learner)
{
	struct place_tree *tree = learner->tree;
	uint32_t added = 0;

	for (uint32_t i = 0; i < learner->keys.count; i++) {
		const struct loose *loose = hash_table_entry(&learner->keys, i);
		struct place *place;

		if (!is_useful(loose, tree->page_count))
			continue;
		if (added++ >= MAX_LOOSE_PLACES ||
		    tree->places.count >= MAX_PLACES)
			return;
		if (hash_table_find(&tree->places, loose->key) != NULL)
			continue;
		place = hash_table_add(&tree->places, loose->key);
		if (hash_table_index(&tree->places, place) == NO_ENTRY)
			continue;
		place->is_loose = true;
		place->parent = loose->scope;
		place->depth =
			(uint16_t)(place_at(tree, loose->scope)->depth + 1);
		place->is_repeated = loose->repeated > 0;
		place->pages = loose->pages;
		place->elements = loose->elements;
		place->parents = loose->pages;
		place->repeated = loose->repeated;
		place_describe(learner, loose, place);
		tree->loose_count++;
	}
}

void loose_places_learn(struct place_tree *tree,
			const struct page *const *pages, uint32_t count)
{
	struct arena *scratch = arena_create();
	struct loose_learner learner = {
		.tree = tree,
		.pages = pages,
		.keys = hash_table_make(scratch, sizeof(struct loose)),
	};

	for (uint32_t i = 0; i < count; i++) {
		struct arena *own = arena_create();
		uint32_t nodes = pages[i]->node_count;

		learner.page = i;
		if (!pages[i]->is_truncated)
			learn_page(&learner, own,
				   nodes < MAX_LOOSE_NODES / count
					   ? nodes
					   : MAX_LOOSE_NODES / count);
		arena_destroy(own);
	}
	learn_places(&learner);
	arena_destroy(scratch);
}
