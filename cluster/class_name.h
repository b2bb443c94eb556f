/*
 * cluster/class_name.h - normalises class names: replaces the parts that change
 * from page to page or from build to build, so that templates stay equal.
 */
#ifndef CLUSTER_CLASS_NAME_H
#define CLUSTER_CLASS_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

enum {
	CLASS_MAX_NAMES = 8,  /* only this many names of an element count */
	CLASS_MAX_BYTES = 64, /* only this many bytes of a name count */
};

/*
 * Normalise a class name into `out` [CLASS_MAX_BYTES] and return its length.
 * Case stays, because class names are case-sensitive. Only the first
 * CLASS_MAX_BYTES bytes count. Every run of digits becomes "0" (post-4711 is
 * post-0). A hash that a build tool wrote becomes "*". It is found by its
 * place: css-1xk2p3z, svelte-1xk2p3, astro-j7pv25f6, sc-bdVaJa and others
 *   _root_1a2b3_12               Vite: the hash and the number of the line
 *   Button_root__x7Ab3           css-loader, after "__" at the end
 *   item_Ab3d                    Docusaurus, after one "_" at the end
 *   x1lliihq, kTgVxA             StyleX and styled-components, the whole name
 * and, except after a tool's own prefix, by its letters: no word has them.
 * Other parts of five or more bytes after "-" or "_" become "*" if a letter
 * follows a digit, or if they change from lower to upper case at least twice,
 * and at least once in three bytes (sc-aBcDe, but not nav-mainMenuItem).
 * O(size).
 */
size_t class_normalise(struct slice name, char *out);

/*
 * Write the hashes of the distinct normalised names of a class attribute to
 * `hashes_out`, in ascending order and only the `max` smallest. Return their
 * number. O(size + names * max).
 */
size_t class_tokens(struct slice classes, uint64_t *hashes_out, size_t max);

/*
 * Return the hash of the first CLASS_MAX_NAMES class_tokens(), chained from
 * `seed`; `seed` if there are no names.
 */
uint64_t class_hash(struct slice classes, uint64_t seed);

/*
 * The form of a class name: names that one build tool has generated have the
 * same form, and most of them look generated. `tail` is the size of the part
 * after the last separator.
 */
struct class_shape {
	char separator; /* '-', '_'; '=' for "__"; 0 = none */
	size_t tail;
	bool is_generated; /* the tail looks generated; one word in ten does */
};

struct class_shape class_shape_of(struct slice name);

/*
 * Write the next name of a class attribute to *name_out, as written in the
 * source, and move *classes to the end of the name. Return false if there is no
 * further name.
 */
bool class_name_next(struct slice *classes, struct slice *name_out);

#endif
