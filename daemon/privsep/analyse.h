/*
 * daemon/privsep/analyse.h - compute the analysis record of a page from its
 * bytes: signatures, fragments and links.
 */
#ifndef DAEMON_PRIVSEP_ANALYSE_H
#define DAEMON_PRIVSEP_ANALYSE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"
#include "cluster/signature.h"
#include "crawl/url.h"
#include "page/page.h"

/* Maximum number of distinct links of a page; further links are ignored. */
enum { MAX_LINKS = 5000 };

struct analyse_options {
	const struct page_limits *limits; /* not used by analyse_page() */
	enum measure measure;             /* measure of the site */
	unsigned width; /* names per shingle; 0 = default of the measure, which
			   other measures always use */
	unsigned http_status; /* of the response; 0 = unknown */
	bool is_cut;          /* the body is truncated */
	bool is_for_once; /* no template version will use the record: omit the
			     signatures of its paths */
	bool is_nofollow; /* set by the header X-Robots-Tag */
	struct slice drop_parameters; /* to remove from links:
					 crawl/parameters.h */
};

/*
 * Parse `body` and append its record to `record_out`. `charset` is from the
 * Content-Type, or empty. Resolve links against `url`; of several links to a
 * target, keep the first. Set the page class; ignore a refresh to the page
 * itself, so that such a page is not a stub. Pure except for memory; any
 * thread. Errors of page_parse(); nothing is appended then.
 */
enum error analyse(struct slice body, struct slice charset,
		   const struct url *url, const struct analyse_options *options,
		   struct buffer *record_out);

/* The same for a parsed page; `body` is its source. */
void analyse_page(const struct page *page, struct slice body,
		  const struct url *url, const struct analyse_options *options,
		  struct buffer *record_out);

#endif
