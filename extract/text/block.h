/*
 * extract/text/block.h - the block tree: the block-level elements of a page,
 * with counts of their own texts and of everything inside them. A text belongs
 * to the block that is its nearest block-level ancestor. Also: blocks as
 * vectors, the direction of a page, and sums of the passages inside an element.
 */
#ifndef EXTRACT_TEXT_BLOCK_H
#define EXTRACT_TEXT_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "extract/text/passage.h"

struct term_list;

#define NO_BLOCK UINT32_MAX

/*
 * Counts of visible text only; characters are Unicode characters with collapsed
 * white space.
 */
struct block_counts {
	uint32_t characters;
	uint32_t link_characters; /* characters inside a[href] */
	uint32_t words;           /* as by word_count() */
	uint32_t link_words;
	uint32_t texts;   /* text nodes */
	uint32_t links;   /* a[href] elements */
	uint32_t images;  /* img, picture, svg, canvas */
	uint32_t items;   /* li, dt, dd, option */
	uint32_t fields;  /* input, select, textarea, button */
	uint32_t scripts; /* script, object, embed, applet, iframe */
};

struct block {
	uint32_t node;   /* the element; NO_NODE: the block of the texts outside
			    of any element */
	uint32_t parent; /* parent block; NO_BLOCK for the first block */
	uint32_t end;    /* index after its last descendant block */
	struct block_counts own; /* without the blocks inside this block */
	struct block_counts all; /* with all blocks inside this block */
};

struct block_tree {
	/* [count], pre-order; the first block is the whole page */
	const struct block *blocks;
	uint32_t count;
	const uint32_t
		*text_blocks; /* [page->text_count]: the block of each text */
};

/*
 * Build the block tree; is_visible [page->text_count] are the texts to count.
 * Everything belongs to `arena`. Linear. A page without elements has one block.
 */
struct block_tree block_tree_make(struct arena *arena, const struct page *page,
				  const bool *is_visible);

/*
 * Set each of values [tree->count] to the maximum of the values of its block
 * and of the blocks around that.
 */
void block_tree_inherit(const struct block_tree *tree, double *values);

/*
 * The blocks of a page as feature vectors, for comparison with the blocks of
 * other pages (Debnath, Mitra, Pal and Giles, TKDE 2005). A vector has a
 * coordinate for every word, and one for the images, one for the scripts and
 * one for the links.
 */

struct feature {
	uint32_t name;  /* half of the word's hash, or NAME_* of block.c */
	uint32_t count; /* 1.. */
};

struct feature_vector {
	const struct feature *features; /* [count], ascending by name */
	uint32_t count;
	float norm;    /* Euclidean length */
	uint64_t hash; /* equal for equal features */
};

/*
 * Return the vector of each block's own texts and elements: [tree->count], in
 * `arena`. `list` has the words of the texts. O(n log n) for n words.
 */
const struct feature_vector *block_features(struct arena *arena,
					    const struct page *page,
					    const struct block_tree *tree,
					    const struct term_list *list);

/*
 * Return the cosine of the angle between `a` and `b`, in [0, 1]; 0 if a vector
 * is empty. Linear.
 */
float feature_cosine(const struct feature_vector *a,
		     const struct feature_vector *b);

enum { MIN_HASHES = 4 };

/*
 * Write the min-hashes of the names in the vector. If the names in two vectors
 * have the Jaccard similarity J, then each hash of the one vector is equal to
 * the same hash of the other vector with probability J (Broder 1997). Linear.
 */
void feature_min_hashes(const struct feature_vector *vector,
			uint64_t out[MIN_HASHES]);

enum direction { DIRECTION_LTR, DIRECTION_RTL };

/* Return "ltr" or "rtl". */
const char *direction_name(enum direction direction);

/*
 * Return the direction that the dir attribute of html or body states. Without
 * the attribute, return the direction of most letters in the first 64 KiB of
 * `text`, which is from the page. Hebrew, Arabic, Syriac, Thaana, N'Ko and
 * related scripts are written from right to left.
 */
enum direction direction_of(const struct page *page, struct slice text);

/*
 * Sums of the text inside an element, in O(1) for each element. Only passages
 * of PLACE_PLAIN count.
 */

struct subtrees {
	const struct passages *passages;
	/* [node_count + 1]: number of counted elements before each element */
	const uint32_t *elements_before;
};

struct subtree {
	float words;         /* ln1 */
	float passages;      /* ln1 */
	float link_ratio;    /* ratio of its characters in links */
	float page_ratio;    /* ratio of the page's words */
	float long_ratio;    /* ratio of its words in long_words */
	float sentence_ends; /* ratio of its passages that end a sentence */
	float prices;        /* ratio of its passages with a price */
	float dates;         /* ratio of its passages with a date */
	/*
	 * `density` is the number of characters per element.
	 * `composite_density` is lower if much of the text is in links: density
	 * * ln1(characters outside of links) / ln(2 + characters in links).
	 * Source, here simplified: section 4 of Sun et al., DOM Based Content
	 * Extraction via Text Density, SIGIR 2011.
	 */
	float density;
	float composite_density;
};

/*
 * Compute the prefix sums; they belong to `arena`: 4 bytes an element. Linear.
 */
struct subtrees subtrees_make(struct arena *arena,
			      const struct passages *passages);

/* Return the sums inside element `node`, or of the page for NO_NODE. O(1). */
struct subtree subtree_of(const struct subtrees *subtrees, uint32_t node);

/*
 * Return the ratio of the characters inside element `node` that are in links,
 * 0..1. O(1).
 */
float subtree_link_ratio(const struct passages *passages, uint32_t node);

#endif
