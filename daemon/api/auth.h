/*
 * daemon/api/auth.h - login with a browser: the user enters a token in a form,
 * and the browser gets a session, whose text is in a cookie. Internal to
 * api*.c.
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

/* Decoder for base64 (RFC 4648, section 4). */

/*
 * Append the decoded bytes of `text`. Blanks are ignored. If `text` is not
 * base64, return false; the appended bytes are invalid then.
 */
bool base64_read(struct slice text, struct buffer *out);

#endif
