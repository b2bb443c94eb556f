/*
 * extract/text/node_path.h - the DOM path of an element as a hash that is the
 * same on all pages of a template, so that a model built from some pages
 * applies to the others.
 */
#ifndef EXTRACT_TEXT_NODE_PATH_H
#define EXTRACT_TEXT_NODE_PATH_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct page;

/*
 * Return the step from the parent to each element [page->node_count], in
 * `arena`: the hash of the tag name and, with_class, of the names in the class
 * attribute. The order of the names does not matter; digits (post-4711 is
 * post-) and bytes of a name after the first 64 are left out. html and body
 * have only the tag name: their classes change from page to page. Linear.
 */
const uint64_t *node_steps(struct arena *arena, const struct page *page,
			   bool with_class);

/*
 * Return the path from the root to each element [page->node_count], in `arena`:
 * all node_steps() on it, chained. Never 0. Linear.
 */
const uint64_t *node_paths(struct arena *arena, const struct page *page,
			   bool with_class);

#endif
