/*
 * crawl/url/parameters.h - query parameters that name no page: those of
 * trackers and of sessions. They are taken out of links, so that one page has
 * one URL.
 */
#ifndef CRAWL_URL_PARAMETERS_H
#define CRAWL_URL_PARAMETERS_H

#include <stdbool.h>

#include "crawl/url/url.h"
#include "store/buffer.h"
#include "store/slice.h"

/*
 * The names of well known trackers and sessions: parted by blanks or commas; a
 * '*' at the end stands for any rest; letters in any case.
 */
extern const char parameters_default[];

/*
 * Append the names of `text` to `out`, with the default in place of the word
 * "common".
 */
void parameters_expand(struct slice text, struct buffer *out);

/*
 * Take the parameters of `names` out of the query of the canonical `url`, and
 * a ";name=..." of those names out of its path (";jsessionid=..."). What stays
 * keeps its order and its spelling; a query of nothing goes with its '?'. False
 * when nothing was to be done.
 */
bool parameters_drop(struct url *url, struct slice names);

#endif
