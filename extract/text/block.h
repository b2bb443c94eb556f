/*
 * extract/text/block.h - the block tree: the block-level elements of a page,
 * with counts of their own content and of everything inside them. A block's own
 * texts are the texts whose nearest block-level ancestor it is.
 */
#ifndef EXTRACT_TEXT_BLOCK_H
#define EXTRACT_TEXT_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct page;

#define NO_BLOCK UINT32_MAX

/*
 * Counts of visible text only; characters are Unicode characters with collapsed
 * white space.
 */
struct block_counts {
	uint32_t characters;
	uint32_t link_characters; /* characters inside a[href] */
	uint32_t words;           /* as in extract/text/token_stream.h */
	uint32_t link_words;
	uint32_t texts;   /* text nodes */
	uint32_t links;   /* a[href] elements */
	uint32_t images;  /* img, picture, svg, canvas */
	uint32_t items;   /* li, dt, dd, option */
	uint32_t fields;  /* input, select, textarea, button */
	uint32_t scripts; /* script, object, embed, applet, iframe */
};

struct block {
	uint32_t node; /* the element; NO_NODE: texts outside of any element */
	uint32_t parent; /* parent block; NO_BLOCK for the first block */
	uint32_t end;    /* one past its last descendant block */
	struct block_counts own; /* without the blocks inside it */
	struct block_counts all; /* with all blocks inside it */
};

struct block_tree {
	/* [count], pre-order; the first block is the whole page */
	const struct block *blocks;
	uint32_t count;
	const uint32_t
		*text_blocks; /* [page->text_count]: the block of each text */
};

/*
 * Build the tree. Everything belongs to `arena`. Linear. A page without
 * elements has one block.
 */
struct block_tree block_tree_make(struct arena *arena, const struct page *page,
				  const bool *is_visible);

/*
 * Set each of values [tree->count] to the maximum over its block and the blocks
 * around it.
 */
void block_tree_inherit(const struct block_tree *tree, double *values);

#endif
