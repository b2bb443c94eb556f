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
};

/*
 * Read them. False, with the error answered, when one is wrong. free()
 * parameter_text in any case.
 */
bool question_read(struct call *call, struct question *question_out);

#endif
