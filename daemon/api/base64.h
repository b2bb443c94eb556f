/* daemon/api/base64.h - decode base64 (RFC 4648, 4). Pure. */
#ifndef DAEMON_API_BASE64_H
#define DAEMON_API_BASE64_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/slice.h"

/*
 * Append the decoded bytes of `text`; blanks are ignored. Return false if it is
 * not base64; the appended bytes are then meaningless.
 */
bool base64_read(struct slice text, struct buffer *out);

#endif
