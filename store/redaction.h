/*
 * store/redaction.h - what is shown of a text that an operator gave and nobody
 * else may know: enough to tell it from others, with "***" for the rest.
 */
#ifndef STORE_REDACTION_H
#define STORE_REDACTION_H

#include "store/buffer.h"
#include "store/slice.h"

/* Of lines "Name: value\n" the names. */
void redact_headers(struct slice lines, struct buffer *out);

/*
 * Of the URL of a proxy all but user, password, query and fragment: nothing is
 * hidden when it has none.
 */
void redact_proxy(struct slice url, struct buffer *out);

/*
 * Of the target of a hook scheme, host and port, since the paths of many are as
 * good as passwords; of "exec:COMMAND" the program without its arguments.
 */
void redact_target(struct slice target, struct buffer *out);

/* Nothing. */
void redact_all(struct slice text, struct buffer *out);

#endif
