/*
 * daemon/query/stored_text.h - everything that the text of a stored page
 * depends on: two results with equal keys are equal byte for byte, except the
 * generation of the site in JSON. A key has two parts, the request and the
 * state of the data.
 *
 * The request:
 * - the URL, format, method, parameters, preference, comments, selectors;
 * - the rules: limits, extract.method_options, clustering.min_pages, the folder
 * of models.
 *
 * The state, and why it is complete:
 * - of the page: its site, key, content hash, size, charset and HTTP status,
 *   and its URL, which may be the target of redirects; and, for JSON only, its
 *   time of fetch;
 * - of its template: the number and cluster_row.changes. The page count, the
 *   frequencies of fragments, and the sample for models depend only on the
 *   pages of the cluster and their content, and these on the number of changes.
 *   The number of a cluster in a site and the id of a site are never reused;
 * - if sites may have their own models: the identity of the file, by inode,
 *   size and time.
 *
 * A commit that changes other templates of the site changes nothing here. The
 * site's measure, width and threshold only decide where a new page belongs:
 * this page has its place.
 */
#ifndef DAEMON_QUERY_STORED_TEXT_H
#define DAEMON_QUERY_STORED_TEXT_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "crawl/url/url.h"
#include "daemon/query/stored_site.h"
#include "store/rows.h"
#include "store/store.h"
#include "template/result.h"

struct worker_pool;

struct text_key {
	struct buffer asked; /* freed by text_key_free() */
	struct buffer state;
	uint64_t generation; /* of the site; 0 if the result does not contain it
			      */
};

/* A zeroed key is valid. */
void text_key_free(struct text_key *key);

/*
 * Find the stored page of a URL, and copy all input of its extraction.
 * Internal to query.c and stored_text.c.
 */

/* A stored page with its site and key. */
struct stored_page {
	struct site_row site;
	struct page_row row;
	uint64_t key;
};

/*
 * Find the page of `url`, following redirects; answer->url becomes its URL.
 * ERR_NOT_FOUND, with the reason in the answer; errors of the transaction.
 */
enum error stored_page_find(struct txn *txn, const struct url *url,
			    struct stored_page *stored_out,
			    struct extraction_result *answer);

/* A copied page, usable without a transaction. */
struct copied_page {
	struct stored_site site;
	const struct site_view *view;
	struct known_page known;
	struct buffer
		body; /* the page, then its fragments with their frequencies */
	uint64_t fetched_ms;
	bool has_page; /* input: the caller has parsed the page, so its body is
			  not read */
	bool wants_told;   /* input: also copy data for a worker, */
	bool wants_counts; /* input: including the frequencies of its fragments
			    */
	bool is_told;      /* see daemon/privsep/messages.h */
	struct cluster_state state;
	size_t page_bytes;
	size_t told_count;
};

/*
 * Find a page and copy it into *found. Before the call *found is {0} except the
 * input fields; close it in any case. Errors of stored_page_find(),
 * ERR_BODY_EXPIRED, ERR_CORRUPT.
 */
enum error copied_page_read(struct store *store,
			    const struct extraction_options *rules,
			    const struct url *url, struct copied_page *found,
			    struct extraction_result *answer);
void copied_page_close(struct copied_page *found);

/*
 * The content of a page, extracted by a worker, for the API. The results equal
 * those of query.h, which extracts in the calling process.
 */

/* Plain data except the body: free it with buffer_free(). */
struct text_result {
	struct buffer body; /* in the format of the request */
	char method[32];
	char reason[256]; /* the evidence that was used, or the failure */
	char cluster[MAX_HOST_BYTES + 16]; /* HOST/N, or "" */
	float confidence; /* 0 to 1; NAN = the method has none */
	enum text_quality quality;
	struct generation_places places; /* in a body of FORMAT_JSON */
};

/*
 * Like query_text(), but from rules->answers if it is cached. ERR_QUARANTINED:
 * see worker_pool_run().
 */
enum error stored_text_get(struct worker_pool *pool, struct store *store,
			   const struct extraction_options *rules,
			   const struct text_request *request,
			   struct text_result *answer_out);

/*
 * Get the text only from rules->answers. Return false if it must be computed or
 * is larger than 256 KiB. Does not block; reads only the rows of the key from
 * the store.
 */
bool stored_text_get_cached(struct store *store,
			    const struct extraction_options *rules,
			    const struct text_request *request,
			    struct text_result *answer_out);

/*
 * Run the request in every worker, so that each builds the models that it
 * needs, and discard the results.
 */
enum error stored_text_build_models(struct worker_pool *pool,
				    struct store *store,
				    const struct extraction_options *rules,
				    const struct text_request *request);

/* Like query_extract(), in a worker. */
enum error submitted_text_get(struct worker_pool *pool, struct store *store,
			      const struct extraction_options *rules,
			      const struct text_request *request,
			      struct text_result *answer_out);

#endif
