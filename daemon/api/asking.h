/*
 * daemon/api/asking.h - a request for many texts that outlives its exchange:
 * what the threads that answer it share, until the last of them ends. Internal
 * to daemon/api.
 */
#ifndef DAEMON_API_ASKING_H
#define DAEMON_API_ASKING_H

#include "daemon/api/api_call.h"
#include "daemon/api/api_question.h"

struct page_answer;

/* It stays where it was begun: the rules point into the call. */
struct asking {
	struct call call; /* a copy, without its exchange */
	struct answer_rules rules;
	struct question *question;
};

/* Counted as one of WORK_EXTRACTING, for which the API waits, until its end. */
void asking_begin(struct asking *asking, const struct call *call,
		  const struct question *question);
void asking_end(struct asking *asking);

/* Where the answer does not say why there was an error, have it say which. */
void asking_explain(enum error error, struct page_answer *answer);

#endif
