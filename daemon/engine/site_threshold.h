/*
 * daemon/engine/site_threshold.h - when the threshold of a site is chosen whose
 * operator left that to its pages (SITE_IS_AUTO).
 */
#ifndef DAEMON_ENGINE_SITE_THRESHOLD_H
#define DAEMON_ENGINE_SITE_THRESHOLD_H

#include <stdbool.h>

#include "store/rows_site.h"

struct site_row;

/*
 * Is it this site's turn: when its crawl is at rest and pages have changed
 * since the last choice, or when it has grown to twice its size; so what a site
 * ends with depends on its pages alone.
 */
bool site_wants_threshold(const struct site_row *site);

#endif
