/*
 * crawl/url_pattern.h - URLs that one template likely answers, by their form
 * alone. Pure.
 */
#ifndef CRAWL_URL_PATTERN_H
#define CRAWL_URL_PATTERN_H

#include <stdint.h>

#include "crawl/url.h"

enum { MAX_PATTERN_TEXT = 160 };

/*
 * The fine pattern keeps the names of folders and of query parameters, and
 * makes of the rest what it is: {n} digits, {id} hexadecimal or mixed
 * identifiers, {date}, {w} words: "/news/{n}/{n}/{w}.html?page={n}". Values of
 * parameters and the last segment are always of the rest; of the number of
 * parameters only kinds count, their names sorted. The coarse pattern keeps but
 * the first folder, if it is a word, the number of segments, the ending and
 * whether there is a query: "/news/+3.html?". So ever new folders and ever new
 * parameters share a coarse pattern.
 */
struct url_pattern {
	uint64_t fine;   /* hash64 of the texts */
	uint64_t coarse; /* never equal to fine */
	char fine_text[MAX_PATTERN_TEXT];
	char coarse_text[MAX_PATTERN_TEXT];
};

void url_pattern_of(const struct url *url, struct url_pattern *out);

#endif
