/*
 * daemon/query/found_page.h - find the stored page of a URL, and copy all
 * input of its extraction. Internal to answer.c and page_answer.c.
 */
#ifndef DAEMON_QUERY_FOUND_PAGE_H
#define DAEMON_QUERY_FOUND_PAGE_H

#include "daemon/query/stored_site.h"
#include "store/rows_page.h"
#include "store/rows_site.h"

/* A stored page with its site and key. */
struct stored_page {
	struct site_row site;
	struct page_row row;
	uint64_t key;
};

/*
 * Find the page of `url`, following redirects; answer->url becomes its URL.
 * ERR_NOT_FOUND, with the reason in the answer; errors of the transaction.
 */
enum error stored_page_find(struct txn *txn, const struct url *url,
			    struct stored_page *stored_out,
			    struct extraction_result *answer);

/* A copied page, usable without a transaction. */
struct copied_page {
	struct stored_site site;
	const struct site_view *view;
	struct known_page known;
	struct buffer
		body; /* the page, then its fragments with their frequencies */
	uint64_t fetched_ms;
	bool has_page; /* input: the caller has parsed the page, so its body is
			  not read */
	bool wants_told;   /* input: also copy data for a worker, */
	bool wants_counts; /* input: including the frequencies of its fragments
			    */
	bool is_told;      /* see daemon/privsep/text_request.h */
	struct cluster_state state;
	size_t page_bytes;
	size_t told_count;
};

/*
 * Find a page and copy it into *found. Before the call *found is {0} except the
 * input fields; close it in any case. Errors of stored_page_find(),
 * ERR_BODY_EXPIRED, ERR_CORRUPT.
 */
enum error copied_page_read(struct store *store,
			    const struct extraction_options *rules,
			    const struct url *url, struct copied_page *found,
			    struct extraction_result *answer);
void copied_page_close(struct copied_page *found);

#endif
