/*
 * extract/text/node_path.h - the DOM path of an element as a hash that is the
 * same on all pages of a template, so that what was learned on one page is
 * found on the others.
 */
#ifndef EXTRACT_TEXT_NODE_PATH_H
#define EXTRACT_TEXT_NODE_PATH_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct page;

/*
 * The step from the parent to each element [page->node_count], in `arena`: the
 * tag name and, with_class, the names of the class attribute in any order,
 * without their digits (post-4711 is post-) and, of each, what is behind the
 * first 64 bytes. Of html and body the tag name alone: their classes change
 * from page to page. Linear.
 */
const uint64_t *node_steps(struct arena *arena, const struct page *page,
			   bool with_class);

/*
 * The path from the root to each element [page->node_count], in `arena`: all
 * node_steps() on it, chained. Never 0. Linear.
 */
const uint64_t *node_paths(struct arena *arena, const struct page *page,
			   bool with_class);

#endif
