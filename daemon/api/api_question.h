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
struct question {
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
bool question_read(struct call *call, struct question *question_out);

/*
 * Like question_read(), but argument `name` with the value `format` (or NULL)
 * is the format of a text.
 */
bool question_read_with(struct call *call, const char *name, const char *format,
			struct question *question_out);

/*
 * Return a copy, without the URL, that points only into itself and may outlive
 * the exchange. Release it with question_drop(); NULL is a no-op.
 */
struct question *question_keep(const struct question *question);
void question_drop(struct question *question);

/*
 * Fetch the page of a text request. The first call queues the fetch; the
 * exchange is suspended until it finishes. `standing_out` is as of
 * answer_standing(). The result is the stage of the fetch.
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

enum fetch_stage call_fetch(struct call *call, const struct question *question,
			    struct page_standing *standing_out);

#endif
