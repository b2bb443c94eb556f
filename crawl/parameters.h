/*
 * crawl/parameters.h - query parameters of trackers and sessions, which do
 * not identify a page. They are removed from links, so that a page has one URL.
 */
#ifndef CRAWL_PARAMETERS_H
#define CRAWL_PARAMETERS_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "crawl/url.h"

/*
 * The names of well known trackers and sessions, separated by blanks or commas;
 * a '*' at the end matches any rest; letters in any case.
 */
extern const char parameters_default[];

/*
 * Append the names of `text` to `out`, and replace the word "common" with the
 * default list.
 */
void parameters_expand(struct slice text, struct buffer *out);

/*
 * Remove the parameters `names` from the query of the canonical `url`, and
 * ";name=..." with those names from its path (";jsessionid=..."). Other
 * parameters keep their order and spelling; remove an empty query with its '?'.
 * Return false if nothing changed.
 */
bool parameters_drop(struct url *url, struct slice names);

#endif
