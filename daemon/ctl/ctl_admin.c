#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/ctl/browser_proxy.h"
#include "daemon/ctl/client.h"
#include "daemon/runtime/child.h"
#include "daemon/runtime/clock.h"

/* Templatectl node: the nodes of the node group. */

static const struct table_column node_columns[] = {
	{.title = "NODE"},
	{.title = "OWNS", .is_number = true},
	{.title = "REPLICAS", .is_number = true},
	{.title = "LAG", .is_number = true},
	{.title = "WEIGHT", .is_number = true},
	{.title = "SILENT", .is_number = true},
	{.title = "CLOCK", .is_number = true},
	{.title = "VERSION"},
	{.title = "STATE"},
	{.title = "ADDRESS", .is_elastic = true},
};

static const char *node_row_state(const json_t *node)
{
	if (json_is_true(json_object_get(node, "has_strange_key")))
		return "other key";
	if (json_is_true(json_object_get(node, "is_draining")))
		return "draining";
	return json_is_true(json_object_get(node, "is_self")) ? "asked" : "-";
}

static void node_add_row(struct text_table *table, const json_t *node)
{
	double silent_s = (double)field_whole(node, "silent_ms") / 1000;
	double clock_s =
		json_number_value(json_object_get(node, "clock_ms")) / 1000;

	table_add_text(table, field_text(node, "name"));
	table_printf(table, "%" PRIu64, field_whole(node, "owned"));
	table_printf(table, "%" PRIu64, field_whole(node, "replicas"));
	table_printf(table, "%" PRIu64, field_whole(node, "lag"));
	table_printf(table, "%" PRIu64, field_whole(node, "weight"));
	table_printf(table, "%.1f s", silent_s);
	table_printf(table, "%+.1f s", clock_s);
	table_add_text(table, field_text(node, "version"));
	table_add_text(table, node_row_state(node));
	table_add_text(table, field_text(node, "address"));
}

static const struct client_list nodes = {
	"nodes", node_columns, sizeof(node_columns) / sizeof(node_columns[0]),
	node_add_row};

static const struct table_column away_columns[] = {
	{.title = "AWAY"},
	{.title = "WEIGHT", .is_number = true},
	{.title = "SILENT", .is_number = true},
};

static void add_away(struct text_table *table, const json_t *node)
{
	table_add_text(table, field_text(node, "name"));
	table_printf(table, "%" PRIu64, field_whole(node, "weight"));
	table_printf(table, "%.1f s",
		     (double)field_whole(node, "silent_ms") / 1000);
}

static const struct table_column partition_columns[] = {
	{.title = "PARTITION", .is_number = true},
	{.title = "OWNER"},
	{.title = "WANTED"},
	{.title = "HERE"},
	{.title = "EPOCH", .is_number = true},
	{.title = "LAG", .is_number = true},
};

static void add_partition(struct text_table *table, const json_t *row)
{
	table_printf(table, "%" PRIu64, field_whole(row, "partition"));
	table_add_text(table, field_text(row, "owner"));
	table_add_text(table, field_text(row, "wanted"));
	table_add_text(table,
		       json_is_true(json_object_get(row, "is_undecryptable"))
			       ? "undecryptable"
			       : field_text(row, "state"));
	table_printf(table, "%" PRIu64, field_whole(row, "epoch"));
	table_printf(table, "%" PRIu64, field_whole(row, "lag"));
}

/*
 * Return whether the partition is in a transition or not at its wanted owner.
 */
static bool is_restless(const json_t *row)
{
	const char *state = field_text(row, "state");

	return strcmp(field_text(row, "owner"), field_text(row, "wanted")) !=
		       0 ||
	       json_is_null(json_object_get(row, "owner")) ||
	       field_whole(row, "lag") > 0 || strcmp(state, "copying") == 0 ||
	       strcmp(state, "taken") == 0 || strcmp(state, "left") == 0;
}

static void node_print_table(const json_t *rows, const struct client_list *list,
			     bool (*is_shown)(const json_t *row))
{
	struct text_table *table =
		table_create(list->columns, list->column_count);
	size_t shown = 0;
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		if (is_shown != NULL && !is_shown(row))
			continue;
		list->add(table, row);
		shown++;
	}
	if (shown > 0) {
		putchar('\n');
		table_print(table);
	}
	table_destroy(table);
}

/*
 * Print the responding node, all nodes, the nodes that are away, and the
 * partitions in transition.
 */
static void node_print_status(json_t *answer)
{
	static const struct client_list partitions = {
		"partitions", partition_columns,
		sizeof(partition_columns) / sizeof(partition_columns[0]),
		add_partition};
	static const struct client_list away = {
		"away", away_columns,
		sizeof(away_columns) / sizeof(away_columns[0]), add_away};
	json_t *members[] = {
		json_incref(json_object_get(answer, "nodes")),
		json_incref(json_object_get(answer, "away")),
		json_incref(json_object_get(answer, "partitions"))};

	bool has_joined = json_is_true(json_object_get(answer, "has_joined"));

	json_object_del(answer, "nodes");
	json_object_del(answer, "away");
	json_object_del(answer, "partitions");
	client_print_object(answer);
	node_print_table(members[0], &nodes, NULL);
	node_print_table(members[1], &away, NULL);
	if (has_joined) /* otherwise the node knows no partitions */
		node_print_table(members[2], &partitions, is_restless);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		json_decref(members[i]);
}

static enum ctl_status show_status(const struct ctl *ctl)
{
	json_t *answer = NULL;
	enum ctl_status status =
		client_ask_value(ctl, NULL, "/v1/nodes", NULL, &answer);

	if (status != CTL_DONE)
		return status;
	if (ctl->is_json)
		client_print_json(answer);
	else
		node_print_status(answer);
	json_decref(answer);
	return CTL_DONE;
}

/* Drain or resume (`action`) a node; NULL: the one that serves us. */
static enum ctl_status change_node(const struct ctl *ctl, const char *name,
				   const char *action)
{
	struct buffer target = {0};
	json_t *facts = NULL;
	json_t *answer = NULL;
	enum ctl_status status = CTL_DONE;

	if (name == NULL) {
		status = client_ask_value(ctl, NULL, "/v1/nodes", NULL, &facts);
		name = field_text(facts, "name");
	}
	if (status == CTL_DONE) {
		buffer_append_text(&target, "/v1/nodes/");
		client_append_escaped(&target, name);
		buffer_printf(&target, "/%s", action);
		status = client_ask_value(ctl, "POST", target.data, NULL,
					  &answer);
	}
	if (status == CTL_DONE)
		client_print(ctl, answer);
	json_decref(answer);
	json_decref(facts);
	buffer_free(&target);
	return status;
}

static enum ctl_status ctl_node_remove(const struct ctl *ctl, const char *name)
{
	struct buffer target = {0};
	json_t *answer = NULL;
	enum ctl_status status;

	buffer_append_text(&target, "/v1/nodes/");
	client_append_escaped(&target, name);
	status = client_ask_value(ctl, "DELETE", target.data, NULL, &answer);
	if (status == CTL_DONE)
		client_print(ctl, answer);
	json_decref(answer);
	buffer_free(&target);
	return status;
}

static enum ctl_status run_node(const struct ctl *ctl)
{
	const char *action = ctl->operands[0];
	const char *name = ctl->operand_count > 1 ? ctl->operands[1] : NULL;

	if (strcmp(action, "list") == 0)
		return client_print_list(ctl, "/v1/nodes", &nodes);
	if (strcmp(action, "status") == 0)
		return show_status(ctl);
	if (strcmp(action, "rm") == 0)
		return ctl_node_remove(ctl, name);
	return change_node(ctl, name, action);
}

const struct verb verb_node = {
	.name = "node",
	.group = VERBS_OPERATE,
	.operands = "list | status | drain [NODE] | resume [NODE] | rm NODE",
	.min_operands = 1,
	.max_operands = 2,
	.summary = "Manage nodes: list, status, drain, resume, rm",
	.run = run_node,
};

/* Templatectl token: the tokens of TCP clients. */

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

static const struct client_list ctl_token_list = {
	"tokens", columns, sizeof(columns) / sizeof(columns[0]), token_add_row};

static enum ctl_status run_token(const struct ctl *ctl)
{
	const char *action = ctl->operands[0];
	const char *name = ctl->operand_count > 1 ? ctl->operands[1] : NULL;
	bool has_both = option_given(ctl, "read") && option_given(ctl, "write");

	if (strcmp(action, "list") == 0)
		return client_print_list(ctl, "/v1/tokens", &ctl_token_list);
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

/* Templatectl: ui. */

enum { OPENING_MS = 10000 };

static bool has_display(void)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
	return getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL;
}

/*
 * Open the address in the desktop's browser. The address was printed, in case
 * this fails.
 */
static void open_browser(const char *address)
{
	char program[] = "/usr/bin/xdg-open";
	char *copy = strdup(address);
	char *words[] = {program, copy, NULL};
	char *none[] = {NULL};
	struct child child;

	if (copy != NULL && access(program, X_OK) == 0)
		child_start(&child, &(struct child_command){
					    .words = words,
					    .environment = none,
					    .inherits = true,
					    .deadline_ms = clock_steady_ms() +
							   OPENING_MS,
				    });
	free(copy);
}

static enum ctl_status run_ui(const struct ctl *ctl)
{
	struct browser_proxy *tunnel;
	struct buffer answer = {0};
	enum ctl_status status = client_ask(
		ctl,
		&(struct client_request){.target = "/v1/status",
					 .timeout_ms = ASK_TIMEOUT_MS},
		&answer);
	enum error error;

	buffer_free(&answer);
	if (status != CTL_DONE)
		return status;
	error = browser_proxy_open(&tunnel, ctl->socket,
				   (unsigned)option_whole(ctl, "port", 0));
	if (error != ERR_NONE) {
		ctl_print_error(ctl, "%s: %s", error_text(error),
				/* NOLINTNEXTLINE(concurrency-mt-unsafe) */
				strerror(errno));
		return CTL_FAILED;
	}
	printf("%s\n", browser_proxy_address(tunnel));
	fflush(stdout);
	fprintf(stderr, "Open it in a browser within 5 minutes; it works once. "
			"Press Ctrl-C to stop.\n");
	if (option_given(ctl, "open") && isatty(STDOUT_FILENO) && has_display())
		open_browser(browser_proxy_address(tunnel));
	error = browser_proxy_run(tunnel);
	browser_proxy_close(tunnel);
	ctl_print_error(ctl, "%s", error_text(error));
	return CTL_FAILED;
}

static const struct verb_option ui_options[] = {
	{.name = "port",
	 .letter = 'p',
	 .kind = OPTION_WHOLE,
	 .value = "N",
	 .maximum = 65535,
	 .meaning = "port of 127.0.0.1 to listen on (default: a free one)"},
	{.name = "open",
	 .kind = OPTION_FLAG,
	 .meaning = "open the address with xdg-open, on a terminal with a "
		    "display"},
	{.name = NULL},
};

const struct verb verb_ui = {
	.name = "ui",
	.group = VERBS_LOOK,
	.operands = "",
	.min_operands = 0,
	.max_operands = 0,
	.summary = "Show the web UI to a browser on this machine",
	.options = ui_options,
	.run = run_ui,
};
