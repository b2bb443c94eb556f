/* daemon/ctl/ctl_token.c - templatectl token: the tokens of TCP clients. */
#include "daemon/ctl/ctl_client.h"

#include <stdio.h>
#include <string.h>

/*
 * Print only the token on standard output, for scripts; it cannot be printed
 * again.
 */
static enum ctl_status print_token(const struct ctl *ctl, const json_t *answer)
{
	const char *token = json_string_value(json_object_get(answer, "token"));

	if (ctl->is_json) {
		client_print_json(answer);
		return CTL_DONE;
	}
	if (token == NULL) {
		ctl_print_error(ctl, "the daemon returned no token");
		return CTL_FAILED;
	}
	puts(token);
	fprintf(stderr,
		"It may %s, and cannot be shown again. Send it as "
		"Authorization: Bearer TOKEN.\n",
		field_text(answer, "role"));
	return CTL_DONE;
}

static enum ctl_status ctl_token_add(const struct ctl *ctl, const char *name)
{
	bool may_write = option_given(ctl, "write");
	json_t *body = json_pack("{s:s}", "role", may_write ? "write" : "read");
	json_t *answer;
	enum ctl_status status;

	/* no JSON if the name is not UTF-8: the daemon defines valid names */
	json_object_set_new(body, "name", json_string(name));
	status = client_ask_value(ctl, "POST", "/v1/tokens", body, &answer);
	if (status == CTL_DONE)
		status = print_token(ctl, answer);
	json_decref(answer);
	json_decref(body);
	return status;
}

static enum ctl_status remove_token(const struct ctl *ctl, const char *name)
{
	struct buffer target = {0};
	const char *warning;
	json_t *answer;
	enum ctl_status status;

	buffer_append_text(&target, "/v1/tokens/");
	client_append_escaped(&target, name);
	status = client_ask_value(ctl, "DELETE", target.data, NULL, &answer);
	if (status == CTL_DONE)
		client_print(ctl, answer);
	warning = json_string_value(json_object_get(answer, "warning"));
	if (warning != NULL)
		ctl_print_error(ctl, "%s", warning);
	json_decref(answer);
	buffer_free(&target);
	return status;
}

static const struct table_column columns[] = {
	{.title = "NAME", .is_elastic = true},
	{.title = "ROLE"},
	{.title = "CREATED"},
};

static void token_add_row(struct text_table *table, const json_t *token)
{
	table_add_text(table, field_text(token, "name"));
	table_add_text(table, field_text(token, "role"));
	table_add_text(table, field_text(token, "created"));
}

static const struct client_list list = {
	"tokens", columns, sizeof(columns) / sizeof(columns[0]), token_add_row};

static enum ctl_status run_token(const struct ctl *ctl)
{
	const char *action = ctl->operands[0];
	const char *name = ctl->operand_count > 1 ? ctl->operands[1] : NULL;
	bool has_both = option_given(ctl, "read") && option_given(ctl, "write");

	if (strcmp(action, "list") == 0)
		return client_print_list(ctl, "/v1/tokens", &list);
	if (strcmp(action, "rm") == 0)
		return remove_token(ctl, name);
	if (!has_both)
		return ctl_token_add(ctl, name);
	ctl_print_error(ctl, "use --read or --write, not both");
	return CTL_USAGE;
}

static const struct verb_option options[] = {
	{.name = "read",
	 .kind = OPTION_FLAG,
	 .meaning = "for the routes of socket.read_only_path (default)"},
	{.name = "write",
	 .kind = OPTION_FLAG,
	 .meaning = "for all routes except tokens"},
	{.name = NULL},
};

const struct verb verb_token = {
	.name = "token",
	.group = VERBS_OPERATE,
	.operands = "add NAME | list | rm TOKEN",
	.min_operands = 1,
	.max_operands = 2,
	.summary = "Manage the tokens of TCP clients (listen.address)",
	.options = options,
	.run = run_token,
};
