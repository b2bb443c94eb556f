#include "daemon/api/asking.h"

#include <stdio.h>
#include <time.h>

#include "daemon/query/page_answer.h"

enum { MAX_TRIES = 4, PAUSE_MS = 50 }; /* the pause doubles each time */

void asking_begin(struct asking *asking, const struct call *call,
		  const struct question *question)
{
	asking->call = *call;
	asking->call.exchange = NULL;
	asking->call.config = config_acquire(call->config);
	asking->rules = call_rules(&asking->call);
	asking->question = question_keep(question);
	api_begin_work(call->api, WORK_EXTRACTING, QUOTA_UNLIMITED);
}

void asking_end(struct asking *asking)
{
	question_drop(asking->question);
	config_release(asking->call.config);
	api_end_work(asking->call.api, WORK_EXTRACTING, QUOTA_UNLIMITED);
}

/* Return whether the error is temporary and not caused by the page. */
static bool asking_is_passing(enum error error)
{
	return error == ERR_BUSY || error == ERR_IO || error == ERR_TIMEOUT;
}

bool asking_tries_again(enum error error, unsigned *tries)
{
	const long pause_ms = PAUSE_MS << *tries;

	if (!asking_is_passing(error) || ++*tries == MAX_TRIES)
		return false;
	nanosleep(&(struct timespec){.tv_nsec = pause_ms * 1000000L}, NULL);
	return true;
}

bool asking_has_failed(enum error error)
{
	return error != ERR_NONE && error != ERR_NOT_KEPT &&
	       error != ERR_NOT_HTML && error != ERR_REFUSED;
}

void asking_explain(enum error error, struct page_answer *answer)
{
	if (error != ERR_NONE && answer->reason[0] == '\0')
		(void)snprintf(answer->reason, sizeof(answer->reason), "%s",
			       error_text(error));
}
