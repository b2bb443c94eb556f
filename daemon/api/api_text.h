/*
 * daemon/api/api_text.h - the arguments of a request for text. Internal to
 * api*.c.
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

/* Points into the exchange and into itself. */
struct text_params {
	struct url url;
	bool has_url;
	enum fetch_policy policy;
	uint64_t timeout_ms;
	struct text_request request;
	const char *parameters[MAX_PARAMETERS + 1];
	char *parameter_text; /* free() it */
	char method[64];
	char *include; /* only for a copy */
	char *exclude; /* only for a copy */
};

/*
 * Read the arguments. If one is wrong, respond with the error and return false.
 * Always free() parameter_text.
 */
bool text_params_read(struct call *call, struct text_params *question_out);

/*
 * Like text_params_read(), but argument `name` with the value `format` (or
 * NULL) is the format of a text.
 */
bool text_params_read_as(struct call *call, const char *name,
			 const char *format, struct text_params *question_out);

/*
 * Fetch the page of a text request. The first call queues the fetch; the
 * exchange is suspended until it finishes. `standing_out` is as of
 * query_page_status(). The result is the stage of the fetch.
 */
enum fetch_stage {
	FETCH_IMPOSSIBLE, /* the fetch cannot be queued; the error states why */
	FETCH_AWAITED,
	FETCH_SETTLING, /* the page is stored, its neighbours are not yet */
	FETCH_HERE,
	FETCH_FAILED, /* the fetch failed; the error states why */
	FETCH_GONE,   /* not stored, and no fetch is queued */
	FETCH_LATE,   /* question->timeout_ms has passed */
};

enum fetch_stage call_fetch(struct call *call,
			    const struct text_params *question,
			    struct page_status *standing_out);

/*
 * A request for many texts that outlives its exchange: the state that its
 * threads share, until the last of them exits. Internal to daemon/api.
 */

/*
 * Number of failed pages: a trailer of a stream of texts, a header of a batch.
 */
#define SHARED_REQUEST_FAILED_HEADER "X-Templated-Failed"

/* The rules point into the configuration of the call. */
struct shared_request {
	struct call call; /* a copy, without its exchange */
	struct extraction_options rules;
	struct text_params *question;
};

/*
 * Begin; the request counts as WORK_EXTRACTING until shared_request_end(), and
 * the API waits for it.
 */
void shared_request_begin(struct shared_request *asking,
			  const struct call *call,
			  const struct text_params *question);
void shared_request_end(struct shared_request *asking);

/*
 * After a try at one of many pages, return false if it is done or has failed
 * permanently; otherwise wait a moment and return true. `tries` counts the
 * tries.
 */
bool shared_request_should_retry(enum error error, unsigned *tries);

/*
 * Return whether a page has failed. A page without text (its body expired, it
 * is not HTML, the method needs more pages) has not failed.
 */
bool shared_request_has_failed(enum error error);

/*
 * Set the reason of the answer to the name of the error, if it has no reason.
 */
void shared_request_set_reason(enum error error, struct text_result *answer);

/*
 * The texts of a site as a streamed response: threads extract several pages at
 * a time, as fast as the client reads, and the pages are sent in order.
 */

enum {
	MAX_TEXT_STREAMS = 4
}; /* at the same time; each may hold a thread of the server */

struct text_wish {
	enum text_export_format form;
	struct text_filter filter;
	uint32_t qualities;    /* a bit for each enum text_quality */
	double min_confidence; /* 0 = also texts without a confidence */
	uint64_t limit;        /* pages; 0 = unlimited */
	bool is_raw;           /* cells of CSV may be formulas */
	bool is_resumed;       /* omit the text before the first page */
};

#endif
