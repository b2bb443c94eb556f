#include "page/tag.h"

#include <assert.h>

#include "store/hash.h"

#define ROW 16 /* the longest name (blockquote, figcaption) has 10 bytes */

/* Names padded with zeros, so that a name is compared as two numbers. */
static const char names[TAG_COUNT][ROW] = {
#define X(name, flags) #name,
	TAG_LIST(X)
#undef X
};

static const uint8_t lengths[TAG_COUNT] = {
#define X(name, flags) sizeof(#name) - 1,
	TAG_LIST(X)
#undef X
};

static const uint8_t flag_sets[TAG_COUNT] = {
#define X(name, flags) flags,
	TAG_LIST(X)
#undef X
};

/*
 * The first tag of each letter; if the letter has none, the first tag of the
 * next letter.
 */
static const uint8_t first_of_letter[27] = {
	TAG_a,     TAG_b,     TAG_canvas, TAG_data, TAG_em,  TAG_fieldset,
	TAG_h1,    TAG_h1,    TAG_i,      TAG_kbd,  TAG_kbd, TAG_label,
	TAG_main,  TAG_nav,   TAG_object, TAG_p,    TAG_q,   TAG_rp,
	TAG_s,     TAG_table, TAG_u,      TAG_var,  TAG_wbr, TAG_COUNT,
	TAG_COUNT, TAG_COUNT, TAG_COUNT,
};

_Static_assert(TAG_COUNT < UINT8_MAX, "first_of_letter holds bytes");

uint16_t tag_from_name(struct slice name)
{
	char row[ROW] = {0};
	unsigned letter;

	if (name.size == 0 || name.size >= ROW)
		return TAG_COUNT;
	memcpy(row, name.data, name.size);
	letter = (unsigned char)row[0] - (unsigned)'a';
	if (letter >= 26)
		return TAG_COUNT;
	for (uint16_t tag = first_of_letter[letter];
	     tag < first_of_letter[letter + 1]; tag++)
		if (memcmp(names[tag], row, ROW) == 0 &&
		    lengths[tag] == name.size)
			return tag;
	return TAG_COUNT;
}

struct slice tag_name(uint16_t tag)
{
	assert(tag < TAG_COUNT);
	return (struct slice){names[tag], lengths[tag]};
}

unsigned tag_flags(uint16_t tag)
{
	return tag < TAG_COUNT ? flag_sets[tag] : 0;
}

uint64_t tag_hash(uint16_t tag)
{
	assert(tag < TAG_COUNT);
	return hash64(names[tag], lengths[tag], 0);
}
