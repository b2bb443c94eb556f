/*
 * template/fields/place.h - the places of a template: its sample pages laid
 * over each other, so that elements that print the same thing are one place.
 *
 * A place is a child of another place. Its step is the tag, the classes that do
 * not change from item to item, the label in front of it ("ISBN:"), and, among
 * equal siblings whose number is constant, its position. A run of text between
 * two elements is a place, too. Pages are aligned from the root downwards, as
 * in: Arasu, Garcia-Molina, Extracting Structured Data from Web Pages (SIGMOD
 * 2003, "ExAlg"), whose equivalence classes of tokens are here the elements
 * with equal steps.
 */
#ifndef TEMPLATE_FIELDS_PLACE_H
#define TEMPLATE_FIELDS_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/limit.h"
#include "extract/core/numeric.h"

struct arena;
struct page;

#define NO_PLACE UINT32_MAX

enum {
	MAX_PLACES = LIMIT(20000, 30),
	MAX_PLACE_DEPTH = LIMIT(100, 20), /* deeper elements have no place */
	MAX_USUAL_NAMES = 4,
	MAX_LABEL_BYTES = 60,     /* longer texts are no labels */
	MAX_PLACE_POSITIONS = 12, /* largest constant number of siblings */
};

struct place {
	uint64_t key;    /* hash of the parent's key and of the step */
	uint32_t parent; /* a lower index; NO_PLACE for the root */
	uint16_t depth;  /* 0 for the root */
	bool is_run;     /* a run of text, not an element */
	bool is_loose;   /* see template/fields/loose_place.h */
	/* several elements of one parent have this place on a page */
	bool is_repeated;
	uint32_t position;  /* among `positions` siblings; 0 if that is 0 */
	uint32_t positions; /* constant number of siblings; 0: none */
	uint32_t first;     /* the place with position 0, if `positions` > 0 */
	uint32_t pages;     /* number of sample pages that contain it */
	uint32_t elements;  /* on all sample pages */
	/* while learning: elements of the parent with one of it, and several */
	uint32_t parents;
	uint32_t repeated;
	/*
	 * hashes of the names that nearly all its elements have [usual_count];
	 * an element without half of them is another one
	 */
	uint64_t usual[MAX_USUAL_NAMES];
	uint8_t usual_count;
	bool is_bare;       /* its elements have no names */
	uint32_t named;     /* while learning: elements with names */
	struct slice step;  /* "span.price"; "#text" for a run */
	struct slice names; /* classes and so on of its first element */
	struct slice label; /* "ISBN:", or empty */
};

/* Where the elements and runs of a page are; not at which loose places. */
struct placement {
	const struct page *page;
	uint32_t *of_node; /* [page->node_count]; NO_PLACE: none */
	/* [page->text_count]: place of the run that begins with the text */
	uint32_t *of_text;
	/* [page->text_count]: first text after the run that begins here */
	uint32_t *run_end;
};

/* How equal siblings are told apart. */
enum label_mode {
	LABEL_NONE,
	LABEL_OWN,    /* by the label that they begin with */
	LABEL_BEFORE, /* by the label in front of them */
};

/* A name or label that counts among the children of a place. */
struct child_key {
	uint64_t key;
	uint32_t parent;
};

/* Children of a place that have equal names. */
struct group_entry {
	uint64_t key;
	uint32_t parent;
	uint32_t mode; /* enum label_mode */
};

/* Children of a place that have equal names and labels. */
struct series_entry {
	uint64_t key;
	uint32_t parent;
	uint32_t positions; /* 0: they are one place */
	uint32_t place;     /* the place, or the one of the first position */
};

struct place_tree {
	struct arena *arena;
	struct hash_table places; /* struct place; parents before children */
	struct hash_table tokens; /* struct child_key: names that count */
	struct hash_table labels; /* struct child_key: texts that are labels of
				     what follows */
	struct hash_table groups; /* struct group_entry */
	struct hash_table series; /* struct series_entry */
	uint32_t page_count;
	uint32_t loose_count; /* loose places; they follow the others */
};

/* Return how many of `all` things the next of `count` users may have used. */
static inline size_t share_of(size_t used, size_t all, size_t count)
{
	return used >= all ? used : used + (all - used) / count;
}

static inline struct place *place_at(const struct place_tree *tree,
				     uint32_t index)
{
	return (struct place *)hash_table_entry(&tree->places, index);
}

/* Return whether a place is `ancestor` or below it. O(depth). */
static inline bool place_is_below(const struct place_tree *tree, uint32_t index,
				  uint32_t ancestor)
{
	/* parents have lower indices */
	while (index != NO_PLACE && index > ancestor)
		index = place_at(tree, index)->parent;
	return index == ancestor;
}

/*
 * Align the pages [count]; the tree is in `arena` and does not refer to the
 * pages. Truncated pages are left out. O(elements) hash operations.
 */
struct place_tree place_tree_learn(struct arena *arena,
				   const struct page *const *pages,
				   uint32_t count);

/* Return a tree without places, in `arena`. */
struct place_tree place_tree_make(struct arena *arena);

/*
 * Return a copy in `arena` that has only the places for which `is_kept`
 * [places]; the parents of a kept place must be kept. It places a page as the
 * tree does. Write the new index of each place, or NO_PLACE, to `numbers_out`
 * [places]: a kept place is left out, too, if its key collides with too many
 * others.
 */
struct place_tree place_tree_prune(struct arena *arena,
				   const struct place_tree *tree,
				   const bool *is_kept, uint32_t *numbers_out);

/*
 * Return the places of a page, in `arena`. O(elements) hash operations.
 */
struct placement place_page(const struct place_tree *tree,
			    const struct page *page, struct arena *arena);

#endif
