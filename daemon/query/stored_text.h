/*
 * daemon/query/stored_text.h - the texts of pages for the API, and the keys
 * under which the cache stores them.
 *
 * A key contains everything that the text of a stored page depends on: two
 * texts with equal keys are equal byte for byte, except the generation of the
 * site in JSON. A key has two parts, the request and the state of the data.
 *
 * The request is:
 * - the URL, format, method, parameters, preference, comments, selectors;
 * - the rules: limits, extract.method_options, clustering.min_pages, the folder
 *   of models.
 *
 * The state is:
 * - of the page: its site, key, content hash, size, charset, HTTP status, and
 *   its URL, which may be the target of redirects, and since when a visit of
 *   it waits; for JSON also the time of its fetch;
 * - of the template: its number and cluster_row.changes. The page count, the
 *   document frequencies of fragments, and the sample for models depend only on
 *   the pages of the cluster and their content, and each change of these
 *   changes cluster_row.changes, which begins with another number if the number
 *   of the cluster was that of another one. The id of a site is never reused;
 * - if sites may have their own models: the identity of the model file, that
 *   is, inode, size and time.
 *
 * A commit that changes only other templates of the site does not change the
 * key. The key does not contain the measure, width and threshold of the site:
 * they only decide to which cluster a new page belongs, and this page already
 * has its cluster.
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
	struct buffer asked; /* the request; freed by text_key_free() */
	struct buffer state;
	uint64_t generation; /* generation of the site; 0 if the text does not
				contain it */
};

/* Free the parts of the key, but not the key itself. A zeroed key is valid. */
void text_key_free(struct text_key *key);

/*
 * Find the stored page of a URL, and copy all data that its extraction needs.
 * Internal to query.c and stored_text.c.
 */

/* A stored page with its site. */
struct stored_page {
	struct site_row site;
	struct page_row row;
	uint64_t key;
	uint64_t waiting_ms; /* as in struct extraction_result */
};

/*
 * Find the page of `url`, following redirects, and set answer->url to the URL
 * of that page. ERR_NOT_FOUND: answer->reason states why the page is not
 * stored. Errors of the transaction.
 */
enum error stored_page_find(struct txn *txn, const struct url *url,
			    struct stored_page *stored_out,
			    struct extraction_result *answer);

/* A copy of a stored page, which can be used without a transaction. */
struct copied_page {
	struct stored_site site;
	const struct site_view *view;
	struct known_page known;
	/*
	 * the source of the page, compressed if wants_frame is set, then the
	 * data about its fragments
	 */
	struct buffer body;
	uint64_t fetched_ms;
	uint64_t waiting_ms;
	bool has_page; /* input: the caller has parsed the page, so do not read
			  its body */
	bool wants_frame;  /* input: do not decompress the source; a worker does
			      this */
	bool wants_told;   /* input: also copy the data that a worker needs */
	bool wants_counts; /* input: that data includes the document frequencies
			      of the fragments */
	struct text_key *key; /* input: read the state of this key in the same
				 transaction; NULL = none */
	bool has_generation;  /* input: the key contains the generation */
	bool is_told; /* the data for a worker was copied, see TASK_TEXT in
			 daemon/privsep/messages.h */
	struct cluster_state state;
	uint32_t dictionary; /* with wants_frame: see stored_page_frame() */
	size_t source_bytes; /* size of the source after decompression */
	size_t page_bytes;   /* size of the source in `body` */
	size_t told_count;
};

/*
 * Find the page of `url` and copy it into *found. Before the call *found must
 * be zero, except its input fields. Call copied_page_close() in any case.
 * Errors of stored_page_find(); ERR_BODY_EXPIRED; ERR_CORRUPT.
 */
enum error copied_page_read(struct store *store,
			    const struct extraction_options *rules,
			    const struct url *url, struct copied_page *found,
			    struct extraction_result *answer);
void copied_page_close(struct copied_page *found);

/*
 * Texts that a worker extracts, for the API. They equal the results of query.h,
 * whose functions extract in the calling process.
 */

/* All fields are plain data except `body`, which buffer_free() frees. */
struct text_result {
	struct buffer body; /* the text in the format of the request */
	char method[32];
	char reason[256]; /* the evidence on which the result is based, or the
			     reason of the failure */
	/* name of the template, HOST/N, or "" */
	char cluster[MAX_HOST_BYTES + 16];
	float confidence; /* from 0 to 1; NAN = the method computes no
			     confidence */
	enum text_quality quality;
	uint64_t waiting_ms; /* as in struct extraction_result */
	/* for a body in FORMAT_JSON: where the generation is */
	struct generation_places places;
};

/*
 * Get the text of a stored page like query_text(), but from a worker, or from
 * the cache rules->answers if it is there. ERR_QUARANTINED: see
 * worker_pool_run().
 */
enum error stored_text_get(struct worker_pool *pool, struct store *store,
			   const struct extraction_options *rules,
			   const struct text_request *request,
			   struct text_result *answer_out);

/*
 * Get the text from the cache rules->answers. Return false if it is not there
 * or is larger than 256 KiB. Does not block; it reads only the rows of the
 * store that the key needs.
 */
bool stored_text_get_cached(struct store *store,
			    const struct extraction_options *rules,
			    const struct text_request *request,
			    struct text_result *answer_out);

/*
 * Run the request in every worker, so that each worker builds the models that
 * the request needs. The results are discarded.
 */
enum error stored_text_build_models(struct worker_pool *pool,
				    struct store *store,
				    const struct extraction_options *rules,
				    const struct text_request *request);

/* Like query_extract(), but a worker extracts. */
enum error submitted_text_get(struct worker_pool *pool, struct store *store,
			      const struct extraction_options *rules,
			      const struct text_request *request,
			      struct text_result *answer_out);

#endif
