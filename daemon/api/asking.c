#include "daemon/api/asking.h"

#include <stdio.h>
#include <time.h>

#include "daemon/query/page_answer.h"

enum { MAX_TRIES = 4, PAUSE_MS = 50 }; /* the pause doubles each time */

void shared_request_begin(struct shared_request *asking,
			  const struct call *call,
			  const struct text_params *question)
{
	asking->call = *call;
	asking->call.exchange = NULL;
	asking->call.config = config_acquire(call->config);
	asking->rules = call_rules(&asking->call);
	asking->question = text_params_copy(question);
	api_begin_work(call->api, WORK_EXTRACTING, QUOTA_UNLIMITED);
}

void shared_request_end(struct shared_request *asking)
{
	text_params_free(asking->question);
	config_release(asking->call.config);
	api_end_work(asking->call.api, WORK_EXTRACTING, QUOTA_UNLIMITED);
}

/* Return whether the error is temporary and not caused by the page. */
static bool asking_is_passing(enum error error)
{
	return error == ERR_BUSY || error == ERR_IO || error == ERR_TIMEOUT;
}

bool shared_request_should_retry(enum error error, unsigned *tries)
{
	const long pause_ms = PAUSE_MS << *tries;

	if (!asking_is_passing(error) || ++*tries == MAX_TRIES)
		return false;
	nanosleep(&(struct timespec){.tv_nsec = pause_ms * 1000000L}, NULL);
	return true;
}

bool shared_request_has_failed(enum error error)
{
	return error != ERR_NONE && error != ERR_BODY_EXPIRED &&
	       error != ERR_NOT_HTML && error != ERR_ADDRESS_FORBIDDEN;
}

void shared_request_set_reason(enum error error, struct text_result *answer)
{
	if (error != ERR_NONE && answer->reason[0] == '\0')
		(void)snprintf(answer->reason, sizeof(answer->reason), "%s",
			       error_text(error));
}
