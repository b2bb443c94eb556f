/*
 * crawl/url_pattern.h - patterns of URLs: URLs of the same form probably
 * have the same template. Pure.
 */
#ifndef CRAWL_URL_PATTERN_H
#define CRAWL_URL_PATTERN_H

#include <stdint.h>

#include "crawl/url.h"

enum { MAX_PATTERN_TEXT = 160 };

/*
 * The fine pattern keeps the names of the first two folders and of the query
 * parameters, and replaces everything else with its kind: {n} for digits, {id}
 * for hexadecimal or mixed identifiers, {date}, and {w} for words, several
 * consecutive words as one: "/news/{n}/{n}/{w}.html?page={n}". A folder that is
 * no name (a number, a sentence, percent-encoded) ends the names. Values of
 * parameters and the last segment are always replaced, with two exceptions:
 * "index.html", "feed/", "page/{n}/" and similar segments, which show the
 * previous segment in another way, and the affixes of file names by doxygen and
 * javadoc: "class{w}-members.html". Of the parameters only the kinds count,
 * sorted by name.
 *
 * The coarse pattern keeps only the first folder, if it has a name, the number
 * of segments (up to 4), the ending and whether there is a query:
 * "/news/+3.html?". The wide pattern omits the folder: "/+3.html?". So endless
 * new folders and parameters share a coarse pattern, and endless new first
 * folders share a wide one.
 *
 * On ten real sites with 5,853 labelled pages there are 282 fine patterns; for
 * 97 % of the pages the label is the most frequent label of their pattern (with
 * all names of folders and without affixes 474 patterns and 84 %), and 166
 * coarse patterns.
 */
struct url_pattern {
	uint64_t fine;   /* hash64 of the texts */
	uint64_t coarse; /* never equal to fine */
	uint64_t wide;   /* equal to coarse if there is no first folder */
	char fine_text[MAX_PATTERN_TEXT];
	char coarse_text[MAX_PATTERN_TEXT];
	char wide_text[MAX_PATTERN_TEXT];
};

void url_pattern_of(const struct url *url, struct url_pattern *out);

#endif
