/*
 * daemon/privsep/page_list.h - a list of pages to send to a worker: body and
 * charset of each (daemon/privsep/item_list.h).
 */
#ifndef DAEMON_PRIVSEP_PAGE_LIST_H
#define DAEMON_PRIVSEP_PAGE_LIST_H

#include <stdint.h>

#include "base/slice.h"
#include "page/page.h"

/*
 * Parse up to `max` pages of any size; skip damaged ones. Return their number;
 * free each with page_destroy().
 */
uint32_t sample_parse(struct slice list, const struct page_limits *limits,
		      struct page **pages_out, uint32_t max);

/* Parse one page. Errors of page_parse(). */
enum error sample_page_parse(struct slice body, struct slice charset,
			     const struct page_limits *limits,
			     struct page **page_out);

#endif
