/*
 * extract/methods/declaration.h - declarations of the CSS properties that the
 * box estimate supports. Of two declarations the one with the higher rank wins,
 * so they can be merged in any order.
 */
#ifndef EXTRACT_METHODS_DECLARATION_H
#define EXTRACT_METHODS_DECLARATION_H

#include <stdint.h>

#include "extract/methods/css_value.h"

enum property {
	PROPERTY_DISPLAY,   /* enum display */
	PROPERTY_FLOAT,     /* enum flow */
	PROPERTY_POSITION,  /* enum flow */
	PROPERTY_CLEAR,     /* 1: below all floats */
	PROPERTY_IS_COLUMN, /* flex-direction: 1 for column */
	PROPERTY_WIDTH,
	PROPERTY_HEIGHT,
	PROPERTY_MAX_WIDTH,
	PROPERTY_MARGIN_LEFT,
	PROPERTY_MARGIN_RIGHT,
	PROPERTY_FONT_SIZE,
	PROPERTY_IS_BOLD,
	PROPERTY_BACKGROUND, /* colour */
	PROPERTY_COUNT,
};

enum display {
	DISPLAY_INLINE,
	DISPLAY_BLOCK,
	DISPLAY_INLINE_BLOCK, /* a block inside a line; an image */
	DISPLAY_TABLE,
	DISPLAY_ROW,  /* table row: cells side by side */
	DISPLAY_FLEX, /* a row outside of tables */
	DISPLAY_NONE,
};

enum flow {
	FLOW_NORMAL,
	FLOW_LEFT,  /* floats */
	FLOW_RIGHT, /* floats */
	FLOW_OUT,   /* absolute or fixed: takes no space */
};

/* A length, or in `unit` a number that is specific to the property. */
struct css_declaration {
	struct length value;
	uint32_t rank; /* 0: not declared */
};

struct declarations {
	struct css_declaration properties[PROPERTY_COUNT];
};

/* Ranks: 1 for HTML attributes, then by specificity, then by order. */
enum specificity {
	SPECIFICITY_TAG = 1,
	SPECIFICITY_CLASS,
	SPECIFICITY_TAG_CLASS,
	SPECIFICITY_ID,
	SPECIFICITY_TAG_ID,
	SPECIFICITY_INLINE,
};

#define RANK_ATTRIBUTE 1U
#define RANK_IMPORTANT 0x80000000U

/* `order`: of equal specificity the later declaration wins. */
static inline uint32_t declaration_rank(enum specificity specificity,
					uint32_t order)
{
	return (uint32_t)specificity << 24 |
	       (order < 0xFFFFFF ? order : 0xFFFFFF);
}

/* Declare `value`, unless a declaration of a higher rank exists. */
void declare(struct declarations *declarations, enum property property,
	     struct length value, uint32_t rank);

/* Declare a number that is specific to the property. */
void declare_word(struct declarations *declarations, enum property property,
		  uint32_t word, uint32_t rank);

/* Return the declared value of `property`, or `otherwise`. */
uint32_t declared_word(const struct declarations *declarations,
		       enum property property, uint32_t otherwise);

/* Return the declared length, or LENGTH_NONE. */
struct length declared_length(const struct declarations *declarations,
			      enum property property);

/*
 * Read "width: 10px; color: red" with the given rank; "!important" ranks above
 * all others. Skip unknown and invalid declarations and nested rules. Linear,
 * constant stack.
 */
void declarations_read(struct declarations *declarations, struct slice text,
		       uint32_t rank);

/* Merge the declarations of `other` that rank as high or higher. */
void declarations_merge(struct declarations *declarations,
			const struct declarations *other);

#endif
