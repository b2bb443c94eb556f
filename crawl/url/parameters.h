/*
 * crawl/url/parameters.h - query parameters that do not identify a page: those
 * of trackers and sessions. They are removed from links, so that a page has one
 * URL.
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
 * Append the names of `text` to `out`, with the default list in place of the
 * word "common".
 */
void parameters_expand(struct slice text, struct buffer *out);

/*
 * Remove the parameters `names` from the query of the canonical `url`, and
 * ";name=..." of those names from its path (";jsessionid=..."). Other
 * parameters keep their order and spelling; an empty query is removed with its
 * '?'. False when nothing was changed.
 */
bool parameters_drop(struct url *url, struct slice names);

#endif
