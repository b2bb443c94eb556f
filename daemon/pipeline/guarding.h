/*
 * daemon/pipeline/guarding.h - what guards find on a page. No transaction is
 * open while they are evaluated, and nothing is written: what was found travels
 * as JSON to the commit, an array of
 *
 * 	{"guard":N, "matches":M, "value":V, "path":P, "candidates":[
 * 	 {"selector":CSS, "score":S, "node":K, "value":V}, ...]}
 *
 * M is -1 when it could not be evaluated. Candidates are there when it does not
 * hold and is known to have held on the page.
 */
#ifndef DAEMON_PIPELINE_GUARDING_H
#define DAEMON_PIPELINE_GUARDING_H

#include <stdint.h>

#include <jansson.h>

#include "page/page.h"
#include "store/buffer.h"
#include "store/rows_guard.h"
#include "store/store.h"

struct arena;
struct xpath_tree;

/* A page on which guards are evaluated. */
struct guarded_page {
	const struct page *page;
	struct xpath_tree *tree; /* made when it is first needed; NULL: not yet
				  */
	bool has_no_tree;        /* it cannot be made */
};

/* End with guarded_page_end(); the page stays the caller's. */
void guarded_page_end(struct guarded_page *guarded);

/*
 * Evaluate the selector of `guard`: an object with matches, value and path. A
 * guard in CSS is matched by page/select/selector.h, which is linear whatever
 * the page is; its xpath is only for output.
 */
json_t *guarding_find(struct guarded_page *guarded,
		      const struct guard_row *guard);

/*
 * Evaluate the guards of the site `host`, if there are any, on the page of
 * `url`, whose arena grows; what they find is appended to `out`.
 */
void guarding_check(struct store *store, const char *host, struct slice url,
		    struct page *page, struct buffer *out);

#endif
