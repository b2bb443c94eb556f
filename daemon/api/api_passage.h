/*
 * daemon/api/api_passage.h - one question on its way to the owner of what it is
 * about. Internal to api_pass.c and api_direct.c.
 */
#ifndef DAEMON_API_API_PASSAGE_H
#define DAEMON_API_API_PASSAGE_H

#include <stdbool.h>

#include "daemon/api/api_call.h"
#include "store/buffer.h"
#include "store/error.h"

enum { MAX_LOOKS = 1 /* so often is looked again who the owner is */ };

struct passage {
	struct call *call;
	enum access access;
	unsigned partition;
	struct whereabouts where;
	bool is_read;            /* an answer that is old does no harm */
	unsigned looks;          /* again */
	uint64_t settle_ms;      /* steady: an owner went, and until then the
				    next one is looked for; 0: none did */
	enum pass_result result; /* nobody has answered yet */
};

/*
 * Look again who the owner is, since the one in `where` has turned it away with
 * this error; ERR_STOPPED: it was asked, but owns the partition no more. Waits
 * a moment then, for the next one. False: it is not to be asked again, or who
 * asks no longer may.
 */
bool passage_look(struct passage *passage, enum error error);

/* Of a struct passage: nobody has taken the partition since it was looked, and
 * who asks still may. */
bool passage_is_current(const void *context);

/* Whether it waits for events (`wait`). Of such: the owner had nothing to say
 * and nothing has changed since, so that it is parked on; and whether it is
 * parked as this answer of the owner has nothing. */
bool passage_is_long_poll(const struct passage *passage);
bool passage_has_no_news(const struct passage *passage);
bool passage_waits(struct passage *passage, struct slice answer);

/* Append the lines that only nodes believe. */
void passage_write_lines(const struct passage *passage, struct buffer *out);

/* Say on the answer whose it is. */
void passage_add_owner(struct passage *passage);

/* Answers when there is none: 503 with Retry-After (`message` has one "%s", for
 * the owner); the owner did not answer; it is another one by now; it has to be
 * asked by who asks. */
enum http_verdict passage_fail_later(struct passage *passage, const char *code,
				     const char *message);
enum http_verdict passage_fail_asking(struct passage *passage,
				      enum error error);
enum http_verdict passage_fail_moved(struct passage *passage);
enum http_verdict passage_fail_direct(struct passage *passage);
enum http_verdict passage_fail_cut(struct passage *passage);

/*
 * Ask the owner by a connection of its own, and once more the next one. True:
 * it is to be answered here, as we are it by now; else *verdict_out.
 */
bool passage_direct(struct passage *passage, enum http_verdict *verdict_out);

#endif
