/*
 * daemon/query/query.h - queries of the store, for the API and the offline
 * commands. All functions only read. Any thread without an open transaction may
 * call them. They copy the input first: while they parse, build models and
 * compute layouts, no transaction is open, and the store can free old pages.
 * All data read of a site is from one state of the store.
 */
#ifndef DAEMON_QUERY_QUERY_H
#define DAEMON_QUERY_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "crawl/url/url.h"
#include "store/store.h"
#include "template/result.h"

struct arena;
struct page;
struct worker_pool;

/*
 * Return the content of a stored page; redirects are followed. ERR_NOT_FOUND:
 * the page is not stored; the reason states the state of its URL if the URL is
 * known.
 */
enum error query_text(struct store *store,
		      const struct extraction_options *rules,
		      const struct text_request *request,
		      struct extraction_result *answer_out);

/* A stored page that the caller has parsed from the same bytes. */
struct parsed_page {
	struct page *page;
	const void *prepared; /* result of the method's extractor->prepare(); or
				 NULL */
};

/*
 * Like query_text(), for a parsed page, which the result owns even after an
 * error. ERR_BUSY: the site has changed since.
 */
enum error query_parsed_page(struct store *store,
			     const struct extraction_options *rules,
			     const struct text_request *request,
			     struct parsed_page parsed,
			     struct extraction_result *answer_out);

/*
 * Fill in the fields about the page's place: url, cluster, cluster_pages and
 * generation. Errors as of query_text().
 */
enum error query_page_place(struct store *store, const struct url *url,
			    struct extraction_result *answer);

/*
 * Extract the content of the page request->body without storing it, as if its
 * URL were request->url (NULL = no site): see extraction_of_body() in
 * template/extraction.h. `store` may be NULL.
 */
enum error query_extract(struct store *store,
			 const struct extraction_options *rules,
			 const struct text_request *request,
			 struct extraction_result *answer_out);

/* The state of a URL, for requests that wait for its page. */
enum page_state {
	PAGE_UNKNOWN, /* unknown */
	PAGE_QUEUED,  /* in the frontier, not fetched yet */
	PAGE_STORED,  /* stored */
	PAGE_REFUSED, /* failed or denied, see `error` */
};

struct page_status {
	enum page_state state;
	enum error error; /* PAGE_REFUSED, or the last visit failed */
	uint16_t http_status;
	uint64_t fetched_ms;    /* PAGE_STORED */
	uint32_t cluster_pages; /* PAGE_STORED: number of pages in its cluster
				 */
	uint32_t site_pending;  /* number of pending URLs of its site */
	bool is_awaited; /* the URL itself, not the page to which it redirects,
			    is due or leased */
	bool is_sample;  /* the site is only crawled for requested pages and
			    their neighbours */
};

enum error query_page_status(struct store *store, const struct url *url,
			     struct page_status *standing_out);

/* A fragment of a cluster's template. */
struct template_fragment {
	uint64_t hash;
	uint32_t document_frequency;
	bool is_known;     /* a sampled page has its text */
	struct slice text; /* with collapsed whitespace; belongs to
			      template_answer.arena */
};

struct template_result {
	uint32_t page_count;
	uint64_t generation;
	struct template_fragment *fragments; /* highest DF first, [count] */
	size_t count;
	struct arena *arena; /* owns the texts */
};

/*
 * Find the fragments that occur in more than a third of the pages of a cluster,
 * with their text, which a worker reads from up to 16 of its pages.
 * ERR_NOT_FOUND.
 */
struct template_name {
	const char *host;
	uint32_t cluster;
};

enum error query_template(struct worker_pool *pool, struct store *store,
			  const struct extraction_options *rules,
			  const struct template_name *name,
			  struct template_result *answer_out);
void template_result_free(struct template_result *answer);

#endif
