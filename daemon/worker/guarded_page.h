/* daemon/worker/guarded_page.h - what guards find on a page. */
#ifndef DAEMON_WORKER_GUARDED_PAGE_H
#define DAEMON_WORKER_GUARDED_PAGE_H

#include "daemon/worker/requests.h"
#include "page/page.h"
#include "store/buffer.h"

/*
 * Evaluate the guards, a list of struct wanted_guard, on the page, whose arena
 * grows. What they find is appended as JSON, an array of
 *
 * 	{"guard":N, "matches":M, "value":V, "path":P, "us":T, "over":"guard",
 * 	 "skipped":true,
 * 	 "candidates":[{"selector":CSS, "score":S, "node":K, "value":V}, ...]}
 *
 * M is -1 when it could not be evaluated; T is its CPU time in microseconds.
 * "over" is there when a limit was exceeded: "guard": it took longer than
 * guard_ms, where an expression of XPath is ended; "page": all together took
 * longer than page_ms without the tree of XPath, and this one the longest.
 * "skipped" is there when it was not evaluated, or not to its end, because of
 * the others, or because the kernel has no timer: that says nothing of the
 * page. Candidates are there when it does not hold, is known to have held on
 * the page, and page_ms leaves time for the search, which ends with it. A guard
 * in CSS is matched by page/select/selector.h, which is linear in any page.
 */
void guards_check(struct page *page, struct slice guards,
		  const struct guard_limits *limits, struct buffer *out);

#endif
