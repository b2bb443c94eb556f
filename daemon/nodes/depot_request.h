/*
 * daemon/nodes/snapshot_store_request.h - one request to the server of a
 * snapshot store: WebDAV with a password, or S3 with a signature. Internal to
 * the snapshot store.
 */
#ifndef DAEMON_NODES_DEPOT_REQUEST_H
#define DAEMON_NODES_DEPOT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "crawl/authorities.h"
#include "daemon/nodes/depot_kind.h"

struct snapshot_store_server {
	char *url;   /* "https://host/path/" without user and query */
	char *login; /* "NAME:SECRET", or NULL */
	char *sigv4; /* "aws:amz:REGION:s3" for S3; NULL = WebDAV */
	struct ca_bundle authorities;
	uint32_t connect_timeout_ms;
	uint32_t stall_timeout_s;
};

struct depot_request {
	const char *method; /* "GET", "PUT", "DELETE" or "MKCOL" */
	const char *path;   /* relative to the server's URL */
	/* Body of a PUT: a file from its beginning, or bytes. */
	const struct snapshot_store_body *body;
	struct slice bytes;
	/* For a GET: gets the body of responses with status < 300. */
	snapshot_store_sink *sink;
	void *context;
	bool may_be_missing; /* do not log ERR_NOT_FOUND of the server */
	bool may_fail;       /* log no errors */
};

/*
 * Send a request. ERR_NONE: a status < 300; otherwise the log has the status
 * and what to do.
 */
enum error snapshot_store_request(const struct snapshot_store_server *server,
				  const struct depot_request *request);

#endif
