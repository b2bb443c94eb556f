/*
 * cluster/path.h - the paths to the elements of a page, as hashes of their
 * steps.
 */
#ifndef CLUSTER_PATH_H
#define CLUSTER_PATH_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct page;

enum { PATH_MAX_BYTES = 1024 }; /* size of a human-readable path */

/* The parts of a step of a path. */
enum path_steps {
	PATH_NAMES,   /* only the tag name */
	PATH_CLASSES, /* also the class attribute, normalised: class.h */
	/*
	 * also the class attribute, except of html and body: their classes
	 * change from page to page, and would change all paths
	 */
	PATH_INNER_CLASSES,
	PATH_STEPS_COUNT
};

/* The steps of a page of all kinds, see path_steps(). */
struct path_table {
	const uint64_t *steps[PATH_STEPS_COUNT];
	const uint64_t *tags; /* hashes of the names by tag, for the tags in
				 page->tags */
};

/* Compute them together; this costs little more than the steps with classes. */
struct path_table path_table_make(struct arena *arena, const struct page *page);

/*
 * Return the path from the root to each element [node_count], in `arena`: all
 * its steps [node_count], chained. The paths of elements that are leaves or
 * contain text are the shingles of cp (PATH_NAMES) and of cpc (PATH_CLASSES).
 */
uint64_t *path_chains(struct arena *arena, const struct page *page,
		      const uint64_t *steps);

/*
 * Write a human-readable path to `node`, with PATH_CLASSES for example
 * "html>body>div.menu.menu-0>ul>li": normalised classes, in the order of the
 * page. Write it to the end of `out` [PATH_MAX_BYTES] and return its begin. Of
 * a long path write the last steps, after "...>". O(depth).
 */
size_t path_write_by(const struct page *page, uint32_t node,
		     enum path_steps kind, char *out);

/* Do the same with PATH_CLASSES. */
size_t path_write(const struct page *page, uint32_t node, char *out);

/*
 * Return the hash of the last `width` (1 to SIGNATURE_MAX_WIDTH) of `steps` on
 * the path to `node`, or of all steps of a shorter path. O(width).
 */
uint64_t path_shingle(const struct page *page, const uint64_t *steps,
		      uint32_t node, unsigned width);

/*
 * Do the same with PATH_INNER_CLASSES for one element, such as a link. The hash
 * is stored in analysis records, so it must never change.
 */
uint64_t path_hash(const struct page *page, uint32_t node, unsigned width);

#endif
