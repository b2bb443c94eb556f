/*
 * daemon/api/job_request.h - a job of a cluster, a line of JSON, as the request
 * that its owner answers itself. Internal to api*.c.
 *
 *	{"verb": "seed", "url": URL, options of POST /v1/sites}
 *	{"verb": "recrawl", "url": URL}
 *	{"verb": "forget", "url": URL} or {"verb": "forget", "host": HOST}
 *	{"verb": "ingest", "url": URL, "html": TEXT}, and "replace": true when
 *	it may replace a page that was fetched
 */
#ifndef DAEMON_API_JOB_REQUEST_H
#define DAEMON_API_JOB_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "crawl/url/url.h"
#include "store/buffer.h"

/* Which verb it has, static memory, and which host it is of (MAX_HOST_BYTES +
 * 1). NULL: it is none, `reason_out` (static memory) says why. */
const char *job_verb(const json_t *job, char *host_out,
		     const char **reason_out);

/* Whether it has what no server of the broker may know: headers, a proxy. */
bool job_has_secret(const json_t *job);

/* Append the request; `headers` are further lines of its head. The job has a
 * verb. `now_ms`: when a page of "ingest" was fetched. */
void job_write_request(const json_t *job, const char *headers, uint64_t now_ms,
		       struct buffer *out);

#endif
