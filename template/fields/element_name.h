/*
 * template/fields/element_name.h - the names of an element: its classes, its id
 * and other attributes that say what it is, without what changes from page to
 * page.
 */
#ifndef TEMPLATE_FIELDS_ELEMENT_NAME_H
#define TEMPLATE_FIELDS_ELEMENT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limit.h"
#include "cluster/class_name.h"
#include "extract/core/numeric.h"

struct arena;
struct page;

/* names of an element; further ones do not count */
enum { MAX_ELEMENT_NAMES = LIMIT(16, 8) };

/* A class, an id, or another name of an element. */
struct element_name {
	uint64_t hash;
	uint16_t size;
	char text[CLASS_MAX_BYTES + 2];
};

/*
 * Write the distinct names of an element to `names_out`, and return their
 * number. Words such as "first" and "odd", which say where the element stands,
 * are left out, and numbers are folded.
 */
size_t element_names(const struct page *page, uint32_t node,
		     struct element_name names_out[MAX_ELEMENT_NAMES]);

/* The hashes of the names of an element. */
struct name_set {
	uint64_t key; /* hash of the attributes */
	uint32_t count;
	uint32_t ids;          /* bit i: name i is an id */
	const uint64_t *names; /* [count] */
};

/* Remembers the names of elements, as many elements have the same. */
struct name_cache {
	struct arena *arena;
	struct hash_table sets;
};

/* Return an empty cache; free it with name_cache_free(). */
struct name_cache name_cache_make(void);
void name_cache_free(struct name_cache *cache);

/*
 * Return the names of an element as element_names() does. The hashes live
 * until the cache is trimmed.
 */
struct name_set names_of(struct name_cache *cache, const struct page *page,
			 uint32_t node);

/* Forget all names if they take too much memory. */
void name_cache_trim(struct name_cache *cache);

/* Return whether an element has no place, such as a script or a line break. */
bool is_no_item(const struct page *page, uint32_t node);

#endif
