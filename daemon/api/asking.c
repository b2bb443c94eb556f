#include "daemon/api/asking.h"

#include <stdio.h>

#include "daemon/answer/page_answer.h"

void asking_begin(struct asking *asking, const struct call *call,
		  const struct question *question)
{
	asking->call = *call;
	asking->call.exchange = NULL;
	asking->rules = call_rules(&asking->call);
	asking->question = question_keep(question);
	api_begin_work(call->api, WORK_EXTRACTING, QUOTA_UNLIMITED);
}

void asking_end(struct asking *asking)
{
	question_drop(asking->question);
	api_end_work(asking->call.api, WORK_EXTRACTING, QUOTA_UNLIMITED);
}

void asking_explain(enum error error, struct page_answer *answer)
{
	if (error != ERR_NONE && answer->reason[0] == '\0')
		(void)snprintf(answer->reason, sizeof(answer->reason), "%s",
			       error_text(error));
}
