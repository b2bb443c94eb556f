/*
 * daemon/api/redaction.h - what an operator gave and no answer shows: the
 * values of headers, the passwords and the queries of URLs.
 */
#ifndef DAEMON_API_REDACTION_H
#define DAEMON_API_REDACTION_H

#include <jansson.h>

#include "store/slice.h"

/* Lines "Name: value" with "***" for each value; null for none. */
json_t *redacted_headers(struct slice lines);

/*
 * The URL with "***" for user and password, and for its query; null when it is
 * empty. What is no URL, as "exec:/command", is left as it is.
 */
json_t *redacted_url(struct slice url);

#endif
