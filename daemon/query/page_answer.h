/*
 * daemon/query/page_answer.h - the content of a page, extracted by a worker,
 * for the API. The results equal those of answer.h, which extracts in the
 * calling process.
 */
#ifndef DAEMON_QUERY_PAGE_ANSWER_H
#define DAEMON_QUERY_PAGE_ANSWER_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "crawl/url.h"
#include "store/store.h"
#include "template/answer_json.h"
#include "template/text_answer.h"

struct worker_pool;

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
