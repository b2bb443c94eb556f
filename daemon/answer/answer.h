/*
 * daemon/answer/answer.h - what the store knows, for the API and the offline
 * verbs. All functions only read; any thread that has no transaction open. What
 * they compute from is copied: while they parse, learn and lay out, none of
 * theirs is open, and the store can drop what is old. What is read of a site is
 * of one state.
 */
#ifndef DAEMON_ANSWER_ANSWER_H
#define DAEMON_ANSWER_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "crawl/url/url.h"
#include "store/error.h"
#include "store/slice.h"
#include "store/store.h"
#include "template/text_answer.h"

struct arena;
struct page;
struct pool;

/*
 * The content of a stored page; redirects are followed. ERR_NOT_FOUND: the page
 * is not in the store; the reason gives the state of its URL, if it is known.
 */
enum error answer_text(struct store *store, const struct answer_rules *rules,
		       const struct text_request *request,
		       struct text_answer *answer_out);

/* A page that is stored, parsed from the same bytes. */
struct parsed_page {
	struct page *page;
	const void *prepared; /* by the method of the request
				 (extractor->prepare()); or NULL */
};

/*
 * The same of a page that is parsed already: it belongs to the answer then,
 * after an error too. ERR_BUSY: the site has changed meanwhile.
 */
enum error answer_parsed(struct store *store, const struct answer_rules *rules,
			 const struct text_request *request,
			 struct parsed_page parsed,
			 struct text_answer *answer_out);

/*
 * Fill in what the answer to a stored page says of its place: url, cluster,
 * cluster_pages and generation. Errors as of answer_text().
 */
enum error answer_place(struct store *store, const struct url *url,
			struct text_answer *answer);

/*
 * The content of the page request->body, as if it stood at request->url (NULL:
 * at no site), without being stored: see extraction_of_body() in
 * template/extraction.h. `store` may be NULL.
 */
enum error answer_extract(struct store *store, const struct answer_rules *rules,
			  const struct text_request *request,
			  struct text_answer *answer_out);

/* The state of a URL, for requests that wait for it. */
enum page_state {
	PAGE_UNKNOWN, /* not known */
	PAGE_AWAITED, /* in the frontier, not fetched yet */
	PAGE_PRESENT, /* stored */
	PAGE_REFUSED, /* failed or denied: the error says why */
};

struct page_standing {
	enum page_state state;
	enum error error; /* PAGE_REFUSED, or the last visit has failed */
	uint16_t http_status;
	uint64_t fetched_ms;    /* PAGE_PRESENT */
	uint32_t cluster_pages; /* PAGE_PRESENT: pages of its cluster */
	uint32_t site_pending;  /* URLs of its site that are pending */
	bool is_sample;         /* only requested pages of its site and their
				   neighbours are crawled */
};

enum error answer_standing(struct store *store, const struct url *url,
			   struct page_standing *standing_out);

/* The fragments that make the template of a cluster. */
struct template_fragment {
	uint64_t hash;
	uint32_t document_frequency;
	bool is_known;     /* its text was found on a sampled page */
	struct slice text; /* collapsed; in template_answer.arena */
};

struct template_answer {
	uint32_t page_count;
	uint64_t generation;
	struct template_fragment *fragments; /* highest DF first, [count] */
	size_t count;
	struct arena *arena; /* owns the texts */
};

/*
 * The fragments of a cluster that stand in more than a third
 * of its pages, with their text, which a worker reads from up to 16 of its
 * pages. ERR_NOT_FOUND.
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
