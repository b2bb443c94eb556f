/*
 * daemon/answer/stored_page.h - parsing pages of the store. Internal to
 * answer.c and its like.
 */
#ifndef DAEMON_ANSWER_STORED_PAGE_H
#define DAEMON_ANSWER_STORED_PAGE_H

#include <stdint.h>

#include "page/page.h"
#include "store/buffer.h"
#include "store/error.h"
#include "store/rows_page.h"
#include "store/txn.h"

struct arena;

/* The title of a page, in `arena`; {NULL, 0} when the page has no record. */
struct slice stored_page_title(struct arena *arena, struct txn *txn,
			       uint32_t site, uint64_t page);

/* Some pages of a cluster. */
struct stored_pages {
	struct txn *txn;
	uint32_t site;
	uint32_t cluster;
	const struct page_limits *limits;
};

/* Append the source of the page. ERR_NOT_KEPT, ERR_CORRUPT; the error of the
 * transaction, when that has one. */
enum error stored_page_body(const struct stored_pages *from, uint64_t key,
			    const struct page_row *row, struct buffer *out);

/*
 * Append the page `key` of the site, whose row is `row`, to a list of
 * daemon/worker/page_list.h: it is parsed when no transaction is open.
 * ERR_NOT_KEPT, ERR_CORRUPT: nothing is appended.
 */
enum error stored_page_append(const struct stored_pages *from, uint64_t key,
			      const struct page_row *row, struct buffer *list);

/* The same for the pages of stored_pages_sample(), where a damaged one takes
 * the place of another. ERR_NOT_KEPT: none of the cluster is kept; other errors
 * when none of them can be read. */
enum error stored_sample_append(const struct stored_pages *from,
				uint32_t max_count, uint64_t max_bytes,
				struct buffer *list);

/*
 * Parse the page `key` of the site, whose row is `row`; page_destroy() it. Uses
 * the largest limits with which it may have been stored. ERR_NOT_KEPT,
 * ERR_CORRUPT.
 */
enum error stored_page_parse(const struct stored_pages *from, uint64_t key,
			     const struct page_row *row,
			     struct page **page_out);

/*
 * The keys of up to `max_count` of them whose bodies are kept: those of
 * stored_pages_sample(). Returns how many.
 */
uint32_t stored_pages_find(const struct stored_pages *from, uint32_t max_count,
			   uint64_t *keys_out);

/* The same of the pages that stored_pages_sample() would parse, if none of them
 * is damaged. */
uint32_t stored_sample_find(const struct stored_pages *from, uint32_t max_count,
			    uint64_t max_bytes, uint64_t *keys_out);

/*
 * Parse up to `max_count` of them: those with the lowest content hashes, a
 * random but reproducible sample; garbage collection keeps their bodies
 * (daemon/engine/gc.h). After `max_bytes` of source no more are added,
 * except to reach two. Damaged pages are skipped. Returns how many; destroy
 * each. Reads the row of every page of the cluster.
 */
uint32_t stored_pages_sample(const struct stored_pages *from,
			     uint32_t max_count, uint64_t max_bytes,
			     struct page **pages_out);

#endif
