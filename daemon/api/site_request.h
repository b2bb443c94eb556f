/*
 * daemon/api/site_request.h - the options of POST /v1/sites, by the table of
 * daemon/engine/site_option.h.
 */
#ifndef DAEMON_API_SITE_REQUEST_H
#define DAEMON_API_SITE_REQUEST_H

#include <jansson.h>
#include <stdbool.h>

#include "daemon/config/config.h"
#include "daemon/engine/engine.h"
#include "store/buffer.h"
#include "store/rows_site.h"
#include "store/txn.h"

struct site_request {
	struct site_options options; /* slices point into what follows */
	struct buffer headers;       /* free it with buffer_free() */
	struct buffer proxy;         /* as well */
	char message[256];           /* English: what is wrong */
};

/* Those of a site, without its headers and its proxy; false: it is not known.
 */
bool site_options_find(struct txn *txn, const char *host,
		       struct site_options *options_out);

/*
 * Read the members of `request`; the defaults are those of the configuration,
 * or the options of the site, if it is known already (`known`, or NULL). False,
 * with a message, for members that are unknown, out of range, or cannot be
 * changed later. `url` is that of the site.
 */
bool site_request_read(struct site_request *out, json_t *request,
		       const struct config *config, const struct url *url,
		       const struct site_options *known);

void site_request_free(struct site_request *request);

#endif
