/*
 * daemon/api/api_sites.h - the options of a site in the requests of the API, as
 * daemon/engine/sites.h lists them.
 */
#ifndef DAEMON_API_API_SITES_H
#define DAEMON_API_API_SITES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "daemon/config/config.h"
#include "daemon/engine/engine.h"
#include "daemon/engine/pipeline.h"
#include "store/rows.h"
#include "store/txn.h"

struct site_request {
	/* its slices point into the buffers below */
	struct site_options options;
	struct buffer headers;      /* freed by site_request_free() */
	struct buffer proxy;        /* freed by site_request_free() */
	struct buffer include;      /* freed by site_request_free() */
	struct buffer exclude;      /* freed by site_request_free() */
	struct buffer render_wait;  /* freed by site_request_free() */
	struct buffer render_click; /* freed by site_request_free() */
	char message[256];          /* error text */
};

/*
 * Get the options of the site `host`, without its headers and its proxy. Return
 * false if the site is unknown.
 */
bool site_options_find(struct txn *txn, const char *host,
		       struct site_options *options_out);

/*
 * Read the options of a site from the members of `request`; `url` is the URL of
 * the site. Options that are missing get the values in `known`, the current
 * options of the site; if the site is new, `known` is NULL and they get the
 * values of the configuration. Return false and write the message if a member
 * is unknown, is out of range, or cannot be changed later.
 */
bool site_request_read(struct site_request *out, json_t *request,
		       const struct config *config, const struct url *url,
		       const struct site_options *known);

void site_request_free(struct site_request *request);

/*
 * Return the health of a site: its state and the reason, what is firing, and
 * the incidents and visits of the last `days` days, at most SITE_DAYS. `stats`
 * states whether the crawl is paused.
 */
json_t *site_health_json(struct txn *txn, const struct site_row *row,
			 const struct pipeline_stats *stats, unsigned days);

#endif
