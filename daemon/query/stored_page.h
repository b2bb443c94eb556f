/*
 * daemon/query/stored_page.h - parse pages of the store. Internal to answer.c
 * and similar files.
 */
#ifndef DAEMON_QUERY_STORED_PAGE_H
#define DAEMON_QUERY_STORED_PAGE_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "page/page.h"
#include "store/rows_page.h"
#include "store/txn.h"

struct arena;

/*
 * Return the title of a page, in `arena`; {NULL, 0} if the page has no record.
 */
struct slice stored_page_title(struct arena *arena, struct txn *txn,
			       uint32_t site, uint64_t page);

/* The pages of a cluster. */
struct stored_pages {
	struct txn *txn;
	uint32_t site;
	uint32_t cluster;
	const struct page_limits *limits;
};

/*
 * Append the source of the page. ERR_BODY_EXPIRED, ERR_CORRUPT; or the error of
 * the transaction.
 */
enum error stored_page_body(const struct stored_pages *from, uint64_t key,
			    const struct page_row *row, struct buffer *out);

/*
 * Append the page `key` of the site, whose row is `row`, to a list of
 * daemon/privsep/page_list.h, to be parsed without a transaction.
 * ERR_BODY_EXPIRED, ERR_CORRUPT: nothing is appended.
 */
enum error stored_page_append(const struct stored_pages *from, uint64_t key,
			      const struct page_row *row, struct buffer *list);

/*
 * Append the pages of stored_pages_sample(); a damaged page still counts
 * towards the limit. ERR_BODY_EXPIRED: no body of the cluster is stored; other
 * errors if no page can be read.
 */
enum error stored_sample_append(const struct stored_pages *from,
				uint32_t max_count, uint64_t max_bytes,
				struct buffer *list);

/*
 * Parse the page `key` of the site, whose row is `row`; free it with
 * page_destroy(). Uses the largest limits with which it may have been stored.
 * ERR_BODY_EXPIRED, ERR_CORRUPT.
 */
enum error stored_page_parse(const struct stored_pages *from, uint64_t key,
			     const struct page_row *row,
			     struct page **page_out);

/*
 * Write the keys of up to `max_count` pages whose bodies are stored, chosen as
 * by stored_pages_sample(). Return their number.
 */
uint32_t stored_pages_find(const struct stored_pages *from, uint32_t max_count,
			   uint64_t *keys_out);

/*
 * Like stored_pages_find(), for the pages that stored_pages_sample() would
 * parse if none of them is damaged.
 */
uint32_t stored_sample_find(const struct stored_pages *from, uint32_t max_count,
			    uint64_t max_bytes, uint64_t *keys_out);

/*
 * Parse up to `max_count` pages: those with the lowest content hashes, a random
 * but reproducible sample; garbage collection preserves their bodies
 * (daemon/engine/gc.h). After `max_bytes` of source add no more, except to
 * reach two. Skip damaged pages. Return the number; destroy each page. Reads
 * the row of every page of the cluster.
 */
uint32_t stored_pages_sample(const struct stored_pages *from,
			     uint32_t max_count, uint64_t max_bytes,
			     struct page **pages_out);

#endif
