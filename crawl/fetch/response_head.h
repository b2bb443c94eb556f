/*
 * crawl/fetch/response_head.h - the head of an HTTP answer, read line by line.
 * Pure, but for libcurl's parser of dates.
 */
#ifndef CRAWL_FETCH_RESPONSE_HEAD_H
#define CRAWL_FETCH_RESPONSE_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "crawl/fetch/fetch.h"
#include "crawl/fetch/unpack.h"
#include "crawl/url/url.h"
#include "store/slice.h"

/* What is read of one block of headers. */
struct response_head {
	struct url redirect;    /* Location, resolved; text "": none */
	unsigned robots_tag;    /* ROBOTS_TAG_* */
	struct codings codings; /* of the content */
	bool is_unreadable;     /* it has a coding that cannot be decoded */
	char content_type[128]; /* "": none; a longer one is cut */
	char retry_after[64];   /* "": none, or longer */
	char date[64];          /* the same */
	/* "": none, longer, or not printable */
	char etag[MAX_ETAG];
	char modified[MAX_MODIFIED];
};

/* Begin a new head. */
void response_head_begin(struct response_head *answer);

/* Take a header line of the answer for `url`. */
void response_head_take(struct response_head *answer, struct slice line,
			const struct url *url);

/*
 * The headers are complete: fill the fields of `result_out` that follow from
 * them. Its status is set; `now_s` is the Unix time, used when there is no
 * Date.
 */
void response_head_finish(const struct response_head *answer, uint64_t now_s,
			  struct fetch_result *result_out);

#endif
