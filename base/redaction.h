/*
 * base/redaction.h - redacts secret texts of an operator for output: enough
 * remains to tell them apart, and "***" replaces the rest.
 */
#ifndef BASE_REDACTION_H
#define BASE_REDACTION_H

#include "base/buffer.h"
#include "base/slice.h"

/* Append the names of lines "Name: value\n". */
void redact_headers(struct slice lines, struct buffer *out);

/*
 * Append the URL of a proxy without user, password, query and fragment. Hide
 * nothing if it has none of these.
 */
void redact_proxy(struct slice url, struct buffer *out);

/*
 * Append scheme, host and port of a hook's target, since the paths of many are
 * as secret as passwords; of "exec:COMMAND" append the program without its
 * arguments.
 */
void redact_target(struct slice target, struct buffer *out);

/* Append nothing. */
void redact_all(struct slice text, struct buffer *out);

#endif
