/* daemon/worker/page_list.h - pages of a cluster, as a list that travels: of
 * each its body and its charset (daemon/worker/item_list.h). */
#ifndef DAEMON_WORKER_PAGE_LIST_H
#define DAEMON_WORKER_PAGE_LIST_H

#include <stdint.h>

#include "page/page.h"
#include "store/slice.h"

/*
 * Parse up to `max` of them, whatever their size; damaged ones are skipped.
 * Returns how many; page_destroy() each.
 */
uint32_t sample_parse(struct slice list, const struct page_limits *limits,
		      struct page **pages_out, uint32_t max);

/* The same of one page. Errors of page_parse(). */
enum error sample_page_parse(struct slice body, struct slice charset,
			     const struct page_limits *limits,
			     struct page **page_out);

#endif
