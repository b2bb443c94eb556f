/*
 * daemon/query/query.h - queries of the store, for the API and the offline
 * commands. All functions only read. Any thread without an open transaction may
 * call them. They copy the input first: no transaction is open while they
 * parse, build models and compute layouts, so the store can free old pages
 * meanwhile. All data that a function reads about a site is from one state of
 * the store.
 */
#ifndef DAEMON_QUERY_QUERY_H
#define DAEMON_QUERY_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cluster/shingle_weights.h"
#include "crawl/url/url.h"
#include "store/store.h"
#include "template/result.h"

struct arena;
struct page;
struct site_row;
struct txn;
struct worker_pool;

/*
 * Extract the content of a stored page; redirects are followed. ERR_NOT_FOUND:
 * the page is not stored; if its URL is known, answer_out->reason states the
 * state of the URL.
 */
enum error query_text(struct store *store,
		      const struct extraction_options *rules,
		      const struct text_request *request,
		      struct extraction_result *answer_out);

/* A stored page that the caller has parsed from its stored bytes. */
struct parsed_page {
	struct page *page;
	const void *prepared; /* result of extractor->prepare() of the method;
				 or NULL */
};

/*
 * Like query_text(), for a page that is already parsed. The result owns
 * parsed.page, even after an error. ERR_BUSY: the site has changed since the
 * caller read the page.
 */
enum error query_parsed_page(struct store *store,
			     const struct extraction_options *rules,
			     const struct text_request *request,
			     struct parsed_page parsed,
			     struct extraction_result *answer_out);

/*
 * Fill in url, cluster, cluster_pages and generation of a result for the stored
 * page of `url`. Errors of query_text().
 */
enum error query_page_place(struct store *store, const struct url *url,
			    struct extraction_result *answer);

/*
 * Extract the content of the page request->body without storing it, as if its
 * URL were request->url (NULL = the page belongs to no site). See
 * extraction_of_body() in template/extraction.h. `store` may be NULL.
 */
enum error query_extract(struct store *store,
			 const struct extraction_options *rules,
			 const struct text_request *request,
			 struct extraction_result *answer_out);

/* The state of a URL, for requests that wait until its page is stored. */
enum page_state {
	PAGE_UNKNOWN, /* the URL is unknown */
	PAGE_QUEUED,  /* in the frontier, but not fetched yet */
	PAGE_STORED,  /* the page is stored */
	/* the fetch failed, or robots.txt denies it; see `error` */
	PAGE_REFUSED,
};

struct page_status {
	enum page_state state;
	enum error error; /* for PAGE_REFUSED, or if the last visit of a stored
			     page failed */
	uint16_t http_status;
	uint64_t fetched_ms;    /* PAGE_STORED: when the page was fetched */
	uint32_t cluster_pages; /* PAGE_STORED: pages of its cluster */
	uint32_t site_pending; /* number of URLs of the site that wait for their
				  fetch */
	bool is_rendered; /* PAGE_STORED: a browser has rendered the page */
	bool is_awaited;  /* the URL itself is due or leased (not the target of
			     its redirect) */
	bool is_sample;   /* the daemon crawls only requested pages of the site
			     and pages near them */
};

enum error query_page_status(struct store *store, const struct url *url,
			     struct page_status *standing_out);

/* A fragment that belongs to the template of a cluster. */
struct template_fragment {
	uint64_t hash;
	uint32_t document_frequency;
	bool is_known;     /* the text of the fragment was found in a page */
	struct slice text; /* with collapsed whitespace; belongs to the arena of
			      the template_result */
};

struct template_result {
	uint32_t page_count;
	uint64_t generation;
	/* [count], highest document frequency first */
	struct template_fragment *fragments;
	size_t count;
	struct arena *arena; /* owns the texts */
};

/* A template by its name HOST/N. */
struct template_name {
	const char *host;
	uint32_t cluster;
};

/*
 * Find the fragments that occur in more than a third of the pages of a cluster.
 * A worker reads their texts from up to 16 of these pages. ERR_NOT_FOUND.
 */
enum error query_template(struct worker_pool *pool, struct store *store,
			  const struct extraction_options *rules,
			  const struct template_name *name,
			  struct template_result *answer_out);
void template_result_free(struct template_result *answer);

/*
 * Return the weights of the shingles of a site: those in the store, or the
 * default of the measure. The caller frees them. If they are damaged, the
 * transaction fails.
 */
struct shingle_weights site_weights(struct txn *txn,
				    const struct site_row *row);

/* The same, but return false if the weights are damaged. */
bool site_weights_read(struct txn *txn, const struct site_row *row,
		       struct shingle_weights *weights_out);

#endif
