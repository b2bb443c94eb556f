/*
 * daemon/answer/page_answer.h - the content of a page, extracted by a worker,
 * as the API gives it: the same as answer.h's, which computes in place.
 */
#ifndef DAEMON_ANSWER_PAGE_ANSWER_H
#define DAEMON_ANSWER_PAGE_ANSWER_H

#include <stdbool.h>

#include "crawl/url/url.h"
#include "store/buffer.h"
#include "store/error.h"
#include "store/store.h"
#include "template/answer_json.h"
#include "template/text_answer.h"

struct pool;

/* Plain data, but for the body: buffer_free() it. */
struct page_answer {
	struct buffer body; /* in the format of the request */
	char method[32];
	char reason[256]; /* the evidence that was used; or what failed */
	char cluster[MAX_HOST_BYTES + 16]; /* HOST/N, or "" */
	float confidence; /* 0..1; NAN: the method gives none */
	enum answer_quality quality;
	struct generation_places places; /* in a body of FORMAT_JSON */
};

/* As answer_text(); out of rules->answers, when it is there. ERR_POISONED: see
 * pool_run(). */
enum error page_answer_stored(struct pool *pool, struct store *store,
			      const struct answer_rules *rules,
			      const struct text_request *request,
			      struct page_answer *answer_out);

/*
 * The same, out of rules->answers alone; false: it has to be computed, or has
 * over 256 KiB. Waits for nothing: of the store only what was read for the
 * answer is looked at.
 */
bool page_answer_kept(struct store *store, const struct answer_rules *rules,
		      const struct text_request *request,
		      struct page_answer *answer_out);

/*
 * Have each worker answer it, so that each has learned what the answer takes,
 * and forget the answers.
 */
enum error page_answer_teach(struct pool *pool, struct store *store,
			     const struct answer_rules *rules,
			     const struct text_request *request);

/* As answer_extract(); the same. */
enum error page_answer_given(struct pool *pool, struct store *store,
			     const struct answer_rules *rules,
			     const struct text_request *request,
			     struct page_answer *answer_out);

#endif
