/*
 * template/fields/value.h - what the text of a value means: "£12.99" and
 * "12.99", "5 March 2024" and "2024-03-05", or the address of a file with and
 * without its host are the same value. So a value that the page shows is
 * compared with the one that it states for machines.
 */
#ifndef TEMPLATE_FIELDS_VALUE_H
#define TEMPLATE_FIELDS_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

struct arena;
struct column;

/*
 * Return a hash that is equal for texts that mean the same: the number of a
 * number or price, the day of a date, the path of a URL; otherwise hash64() of
 * the text.
 */
uint64_t value_meaning(struct slice text);

/* Return whether both texts mean the same. */
bool value_is_same(struct slice left, struct slice right);

/*
 * Return the meaning of the values of each page as one number [pages], as
 * page_hashes() does with their texts.
 */
uint64_t *page_meanings(const struct column *rule, uint32_t pages,
			struct arena *arena);

#endif
