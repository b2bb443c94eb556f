/*
 * daemon/privsep/analyse_task.h - compute the analysis record of a page from
 * its bytes: signatures, fragments and links.
 */
#ifndef DAEMON_PRIVSEP_ANALYSE_TASK_H
#define DAEMON_PRIVSEP_ANALYSE_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cluster/signature.h"
#include "crawl/url/url.h"
#include "daemon/privsep/messages.h"
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
					 crawl/url/url.h */
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

/* Return the CPU time of the calling thread in microseconds. */
uint64_t cpu_time_us(void);

/* Evaluate guards on a page. */

/*
 * Evaluate the guards, a list of struct wanted_guard, on the page, whose arena
 * grows. Append the results as a JSON array of
 *
 *   {"guard":N, "matches":M, "value":V, "path":P, "us":T, "over":"guard",
 *    "skipped":true,
 *    "candidates":[{"selector":CSS, "score":S, "node":K, "value":V}, ...]}
 *
 * M is -1 if the guard could not be evaluated; T is its CPU time in
 * microseconds. "over" marks an exceeded limit: "guard" if the guard took
 * longer than guard_ms, which stops an XPath expression; "page" if all guards
 * together took longer than page_ms, without the time for the XPath tree, and
 * this one took the longest. "skipped" marks a guard that was not evaluated
 * completely, because of the other guards or because the kernel has no timer;
 * it says nothing about the page. "candidates" are present if the guard fails,
 * has held on this page before, and page_ms leaves time for the search, which
 * stops at that limit. CSS guards use page/selector.h, which is linear
 * on any page.
 */
void guards_check(struct page *page, struct slice guards,
		  const struct guard_limits *limits, struct buffer *out);

#endif
