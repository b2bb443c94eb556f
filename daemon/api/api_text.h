/*
 * daemon/api/api_text.h - requests for texts: the arguments, the fetch of a
 * page, and requests for the texts of many pages. Internal to api*.c.
 */
#ifndef DAEMON_API_API_TEXT_H
#define DAEMON_API_API_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "daemon/api/api.h"
#include "daemon/http/server.h"
#include "daemon/query/query.h"
#include "daemon/query/text_export.h"
#include "extract/core/extractor.h"

struct text_result;

enum fetch_policy { FETCH_NEVER, FETCH_MISSING, FETCH_ALWAYS };

/*
 * The arguments of a request for a text. Points into the exchange and into
 * itself.
 */
struct text_params {
	struct url url;
	bool has_url;
	enum fetch_policy policy;
	bool renders; /* the page must be rendered */
	uint64_t timeout_ms;
	struct text_request request;
	const char *parameters[MAX_PARAMETERS + 1];
	char *parameter_text; /* owned by the caller, who must free() it */
	char method[64];
	char *include; /* owned; only in the copy that shared_request_begin()
			  makes */
	char *exclude; /* owned; only in the copy that shared_request_begin()
			  makes */
};

/*
 * Read the arguments of the request. If one is invalid, respond with the error
 * and return false. In any case free() question_out->parameter_text.
 */
bool text_params_read(struct call *call, struct text_params *question_out);

/*
 * Like text_params_read(), but the argument `name` is the format of a text; its
 * value is `format`, or NULL if it is missing.
 */
bool text_params_read_as(struct call *call, const char *name,
			 const char *format, struct text_params *question_out);

/*
 * Fetch the page of a request for a text. The first call queues the fetch; the
 * handler is called again while the exchange is suspended. *standing_out is the
 * result of query_page_status(). Return the stage of the fetch.
 */
enum fetch_stage {
	FETCH_IMPOSSIBLE, /* the fetch cannot be queued; standing_out->error
			     states why */
	FETCH_AWAITED,    /* the page is not fetched yet */
	FETCH_SETTLING,   /* the page is stored, but pages near it are still
			     awaited */
	FETCH_HERE,       /* the page is stored */
	FETCH_FAILED,     /* the fetch failed; standing_out->error states why */
	FETCH_GONE, /* the page is not stored, and no fetch of it is queued */
	FETCH_LATE, /* question->timeout_ms has passed */
};

enum fetch_stage call_fetch(struct call *call,
			    const struct text_params *question,
			    struct page_status *standing_out);

/*
 * A request for many texts. It may continue after the end of its exchange; it
 * is the state that its threads share, until the last of them exits. Internal
 * to daemon/api.
 */

/*
 * Header with the number of pages that failed. It is a trailer in a stream of
 * texts, and an ordinary header in the response to a batch.
 */
#define SHARED_REQUEST_FAILED_HEADER "X-Templated-Failed"

/* `rules` points into the configuration of the call. */
struct shared_request {
	struct call call; /* copy of the call, without its exchange */
	struct extraction_options rules;
	struct text_params *question;
};

/*
 * shared_request_begin() begins a request. The request counts as a task
 * WORK_EXTRACTING, for which the API waits, until shared_request_end().
 */
void shared_request_begin(struct shared_request *asking,
			  const struct call *call,
			  const struct text_params *question);
void shared_request_end(struct shared_request *asking);

/*
 * Return whether to try a page again after `error`. If so, wait a moment first.
 * Return false if the page is done or has failed permanently. `tries` counts
 * the tries.
 */
bool shared_request_should_retry(enum error error, unsigned *tries);

/*
 * Return whether a page with this error counts as failed. A page has not failed
 * if it has no text because its body has expired, it is not HTML, or the method
 * needs more pages.
 */
bool shared_request_has_failed(enum error error);

/* If the answer has no reason, set its reason to the text of the error. */
void shared_request_set_reason(enum error error, struct text_result *answer);

/*
 * The texts of a site as a streamed response. Threads extract several pages at
 * the same time, as fast as the client reads. The pages are sent in order.
 */

/*
 * Maximum number of streams of texts at the same time, because each of them may
 * occupy a worker thread of the server.
 */
enum { MAX_TEXT_STREAMS = 4 };

struct text_wish {
	enum text_export_format form;
	struct text_filter filter;
	/* one bit for each enum text_quality that is wanted */
	uint32_t qualities;
	/* 0 = texts without a confidence are wanted, too */
	double min_confidence;
	uint64_t limit;  /* maximum number of pages; 0 = unlimited */
	bool is_raw;     /* write CSV cells that may be formulas */
	bool is_resumed; /* omit the bytes that precede the first page */
};

#endif
