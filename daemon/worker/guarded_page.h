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
 * 	 "candidates":[{"selector":CSS, "score":S, "node":K, "value":V}, ...]}
 *
 * M is -1 when it could not be evaluated; T is its CPU time in microseconds.
 * "over" is there when a limit was exceeded: "guard": it took longer than
 * guard_ms, where an expression of XPath is ended; "page": all together took
 * longer than page_ms, and this one the longest. Guards that follow then are
 * not evaluated. Candidates are there when it does not hold, is known to have
 * held on the page, and page_ms leaves time for the search. A guard in CSS is
 * matched by page/select/selector.h, which is linear whatever the page is.
 */
void guards_check(struct page *page, struct slice guards,
		  const struct guard_limits *limits, struct buffer *out);

#endif
