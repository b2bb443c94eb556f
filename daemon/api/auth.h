/*
 * daemon/api/auth.h - browser login: a token from the form becomes a
 * session, whose name is in a cookie. Internal to api*.c.
 */
#ifndef DAEMON_API_AUTH_H
#define DAEMON_API_AUTH_H

#include <stdbool.h>

#include "base/buffer.h"
#include "daemon/http/server.h"

#define LOGIN_PATH   "/login"
#define LOGOUT_PATH  "/logout"
#define LOGIN_COOKIE "templated"

enum { MAX_LOGIN_BYTES = 1024 };

/* Decode base64 (RFC 4648, 4). Pure. */

/*
 * Append the decoded bytes of `text`; blanks are ignored. Return false if it is
 * not base64; the appended bytes are then meaningless.
 */
bool base64_read(struct slice text, struct buffer *out);

#endif
