/* page/builder.h - from the skeleton to the arrays of a page. Internal to
 * page/. */
#ifndef PAGE_BUILDER_H
#define PAGE_BUILDER_H

#include "page/page.h"
#include "page/skeleton.h"

/*
 * Fill nodes, texts, attributes and text of the page, whose arena and source
 * are set, from the skeleton of that source; sets is_truncated at a limit.
 */
void builder_run(struct page *page, const struct skeleton *skeleton,
		 const struct page_limits *limits, size_t max_attributes);

#endif
