/* daemon/cluster/depot_request.h - one request to the server of a depot:
 * WebDAV with a password, or S3 with a signature. Internal to the depot. */
#ifndef DAEMON_CLUSTER_DEPOT_REQUEST_H
#define DAEMON_CLUSTER_DEPOT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "crawl/fetch/authorities.h"
#include "daemon/cluster/depot_kind.h"

struct depot_server {
	char *url;   /* "https://host/path/": no user, no query */
	char *login; /* "NAME:SECRET", or NULL */
	char *sigv4; /* "aws:amz:REGION:s3" for S3; NULL: WebDAV */
	struct authorities authorities;
	uint32_t connect_timeout_ms;
	uint32_t stall_timeout_s;
};

struct depot_request {
	const char *method; /* "GET", "PUT", "DELETE" or "MKCOL" */
	const char *path;   /* below the server's URL */
	/* What is put: a file from its beginning, or bytes. */
	const struct depot_body *body;
	struct slice bytes;
	/* Of a GET; of answers below 300 alone. */
	depot_sink *sink;
	void *context;
	bool may_be_missing; /* ERR_NOT_FOUND of the server has no line in the
				log */
	bool may_fail;       /* nothing that goes wrong has one */
};

/* ERR_NONE: a status below 300; else the log has the status and what to do. */
enum error depot_request(const struct depot_server *server,
			 const struct depot_request *request);

#endif
