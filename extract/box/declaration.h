/*
 * extract/box/declaration.h - declarations of the CSS properties that the box
 * estimate knows. Of two declarations the one of the higher rank wins, so that
 * they may be merged in any order.
 */
#ifndef EXTRACT_BOX_DECLARATION_H
#define EXTRACT_BOX_DECLARATION_H

#include <stdint.h>

#include "extract/box/css_value.h"

enum property {
	PROPERTY_DISPLAY,   /* enum display */
	PROPERTY_FLOAT,     /* enum flow */
	PROPERTY_POSITION,  /* enum flow */
	PROPERTY_CLEAR,     /* 1: stands below what floats */
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
	DISPLAY_INLINE_BLOCK, /* a block that stands in a line; an image */
	DISPLAY_TABLE,
	DISPLAY_ROW,  /* of a table: cells side by side */
	DISPLAY_FLEX, /* a row that is no table's */
	DISPLAY_NONE,
};

enum flow {
	FLOW_NORMAL,
	FLOW_LEFT,  /* floats */
	FLOW_RIGHT, /* floats */
	FLOW_OUT,   /* absolute or fixed: takes no room */
};

/* A length, or a number of the property's own in `unit`. */
struct declared {
	struct length value;
	uint32_t rank; /* 0: not declared */
};

struct declarations {
	struct declared properties[PROPERTY_COUNT];
};

/* Ranks: 1 for attributes of HTML, then by specificity, then by order. */
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

/* `order`: the later of equal specificity holds. */
static inline uint32_t declaration_rank(enum specificity specificity,
					uint32_t order)
{
	return (uint32_t)specificity << 24 |
	       (order < 0xFFFFFF ? order : 0xFFFFFF);
}

/* Declare `value`, unless a declaration of a higher rank exists. */
void declare(struct declarations *declarations, enum property property,
	     struct length value, uint32_t rank);

/* The same for a number of the property's own. */
void declare_word(struct declarations *declarations, enum property property,
		  uint32_t word, uint32_t rank);

/* The declared value of `property`, or `otherwise`. */
uint32_t declared_word(const struct declarations *declarations,
		       enum property property, uint32_t otherwise);

/* The declared length, or LENGTH_NONE. */
struct length declared_length(const struct declarations *declarations,
			      enum property property);

/*
 * Read "width: 10px; color: red" of the given rank; "!important" is above all
 * others. Unknown and wrong declarations are skipped; nested rules, too.
 * Linear, constant stack.
 */
void declarations_read(struct declarations *declarations, struct slice text,
		       uint32_t rank);

/* Merge the declarations of `other` that rank as high or higher. */
void declarations_merge(struct declarations *declarations,
			const struct declarations *other);

#endif
