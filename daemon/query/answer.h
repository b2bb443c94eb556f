/*
 * daemon/query/answer.h - queries of the store, for the API and the offline
 * commands. All functions only read. Any thread without an open transaction may
 * call them. They copy the input first: while they parse, build models and
 * compute layouts, no transaction is open, and the store can free old pages.
 * All data read of a site is from one state of the store.
 */
#ifndef DAEMON_QUERY_ANSWER_H
#define DAEMON_QUERY_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"
#include "crawl/url.h"
#include "store/store.h"
#include "template/text_answer.h"

struct arena;
struct page;
struct pool;

/*
 * Return the content of a stored page; redirects are followed. ERR_NOT_FOUND:
 * the page is not stored; the reason states the state of its URL if the URL is
 * known.
 */
enum error answer_text(struct store *store, const struct answer_rules *rules,
		       const struct text_request *request,
		       struct text_answer *answer_out);

/* A stored page that the caller has parsed from the same bytes. */
struct parsed_page {
	struct page *page;
	const void *prepared; /* result of the method's extractor->prepare(); or
				 NULL */
};

/*
 * Like answer_text(), for a parsed page, which the result owns even after an
 * error. ERR_BUSY: the site has changed since.
 */
enum error answer_parsed(struct store *store, const struct answer_rules *rules,
			 const struct text_request *request,
			 struct parsed_page parsed,
			 struct text_answer *answer_out);

/*
 * Fill in the fields about the page's place: url, cluster, cluster_pages and
 * generation. Errors as of answer_text().
 */
enum error answer_place(struct store *store, const struct url *url,
			struct text_answer *answer);

/*
 * Extract the content of the page request->body without storing it, as if its
 * URL were request->url (NULL = no site): see extraction_of_body() in
 * template/extraction.h. `store` may be NULL.
 */
enum error answer_extract(struct store *store, const struct answer_rules *rules,
			  const struct text_request *request,
			  struct text_answer *answer_out);

/* The state of a URL, for requests that wait for its page. */
enum page_state {
	PAGE_UNKNOWN, /* unknown */
	PAGE_AWAITED, /* in the frontier, not fetched yet */
	PAGE_PRESENT, /* stored */
	PAGE_REFUSED, /* failed or denied, see `error` */
};

struct page_standing {
	enum page_state state;
	enum error error; /* PAGE_REFUSED, or the last visit failed */
	uint16_t http_status;
	uint64_t fetched_ms;    /* PAGE_PRESENT */
	uint32_t cluster_pages; /* PAGE_PRESENT: number of pages in its cluster
				 */
	uint32_t site_pending;  /* number of pending URLs of its site */
	bool is_sample; /* the site is only crawled for requested pages and
			   their neighbours */
};

enum error answer_standing(struct store *store, const struct url *url,
			   struct page_standing *standing_out);

/* A fragment of a cluster's template. */
struct template_fragment {
	uint64_t hash;
	uint32_t document_frequency;
	bool is_known;     /* a sampled page has its text */
	struct slice text; /* with collapsed whitespace; belongs to
			      template_answer.arena */
};

struct template_answer {
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

enum error answer_template(struct pool *pool, struct store *store,
			   const struct answer_rules *rules,
			   const struct template_name *name,
			   struct template_answer *answer_out);
void template_answer_free(struct template_answer *answer);

#endif
