/* daemon/worker/guarded_page.h - what guards find on a page. */
#ifndef DAEMON_WORKER_GUARDED_PAGE_H
#define DAEMON_WORKER_GUARDED_PAGE_H

#include "page/page.h"
#include "store/buffer.h"

/*
 * Evaluate the guards, a list of struct wanted_guard, on the page, whose arena
 * grows. What they find is appended as JSON, an array of
 *
 * 	{"guard":N, "matches":M, "value":V, "path":P, "candidates":[
 * 	 {"selector":CSS, "score":S, "node":K, "value":V}, ...]}
 *
 * M is -1 when it could not be evaluated. Candidates are there when it does not
 * hold and is known to have held on the page. A guard in CSS is matched by
 * page/select/selector.h, which is linear whatever the page is.
 */
void guards_check(struct page *page, struct slice guards, struct buffer *out);

#endif
