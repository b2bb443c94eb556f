/*
 * crawl/frontier.h - decides which page to fetch next: the rules, and their
 * rows in the store. A URL is leased for some time; without a result it is due
 * again, so a killed crawl continues where it stopped.
 *
 * URLs that were never visited wait in a fair queue: the n-th URL of each
 * pattern (crawl/url/url_pattern.h) comes after the (n - 1)-th of every other
 * one, so the budget is spent where templates are unknown (start-time fair
 * queueing with one weight: Goyal, Vin and Cheng, SIGCOMM 1996). The patterns
 * of one coarse pattern have COARSE_FACTOR shares together. Once `saturation`
 * consecutive visited pages of a pattern have shown nothing new, its other URLs
 * are skipped. Their due times are ranks from 2 on, before all real times;
 * requested URLs have 1.
 */
#ifndef CRAWL_FRONTIER_H
#define CRAWL_FRONTIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "crawl/admission.h"
#include "crawl/fetch.h"
#include "crawl/url/url.h"
#include "crawl/url/url_pattern.h"
#include "store/rows.h"
#include "store/txn.h"

/* Rules that are the same for all sites. */
struct frontier_rules {
	uint32_t max_urls;    /* known URLs of a site; 0 = 100,000 */
	uint32_t max_pattern; /* visited URLs of a pattern, COARSE_FACTOR times
				 as many of a coarse one; 0 = 500 */
};

/* A URL, and how the crawler found it. */
struct discovery {
	const struct url *url;
	enum admission how;  /* ADMIT_* */
	unsigned depth;      /* number of links from the seed */
	unsigned redirects;  /* redirects that led to it */
	uint32_t flags;      /* FRONTIER_IS_ON_DEMAND, or an auxiliary flag */
	uint64_t due_ms;     /* time of the fetch; 0 = now */
	uint64_t lastmod_ms; /* from a sitemap; 0 = unknown */
};

/*
 * Add the URL to the frontier, pending or skipped (if a SKIP_* rule holds);
 * count it in `site` (the caller writes the row) and in its patterns. Return
 * the rule that admitted or refused it; refused URLs (REFUSE_*) get no row.
 * Seeds and requested URLs are never skipped and are due immediately, even if
 * they were known: reset attempts, and set redirects as passed; of a leased URL
 * only the flags change. A known URL that a sitemap declares changed is due
 * immediately, but not before an eighth of its interval. Sitemaps and the probe
 * have no pattern and no budget, and are counted only in pending_count and
 * sitemap_count. A site has at most 64 coarse patterns with a folder; further
 * URLs share the wide patterns.
 */
enum admission frontier_discover(struct txn *txn, struct site_row *site,
				 const struct frontier_rules *rules,
				 const struct discovery *discovery,
				 uint64_t now_ms);

struct lease {
	uint64_t key; /* page_key_of(url) */
	uint16_t depth;
	uint16_t redirects;
	uint16_t attempts;
	uint32_t flags; /* FRONTIER_* */
	char url[MAX_URL_BYTES + 1];
	char etag[MAX_ETAG];         /* of the last 2xx response, or "" */
	char modified[MAX_MODIFIED]; /* Last-Modified of that response, or "" */
};

struct lease_request {
	uint64_t now_ms;
	uint64_t until_ms;
	size_t max; /* capacity of the leases */
};

/*
 * Lease up to `max` due URLs, the longest due first, and return their number.
 * Skip URLs before their first visit if a rule now says so, at most about 1,024
 * per call: a result below `max` does not mean that no other URL is due.
 */
size_t frontier_lease(struct txn *txn, struct site_row *site,
		      const struct frontier_rules *rules,
		      const struct lease_request *order,
		      struct lease *leases_out);

/* Return the time when the next URL of the site is due; UINT64_MAX: never. */
uint64_t frontier_next_due(struct txn *txn, uint32_t site);

struct outcome {
	enum error error;        /* ERR_NONE: the page was fetched */
	uint16_t http_status;    /* 0 = no response; 304 = not modified */
	bool is_changed;         /* its content differs from the last visit */
	uint32_t cluster;        /* its current cluster; 0 = none */
	uint64_t retry_ms;       /* time of Retry-After; 0 = none */
	uint32_t first_pause_ms; /* pause after a temporary failure; 0 = 5 s */
	uint64_t now_ms;
	uint64_t wire_bytes; /* bytes received */
	uint32_t elapsed_ms;
	struct slice etag; /* of a 2xx response, or empty: a 304 keeps it */
	struct slice modified;
};

/*
 * Record the outcome of a leased URL, and count it in `site`, in its budgets
 * and in the mean interval of the cluster.
 * - Success: due again after its adaptive interval (crawl/schedule.h), or never
 * if the site's revisit_ms is 0. An early visit on request that found no change
 *   does not lengthen the interval.
 * - Temporary failure (timeout, network, 429, 5xx): due again after
 * first_pause_ms
 *   * 2^attempts, at most 1 h, changed by up to a quarter, or at retry_ms if
 * that is later (by at most a day); failed after 4 attempts.
 * - Permanent failure (other 4xx, not HTML, too large): FRONTIER_FAILED.
 * - ERR_ROBOTS_DENIED, ERR_ADDRESS_FORBIDDEN, ERR_OUT_OF_SCOPE:
 * FRONTIER_DENIED.
 * - ERR_STOPPED releases the lease.
 * A failed URL is due again after revisit_ms, after a permanent failure with
 * the growing interval of a page that does not change; a denied URL only if it
 * was fetched before; sitemaps after revisit_ms, the probe never. A result
 * without a page counts like frontier_count_page() with cluster 0, unless that
 * was called.
 */
void frontier_record_outcome(struct txn *txn, struct site_row *site,
			     uint64_t url, const struct outcome *outcome);

/*
 * Make a URL that was visited before due now, unless it is leased, already due
 * or deleted.
 */
void frontier_make_due(struct txn *txn, uint32_t site, uint64_t url,
		       uint64_t now_ms);

/* Clear the validators of a row, which do not belong to the stored page. */
void frontier_clear_validators(struct txn *txn, uint32_t site, uint64_t url);

/*
 * Stop visiting a URL until a client requests it: FRONTIER_DENIED by
 * DENY_DELETED. Do nothing if there is no row. ERR_BUSY if it is leased.
 */
enum error frontier_exclude(struct txn *txn, struct site_row *site,
			    uint64_t url);

/* The news about its template that a visited page has shown. */
struct novelty {
	uint32_t cluster;       /* cluster of the page; 0 = none */
	uint32_t cluster_pages; /* including this page */
	bool is_novel;      /* its cluster is new or was moved, or the page has
			       structure that no other page of the cluster had */
	unsigned agreement; /* permille of its text, by bytes, that is on the
			       same side, template or content, before and after
			       counting the page */
};

/*
 * A page is quiet (has shown nothing new) if its cluster has QUIET_PAGES and
 * the page QUIET_AGREEMENT. The standard error of a ratio of a third is 0.1 for
 * 20 pages.
 */
enum { QUIET_PAGES = 20, QUIET_AGREEMENT = 990 };

/*
 * Count a visited document in its patterns, once (FRONTIER_IS_COUNTED) and
 * before frontier_record_outcome(). An error or a stub has cluster 0 and is
 * quiet. A pattern of several clusters waits for the last of them. A page that
 * shows something new later reopens its pattern: frontier_reopen().
 */
void frontier_count_page(struct txn *txn, struct site_row *site, uint64_t url,
			 const struct novelty *novelty, uint64_t now_ms);

/*
 * Reset the patterns of a document after a later visit has found another
 * template; if that ends the saturation of a pattern, its skipped URLs are
 * pending again, in O(URLs of the site).
 */
void frontier_reopen(struct txn *txn, struct site_row *site, uint64_t url,
		     uint64_t now_ms);

/*
 * Make the skipped URLs of a pattern, fine or coarse (0 = all), pending again;
 * frontier_lease() skips them again if a rule still holds. O(n log n).
 */
void frontier_revive(struct txn *txn, struct site_row *site, uint64_t pattern);

/*
 * Correct due times after the clock was set back: a visit that is further away
 * than the interval of its page or a day gets a new time. Leases do not change.
 */
void frontier_clamp(struct txn *txn, struct site_row *site, uint64_t now_ms);

/* After a restart, end all leases of the site; the URLs are due immediately. */
void frontier_release(struct txn *txn, struct site_row *site, uint64_t now_ms);

/* Everything that a decision about a URL depends on. */
struct frontier_explanation {
	enum admission verdict;  /* the rule that would apply now */
	bool is_known;           /* the URL has a row */
	struct frontier_row row; /* slices are valid until txn_end() */
	struct url_pattern pattern;
	struct pattern_row fine; /* zero if no URL has the pattern */
	struct pattern_row coarse;
};

/* Explain a URL by its row or, without a row, as if the seed linked to it. */
void frontier_explain(struct txn *txn, const struct site_row *site,
		      const struct frontier_rules *rules, const struct url *url,
		      struct frontier_explanation *finding_out);

#endif
