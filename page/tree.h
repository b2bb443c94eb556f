/*
 * page/tree.h - builds the tree of a page from its tokens, as browsers do.
 * Internal to page/. Source: the HTML standard, section 13.2.6, without
 * scripts; the names are the standard's.
 */
#ifndef PAGE_TREE_H
#define PAGE_TREE_H

#include "page/page.h"

/*
 * Fill in nodes, texts, attributes, text and unknown tags of the page, whose
 * arena and source are set; set is_truncated at a limit. At most `max_items`
 * texts and attributes. Linear in the source.
 */
void tree_build(struct page *page, const struct page_limits *limits,
		size_t max_items);

#endif
