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

/*
 * Maximum number of distinct links of a page in its record; further links are
 * ignored.
 */
enum { MAX_LINKS = 5000 };

struct analyse_options {
	const struct page_limits *limits; /* not used by analyse_page() */
	enum measure measure;             /* measure of the site */
	unsigned width; /* names per shingle of `measure`; 0 = its default */
	unsigned http_status; /* status of the response; 0 = unknown */
	bool is_cut;          /* the body is truncated */
	bool is_for_once; /* no template version will use the record, so omit
			     the signatures by paths */
	bool is_nofollow; /* set by the header X-Robots-Tag */
	bool is_rendered; /* by a browser: it resembles only such pages */
	struct slice refresh;         /* URL of the Refresh header; or empty */
	struct slice drop_parameters; /* parameters to remove from links:
					 crawl/url/url.h */
};

/*
 * Parse `body` and append its record to `record_out`. `charset` is from the
 * Content-Type, or empty. Links are resolved against `url`; of several links to
 * one target, only the first is kept. A page is not classified as a stub if its
 * refresh leads to the page itself. Any thread; no side effects except memory
 * use. After an error of page_parse(), nothing is appended.
 */
enum error analyse(struct slice body, struct slice charset,
		   const struct url *url, const struct analyse_options *options,
		   struct buffer *record_out);

/* Do the same as analyse() for a parsed page; `body` is its source. */
void analyse_page(const struct page *page, struct slice body,
		  const struct url *url, const struct analyse_options *options,
		  struct buffer *record_out);

/* Return the CPU time of the calling thread in microseconds. */
uint64_t cpu_time_us(void);

/* Evaluating guards on a page. */

/*
 * Evaluate the guards, a list of struct wanted_guard, on the page; its arena
 * grows. Append a JSON array to `out`, with one object for each guard:
 *
 *   {"guard":N, "matches":M, "value":V, "path":P, "us":T, "over":"guard",
 *    "skipped":true,
 *    "candidates":[{"selector":CSS, "score":S, "node":K, "value":V}, ...]}
 *
 * M is -1 if the guard could not be evaluated; T is its CPU time in
 * microseconds. "over" is present if a limit was exceeded: "guard" if this
 * guard took longer than guard_ms (an XPath expression is stopped then); "page"
 * if all guards together took longer than page_ms, and this guard took the
 * longest. page_ms does not include the time to create the XPath tree.
 * "skipped" is present if the guard was not evaluated completely, because the
 * other guards took too long or because the kernel has no timer; such a result
 * says nothing about the page. "candidates" are proposals for a new selector.
 * They are present if the guard fails, has held on this page before, and
 * page_ms is not over; the search stops when page_ms is over. CSS guards use
 * page/selector.h, which is linear on any page.
 */
void guards_check(struct page *page, struct slice guards,
		  const struct guard_limits *limits, struct buffer *out);

#endif
