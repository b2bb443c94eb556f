/*
 * daemon/api/job_request.h - translate an import job, a line of JSON, to the
 * request that its owner runs locally. Internal to api*.c.
 *
 *         {"verb": "seed", "url": URL, options of POST /v1/sites}
 *         {"verb": "recrawl", "url": URL}
 *         {"verb": "delete", "url": URL} or {"verb": "delete", "host": HOST}
 *         {"verb": "ingest", "url": URL, "html": TEXT}, and "replace": true
 * when it may replace a page that was fetched
 */
#ifndef DAEMON_API_JOB_REQUEST_H
#define DAEMON_API_JOB_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "crawl/url.h"

/*
 * Return the verb, static memory, and write the host to `host_out`
 * [MAX_HOST_BYTES + 1]. Return NULL if the job is invalid; `reason_out` (static
 * memory) states why.
 */
const char *job_verb(const json_t *job, char *host_out,
		     const char **reason_out);

/*
 * Return whether the job contains secrets, which the broker must not see:
 * headers, a proxy.
 */
bool job_has_secret(const json_t *job);

/*
 * Append the request; `headers` are additional header lines. The job must have
 * a valid verb. `now_ms` is the fetch time of a page of "ingest".
 */
void job_write_request(const json_t *job, const char *headers, uint64_t now_ms,
		       struct buffer *out);

#endif
