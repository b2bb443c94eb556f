/*
 * daemon/api/asking.h - a request for many texts that outlives its exchange:
 * the state that its threads share, until the last of them exits. Internal to
 * daemon/api.
 */
#ifndef DAEMON_API_ASKING_H
#define DAEMON_API_ASKING_H

#include "daemon/api/api_call.h"
#include "daemon/api/api_question.h"

struct text_result;

/*
 * Number of failed pages: a trailer of a stream of texts, a header of a batch.
 */
#define SHARED_REQUEST_FAILED_HEADER "X-Templated-Failed"

/* The rules point into the configuration of the call. */
struct shared_request {
	struct call call; /* a copy, without its exchange */
	struct extraction_options rules;
	struct text_params *question;
};

/*
 * Begin; the request counts as WORK_EXTRACTING until shared_request_end(), and
 * the API waits for it.
 */
void shared_request_begin(struct shared_request *asking,
			  const struct call *call,
			  const struct text_params *question);
void shared_request_end(struct shared_request *asking);

/*
 * After a try at one of many pages, return false if it is done or has failed
 * permanently; otherwise wait a moment and return true. `tries` counts the
 * tries.
 */
bool shared_request_should_retry(enum error error, unsigned *tries);

/*
 * Return whether a page has failed. A page without text (its body expired, it
 * is not HTML, the method needs more pages) has not failed.
 */
bool shared_request_has_failed(enum error error);

/*
 * Set the reason of the answer to the name of the error, if it has no reason.
 */
void shared_request_set_reason(enum error error, struct text_result *answer);

#endif
