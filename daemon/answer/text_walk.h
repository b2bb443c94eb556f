/*
 * daemon/answer/text_walk.h - the pages of a site in the order in which they
 * were stored: by the time at which what is stored came here, pages of the same
 * millisecond by their keys. A page that is stored again moves to the end.
 * Memory is bounded, however many pages there are, and transactions are short.
 */
#ifndef DAEMON_ANSWER_TEXT_WALK_H
#define DAEMON_ANSWER_TEXT_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/url/url.h"
#include "store/error.h"
#include "store/rows_page.h"
#include "store/slice.h"
#include "store/store.h"

/* Where a page stands in that order. */
struct text_place {
	uint64_t stored_ms;
	uint64_t key; /* of the page */
};

enum { PLACE_BYTES = 40 };

/* As text, "1763908400123.00a1b2c3d4e5f607", to `out` [PLACE_BYTES]. */
void text_place_write(struct text_place place, char *out);

/* Read that, or a time alone, which is behind all pages of its millisecond.
 * False when it is neither. */
bool text_place_read(struct slice text, struct text_place *place_out);

/* Which pages of a site: those behind `since`, stored before a time, which is
 * not later than now, and not later than when the walk began. */
struct text_filter {
	const char *host;
	struct text_place since;
	uint64_t before_ms;
	uint32_t cluster; /* 0: of all, and of none */
	uint32_t classes; /* a bit for each enum page_class */
};

struct text_walk; /* one thread at a time */

/* Begin a walk; the filter is copied. ERR_NOT_FOUND: there is no such site;
 * ERR_IO, ERR_BUSY, ERR_CORRUPT. */
enum error text_walk_begin(struct text_walk **walk_out, struct store *store,
			   const struct text_filter *filter);
void text_walk_end(struct text_walk *walk); /* NULL is a no-op */

/* The number of the site. */
uint32_t text_walk_site(const struct text_walk *walk);

/*
 * The next page. *is_there_out is false at the end. Now and then this reads the
 * rows of all pages of the site: once for 32768 pages of the walk.
 * ERR_NOT_FOUND: the site is gone, or another one; others as above. After an
 * error it can be tried again.
 */
enum error text_walk_next(struct text_walk *walk, struct text_place *place_out,
			  bool *is_there_out);

/* A page at its place. */
struct placed_page {
	char url[MAX_URL_BYTES + 1];
	uint64_t fetched_ms;
	uint64_t archived_ms; /* of its record in an archive; 0: none */
	uint32_t cluster;
	uint16_t page_class;
};

/* ERR_NOT_FOUND: it is gone, or stands elsewhere by now. */
enum error text_place_page(struct store *store, uint32_t site,
			   struct text_place place,
			   struct placed_page *page_out);

#endif
