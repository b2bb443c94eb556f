/*
 * daemon/api/api_question.h - the arguments of a request for text. Internal to
 * api*.c.
 */
#ifndef DAEMON_API_API_QUESTION_H
#define DAEMON_API_API_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/api/api_call.h"
#include "daemon/query/answer.h"
#include "extract/core/extractor.h"

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
 * Return a copy, without the URL, that points only into itself and may outlive
 * the exchange. Release it with text_params_free(); NULL is a no-op.
 */
struct text_params *text_params_copy(const struct text_params *question);
void text_params_free(struct text_params *question);

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

#endif
