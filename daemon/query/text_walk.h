/*
 * daemon/query/text_walk.h - the pages of a site in the order in which they
 * were stored: by the time at which this store got their content, pages of the
 * same millisecond by their keys. A page that is stored again moves to the end.
 * Memory is limited, however many pages there are, and transactions are short.
 */
#ifndef DAEMON_QUERY_TEXT_WALK_H
#define DAEMON_QUERY_TEXT_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"
#include "crawl/url.h"
#include "store/rows_page.h"
#include "store/store.h"

/* The position of a page in that order. */
struct text_position {
	uint64_t stored_ms;
	uint64_t key; /* key of the page */
};

enum { TEXT_POSITION_BYTES = 40 };

/*
 * Write the position as text, "1763908400123.00a1b2c3d4e5f607", to `out`
 * [TEXT_POSITION_BYTES].
 */
void text_position_write(struct text_position place, char *out);

/*
 * Parse such a text, or only a time, which is after all pages of its
 * millisecond. Return false if it is invalid.
 */
bool text_position_read(struct slice text, struct text_position *place_out);

/*
 * Which pages of a site: after `since`, stored before a time that is at most
 * the current time and at most the start of the walk.
 */
struct text_filter {
	const char *host;
	struct text_position since;
	uint64_t before_ms;
	uint32_t cluster; /* 0 = of all clusters, and of none */
	uint32_t classes; /* one bit per enum page_class */
};

struct text_walk; /* used by one thread at a time */

/*
 * Start a walk; the filter is copied. ERR_NOT_FOUND: there is no such site;
 * ERR_IO, ERR_BUSY, ERR_CORRUPT.
 */
enum error text_walk_begin(struct text_walk **walk_out, struct store *store,
			   const struct text_filter *filter);
void text_walk_end(struct text_walk *walk); /* NULL is a no-op */

/* Return the number of the site. */
uint32_t text_walk_site(const struct text_walk *walk);

/*
 * Get the next page. *is_there_out is false at the end. Once per 32,768 pages
 * this reads the rows of all pages of the site. ERR_NOT_FOUND: the site was
 * deleted or replaced; other errors as above. After an error the call can be
 * repeated.
 */
enum error text_walk_next(struct text_walk *walk,
			  struct text_position *place_out, bool *is_there_out);

/* A page at its position. */
struct positioned_page {
	char url[MAX_URL_BYTES + 1];
	uint64_t fetched_ms;
	uint64_t archived_ms; /* time of its record in an archive; 0 = none */
	uint32_t cluster;
	uint16_t page_class;
};

/*
 * Read the page of a position. ERR_NOT_FOUND: it was deleted or has another
 * position now.
 */
enum error text_position_page(struct store *store, uint32_t site,
			      struct text_position place,
			      struct positioned_page *page_out);

#endif
