/* daemon/api/api_ingest.h - POST /v1/ingest, whose body is read as a stream. */
#ifndef DAEMON_API_API_INGEST_H
#define DAEMON_API_API_INGEST_H

#include <stdbool.h>
#include <stddef.h>

enum { MAX_INGESTS = 4 }; /* at the same time; each holds a worker */

/* For http_options: return whether the request's body is read as a stream. */
bool api_is_stream(const char *method, const char *path);

#endif
