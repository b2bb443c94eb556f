#include "daemon/api/auth.h"

#include <nettle/base64.h>
#include <nettle/memops.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "daemon/api/api.h"
#include "daemon/api/api_forward.h"
#include "daemon/http/proxy.h"
#include "daemon/http/tokens.h"
#include "daemon/runtime/clock.h"
#include "template/version_json.h"

/*
 * The page with the login form. It has no script and no style, so it works in
 * every browser.
 */
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

/*
 * Prevent caches from storing the response, which may contain a session, and
 * prevent the referrer from being sent to other sites.
 */
static void login_add_headers(struct http_exchange *exchange)
{
	http_add_header(exchange, "Cache-Control", "no-store");
	/* "no-referrer" would make browsers send "Origin: null" */
	http_add_header(exchange, "Referrer-Policy", "same-origin");
	http_add_header(exchange, "Content-Security-Policy",
			"default-src 'none'; form-action 'self'; base-uri "
			"'none'; frame-ancestors 'none'");
}

/* Respond with the login form. `message` is a sentence, or "". */
static void login_reply_form(struct http_exchange *exchange, unsigned status,
			     const char *message)
{
	struct buffer body = {0};

	buffer_printf(&body, form, message);
	login_add_headers(exchange);
	http_reply(exchange, status, "text/html; charset=utf-8", &body);
}

/*
 * Read the token from the form "token=...". A token contains no character that
 * browsers escape in forms. Return false if the body is not such a form.
 */
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

/*
 * Begin a session of the token. If the token is invalid, respond with the error
 * and return false.
 */
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
	if (verdict == TOKEN_UNKNOWN || known.role == TOKEN_FEEDS) {
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
 * GET /login. A token in the URL is ignored: otherwise a link on another site
 * could log a browser in, and tokens would be in the histories of browsers and
 * the logs of proxies, which store URLs.
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

	/*
	 * only for a session that existed: an unknown cookie must not end
	 * exchanges
	 */
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

enum http_verdict api_get_session(struct call *call)
{
	static const char *const names[] = {
		[ACCESS_READ] = "read",
		[ACCESS_WRITE] = "write",
		[ACCESS_OWNER] = "owner",
	};
	const struct node_client *peers = call->api->peers;
	struct cluster_facts facts = {0};

	if (peers != NULL)
		peers->facts(peers->cluster, &facts);
	free(facts.nodes);
	return call_reply_json(
		call, 200,
		json_pack("{s:s, s:s, s:o, s:b}", "access", names[call->access],
			  "version", TEMPLATED_VERSION, "node",
			  facts.name[0] == '\0' ? json_null()
						: json_string(facts.name),
			  "cookie",
			  http_cookie(call->exchange, LOGIN_COOKIE) != NULL));
}

/*
 * Authentication of TCP clients. Only the head of the request is needed, so it
 * is checked before the body is read.
 */

enum {
	/* maximum bytes of a head without a valid token */
	MAX_STRANGER_BYTES = 4096
};

static bool auth_method_is_safe(const char *method)
{
	return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

/* Respond with an error, so that the request is not handled. Return false. */
static bool auth_reject(struct call *call, unsigned status, const char *code,
			const char *message)
{
	call_fail(call, status, code, "%s", message);
	return false;
}

/*
 * Reject requests whose host is not a name of this daemon (DNS rebinding), and
 * changes that pages of other sites send. Return false after the response was
 * sent.
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

/* Return the token in the header Authorization; NULL if it is missing. */
static const char *bearer_of(const struct http_exchange *exchange)
{
	const char *text = http_header(exchange, "Authorization");
	size_t scheme = strlen("Bearer ");

	if (text == NULL || strncasecmp(text, "Bearer ", scheme) != 0)
		return NULL;
	text += scheme;
	return text + strspn(text, " ");
}

/*
 * Return the session in the cookie; NULL if it is missing. Browsers send
 * cookies automatically, so the cookie is ignored if a page of another site
 * made the browser send the request.
 */
static const char *cookie_of(const struct http_exchange *exchange)
{
	return origin_may_use_cookie(http_header(exchange, "Sec-Fetch-Site"))
		       ? http_cookie(exchange, LOGIN_COOKIE)
		       : NULL;
}

/*
 * Return whether the browser states that a page of this daemon sent the
 * request. check_origin() has already checked the value of the header Origin.
 */
static bool is_of_our_page(const struct http_exchange *exchange)
{
	const char *site = http_header(exchange, "Sec-Fetch-Site");

	return http_header(exchange, "Origin") != NULL ||
	       (site != NULL && strcmp(site, "same-origin") == 0);
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
	/* for a page of the web interface, respond with the login form */
	if (auth_method_is_safe(http_method(exchange)) &&
	    api_path_is_page(http_path(exchange))) {
		login_reply_form(exchange, 401, "");
		return false;
	}
	return auth_reject(call, 401, "unauthorized",
			   token == NULL
				   ? "a token is required (Authorization: "
				     "Bearer ...; see templatectl token add)"
				   : "the token is invalid");
}

/*
 * Check the token of the header or, without such a token, the session of the
 * cookie.
 */
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
	 * set the ticket before the session is looked up: if the session ends
	 * after the lookup, this exchange is found by its ticket and ended
	 */
	if (session != NULL)
		http_set_ticket(exchange, sessions_ticket(session));
	verdict = gate_judge(call, bearer, session, &known);
	if (verdict == TOKEN_UNKNOWN || known.role == TOKEN_FEEDS)
		return refuse_stranger(call, bearer);
	if (!http_set_owner(exchange, known.id))
		return false;
	/*
	 * check again: if the token was removed after the lookup but before
	 * http_set_owner(), its removal has not ended this exchange
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

/*
 * Check a request of a public route. From a client without a token accept only
 * a short head and a short body with a Content-Length. The method does not
 * matter, because libmicrohttpd reads a body for every method; a
 * Transfer-Encoding is rejected, because libmicrohttpd would ignore the
 * Content-Length.
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
	return auth_reject(call, 413, "too_large",
			   "the body is too large for the form of the login");
}

/*
 * Add headers that forbid browsers to treat the response as a page of this
 * daemon, because it contains text of foreign pages.
 */
static void auth_add_headers(struct http_exchange *exchange)
{
	http_add_header(exchange, "X-Content-Type-Options", "nosniff");
	/* the copy of a page has a policy of its own, whose links must work */
	if (strncmp(http_path(exchange), "/v1/", strlen("/v1/")) == 0 &&
	    strcmp(http_path(exchange), "/v1/pages/copy") != 0)
		http_add_header(exchange, "Content-Security-Policy",
				"sandbox; default-src 'none'; style-src "
				"'unsafe-inline'; img-src data:");
}

/*
 * Return whether `token` is the token of the node group. Without such a token
 * return true.
 */
static bool knows_token(const struct node_client *peers, const char *token)
{
	size_t size = strlen(peers->token);

	return size == 0 || (token != NULL && strlen(token) == size &&
			     memeql_sec(token, peers->token, size));
}

/*
 * Return whether the client is another node: it has the token of the node
 * group, if there is one, and a certificate, if one is required. The node
 * forwards requests, and a header gives the access rights of the original
 * client. Never grant the right to manage tokens: only clients of this daemon's
 * own socket have it.
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
	       (api_path_is_public(http_path(call->exchange))
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

/*
 * The routes that manage the tokens of TCP clients. Only clients of the
 * daemon's own socket can use them.
 */

static json_t *token_json(const struct access_token *token)
{
	return json_pack("{s:s, s:s, s:o}", "name", token->name, "role",
			 token->role == TOKEN_WRITES ? "write" : "read",
			 "created", json_time(token->created_ms));
}

enum http_verdict call_refuse_without_tokens(struct call *call)
{
	return call_fail_with(call, ERR_NOT_FOUND, "this daemon has no tokens");
}

enum http_verdict api_get_tokens(struct call *call)
{
	struct access_token *list;
	json_t *values;
	size_t count;

	if (call->api->tokens == NULL)
		return call_refuse_without_tokens(call);
	list = mem_alloc(MAX_TOKENS, sizeof(*list));
	values = json_array();
	count = tokens_list(call->api->tokens, list);
	for (size_t i = 0; i < count; i++)
		if (list[i].role != TOKEN_FEEDS)
			json_array_append_new(values, token_json(&list[i]));
	free(list);
	return call_reply_json(call, 200, json_pack("{s:o}", "tokens", values));
}

/*
 * Read the role and the name of a new token. If one is invalid, respond with
 * the error and return false.
 */
static bool api_tokens_read_request(struct call *call, const json_t *request,
				    struct access_token *token_out)
{
	const char *role = json_member_text(request, "role");
	const char *name = json_member_text(request, "name");

	*token_out = (struct access_token){.created_ms = clock_wall_ms()};
	if (json_object_get(request, "role") == NULL)
		role = "read";
	if (role == NULL ||
	    (strcmp(role, "read") != 0 && strcmp(role, "write") != 0))
		return call_refuse(call, "role: must be read or write");
	if (name == NULL || *name == '\0' || strlen(name) >= TOKEN_NAME_BYTES)
		return call_refuse(call,
				   "name: must be a text of 1 to %d bytes",
				   TOKEN_NAME_BYTES - 1);
	memcpy(token_out->name, name, strlen(name) + 1);
	token_out->role =
		strcmp(role, "write") == 0 ? TOKEN_WRITES : TOKEN_READS;
	return true;
}

enum http_verdict call_token_fail(struct call *call,
				  const struct access_token *token,
				  enum error error)
{
	if (error == ERR_BUSY)
		return call_fail(call, 409, "exists",
				 "%s: a token with this name exists",
				 token->name);
	if (error == ERR_MALFORMED)
		return call_fail(call, 400, "bad_request",
				 "name: must have only letters, digits, \".\", "
				 "\"_\" and \"-\"");
	if (error == ERR_TOO_LARGE)
		return call_fail(
			call, 409, "too_many",
			"the limit of %d %s is reached; remove one",
			token->role == TOKEN_FEEDS ? MAX_FEEDS : MAX_TOKENS,
			token->role == TOKEN_FEEDS ? "feeds" : "tokens");
	return call_fail_with(call, error, "the token file");
}

static enum http_verdict api_tokens_add(struct call *call,
					const struct access_token *token)
{
	char text[TOKEN_BYTES];
	enum error error = tokens_create(call->api->tokens, token, text);
	json_t *value;

	if (error != ERR_NONE)
		return call_token_fail(call, token, error);
	value = token_json(token);
	json_object_set_new(value, "token", json_string(text));
	explicit_bzero(text, sizeof(text));
	return call_reply_json(call, 201, value);
}

enum http_verdict api_post_token(struct call *call)
{
	enum http_verdict verdict = HTTP_ANSWERED;
	struct access_token token;
	json_t *request;

	if (call->api->tokens == NULL)
		return call_refuse_without_tokens(call);
	if (!call_read_object(call, &request))
		return HTTP_ANSWERED;
	if (api_tokens_read_request(call, request, &token))
		verdict = api_tokens_add(call, &token);
	json_decref(request);
	return verdict;
}

/*
 * Respond that the token is invalid now, but would be valid again after a
 * restart, because the file still contains the token.
 */
static enum http_verdict reply_unsaved(struct call *call, enum error error)
{
	return call_reply_json(
		call, 202,
		json_pack("{s:s, s:s, s:s}", "deleted", call->name, "error",
			  error_code(error), "warning",
			  "the token is invalid now, but its removal could not "
			  "be saved; the daemon retries and logs success; a "
			  "restart before that restores the token"));
}

enum http_verdict call_delete_token(struct call *call, bool is_feed)
{
	uint64_t id;
	enum error error;

	if (call->api->tokens == NULL)
		return call_refuse_without_tokens(call);
	error = (is_feed ? tokens_remove_feed
			 : tokens_remove)(call->api->tokens, call->name, &id);
	if (id == 0)
		return call_fail_with(call, error, call->name);
	api_end_owner(call->api, id);
	if (error != ERR_NONE)
		return reply_unsaved(call, error);
	return call_reply_json(call, 200,
			       json_pack("{s:s}", "deleted", call->name));
}

enum http_verdict api_delete_token(struct call *call)
{
	return call_delete_token(call, false);
}

bool base64_read(struct slice text, struct buffer *out)
{
	struct base64_decode_ctx state;
	size_t size = BASE64_DECODE_LENGTH(text.size);

	buffer_reserve(out, size + 1);
	base64_decode_init(&state);
	if (base64_decode_update(&state, &size,
				 (uint8_t *)out->data + out->size, text.size,
				 text.data) == 0)
		return false;
	out->size += size;
	out->data[out->size] = '\0';
	return base64_decode_final(&state) != 0;
}
