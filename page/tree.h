/*
 * page/tree.h - from the tokens of a page to its tree, as browsers build it.
 * Internal to page/. Source: the HTML standard, section 13.2.6, without
 * scripts; the names are the standard's.
 */
#ifndef PAGE_TREE_H
#define PAGE_TREE_H

#include "page/page.h"

/*
 * Fill nodes, texts, attributes, text and unknown tags of the page, whose arena
 * and source are set; sets is_truncated at a limit. At most `max_items` texts
 * and attributes. Linear in the source.
 */
void tree_build(struct page *page, const struct page_limits *limits,
		size_t max_items);

#endif
