/* daemon/answer/found_page.h - finding the stored page of a URL, and copying
 * all that its answer is computed from. Internal to answer.c and
 * page_answer.c. */
#ifndef DAEMON_ANSWER_FOUND_PAGE_H
#define DAEMON_ANSWER_FOUND_PAGE_H

#include "daemon/answer/stored_site.h"
#include "store/rows_page.h"
#include "store/rows_site.h"

/* A stored page that was found, with everything needed besides its row. */
struct stored {
	struct site_row site;
	struct page_row row;
	uint64_t key;
};

/*
 * Find the page of `url`, behind redirects. Its URL is in answer->url then.
 * ERR_NOT_FOUND, with the reason in the answer; errors of the transaction.
 */
enum error stored_find(struct txn *txn, const struct url *url,
		       struct stored *stored_out, struct text_answer *answer);

/* A page, copied: no transaction is open any more. */
struct found_page {
	struct stored_site site;
	const struct site_view *view;
	struct known_page known;
	struct buffer body; /* the page, then what is told of it */
	uint64_t fetched_ms;
	bool has_page;     /* the caller's: it is parsed, and not read */
	bool wants_told;   /* the caller's: it goes to a worker, */
	bool wants_counts; /* which will want to know of its fragments */
	bool is_told;      /* as daemon/worker/text_request.h says */
	struct cluster_state state;
	size_t page_bytes;
	size_t told_count;
};

/* Find and copy it into *found, which is {0} but for the caller's; close it in
 * any case. Errors of
 * stored_find(), ERR_NOT_KEPT, ERR_CORRUPT. */
enum error found_page_read(struct store *store,
			   const struct answer_rules *rules,
			   const struct url *url, struct found_page *found,
			   struct text_answer *answer);
void found_page_close(struct found_page *found);

#endif
