/* cluster/path.h - the paths to the elements of a page, step by step. */
#ifndef CLUSTER_PATH_H
#define CLUSTER_PATH_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct page;

enum { PATH_MAX_BYTES = 1024 }; /* of a path for people */

/* What a step of a path consists of. */
enum path_steps {
	PATH_NAMES,   /* the tag name */
	PATH_CLASSES, /* and the class attribute, normalised: class.h */
	/*
	 * and the class attribute, except of html and body: their classes
	 * change from page to page, and with them all paths would
	 */
	PATH_INNER_CLASSES,
	PATH_STEPS_COUNT
};

/* The steps of a page of all kinds, as path_steps() has them. */
struct path_table {
	const uint64_t *steps[PATH_STEPS_COUNT];
	const uint64_t *tags; /* hashes of the names, by tag; of those that
				 page->tags has */
};

/* Make them together, which costs little more than those with classes. */
struct path_table path_table_make(struct arena *arena, const struct page *page);

/*
 * The path from the root to each element [node_count], in `arena`: all steps
 * [node_count] on it, chained. Those of elements that are leaves or hold text
 * themselves are the shingles of cp (PATH_NAMES) and of cpc (PATH_CLASSES).
 */
uint64_t *path_chains(struct arena *arena, const struct page *page,
		      const uint64_t *steps);

/*
 * The path to `node` for people, as in "html>body>div.menu.menu-0>ul>li" by
 * PATH_CLASSES: normalised classes, in the order of the page. Written to the
 * end of `out` [PATH_MAX_BYTES]; returns where it begins. Of a path that is too
 * long the last steps, behind "...>". O(depth).
 */
size_t path_write_by(const struct page *page, uint32_t node,
		     enum path_steps kind, char *out);

/* The same by PATH_CLASSES. */
size_t path_write(const struct page *page, uint32_t node, char *out);

/*
 * The hash of the last `width` (1 to SIGNATURE_MAX_WIDTH) of `steps` on the
 * path to `node`, or of all of a shorter path. O(width).
 */
uint64_t path_shingle(const struct page *page, const uint64_t *steps,
		      uint32_t node, unsigned width);

/*
 * The same by PATH_INNER_CLASSES for one element, such as a link. Stored in
 * analysis records: it must never change.
 */
uint64_t path_hash(const struct page *page, uint32_t node, unsigned width);

#endif
