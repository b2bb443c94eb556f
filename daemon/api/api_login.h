/*
 * daemon/api/api_login.h - browser login: a token from the form becomes a
 * session, whose name is in a cookie. Internal to api*.c.
 */
#ifndef DAEMON_API_API_LOGIN_H
#define DAEMON_API_API_LOGIN_H

#include "daemon/http/http.h"

#define LOGIN_PATH   "/login"
#define LOGOUT_PATH  "/logout"
#define LOGIN_COOKIE "templated"

enum { MAX_LOGIN_BYTES = 1024 };

/* Respond with the login form; `message` is a sentence, or "". */
void login_reply_form(struct http_exchange *exchange, unsigned status,
		      const char *message);

#endif
