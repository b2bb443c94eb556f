/*
 * daemon/api/api_question.h - the arguments of a request for text. Internal to
 * api*.c.
 */
#ifndef DAEMON_API_API_QUESTION_H
#define DAEMON_API_API_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/answer/answer.h"
#include "daemon/api/api_call.h"
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
	char *include; /* of a copy */
	char *exclude; /* the same */
};

/*
 * Read them. False, with the error answered, when one is wrong. free()
 * parameter_text in any case.
 */
bool question_read(struct call *call, struct question *question_out);

/* The same, where the format of a text is the argument `name`, which is
 * `format`, or NULL. */
bool question_read_with(struct call *call, const char *name, const char *format,
			struct question *question_out);

/*
 * A copy without a URL that points into itself alone, for what outlives the
 * exchange. End with question_drop(); NULL is a no-op.
 */
struct question *question_keep(const struct question *question);
void question_drop(struct question *question);

/*
 * How far the page of a question is that is to be fetched. The first call asks
 * for it, and the exchange is parked as long as it is awaited; `standing_out`
 * is as of answer_standing().
 */
enum fetch_stage {
	FETCH_IMPOSSIBLE, /* it cannot be asked for: the error says why */
	FETCH_AWAITED,
	FETCH_SETTLING, /* it is here, neighbours of it are not */
	FETCH_HERE,
	FETCH_FAILED, /* the error says why */
	FETCH_GONE,   /* it is not here, and nothing is on its way */
	FETCH_LATE,   /* question->timeout_ms is over */
};

enum fetch_stage call_fetch(struct call *call, const struct question *question,
			    struct page_standing *standing_out);

#endif
