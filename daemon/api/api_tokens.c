/* Tokens for TCP clients; only the daemon's own socket gives access to them. */
#include "daemon/api/api_call.h"

#include <string.h>

#include "daemon/runtime/clock.h"
#include "template/json_value.h"

static json_t *token_json(const struct access_token *token)
{
	return json_pack("{s:s, s:s, s:o}", "name", token->name, "role",
			 token->role == TOKEN_WRITES ? "write" : "read",
			 "created", json_time(token->created_ms));
}

static enum http_verdict refuse_without(struct call *call)
{
	return call_fail_with(call, ERR_NOT_FOUND, "this daemon has no tokens");
}

enum http_verdict api_get_tokens(struct call *call)
{
	struct access_token list[MAX_TOKENS];
	json_t *values = json_array();
	size_t count;

	if (call->api->tokens == NULL) {
		json_decref(values);
		return refuse_without(call);
	}
	count = tokens_list(call->api->tokens, list);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(values, token_json(&list[i]));
	return call_reply_json(call, 200, json_pack("{s:o}", "tokens", values));
}

/* On failure respond with the error and return false. */
static bool api_tokens_read_request(struct call *call, const json_t *request,
				    struct access_token *token_out)
{
	const char *role = json_string_value(json_object_get(request, "role"));
	const char *name = json_string_value(json_object_get(request, "name"));

	*token_out = (struct access_token){.created_ms = clock_wall_ms()};
	if (json_object_get(request, "role") == NULL)
		role = "read";
	if (role == NULL ||
	    (strcmp(role, "read") != 0 && strcmp(role, "write") != 0)) {
		call_fail(call, 400, "bad_request",
			  "role: must be read or write");
		return false;
	}
	if (name == NULL || *name == '\0' || strlen(name) >= TOKEN_NAME_BYTES) {
		call_fail(call, 400, "bad_request",
			  "name: must be a text of 1 to %d bytes",
			  TOKEN_NAME_BYTES - 1);
		return false;
	}
	memcpy(token_out->name, name, strlen(name) + 1);
	token_out->role =
		strcmp(role, "write") == 0 ? TOKEN_WRITES : TOKEN_READS;
	return true;
}

static enum http_verdict api_tokens_add(struct call *call,
					const struct access_token *token)
{
	char text[TOKEN_BYTES];
	enum error error = tokens_add(call->api->tokens, token->name,
				      token->role, token->created_ms, text);
	json_t *value;

	if (error == ERR_BUSY)
		return call_fail(call, 409, "exists",
				 "%s: a token with this name exists",
				 token->name);
	if (error == ERR_MALFORMED)
		return call_fail(call, 400, "bad_request",
				 "name: must have only letters, digits, \".\", "
				 "\"_\" and \"-\"");
	if (error == ERR_TOO_LARGE)
		return call_fail(call, 409, "too_many",
				 "%d tokens exist, the maximum; remove one",
				 MAX_TOKENS);
	if (error != ERR_NONE)
		return call_fail_with(call, error, "the token file");
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
		return refuse_without(call);
	if (!call_read_object(call, &request))
		return HTTP_ANSWERED;
	if (api_tokens_read_request(call, request, &token))
		verdict = api_tokens_add(call, &token);
	json_decref(request);
	return verdict;
}

/* The token is removed, but would return if the daemon crashed now. */
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

enum http_verdict api_delete_token(struct call *call)
{
	uint64_t id;
	enum error error;

	if (call->api->tokens == NULL)
		return refuse_without(call);
	error = tokens_remove(call->api->tokens, call->name, &id);
	if (id == 0)
		return call_fail_with(call, error, call->name);
	api_end_owner(call->api, id);
	if (error != ERR_NONE)
		return reply_unsaved(call, error);
	return call_reply_json(call, 200,
			       json_pack("{s:s}", "deleted", call->name));
}
