/*
 * Authentication of TCP clients, by the request head, before the body is read.
 */
#include "daemon/api/api_call.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <nettle/memops.h>

#include "daemon/api/api_login.h"
#include "daemon/api/api_pass.h"
#include "daemon/http/origin.h"
#include "daemon/http/pass.h"
#include "daemon/runtime/clock.h"

enum { MAX_STRANGER_BYTES = 4096 /* size of a head without a known token */ };

static bool auth_method_is_safe(const char *method)
{
	return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

/* Respond with an error; the request is not handled. Return false. */
static bool auth_reject(struct call *call, unsigned status, const char *code,
			const char *message)
{
	call_fail(call, status, code, "%s", message);
	return false;
}

/*
 * Reject requests that use a foreign host name (DNS rebinding) and changes that
 * come from pages of other sites.
 */
static bool check_origin(struct call *call)
{
	const struct http_exchange *exchange = call->exchange;
	const char *host = http_header(exchange, "Host");
	const char *origin = http_header(exchange, "Origin");

	if (!origin_is_host_ours(host, call->config->listen_names))
		return auth_reject(
			call, 421, "wrong_host",
			"the Host of the request is not a name of this "
			"daemon (listen.allowed_hosts)");
	if (auth_method_is_safe(http_method(exchange)) || origin == NULL ||
	    origin_is_own(origin, host, http_is_encrypted(exchange)))
		return true;
	return auth_reject(call, 403, "wrong_origin",
			   "pages of other sites must not change anything");
}

/* Return the token of the Authorization header; NULL if it has none. */
static const char *bearer_of(const struct http_exchange *exchange)
{
	const char *text = http_header(exchange, "Authorization");
	size_t scheme = strlen("Bearer ");

	if (text == NULL || strncasecmp(text, "Bearer ", scheme) != 0)
		return NULL;
	text += scheme;
	return text + strspn(text, " ");
}

/* Return the session of the cookie, which browsers send automatically. */
static const char *cookie_of(const struct http_exchange *exchange)
{
	return origin_may_use_cookie(http_header(exchange, "Sec-Fetch-Site"))
		       ? http_cookie(exchange, LOGIN_COOKIE)
		       : NULL;
}

/*
 * Return whether the browser marks the request as sent by a page of this
 * daemon. check_origin() has already checked the Origin header.
 */
static bool is_of_our_page(const struct http_exchange *exchange)
{
	const char *site = http_header(exchange, "Sec-Fetch-Site");

	return http_header(exchange, "Origin") != NULL ||
	       (site != NULL && strcmp(site, "same-origin") == 0);
}

/*
 * Return whether the request is for a UI page; without a token the response is
 * the login form.
 */
static bool is_of_people(const struct http_exchange *exchange)
{
	const char *path = http_path(exchange);

	return auth_method_is_safe(http_method(exchange)) &&
	       (strcmp(path, "/") == 0 ||
		strncmp(path, "/ui/", strlen("/ui/")) == 0);
}

static bool refuse_head(struct call *call)
{
	return auth_reject(
		call, 431, "too_large",
		"the head of a request without a valid token is too long");
}

static bool refuse_stranger(struct call *call, const char *token)
{
	struct http_exchange *exchange = call->exchange;

	if (http_head_bytes(exchange) > MAX_STRANGER_BYTES)
		return refuse_head(call);
	http_add_header(exchange, "WWW-Authenticate",
			token == NULL ? "Bearer realm=\"templated\""
				      : "Bearer realm=\"templated\", "
					"error=\"invalid_token\"");
	if (is_of_people(exchange)) {
		login_reply_form(exchange, 401, "");
		return false;
	}
	return auth_reject(call, 401, "unauthorized",
			   token == NULL
				   ? "a token is required (Authorization: "
				     "Bearer ...; see templatectl token add)"
				   : "the token is invalid");
}

/* Check the header's token, or the cookie's session. */
static enum token_verdict gate_judge(struct call *call, const char *bearer,
				     const char *session,
				     struct access_token *token_out)
{
	struct api *api = call->api;
	uint32_t rate = call->config->listen_rate;
	uint64_t now_ms = clock_steady_ms();

	if (api->tokens == NULL)
		return TOKEN_UNKNOWN;
	if (bearer != NULL)
		return tokens_check(api->tokens, bearer, rate, now_ms,
				    token_out);
	if (session != NULL)
		return tokens_check_id(
			api->tokens,
			sessions_use(api->sessions, session, now_ms), rate,
			now_ms, token_out);
	return TOKEN_UNKNOWN;
}

static bool check_token(struct call *call)
{
	struct http_exchange *exchange = call->exchange;
	const char *bearer = bearer_of(exchange);
	const char *session = bearer == NULL ? cookie_of(exchange) : NULL;
	struct access_token known = {.role = TOKEN_READS};
	enum token_verdict verdict;

	if (session != NULL && !auth_method_is_safe(http_method(exchange)) &&
	    !is_of_our_page(exchange))
		return auth_reject(
			call, 403, "wrong_origin",
			"with a cookie, only pages of this daemon may "
			"change anything");
	/*
	 * set before the session is looked up, so that ending the session later
	 * finds this exchange
	 */
	if (session != NULL)
		http_set_ticket(exchange, sessions_ticket(session));
	verdict = gate_judge(call, bearer, session, &known);
	if (verdict == TOKEN_UNKNOWN)
		return refuse_stranger(call, bearer);
	if (!http_set_owner(exchange, known.id))
		return false;
	/*
	 * the token may have been removed meanwhile, without finding this
	 * exchange
	 */
	if (!tokens_has(call->api->tokens, known.id))
		return refuse_stranger(call, bearer);
	*http_user_data(exchange) =
		known.role == TOKEN_WRITES ? ACCESS_WRITE : ACCESS_READ;
	if (verdict == TOKEN_MAY)
		return known.role == TOKEN_WRITES || !http_has_body(exchange) ||
		       api_refuse_body(call);
	http_add_header(exchange, "Retry-After", "1");
	return auth_reject(call, 429, "too_fast",
			   "the token has used up its requests for this second "
			   "(listen.rate_limit)");
}

static bool is_for_strangers(const char *path)
{
	return strcmp(path, LOGIN_PATH) == 0 || strcmp(path, LOGOUT_PATH) == 0;
}

/*
 * From a client without a token, read only a short head and a token with a
 * Content-Length. libmicrohttpd reads a body for every method, and prefers
 * chunks over the length.
 */
static bool check_login(struct call *call)
{
	const struct http_exchange *exchange = call->exchange;
	const char *length = http_header(exchange, "Content-Length");

	*http_user_data(call->exchange) = ACCESS_NONE;
	if (!auth_method_is_safe(http_method(exchange)) &&
	    !origin_may_use_cookie(http_header(exchange, "Sec-Fetch-Site")))
		return auth_reject(
			call, 403, "wrong_origin",
			"pages of other sites must not log a user in or out");
	if (http_head_bytes(exchange) > MAX_STRANGER_BYTES)
		return refuse_head(call);
	if (http_header(exchange, "Transfer-Encoding") != NULL ||
	    (length == NULL && !auth_method_is_safe(http_method(exchange))))
		return auth_reject(call, 411, "bad_request",
				   "the request needs a Content-Length");
	if (length == NULL || strtoull(length, NULL, 10) <= MAX_LOGIN_BYTES)
		return http_set_owner(call->exchange, OWNER_STRANGERS);
	return auth_reject(call, 413, "too_large", "not a token");
}

/*
 * Responses contain text of foreign pages: forbid browsers to treat it as a
 * page of this daemon.
 */
static void auth_add_headers(struct http_exchange *exchange)
{
	http_add_header(exchange, "X-Content-Type-Options", "nosniff");
	if (strncmp(http_path(exchange), "/v1/", strlen("/v1/")) == 0)
		http_add_header(exchange, "Content-Security-Policy",
				"sandbox; default-src 'none'; style-src "
				"'unsafe-inline'; img-src data:");
}

/* Return whether the request has the node token, if one is set. */
static bool knows_token(const struct node_client *peers, const char *token)
{
	size_t size = strlen(peers->token);

	return size == 0 || (token != NULL && strlen(token) == size &&
			     memeql_sec(token, peers->token, size));
}

/*
 * Return whether the client is another node, by the node token, a certificate,
 * or both if both are set. Such a client states the access of its own client,
 * but never gets the token routes, which need the socket.
 */
static bool is_of_node(struct call *call)
{
	const struct node_client *peers = call->api->peers;
	uint64_t note = forward_read_access(call->exchange);

	if (peers == NULL ||
	    http_header(call->exchange, FORWARD_HEADER_ACCESS) == NULL ||
	    (*peers->token == '\0' && !peers->needs_certificate) ||
	    !knows_token(peers, bearer_of(call->exchange)) ||
	    (peers->needs_certificate && !http_is_certified(call->exchange)))
		return false;
	if ((note & ACCESS_BITS) == ACCESS_OWNER)
		note = ACCESS_WRITE | ACCESS_IS_FORWARDED;
	*http_user_data(call->exchange) = note;
	return true;
}

static bool gate_admit(struct call *call)
{
	if (is_of_node(call))
		return forward_set_owner(call->exchange);
	auth_add_headers(call->exchange);
	return check_origin(call) &&
	       (is_for_strangers(http_path(call->exchange))
			? check_login(call)
			: check_token(call));
}

bool api_admit(struct http_exchange *exchange, void *context)
{
	struct call call = {.api = context,
			    .exchange = exchange,
			    .config = api_acquire_config(context)};
	bool is_admitted = gate_admit(&call);

	config_release(call.config);
	return is_admitted;
}
