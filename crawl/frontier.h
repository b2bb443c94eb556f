/*
 * crawl/frontier.h - decides which page the crawler fetches next. It contains
 * the rules, and the rows of URLs in the store. A URL is leased for some time.
 * If there is no outcome until then, it is due again; so a killed crawl
 * continues where it stopped.
 *
 * URLs that were never visited wait in a fair queue. The n-th URL of a pattern
 * (crawl/url/url_pattern.h) comes after the (n - 1)-th URL of every other
 * pattern. So the budget is used where templates are unknown (start-time fair
 * queueing with equal weights: Goyal, Vin and Cheng, SIGCOMM 1996). All
 * patterns of one coarse pattern together have COARSE_FACTOR shares. If
 * `saturation` consecutive pages of a pattern have shown nothing new, its other
 * URLs are skipped. The due times of these URLs are ranks from 2 on, which are
 * before all real times. Requested URLs have rank 1.
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
	uint32_t max_urls;    /* maximum number of known URLs of a site; 0 =
				 100,000 */
	uint32_t max_pattern; /* maximum number of visited URLs of a fine
				 pattern; for a coarse one COARSE_FACTOR times
				 as many; 0 = 500 */
};

/* A URL, and how the crawler found it. */
struct discovery {
	const struct url *url;
	enum admission how; /* an ADMIT_* constant */
	unsigned depth;     /* number of links from the seed */
	unsigned redirects; /* number of redirects that led to it */
	uint32_t flags;  /* FRONTIER_IS_ON_DEMAND, FRONTIER_IS_RENDERED, or the
			    flag of a sitemap or of the probe */
	uint64_t due_ms; /* when to fetch it; 0 = now */
	uint64_t lastmod_ms; /* time of its last change, from a sitemap; 0 =
				unknown */
};

/*
 * Add a URL to the frontier. It is pending, or skipped if a SKIP_* rule holds.
 * It is counted in its patterns and in `site`, whose row the caller must write.
 * Return the rule that admitted or refused the URL. A refused URL (REFUSE_*)
 * gets no row.
 *
 * Seeds and requested URLs are never skipped, and are due immediately. If such
 * a URL was known, its attempts are reset and its redirects are set as passed;
 * but if it is leased, only its flags change. If a sitemap reports a change of
 * a known URL, the URL is due immediately, but not before an eighth of its
 * interval.
 *
 * Sitemaps and the probe have no pattern and no budget, and are counted only in
 * pending_count and sitemap_count. A site has at most 64 coarse patterns with a
 * folder; the URLs of further ones share the wide patterns.
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
	uint32_t flags; /* FRONTIER_IS_* constants */
	char url[MAX_URL_BYTES + 1];
	char etag[MAX_ETAG];         /* ETag of the last 2xx response, or "" */
	char modified[MAX_MODIFIED]; /* Last-Modified of that response, or "" */
};

struct lease_request {
	uint64_t now_ms;
	uint64_t until_ms;
	size_t max; /* capacity of leases_out */
};

/*
 * Lease up to `max` due URLs in the order of their due times, and return their
 * number. If a rule now skips a URL that was never visited, it is not leased; a
 * call skips at most about 1,024 URLs. So even if the result is below `max`,
 * further URLs can be due.
 */
size_t frontier_lease(struct txn *txn, struct site_row *site,
		      const struct frontier_rules *rules,
		      const struct lease_request *order,
		      struct lease *leases_out);

/*
 * Return the time when the next URL of the site is due; UINT64_MAX if none
 * exists.
 */
uint64_t frontier_next_due(struct txn *txn, uint32_t site);

struct outcome {
	enum error error;     /* ERR_NONE: the page was fetched */
	uint16_t http_status; /* 0 = no response; 304 = not modified */
	bool is_changed;      /* its content has changed since the last visit */
	bool is_rendered;     /* a browser has rendered it */
	uint32_t cluster;     /* its current cluster; 0 = none */
	uint64_t retry_ms; /* time until which Retry-After forbids requests; 0 =
			      none */
	uint32_t first_pause_ms; /* pause after the first temporary failure; 0 =
				    5 s */
	uint64_t now_ms;
	uint64_t wire_bytes; /* bytes received */
	uint32_t elapsed_ms;
	struct slice etag; /* of a 2xx response, or empty; a 304 does not change
			      the stored one */
	struct slice modified;
};

/*
 * Return the longest pause between two attempts to reach a site that has no
 * page yet, or whose server does not respond: the interval between its checks,
 * from 1 s to 1 h.
 */
uint32_t frontier_retry_pause_ms(const struct site_row *site);

/*
 * Record the outcome of a leased URL. Count it in `site`, in the budgets of the
 * site, and in the mean interval of the cluster.
 *
 *   - Success: the URL is due again after its adaptive interval
 *     (crawl/schedule.h); never if revisit_ms of the site is 0. An early visit
 *     on request that found no change does not lengthen the interval.
 *   - Temporary failure (timeout, network, 429, 5xx): the URL is due again
 * after first_pause_ms * 2^attempts, at most 1 h, changed by up to a quarter.
 * If retry_ms is later, it is due at this time, but at most a day from now.
 *     After 4 attempts it is FRONTIER_FAILED.
 *   - Permanent failure (other 4xx, not HTML, too large): FRONTIER_FAILED.
 *   - ERR_ROBOTS_DENIED, ERR_ADDRESS_FORBIDDEN, ERR_OUT_OF_SCOPE:
 *     FRONTIER_DENIED.
 *   - ERR_STOPPED only ends the lease.
 *
 * While a site has no page, its seed is tried again for ever, after any
 * failure, with a pause that grows up to frontier_retry_pause_ms().
 *
 * A URL that failed temporarily is due again after revisit_ms. After a
 * permanent failure its interval grows as for a page that does not change. A
 * denied URL is due again only if it was fetched before. Sitemaps are due again
 * after revisit_ms, the probe is never. If there is no page, the outcome counts
 * like frontier_count_page() with cluster 0, unless that function was called.
 */
void frontier_record_outcome(struct txn *txn, struct site_row *site,
			     uint64_t url, const struct outcome *outcome);

/*
 * If a URL was visited before, make it due now. Do nothing if it is leased,
 * already due, or deleted.
 */
void frontier_make_due(struct txn *txn, uint32_t site, uint64_t url,
		       uint64_t now_ms);

/*
 * Visit all leased URLs but `url` once more when their lease ends, because
 * something has changed that their visits do not know. The time of this grows
 * with the number of URLs of the site.
 */
void frontier_repeat_leased(struct txn *txn, const struct site_row *site,
			    uint64_t url);

/*
 * Clear ETag and Last-Modified of a row, because they do not belong to the
 * stored page.
 */
void frontier_clear_validators(struct txn *txn, uint32_t site, uint64_t url);

/*
 * Stop visiting a URL until a client requests it: set FRONTIER_DENIED with rule
 * DENY_DELETED. Do nothing if there is no row. ERR_BUSY if the URL is leased.
 */
enum error frontier_exclude(struct txn *txn, struct site_row *site,
			    uint64_t url);

/* What a visited page has shown about its template. */
struct novelty {
	uint32_t cluster;       /* cluster of the page; 0 = none */
	uint32_t cluster_pages; /* number of pages in the cluster, including
				   this one */
	bool is_novel; /* the cluster is new or was moved, or the page has a
			  structure that no other page of the cluster had */
	unsigned agreement; /* permille of the bytes of its text whose class
			       (template or content) is the same before and
			       after the page is counted */
};

/*
 * A page is quiet, which means that it has shown nothing new, if its cluster
 * has at least QUIET_PAGES pages and its agreement is at least QUIET_AGREEMENT.
 * With 20 pages, a ratio of one third has a standard error of 0.1.
 */
enum { QUIET_PAGES = 20, QUIET_AGREEMENT = 990 };

/*
 * Count a visited document in its patterns. Call this once for each document
 * (FRONTIER_IS_COUNTED), before frontier_record_outcome(). An error or a page
 * without content has cluster 0, and is quiet. If the pages of a pattern are in
 * several clusters, the pattern becomes saturated only when all of these are
 * known well. If a page shows something new later, call frontier_reopen().
 */
void frontier_count_page(struct txn *txn, struct site_row *site, uint64_t url,
			 const struct novelty *novelty, uint64_t now_ms);

/*
 * Reset the patterns of a document because a later visit has found another
 * template. If a pattern was saturated, its skipped URLs are pending again;
 * this takes O(URLs of the site).
 */
void frontier_reopen(struct txn *txn, struct site_row *site, uint64_t url,
		     uint64_t now_ms);

/*
 * Make the skipped URLs of a pattern, fine or coarse (0 = all patterns),
 * pending again. frontier_lease() skips them again if a rule still holds. O(n
 * log n) for n URLs of the site; O(1) if none is skipped.
 */
void frontier_revive(struct txn *txn, struct site_row *site, uint64_t pattern);

/*
 * Correct due times after the clock was set back. If a visit is later than the
 * interval of its page, or a day, allows, it gets a new time. Leases do not
 * change.
 */
void frontier_clamp(struct txn *txn, struct site_row *site, uint64_t now_ms);

/*
 * End all leases of the site after a restart. Their URLs are due immediately.
 * O(n) for n URLs of the site; O(1) if none is pending.
 */
void frontier_release(struct txn *txn, struct site_row *site, uint64_t now_ms);

/* All data on which the decision about a URL depends. */
struct frontier_explanation {
	enum admission verdict;  /* the rule that would apply now */
	bool is_known;           /* there is a row for the URL */
	struct frontier_row row; /* its slices are valid until txn_end() */
	struct url_pattern pattern;
	struct pattern_row fine; /* zero if no known URL has this pattern */
	struct pattern_row coarse;
};

/*
 * Explain why a URL is or is not fetched. If it has no row, explain what would
 * happen if the seed linked to it.
 */
void frontier_explain(struct txn *txn, const struct site_row *site,
		      const struct frontier_rules *rules, const struct url *url,
		      struct frontier_explanation *finding_out);

#endif
