/*
 * daemon/api/auth.h - login with a browser: the user enters a token in a form,
 * and the browser gets a session, whose text is in a cookie. Internal to
 * api*.c.
 */
#ifndef DAEMON_API_AUTH_H
#define DAEMON_API_AUTH_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "daemon/http/server.h"

#define LOGIN_PATH  "/login"
#define LOGOUT_PATH "/logout"
/* The path of a feed ends with its key. */
#define FEED_PATH    "/feed/"
#define LOGIN_COOKIE "templated"

enum { MAX_LOGIN_BYTES = 1024 };

struct access_token;
struct call;

/* Respond that the daemon has no tokens. */
enum http_verdict call_refuse_without_tokens(struct call *call);

/* Respond that tokens_create() has failed. */
enum http_verdict call_token_fail(struct call *call,
				  const struct access_token *token,
				  enum error error);

/* Handle DELETE of the token or the key of a feed with the name of the path. */
enum http_verdict call_delete_token(struct call *call, bool is_feed);

/* Decoder for base64 (RFC 4648, section 4). */

/*
 * Append the decoded bytes of `text`. Blanks are ignored. If `text` is not
 * base64, return false; the appended bytes are invalid then.
 */
bool base64_read(struct slice text, struct buffer *out);

#endif
