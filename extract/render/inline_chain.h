/*
 * extract/render/inline_chain.h - the inline elements around a piece of text,
 * outermost first: at most one of each kind, with code innermost, since in most
 * formats code holds only text.
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

/* INLINE_NONE: an element that leaves no trace. */
enum inline_kind inline_kind(uint16_t tag);

struct inline_element {
	uint32_t node;
	uint32_t level; /* of that node: outline.h */
	uint16_t tag;
};

struct inline_chain {
	struct inline_element items[INLINE_KIND_COUNT - 1]; /* [count] */
	uint32_t count;
};

/* Add an element that stands inside those of the chain, if it adds a kind. */
void inline_chain_add(struct inline_chain *chain,
		      struct inline_element element);

/*
 * How many elements at the beginning of `open` can stay open for `wanted`: the
 * same link or code element, or any element of the same kind for the others.
 */
uint32_t inline_chain_shared(const struct inline_chain *open,
			     const struct inline_chain *wanted);

#endif
