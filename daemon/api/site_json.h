/* daemon/api/site_json.h - a site as JSON, for the API. */
#ifndef DAEMON_API_SITE_JSON_H
#define DAEMON_API_SITE_JSON_H

#include <jansson.h>

#include "store/rows_frontier.h"
#include "store/rows_site.h"
#include "store/txn.h"

/*
 * Return one object: host, url, added, state, the counts (pages, clusters,
 * found, pending, fetched, failed, skipped), the used budgets, classes (of its
 * pages, by page/page_class.h, if any), and the options.
 */
json_t *site_json(struct txn *txn, const struct site_row *row);

/* Return a URL pattern of the site as JSON. */
json_t *pattern_json(const struct site_row *site, const struct pattern_row *row,
		     uint32_t max_pattern);

#endif
