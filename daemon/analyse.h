/*
 * daemon/analyse.h - from the bytes of a page to its analysis record: the one
 * place where page, signatures, fragments and links meet.
 */
#ifndef DAEMON_ANALYSE_H
#define DAEMON_ANALYSE_H

#include "crawl/url.h"
#include "page/page.h"
#include "store/buffer.h"
#include "store/error.h"
#include "store/slice.h"

/* Links beyond this many distinct ones of a page are ignored. */
enum { MAX_LINKS = 5000 };

/*
 * Parse `body` and append its record to `record_out`. `charset` is that of the
 * Content-Type or empty; links are resolved against `url`. Pure but for memory;
 * any thread. Errors: those of page_parse(); nothing is appended then.
 */
enum error analyse(struct slice body, struct slice charset,
		   const struct url *url, const struct page_limits *limits,
		   struct buffer *record_out);

#endif
