/* daemon/privsep/guarded_page.h - evaluate guards on a page. */
#ifndef DAEMON_PRIVSEP_GUARDED_PAGE_H
#define DAEMON_PRIVSEP_GUARDED_PAGE_H

#include "base/buffer.h"
#include "daemon/privsep/requests.h"
#include "page/page.h"

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
