/*
 * daemon/api/api_sites.h - the options of POST /v1/sites, by the table of
 * daemon/engine/sites.h.
 */
#ifndef DAEMON_API_API_SITES_H
#define DAEMON_API_API_SITES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "daemon/config/config.h"
#include "daemon/engine/engine.h"
#include "store/rows.h"
#include "store/txn.h"

struct site_request {
	struct site_options options; /* slices point into the members below */
	struct buffer headers;       /* release it with buffer_free() */
	struct buffer proxy;         /* release it with buffer_free() */
	char message[256];           /* English: the error */
};

/*
 * Find the options of a site, without its headers and proxy; false if the site
 * is unknown.
 */
bool site_options_find(struct txn *txn, const char *host,
		       struct site_options *options_out);

/*
 * Read the members of `request`. The defaults are the options of the site if it
 * exists (`known`, or NULL), otherwise those of the configuration. Return
 * false, with a message, for members that are unknown, out of range, or cannot
 * be changed later. `url` is the site's URL.
 */
bool site_request_read(struct site_request *out, json_t *request,
		       const struct config *config, const struct url *url,
		       const struct site_options *known);

void site_request_free(struct site_request *request);

#endif
