/*
 * daemon/api/asking.h - a request for many texts that outlives its exchange:
 * the state that its threads share, until the last of them exits. Internal to
 * daemon/api.
 */
#ifndef DAEMON_API_ASKING_H
#define DAEMON_API_ASKING_H

#include "daemon/api/api_call.h"
#include "daemon/api/api_question.h"

struct page_answer;

/*
 * Number of failed pages: a trailer of a stream of texts, a header of a batch.
 */
#define ASKING_FAILED "X-Templated-Failed"

/* The rules point into the configuration of the call. */
struct asking {
	struct call call; /* a copy, without its exchange */
	struct answer_rules rules;
	struct question *question;
};

/*
 * Begin; the request counts as WORK_EXTRACTING until asking_end(), and the API
 * waits for it.
 */
void asking_begin(struct asking *asking, const struct call *call,
		  const struct question *question);
void asking_end(struct asking *asking);

/*
 * After a try at one of many pages, return false if it is done or has failed
 * permanently; otherwise wait a moment and return true. `tries` counts the
 * tries.
 */
bool asking_tries_again(enum error error, unsigned *tries);

/*
 * Return whether a page has failed. A page without text (its body expired, it
 * is not HTML, the method needs more pages) has not failed.
 */
bool asking_has_failed(enum error error);

/*
 * Set the reason of the answer to the name of the error, if it has no reason.
 */
void asking_explain(enum error error, struct page_answer *answer);

#endif
