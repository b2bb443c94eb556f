#include "daemon/api/api_login.h"

#include <stdio.h>
#include <string.h>

#include "daemon/api/api_call.h"
#include "daemon/runtime/clock.h"

/* No script and no style: the form works in every browser. */
static const char form[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n"
	"<title>templated</title></head><body><main>\n"
	"<h1>templated</h1>\n"
	"<p role=\"status\">%s</p>\n"
	"<form method=\"post\" action=\"" LOGIN_PATH "\">\n"
	"<p><label for=\"token\">Token</label>\n"
	"<input id=\"token\" name=\"token\" type=\"password\" "
	"autocomplete=\"current-password\" required autofocus></p>\n"
	"<p><button>Sign in</button></p>\n"
	"</form>\n"
	"<p>Create tokens on the machine of the daemon: "
	"<code>templatectl token add --write NAME</code></p>\n"
	"</main></body></html>\n";

/* Prevent caches from storing a token, and referrers from containing one. */
static void login_add_headers(struct http_exchange *exchange)
{
	http_add_header(exchange, "Cache-Control", "no-store");
	/* not "no-referrer": with it browsers send "Origin: null" */
	http_add_header(exchange, "Referrer-Policy", "same-origin");
	http_add_header(exchange, "Content-Security-Policy",
			"default-src 'none'; form-action 'self'; base-uri "
			"'none'; frame-ancestors 'none'");
}

void login_reply_form(struct http_exchange *exchange, unsigned status,
		      const char *message)
{
	struct buffer body = {0};

	buffer_printf(&body, form, message);
	login_add_headers(exchange);
	http_reply(exchange, status, "text/html; charset=utf-8", &body);
}

/* Read token=... of a form. A token has no character that a form escapes. */
static bool login_read_form(struct slice body, char token_out[TOKEN_BYTES])
{
	size_t prefix = strlen("token=");

	if (body.size != prefix + TOKEN_BYTES - 1 ||
	    memcmp(body.data, "token=", prefix) != 0)
		return false;
	memcpy(token_out, (const char *)body.data + prefix, TOKEN_BYTES - 1);
	token_out[TOKEN_BYTES - 1] = '\0';
	return strlen(token_out) == TOKEN_BYTES - 1;
}

/* On failure respond with the error and return false. */
static bool begin_session(struct call *call, const char *token,
			  char session_out[SESSION_BYTES])
{
	struct api *api = call->api;
	uint64_t now_ms = clock_steady_ms();
	struct access_token known;
	enum token_verdict verdict = TOKEN_UNKNOWN;
	uint64_t ended = 0;
	bool is_begun;

	if (api->tokens != NULL)
		verdict =
			tokens_check(api->tokens, token,
				     call->config->listen_rate, now_ms, &known);
	if (verdict == TOKEN_UNKNOWN) {
		login_reply_form(call->exchange, 401, "The token is invalid.");
		return false;
	}
	if (verdict == TOKEN_TOO_FAST) {
		http_add_header(call->exchange, "Retry-After", "1");
		login_reply_form(call->exchange, 429,
				 "The token has used up its requests for this "
				 "second (listen.rate_limit).");
		return false;
	}
	is_begun = sessions_begin(api->sessions, known.id, now_ms, session_out,
				  &ended);
	if (!is_begun)
		login_reply_form(call->exchange, 503,
				 "The system has no random numbers.");
	if (ended != 0)
		api_end_owner(api, ended);
	return is_begun;
}

static enum http_verdict log_in(struct call *call, const char *token)
{
	struct http_exchange *exchange = call->exchange;
	struct buffer body = {0};
	char session[SESSION_BYTES];
	char cookie[256];

	if (!begin_session(call, token, session))
		return HTTP_ANSWERED;
	(void)snprintf(cookie, sizeof(cookie),
		       LOGIN_COOKIE "=%s; Path=/; HttpOnly; SameSite=Strict%s",
		       session, http_is_encrypted(exchange) ? "; Secure" : "");
	http_add_header(exchange, "Set-Cookie", cookie);
	http_add_header(exchange, "Location", "/");
	login_add_headers(exchange);
	http_reply(exchange, 303, "text/plain", &body);
	return HTTP_ANSWERED;
}

/*
 * A token in the URL is ignored: a page of another site could log a browser in
 * by a link, and browsers and proxies store URLs in histories and logs.
 */
enum http_verdict api_get_login(struct call *call)
{
	login_reply_form(call->exchange, 200, "");
	return HTTP_ANSWERED;
}

enum http_verdict api_post_login(struct call *call)
{
	char token[TOKEN_BYTES];

	if (login_read_form(http_body(call->exchange), token))
		return log_in(call, token);
	login_reply_form(call->exchange, 401, "This is not a token.");
	return HTTP_ANSWERED;
}

enum http_verdict api_post_logout(struct call *call)
{
	struct http_exchange *exchange = call->exchange;
	const char *session = http_cookie(exchange, LOGIN_COOKIE);
	struct buffer body = {0};

	/* an unknown cookie wakes no exchange */
	if (session != NULL && sessions_end(call->api->sessions, session))
		api_end_owner(call->api, sessions_ticket(session));
	http_add_header(exchange, "Set-Cookie",
			LOGIN_COOKIE "=; Path=/; Max-Age=0; HttpOnly; "
				     "SameSite=Strict");
	http_add_header(exchange, "Location", LOGIN_PATH);
	login_add_headers(exchange);
	http_reply(exchange, 303, "text/plain", &body);
	return HTTP_ANSWERED;
}
