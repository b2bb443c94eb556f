/*
 * page/tag_slots.h - a perfect hash of the names of HTML, made by
 * page/tag_slots.py. Internal to page/tag.c.
 */
#ifndef PAGE_TAG_SLOTS_H
#define PAGE_TAG_SLOTS_H

#include <stdint.h>

enum { TAG_SLOT_BITS = 11 };

/* Of a name, its first eight bytes as a number, the first byte lowest. */
extern const uint64_t tag_multiplier;

/* By the highest TAG_SLOT_BITS of the product: the tag + 1, or 0. */
extern const uint8_t tag_slots[1 << TAG_SLOT_BITS];

#endif
