/* daemon/ctl/ctl_hooks.c - templatectl: hook, silence, silences, unsilence. */
#include "daemon/ctl/ctl_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "daemon/runtime/table.h"

enum { MAX_SECRET_FILE = 4096 };

/* Request an object and print it. */
static enum ctl_status ask_and_print(const struct ctl *ctl, const char *method,
				     const char *target, const json_t *body)
{
	json_t *answer;
	enum ctl_status status =
		client_ask_value(ctl, method, target, body, &answer);

	if (status == CTL_DONE)
		client_print(ctl, answer);
	json_decref(answer);
	return status;
}

static enum ctl_status with_number(const struct ctl *ctl, const char *method,
				   const char *path, const char *operand,
				   const char *ending)
{
	struct buffer target = {0};
	enum ctl_status status = CTL_USAGE;

	if (client_number_target(ctl, path, operand, ending, &target))
		status = ask_and_print(ctl, method, target.data, NULL);
	buffer_free(&target);
	return status;
}

/* Add the first line of the file. */
static bool add_secret_file(const struct ctl *ctl, json_t *body)
{
	const char *path = option_text(ctl, "secret-file");
	struct buffer text = {0};
	enum error error;

	if (path == NULL)
		return true;
	error = file_read(path, MAX_SECRET_FILE, &text);
	if (error == ERR_NONE)
		json_object_set_new(
			body, "secret",
			json_stringn(text.data == NULL ? "" : text.data,
				     text.data == NULL
					     ? 0
					     : strcspn(text.data, "\r\n")));
	else
		ctl_print_error(ctl, "%s: %s", path, file_error_text(error));
	buffer_free(&text);
	return error == ERR_NONE;
}

static void add_option(const struct ctl *ctl, const char *name, json_t *body)
{
	if (option_given(ctl, name))
		json_object_set_new(body, name,
				    json_string(option_text(ctl, name)));
}

static enum ctl_status ctl_hook_add(const struct ctl *ctl, const char *target)
{
	json_t *body = json_object();
	enum ctl_status status = CTL_FAILED;

	json_object_set_new(body, "target", json_string(target));
	add_option(ctl, "secret", body);
	add_option(ctl, "site", body);
	add_option(ctl, "kinds", body);
	if (add_secret_file(ctl, body))
		status = ask_and_print(ctl, "POST", "/v1/hooks", body);
	json_decref(body);
	return status;
}

static const struct table_column hook_columns[] = {
	{.title = "ID", .is_number = true},
	{.title = "TARGET", .is_elastic = true},
	{.title = "SITE"},
	{.title = "KINDS"},
	{.title = "WAITING", .is_number = true},
	{.title = "DELIVERED", .is_number = true},
	{.title = "DROPPED", .is_number = true},
	{.title = "FAILURES", .is_number = true},
	{.title = "ERROR"},
};

static void add_hook_row(struct text_table *table, const json_t *hook)
{
	static const char *const counts[] = {"queued", "delivered", "dropped",
					     "failures"};

	table_printf(table, "%" PRIu64, field_whole(hook, "id"));
	table_add_text(table, field_text(hook, "target"));
	table_add_text(table, field_text(hook, "site"));
	table_add_text(table, field_text(hook, "kinds"));
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		table_printf(table, "%" PRIu64, field_whole(hook, counts[i]));
	table_add_text(table, field_text(hook, "error"));
}

static const struct table_column silence_columns[] = {
	{.title = "ID", .is_number = true},
	{.title = "KIND"},
	{.title = "WHERE", .is_elastic = true},
	{.title = "GUARD", .is_number = true},
	{.title = "EVENT", .is_number = true},
	{.title = "CREATED"},
};

static void add_silence_row(struct text_table *table, const json_t *silence)
{
	const char *cluster =
		json_string_value(json_object_get(silence, "cluster"));

	table_printf(table, "%" PRIu64, field_whole(silence, "id"));
	table_add_text(table, field_text(silence, "kind"));
	table_add_text(table,
		       cluster != NULL ? cluster : field_text(silence, "site"));
	if (field_whole(silence, "guard") == 0)
		table_add_text(table, "-");
	else
		table_printf(table, "%" PRIu64, field_whole(silence, "guard"));
	table_printf(table, "%" PRIu64, field_whole(silence, "event"));
	table_add_text(table, field_text(silence, "created"));
}

static const struct client_list hook_list = {
	"hooks", hook_columns, sizeof(hook_columns) / sizeof(hook_columns[0]),
	add_hook_row};
static const struct client_list silence_list = {
	"silences", silence_columns,
	sizeof(silence_columns) / sizeof(silence_columns[0]), add_silence_row};

static enum ctl_status run_hook(const struct ctl *ctl)
{
	const char *action = ctl->operands[0];
	const char *operand = ctl->operand_count > 1 ? ctl->operands[1] : NULL;

	if (strcmp(action, "list") == 0)
		return client_print_list(ctl, "/v1/hooks", &hook_list);
	if (strcmp(action, "add") == 0)
		return ctl_hook_add(ctl, operand);
	if (strcmp(action, "rm") == 0)
		return with_number(ctl, "DELETE", "/v1/hooks/", operand, "");
	return with_number(ctl, "POST", "/v1/hooks/", operand, "/test");
}

static enum ctl_status run_silence(const struct ctl *ctl)
{
	struct buffer number = {0};
	enum ctl_status status = CTL_USAGE;
	json_t *body;

	if (client_number_target(ctl, "", ctl->operands[0], "", &number)) {
		body = json_pack(
			"{s:I}", "event",
			(json_int_t)strtoull(ctl->operands[0], NULL, 10));
		status = ask_and_print(ctl, "POST", "/v1/silences", body);
		json_decref(body);
	}
	buffer_free(&number);
	return status;
}

static enum ctl_status run_silences(const struct ctl *ctl)
{
	return client_print_list(ctl, "/v1/silences", &silence_list);
}

static enum ctl_status run_unsilence(const struct ctl *ctl)
{
	return with_number(ctl, "DELETE", "/v1/silences/", ctl->operands[0],
			   "");
}

static const struct verb_option hook_options[] = {
	{.name = "secret",
	 .kind = OPTION_TEXT,
	 .value = "S",
	 .meaning = "sign requests with this secret (HMAC-SHA256)"},
	{.name = "secret-file",
	 .kind = OPTION_TEXT,
	 .value = "FILE",
	 .meaning = "the first line of FILE is the secret"},
	{.name = "site",
	 .kind = OPTION_TEXT,
	 .value = "HOST",
	 .meaning = "only events of this site"},
	{.name = "kinds",
	 .kind = OPTION_TEXT,
	 .value = "KIND,...",
	 .meaning = "kinds, for example template.*,guard.firing (default: "
		    "alerts)"},
	{.name = NULL},
};

const struct verb verb_hook = {
	.name = "hook",
	.group = VERBS_WATCH,
	.operands = "add TARGET | list | rm HOOK | test HOOK",
	.min_operands = 1,
	.max_operands = 2,
	.summary = "Manage hooks, which receive events: URLs, and commands "
		   "(exec:/PATH)",
	.options = hook_options,
	.run = run_hook,
};

const struct verb verb_silence = {
	.name = "silence",
	.group = VERBS_WATCH,
	.operands = "EVENT",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Silence similar events",
	.run = run_silence,
};

const struct verb verb_silences = {
	.name = "silences",
	.group = VERBS_WATCH,
	.operands = "",
	.summary = "List silences",
	.run = run_silences,
};

const struct verb verb_unsilence = {
	.name = "unsilence",
	.group = VERBS_WATCH,
	.operands = "SILENCE",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Remove a silence",
	.run = run_unsilence,
};
