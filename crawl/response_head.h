/*
 * crawl/response_head.h - parse the head of an HTTP response line by
 * line. Pure, except for libcurl's date parser.
 */
#ifndef CRAWL_RESPONSE_HEAD_H
#define CRAWL_RESPONSE_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawl/fetch.h"
#include "crawl/unpack.h"
#include "crawl/url.h"

/* The parsed fields of one block of headers. */
struct response_head {
	struct url redirect;    /* Location, resolved; text "" = none */
	unsigned robots_tag;    /* ROBOTS_TAG_* */
	struct codings codings; /* of the content */
	bool is_unreadable;     /* a coding of the body cannot be decoded */
	char content_type[128]; /* "" = none; truncated if longer */
	char retry_after[64];   /* "" = none, or longer */
	char date[64];          /* "" = none, or longer */
	/* "" = none, longer, or not printable */
	char etag[MAX_ETAG];
	char modified[MAX_MODIFIED];
};

/* Start a new head. */
void response_head_begin(struct response_head *answer);

/* Parse a header line of the response for `url`. */
void response_head_take(struct response_head *answer, struct slice line,
			const struct url *url);

/*
 * The headers are complete: fill the fields of `result_out` that depend on
 * them. Its status is set; `now_s` is the Unix time, used if there is no Date.
 */
void response_head_finish(const struct response_head *answer, uint64_t now_s,
			  struct fetch_result *result_out);

#endif
