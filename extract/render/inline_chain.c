#include "extract/render/inline_chain.h"

#include <assert.h>
#include <stdbool.h>

#include "page/tag.h"

enum inline_kind inline_kind(uint16_t tag)
{
	switch (tag) {
	case TAG_a:
		return INLINE_LINK;
	case TAG_b:
	case TAG_strong:
		return INLINE_STRONG;
	case TAG_em:
	case TAG_i:
		return INLINE_EMPHASIS;
	case TAG_code:
	case TAG_kbd:
	case TAG_samp:
	case TAG_tt:
		return INLINE_CODE;
	case TAG_del:
	case TAG_s:
	case TAG_strike:
		return INLINE_DELETED;
	case TAG_sub:
		return INLINE_SUBSCRIPT;
	case TAG_sup:
		return INLINE_SUPERSCRIPT;
	default:
		return INLINE_NONE;
	}
}

void inline_chain_add(struct inline_chain *chain, struct inline_element element)
{
	enum inline_kind kind = inline_kind(element.tag);
	uint32_t place = chain->count;

	if (kind == INLINE_NONE)
		return;
	for (uint32_t i = 0; i < chain->count; i++)
		if (inline_kind(chain->items[i].tag) == kind)
			return;
	if (place > 0 &&
	    inline_kind(chain->items[place - 1].tag) == INLINE_CODE) {
		chain->items[place] = chain->items[place - 1];
		place--;
	}
	assert(place < INLINE_KIND_COUNT && place <= chain->count);
	chain->items[place] = element;
	chain->count++;
}

static bool inline_continues(struct inline_element open,
			     struct inline_element wanted)
{
	enum inline_kind kind = inline_kind(open.tag);

	return kind == inline_kind(wanted.tag) &&
	       (open.node == wanted.node ||
		(kind != INLINE_LINK && kind != INLINE_CODE));
}

uint32_t inline_chain_shared(const struct inline_chain *open,
			     const struct inline_chain *wanted)
{
	uint32_t count = 0;

	while (count < open->count && count < wanted->count &&
	       inline_continues(open->items[count], wanted->items[count]))
		count++;
	assert(count <= open->count && count <= wanted->count);
	return count;
}
