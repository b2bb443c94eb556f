/*
 * crawl/frontier/frontier.h - which page to fetch next: the rules, and their
 * rows in the store. A URL is leased to the fetcher for a time; a lease that is
 * not answered in time becomes due again, so a killed crawl continues where it
 * stopped.
 *
 * URLs that were never visited wait in a fair queue: the n-th of each pattern
 * (crawl/url/url_pattern.h) stands behind the (n - 1)-th of every other one, so
 * the budget is spent where templates are still unknown (start-time fair
 * queueing with one weight: Goyal, Vin and Cheng, SIGCOMM 1996). The patterns
 * of one coarse pattern have COARSE_FACTOR shares together, so a site with
 * endless new folders and parameters cannot displace other pages. Once
 * `saturation` visited pages of a pattern in a row have shown nothing new, the
 * other URLs of the pattern are skipped.
 *
 * Their due times are ranks from 2 on, which are before all real times.
 * Requested URLs have 1.
 */
#ifndef CRAWL_FRONTIER_FRONTIER_H
#define CRAWL_FRONTIER_FRONTIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/fetch/fetch.h"
#include "crawl/frontier/admission.h"
#include "crawl/url/url.h"
#include "crawl/url/url_pattern.h"
#include "store/error.h"
#include "store/rows_frontier.h"
#include "store/rows_site.h"
#include "store/txn.h"

/* The same for all sites. */
struct frontier_rules {
	uint32_t max_urls;    /* of a site, that are known; 0: 100,000 */
	uint32_t max_pattern; /* visited of one pattern, and COARSE_FACTOR times
				 that of a coarse one; 0: 500 */
};

/* A URL, and how it was found. */
struct discovery {
	const struct url *url;
	enum admission how;  /* ADMIT_* */
	unsigned depth;      /* links from the seed */
	unsigned redirects;  /* hops that led here */
	uint32_t flags;      /* FRONTIER_IS_ASKED, or one of the auxiliary */
	uint64_t due_ms;     /* when it should be fetched: 0 means now */
	uint64_t lastmod_ms; /* as a sitemap says; 0: not known */
};

/*
 * Add the URL to the frontier, pending or skipped (if a SKIP_* rule holds).
 * Counts it in `site` (the caller writes the site row) and in its patterns.
 * Returns the rule that admitted or refused it; refused URLs (REFUSE_*) get no
 * row. Seeds and requested URLs are never skipped and are due at once, even if
 * they were known: attempts are reset and redirects set as given; if leased,
 * only the flags change. A known URL that according to a sitemap has changed
 * since it was fetched is due at once, but not before an eighth of its
 * interval, because many sitemaps name every page as changed each time.
 * Sitemaps and the probe have no pattern and no budget, and are counted in
 * pending_count and sitemap_count alone.
 *
 * A site has at most 64 coarse patterns with a folder; further URLs share the
 * wide patterns without. Cost: a new page writes its row, its due time and two
 * patterns; a known one is read.
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
	char etag[MAX_ETAG];         /* of the last 2xx, or "" */
	char modified[MAX_MODIFIED]; /* its Last-Modified, or "" */
};

struct lease_order {
	uint64_t now_ms;
	uint64_t until_ms;
	size_t max; /* room in the leases */
};

/*
 * Lease up to `max` URLs that are due, the longest due first; returns how many.
 * URLs that were never visited and that a rule now skips are marked as skipped;
 * about 1,024 of them at most in one call, so that the transaction stays short:
 * fewer than `max` does not mean that no more are due.
 */
size_t frontier_lease(struct txn *txn, struct site_row *site,
		      const struct frontier_rules *rules,
		      const struct lease_order *order,
		      struct lease *leases_out);

/* When the next URL of the site falls due; UINT64_MAX: never. */
uint64_t frontier_next_due(struct txn *txn, uint32_t site);

struct outcome {
	enum error error;        /* ERR_NONE: the page was fetched */
	uint16_t http_status;    /* 0: none; 304: it is as it was */
	bool is_changed;         /* its content is not that of the last visit */
	uint32_t cluster;        /* that it is in by now; 0: none */
	uint64_t retry_ms;       /* Retry-After as a time; 0: none */
	uint32_t first_pause_ms; /* after a failure that passes; 0: 5 s */
	uint64_t now_ms;
	uint64_t wire_bytes; /* bytes received */
	uint32_t elapsed_ms;
	struct slice etag; /* of a 2xx, or empty; a 304 keeps the old one */
	struct slice modified;
};

/*
 * Answer a lease. Done: due again after its interval
 * (crawl/frontier/revisit.h), which adapts; its revisit_ms 0: never. A visit
 * before half of the interval that found no change, because somebody asked,
 * does not lengthen it. A passing failure (timeout, network, 429, 5xx): due
 * again after first_pause_ms * 2^attempts with a cap of 1 h, a quarter more or
 * less by URL and attempt, or at retry_ms if later (by a day at most), failed
 * after 4 attempts; `attempts` is the number of failures before. Other failures
 * (4xx, not HTML, too large): FRONTIER_FAILED; ERR_DENIED, ERR_REFUSED and
 * ERR_OUT_OF_SITE: FRONTIER_DENIED, with the rule. A failed URL is visited
 * again after its revisit_ms, so that an outage does not end the watch, and
 * with the growing interval of a page that does not change where the failure is
 * none that passes; a denied one only when it was fetched before. ERR_STOPPED
 * gives the lease back. Sitemaps are visited again after its revisit_ms, the
 * probe never. Counts it in `site`, and what a first visit cost in its budgets.
 * The mean interval of the cluster follows. What was no page (a redirect, a
 * failure that does not pass) counts as frontier_learn() with cluster 0, unless
 * that was called before.
 */
void frontier_answer(struct txn *txn, struct site_row *site, uint64_t url,
		     const struct outcome *outcome);

/*
 * Make a URL that was visited before due now. No-op when it is leased, already
 * due, forgotten, or was never visited.
 */
void frontier_visit(struct txn *txn, uint32_t site, uint64_t url,
		    uint64_t now_ms);

/*
 * Clear the validators of a row, if there is one, because the stored page is
 * not the one that they identify.
 */
void frontier_forget(struct txn *txn, uint32_t site, uint64_t url);

/*
 * Have a URL visited no more until somebody asks for it: FRONTIER_DENIED by
 * DENY_FORGOTTEN, with ERR_NOT_KEPT, without validators. No-op when there is no
 * row. ERR_BUSY when it is leased, because its answer is on its way.
 */
enum error frontier_ban(struct txn *txn, struct site_row *site, uint64_t url);

/* What a visited page has shown about its template. */
struct novelty {
	uint32_t cluster;       /* its cluster; 0: none */
	uint32_t cluster_pages; /* with it */
	bool is_novel;      /* its cluster is new, was moved, or the page has
			       structure that no page of it had */
	unsigned agreement; /* permille of its text, by bytes, that is on the
			       same side, template or content, before and after
			       the page was counted */
};

/*
 * A page is quiet (has shown nothing new) when its cluster has so many pages
 * and so much agreement. The standard error of a ratio of a third is 0.15 for
 * 10 pages and 0.1 for 20.
 */
enum { QUIET_PAGES = 20, QUIET_AGREEMENT = 990 };

/*
 * Count a visited document in its patterns; call it before frontier_answer().
 * Only the first call for a URL counts (FRONTIER_IS_LEARNED). An error or a
 * stub has cluster 0 and is quiet, because more of them show nothing new. It is
 * the cluster that must have QUIET_PAGES, not the pattern: a pattern that feeds
 * a known cluster is saturated by its first `saturation` pages, and one that
 * feeds several clusters waits for the last. A page that has shown something
 * new after all opens its saturated pattern again: frontier_reopen().
 */
void frontier_learn(struct txn *txn, struct site_row *site, uint64_t url,
		    const struct novelty *novelty, uint64_t now_ms);

/*
 * A later visit of the document has found another template (a redesign): what
 * was known of its patterns is known no longer. The counts of quiet pages begin
 * anew, and where that ends the saturation of a pattern, its skipped URLs are
 * pending again. O(URLs of the site) then.
 */
void frontier_reopen(struct txn *txn, struct site_row *site, uint64_t url,
		     uint64_t now_ms);

/*
 * Make the skipped URLs of a pattern, fine or coarse (0: all), pending again,
 * after the options of the site or its pages have changed; those that are still
 * to be skipped are skipped when they are leased. O(n log n) for n skipped
 * URLs.
 */
void frontier_revive(struct txn *txn, struct site_row *site, uint64_t pattern);

/*
 * No visit is further away than the interval of its page, or a day: what is has
 * a time from before the clock was set back, and gets one by `now_ms`. Leases
 * are left alone.
 */
void frontier_clamp(struct txn *txn, struct site_row *site, uint64_t now_ms);

/* After a restart: end all leases of the site; the URLs are due at once. */
void frontier_release(struct txn *txn, struct site_row *site, uint64_t now_ms);

/* Everything on which the decision about a URL depends. */
struct frontier_finding {
	enum admission verdict;  /* the rule that would apply now */
	bool is_known;           /* there is a row */
	struct frontier_row row; /* slices valid until txn_end() */
	struct url_pattern pattern;
	struct pattern_row fine; /* zero when no URL has it */
	struct pattern_row coarse;
};

/* Explain a URL by its row, or, if it has none, as if the seed linked to it. */
void frontier_explain(struct txn *txn, const struct site_row *site,
		      const struct frontier_rules *rules, const struct url *url,
		      struct frontier_finding *finding_out);

#endif
