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

/* How many pages of a stream of texts or a batch have failed: a trailer of the
 * one, a header of the other. */
#define ASKING_FAILED "X-Templated-Failed"

/* The rules point into the configuration of the call. */
struct asking {
	struct call call; /* a copy, without its exchange */
	struct answer_rules rules;
	struct question *question;
};

/* Counted as one of WORK_EXTRACTING, for which the API waits, until its end. */
void asking_begin(struct asking *asking, const struct call *call,
		  const struct question *question);
void asking_end(struct asking *asking);

/*
 * After a try at one of many pages: false when it is done or has failed for
 * good; else wait a moment, and try again. `tries` counts them.
 */
bool asking_tries_again(enum error error, unsigned *tries);

/* Whether a page has failed: an error other than that there is no text to be
 * had of it (its body is not kept, it is not HTML, the method needs more). */
bool asking_has_failed(enum error error);

/* Where the answer does not say why there was an error, have it say which. */
void asking_explain(enum error error, struct page_answer *answer);

#endif
