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

struct pool;

/* Plain data except the body: free it with buffer_free(). */
struct page_answer {
	struct buffer body; /* in the format of the request */
	char method[32];
	char reason[256]; /* the evidence that was used, or the failure */
	char cluster[MAX_HOST_BYTES + 16]; /* HOST/N, or "" */
	float confidence; /* 0 to 1; NAN = the method has none */
	enum answer_quality quality;
	struct generation_places places; /* in a body of FORMAT_JSON */
};

/*
 * Like answer_text(), but from rules->answers if it is cached. ERR_POISONED:
 * see pool_run().
 */
enum error page_answer_stored(struct pool *pool, struct store *store,
			      const struct answer_rules *rules,
			      const struct text_request *request,
			      struct page_answer *answer_out);

/*
 * Get the text only from rules->answers. Return false if it must be computed or
 * is larger than 256 KiB. Does not block; reads only the rows of the key from
 * the store.
 */
bool page_answer_kept(struct store *store, const struct answer_rules *rules,
		      const struct text_request *request,
		      struct page_answer *answer_out);

/*
 * Run the request in every worker, so that each builds the models that it
 * needs, and discard the results.
 */
enum error page_answer_teach(struct pool *pool, struct store *store,
			     const struct answer_rules *rules,
			     const struct text_request *request);

/* Like answer_extract(), in a worker. */
enum error page_answer_given(struct pool *pool, struct store *store,
			     const struct answer_rules *rules,
			     const struct text_request *request,
			     struct page_answer *answer_out);

#endif
