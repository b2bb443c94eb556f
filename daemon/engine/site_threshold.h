/*
 * daemon/engine/site_threshold.h - when to choose the threshold of a site with
 * SITE_IS_AUTO.
 */
#ifndef DAEMON_ENGINE_SITE_THRESHOLD_H
#define DAEMON_ENGINE_SITE_THRESHOLD_H

#include <stdbool.h>

#include "store/rows_site.h"

struct site_row;

/*
 * Return whether the threshold should be chosen now: when the crawl has ended
 * and pages have changed since the last choice, or when the site has doubled in
 * size. So the final threshold depends only on the pages.
 */
bool site_wants_threshold(const struct site_row *site);

#endif
