/*
 * daemon/worker/analyse.h - from the bytes of a page to its analysis record:
 * the one place where page, signatures, fragments and links meet.
 */
#ifndef DAEMON_WORKER_ANALYSE_H
#define DAEMON_WORKER_ANALYSE_H

#include <stdbool.h>

#include "cluster/signature.h"
#include "crawl/url/url.h"
#include "page/page.h"
#include "store/buffer.h"
#include "store/error.h"
#include "store/slice.h"

/* Links beyond this many distinct ones of a page are ignored. */
enum { MAX_LINKS = 5000 };

struct analyse_options {
	const struct page_limits *limits; /* analyse_page(): not read */
	enum measure measure;             /* whose shingles have */
	unsigned width;       /* names; 0: its own, as all others have */
	unsigned http_status; /* of the answer that brought it; 0: unknown */
	bool is_cut;          /* the body stops before its end */
	bool is_for_once;     /* no version of a template will be told by the
				 record: its paths are not signed besides */
	bool is_nofollow;     /* a header said so: X-Robots-Tag */
	struct slice drop_parameters; /* out of links: crawl/url/parameters.h */
};

/*
 * Parse `body` and append its record to `record_out`. `charset` is that of the
 * Content-Type or empty; links are resolved against `url`; of several links to
 * a target only the first is kept. Pure but for memory; any thread. The page
 * class is set; a refresh to the page itself is ignored, so that such a page is
 * no stub. Errors: those of page_parse(); nothing is appended then.
 */
enum error analyse(struct slice body, struct slice charset,
		   const struct url *url, const struct analyse_options *options,
		   struct buffer *record_out);

/* The same of a page that is parsed already; `body` is what it was parsed from.
 */
void analyse_page(const struct page *page, struct slice body,
		  const struct url *url, const struct analyse_options *options,
		  struct buffer *record_out);

#endif
