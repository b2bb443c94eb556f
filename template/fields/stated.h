/*
 * template/fields/stated.h - the values that a page states for machines in its
 * JSON-LD. Each has an address of its own, its path: "jsonld:" and the keys to
 * it, such as "jsonld:Product.offers.price". In a column_source the path is the
 * attribute of the root, place 0.
 */
#ifndef TEMPLATE_FIELDS_STATED_H
#define TEMPLATE_FIELDS_STATED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/limit.h"

struct arena;
struct page;

enum {
	MAX_PATH_BYTES = 120,
	MAX_PATH_KEYS = 6,
	MAX_STATED_VALUES = LIMIT(500, 12), /* of a page */
};

struct stated_value {
	const char *path;
	struct slice text; /* collapsed, at most MAX_VALUE_BYTES */
};

/*
 * Write the values of a page to *values_out, in `arena`, and return their
 * number: texts, numbers, true and false. Linear in the JSON-LD.
 */
uint32_t stated_values(struct arena *arena, const struct page *page,
		       const struct stated_value **values_out);

/* Return whether an attribute of a column_source, or NULL, is a path. */
bool is_stated(const char *attribute);

/* Return whether a text is a path that stated_values() may return. */
bool stated_path_is_valid(struct slice path);

/*
 * Return the key that says most about the value of a path: the last one, or the
 * one before if the last one is general, such as "name"; for the name of the
 * thing itself "name".
 */
struct slice stated_key(const char *path);

/*
 * Return how likely the value of a path is one that readers look for, in [0,
 * 1]; 0 for navigation, and for the numbers that belong to an image.
 */
double stated_rank(const char *path);

#endif
