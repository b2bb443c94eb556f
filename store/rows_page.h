/* store/rows_page.h - the rows of pages (see store/row.h). */
#ifndef STORE_ROWS_PAGE_H
#define STORE_ROWS_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "store/txn.h"

struct page_row {
	uint64_t fetched_ms;
	uint64_t changed_ms;   /* last change of the content, of its record if
				  PAGE_ROW_IS_ARCHIVED */
	uint64_t stored_ms;    /* when the daemon stored the content; the other
				  times may come from an archive */
	uint64_t content_hash; /* hash64 of the body */
	uint32_t cluster;      /* N of HOST/N; 0 = none */
	uint32_t body_bytes;   /* before compression */
	uint16_t http_status;
	uint16_t flags;      /* PAGE_ROW_* */
	uint16_t page_class; /* enum page_class; only class 0 is in clusters */
	struct slice url;    /* canonical */
	struct slice
		redirect; /* target of a redirect instead of a page, or empty */
	struct slice charset; /* of the Content-Type header, or empty */
};

enum {
	PAGE_ROW_IS_TRUNCATED =
		1, /* truncated at a limit; in no cluster, not in DF */
	PAGE_ROW_HAS_NO_BODY =
		2, /* the body was deleted; everything else remains */
	PAGE_ROW_IS_ARCHIVED = 4, /* warc_visit_identity() of url and changed_ms
				     is the page's record in an archive */
	PAGE_ROW_IS_INGESTED = 8, /* from an archive that a client uploaded */
};

/* Read the row of a page; `page` is page_key_of(url). */
bool page_row_get(struct txn *txn, uint32_t site, uint64_t page,
		  struct page_row *row_out);
void page_row_put(struct txn *txn, uint32_t site, uint64_t page,
		  const struct page_row *row);
bool page_row_decode(struct slice value, struct page_row *row_out);

#endif
