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

/* Append the source of the page. ERR_NOT_KEPT, ERR_CORRUPT. */
enum error stored_page_body(const struct stored_pages *from, uint64_t key,
			    const struct page_row *row, struct buffer *out);

/* A page as it is stored, copied: it is parsed when no transaction is open. */
struct copied_page {
	struct buffer bytes; /* of the body, then of the charset */
	size_t body_bytes;
};

/* The page `key` of the site, whose row is `row`; free it. ERR_NOT_KEPT,
 * ERR_CORRUPT: there is nothing to free. */
enum error copied_page_read(const struct stored_pages *from, uint64_t key,
			    const struct page_row *row,
			    struct copied_page *page_out);

/* As stored_page_parse(). */
enum error copied_page_parse(const struct copied_page *packed,
			     const struct page_limits *limits,
			     struct page **page_out);
void copied_page_free(struct copied_page *packed);

/* Copy the pages of stored_pages_sample(), where a damaged one takes the place
 * of another. Returns how many; free each. */
uint32_t copied_sample_read(const struct stored_pages *from, uint32_t max_count,
			    uint64_t max_bytes, struct copied_page *pages_out);

/* Parse and free them: [count]. Returns how many are no damaged ones. */
uint32_t copied_sample_parse(struct copied_page *packed, uint32_t count,
			     const struct page_limits *limits,
			     struct page **pages_out);

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
