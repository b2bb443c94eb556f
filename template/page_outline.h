/*
 * template/page_outline.h - the outline of a page: its distinct elements as a
 * tree, with their tag names and classes as text. It is stored in the record of
 * the page, so that two states of a page can be compared by region, and a
 * change can be described, without its source.
 */
#ifndef TEMPLATE_PAGE_OUTLINE_H
#define TEMPLATE_PAGE_OUTLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/limit.h"

struct arena;
struct page;

enum {
	OUTLINE_MAX_NODES = LIMIT(4000, 64), /* further elements are omitted */
	OUTLINE_MAX_LABEL =
		400, /* bytes; classes that do not fit are omitted */
};

/* An element. Elements with equal paths (path_chains()) are one node. */
struct outline_node {
	uint32_t parent; /* a lower index; NO_NODE = the root */
	/* it has no element in it, or text directly in it */
	bool is_end;
	/*
	 * tag name and classes, separated by spaces, as in the source. For html
	 * and body only the tag name: their classes change from page to page
	 */
	struct slice label;
	uint64_t step; /* hash of the label: PATH_INNER_CLASSES */
	uint64_t path; /* the same as path_chains() with these steps */
};

struct outline {
	const struct outline_node *nodes; /* [count], in pre-order */
	uint32_t count;                   /* 0 = unknown */
};

/*
 * Append the encoded outline of the page to `out`. It omits the same elements
 * as a page tree (template/page_tree.h): the head, and elements without text or
 * appearance. `steps` are the steps PATH_INNER_CLASSES of the page
 * (cluster/signature.h). O(nodes).
 */
void outline_append(const struct page *page, const uint64_t *steps,
		    struct buffer *out);

/*
 * Append the outline that has the paths of the tree on the side PATH_BEFORE
 * (template/page_tree.h). Its labels have the normalised classes of the paths.
 */
struct path_tree;
void outline_append_paths(const struct path_tree *tree, struct buffer *out);

/* The steps of labels that outline_read() has read; about 24 KB. */
struct label_steps;
struct label_steps *label_steps_make(struct arena *arena);

/*
 * Decode an outline into `arena`; its labels are in `bytes`. An empty or
 * damaged outline has no nodes. `known` refers to `bytes` afterwards.
 */
struct outline outline_read(struct arena *arena, struct label_steps *known,
			    struct slice bytes);

/*
 * Remove the first class from the label, whose tag name was removed before with
 * the same function. Return false if nothing remains.
 */
bool outline_label_next(struct slice *label, struct slice *name_out);

/*
 * Return the label as a step such as "div.menu.menu-0" (path_write()), in
 * `arena`.
 */
struct slice outline_label_text(struct arena *arena, struct slice label);

struct record;

/*
 * Return copies of the records whose MEASURE_CPC are the paths of their
 * outlines. These paths have no classes of html and body, which differ from
 * page to page. Return `records` itself if a record has no outline.
 */
const struct record *outline_records(struct arena *arena,
				     const struct record *records,
				     uint32_t count);

#endif
