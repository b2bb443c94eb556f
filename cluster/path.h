/* cluster/path.h - the paths to the elements of a page, step by step. */
#ifndef CLUSTER_PATH_H
#define CLUSTER_PATH_H

#include <stdint.h>

struct arena;
struct page;

/* What a step of a path knows of its element. */
enum path_steps {
	PATH_NAMES,   /* the tag name */
	PATH_CLASSES, /* and the class attribute, normalised: class.h */
	/* and the class attribute, but of html and body the name alone: their
	 * classes change from page to page, and so would all paths */
	PATH_INNER_CLASSES,
};

/* The step to each element [node_count], in `arena`. */
uint64_t *path_steps(struct arena *arena, const struct page *page,
		     enum path_steps kind);

/*
 * The hash of the last `width` (1 to SIGNATURE_MAX_WIDTH) of `steps` on the
 * path to `node`, or of all of a shorter path. O(width).
 */
uint64_t path_shingle(const struct page *page, const uint64_t *steps,
		      uint32_t node, unsigned width);

/*
 * The same by PATH_INNER_CLASSES for one element alone: where a link stands. A
 * value of the analysis records: it must never change.
 */
uint64_t path_hash(const struct page *page, uint32_t node, unsigned width);

#endif
