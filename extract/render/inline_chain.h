/*
 * extract/render/inline_chain.h - the inline elements around a piece of text,
 * outermost first: at most one of each kind, with code innermost, because in
 * most formats code can hold only text.
 */
#ifndef EXTRACT_RENDER_INLINE_CHAIN_H
#define EXTRACT_RENDER_INLINE_CHAIN_H

#include <stdint.h>

enum inline_kind {
	INLINE_NONE,
	INLINE_LINK,        /* a */
	INLINE_STRONG,      /* b, strong */
	INLINE_EMPHASIS,    /* em, i */
	INLINE_CODE,        /* code, kbd, samp, tt */
	INLINE_DELETED,     /* del, s, strike */
	INLINE_SUBSCRIPT,   /* sub */
	INLINE_SUPERSCRIPT, /* sup */
	INLINE_KIND_COUNT
};

/* Return the kind; INLINE_NONE for an element without effect on the output. */
enum inline_kind inline_kind(uint16_t tag);

struct inline_element {
	uint32_t node;
	uint32_t level; /* level of the node: outline.h */
	uint16_t tag;
};

struct inline_chain {
	struct inline_element items[INLINE_KIND_COUNT - 1]; /* [count] */
	uint32_t count;
};

/*
 * Add an element that is inside the elements of the chain, if its kind is new.
 */
void inline_chain_add(struct inline_chain *chain,
		      struct inline_element element);

/*
 * Return how many elements at the start of `open` can stay open for `wanted`:
 * the same link or code element, or for other kinds any element of the same
 * kind.
 */
uint32_t inline_chain_shared(const struct inline_chain *open,
			     const struct inline_chain *wanted);

#endif
