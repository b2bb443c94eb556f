/*
 * crawl/frontier.h - which page to fetch next: the rules, and their rows in the
 * store. A URL is leased to the fetcher for a time; a lease that was never
 * answered falls due again, so a crawl that was killed goes on where it
 * stopped.
 */
#ifndef CRAWL_FRONTIER_H
#define CRAWL_FRONTIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/url.h"
#include "store/error.h"
#include "store/rows.h"
#include "store/txn.h"

/*
 * May a link to `url` found at `depth` join the frontier of `site`? Pure. Says
 * why not: ERR_OUT_OF_SITE (another host), ERR_TOO_LARGE (depth, or the site
 * has its max_pages), ERR_NOT_HTML (the path ends in the ending of an image,
 * archive, script, style, font, media or office file).
 */
enum error frontier_admits(const struct site_row *site, const struct url *url,
			   unsigned depth);

/*
 * Add `url` when it is new: pending, due at `due_ms`; counts it in `site` (the
 * caller writes the site row). Returns true when it was new. An older row with
 * FRONTIER_IS_ASKED in `flags` falls due at `due_ms` if that is sooner,
 * whatever its state, with no attempts and as many redirects as given; when it
 * is leased only its flags change.
 */
bool frontier_add(struct txn *txn, struct site_row *site, struct slice url,
		  unsigned depth, unsigned redirects, uint32_t flags,
		  uint64_t due_ms, uint64_t now_ms);

struct lease {
	uint64_t key; /* page_key_of(url) */
	uint16_t depth;
	uint16_t redirects;
	uint16_t attempts;
	uint32_t flags; /* FRONTIER_* */
	char url[MAX_URL_BYTES + 1];
};

/*
 * Lease up to `max` URLs that are due at `now_ms`, the longest due first, until
 * `until_ms`; returns how many.
 */
size_t frontier_lease(struct txn *txn, struct site_row *site, uint64_t now_ms,
		      uint64_t until_ms, size_t max, struct lease *leases_out);

/* When the next URL of the site falls due; UINT64_MAX: never. */
uint64_t frontier_next_due(struct txn *txn, uint32_t site);

struct outcome {
	enum error error;     /* ERR_NONE: the page was fetched */
	uint16_t http_status; /* 0: none */
	uint64_t retry_ms;    /* Retry-After as a time; 0: none */
	uint64_t now_ms;
};

/*
 * Answer a lease. Done: due again after site->revisit_ms (0: never). A passing
 * failure (timeout, network, 429, 5xx): due again after 5 s * 2^attempts with a
 * cap of 1 h or at retry_ms if later (by a day at most), failed after 4
 * attempts; `attempts` is the number of failures before. Other failures (4xx,
 * not HTML, too large): FRONTIER_FAILED; ERR_DENIED, ERR_REFUSED and
 * ERR_OUT_OF_SITE: FRONTIER_DENIED. A failed URL is visited again after
 * site->revisit_ms, too, so that an outage does not end the watch; a denied one
 * is not. ERR_STOPPED gives the lease back. Counts it in `site`.
 */
void frontier_answer(struct txn *txn, struct site_row *site, uint64_t url,
		     const struct outcome *outcome);

/* Give back every lease of the site, due at once: after a restart. */
void frontier_release(struct txn *txn, struct site_row *site, uint64_t now_ms);

#endif
