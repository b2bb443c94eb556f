/*
 * crawl/fetch/answer.h - the head of an HTTP answer, taken line by line. Pure,
 * but for libcurl's parser of dates.
 */
#ifndef CRAWL_FETCH_ANSWER_H
#define CRAWL_FETCH_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "crawl/fetch/fetch.h"
#include "crawl/fetch/unpack.h"
#include "crawl/url/url.h"
#include "store/slice.h"

/* What is read of one block of headers. */
struct answer {
	struct url redirect;    /* Location, resolved; text "": none */
	unsigned robots_tag;    /* ROBOTS_TAG_* */
	struct codings codings; /* of the content */
	bool is_unreadable;     /* it is coded in a way that was not offered */
	char content_type[128]; /* "": none; a longer one is cut */
	char retry_after[64];   /* "": none, or longer */
	char date[64];          /* the same */
	/* "": none, longer, or not printable */
	char etag[MAX_ETAG];
	char modified[MAX_MODIFIED];
};

/* Forget what was read, or begin. */
void answer_begin(struct answer *answer);

/* Take a header line of the answer for `url`. */
void answer_take(struct answer *answer, struct slice line,
		 const struct url *url);

/*
 * The headers are complete: fill what they decide. `result_out` has its status;
 * `now_s` is the Unix time, for want of a Date.
 */
void answer_finish(const struct answer *answer, uint64_t now_s,
		   struct fetch_result *result_out);

#endif
