#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/ctl/browser_proxy.h"
#include "daemon/ctl/client.h"
#include "daemon/runtime/child.h"
#include "daemon/runtime/clock.h"
#include "template/version_json.h"

/* Results of templatectl node and templatectl status, changed for tables. */

/*
 * Return whether the partition is changing its state or is not at the node that
 * should own it.
 */
static bool partition_is_restless(const json_t *row)
{
	const char *state = field_text(row, "state");

	return strcmp(field_text(row, "owner"), field_text(row, "wanted")) !=
		       0 ||
	       json_is_null(json_object_get(row, "owner")) ||
	       field_whole(row, "lag") > 0 || strcmp(state, "copying") == 0 ||
	       strcmp(state, "taken") == 0 || strcmp(state, "left") == 0;
}

/*
 * Keep only the partitions that have no owner or another owner than planned,
 * lag, or are being copied, adopted or handed over. A node that has not joined
 * its group knows none.
 */
void node_arrange(json_t *answer)
{
	bool has_joined = json_is_true(json_object_get(answer, "has_joined"));
	json_t *kept = json_array();
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(answer, "partitions"), i, row)
	{
		if (has_joined && partition_is_restless(row))
			json_array_append(kept, row);
	}
	json_object_set_new(answer, "partitions", kept);
}

/*
 * Replace the rows of roles with one row for each running process. A role
 * without a process keeps its row.
 */
void status_arrange(json_t *answer)
{
	json_t *rows = json_array();
	json_t *role;
	size_t i;

	json_array_foreach(json_object_get(answer, "processes"), i, role)
	{
		json_t *running = json_object_get(role, "running");
		size_t at = 0;

		do {
			json_t *row = json_copy(role);

			json_object_update(row, json_array_get(running, at));
			json_array_append_new(rows, row);
		} while (++at < json_array_size(running));
	}
	json_object_set_new(answer, "processes", rows);
}

/* The action templatectl status. */

static void append_problem(struct buffer *problems, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void append_problem(struct buffer *problems, const char *format, ...)
{
	char text[512];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	buffer_printf(problems, "%s%s", problems->size == 0 ? "" : "; ", text);
}

/*
 * Append what is not well; nothing if all is well. `open` is the number of open
 * incidents with an alert.
 */
static void status_append_problems(const json_t *status, uint64_t open,
				   struct buffer *out)
{
	const json_t *store = json_object_get(status, "store");
	const json_t *pipeline = json_object_get(status, "pipeline");
	const char *paused =
		json_string_value(json_object_get(pipeline, "paused"));
	const char *error = json_string_value(
		json_object_get(json_object_get(status, "config"), "error"));
	uint64_t crashes = 0;
	const json_t *role;
	size_t i;

	json_array_foreach(json_object_get(status, "processes"), i, role)
		crashes += field_whole(role, "crashes");
	if (paused != NULL)
		append_problem(out, "no page is fetched: %s", paused);
	if (field_whole(store, "live_bytes") >
	    field_whole(store, "max_bytes") / 10 * 9)
		append_problem(out, "the store is nearly full: raise "
				    "store.max_size");
	if (field_whole(pipeline, "commit_failures") > 0)
		append_problem(out, "%" PRIu64 " writes to the store failed",
			       field_whole(pipeline, "commit_failures"));
	if (crashes > 0)
		append_problem(out, "processes crashed: %" PRIu64, crashes);
	if (error != NULL)
		append_problem(out, "the changed configuration is not used: %s",
			       error);
	if (open > 0)
		append_problem(out,
			       "%" PRIu64 " open incident%s (templatectl "
			       "incident list --open)",
			       open, open == 1 ? "" : "s");
}

static void status_print_rows(const json_t *status, uint64_t open)
{
	const json_t *store = json_object_get(status, "store");
	const json_t *counts = json_object_get(status, "counts");
	const json_t *pipeline = json_object_get(status, "pipeline");
	struct buffer live = {0};
	struct buffer most = {0};
	struct buffer disk = {0};

	append_bytes((double)field_whole(store, "live_bytes"), &live);
	append_bytes((double)field_whole(store, "max_bytes"), &most);
	append_bytes((double)field_whole(store, "allocated_bytes"), &disk);
	printf("daemon     %s, runs since %s\n", field_text(status, "version"),
	       field_text(status, "started"));
	printf("sites      %" PRIu64 " with %" PRIu64 " pages and %" PRIu64
	       " templates\n",
	       field_whole(counts, "sites"), field_whole(counts, "pages"),
	       field_whole(counts, "clusters"));
	printf("incidents  %" PRIu64 " open\n", open);
	printf("fetches    %" PRIu64 " done, %" PRIu64 " in progress\n",
	       field_whole(pipeline, "fetched"),
	       field_whole(pipeline, "fetches_in_progress"));
	printf("store      %s of %s, %s on disk, in %s\n", live.data, most.data,
	       disk.data, field_text(store, "path"));
	buffer_free(&live);
	buffer_free(&most);
	buffer_free(&disk);
}

/* Print the state of the daemon in six lines. */
static enum ctl_status status_print_short(const struct ctl *ctl,
					  const json_t *status)
{
	struct buffer problems = {0};
	struct buffer first = {0};
	json_t *answer = NULL;
	uint64_t open;
	const json_t *row;
	uint64_t alerts = 0;
	size_t i;
	enum ctl_status result = client_ask_value(
		ctl, NULL, "/v1/incidents?open=1", NULL, &answer);

	if (result != CTL_DONE)
		return result;
	open = json_array_size(json_object_get(answer, "incidents"));
	json_array_foreach(json_object_get(answer, "incidents"), i, row)
		alerts += strcmp(field_text(row, "severity"), "alert") == 0;
	status_append_problems(status, alerts, &problems);
	terminal_clean(problems.size == 0 ? slice_of("all is well")
					  : buffer_slice(&problems),
		       &first);
	printf("%s%s\n", problems.size == 0 ? "" : "not well: ", first.data);
	status_print_rows(status, open);
	json_decref(answer);
	buffer_free(&problems);
	buffer_free(&first);
	return CTL_DONE;
}

enum ctl_status run_status(const struct ctl *ctl)
{
	json_t *answer = NULL;
	enum ctl_status status = action_ask(ctl, NULL, &answer);

	if (status == CTL_DONE && !ctl->is_json &&
	    !option_given(ctl, "verbose"))
		status = status_print_short(ctl, answer);
	else if (status == CTL_DONE)
		action_print(ctl, answer);
	json_decref(answer);
	return status;
}

/* The action templatectl token add, for tokens of TCP clients. */

/*
 * Print only the token on standard output, so that scripts can read it. The
 * daemon cannot show it again.
 */
static enum ctl_status print_token(const struct ctl *ctl, const json_t *answer,
				   const char *member)
{
	const char *token = json_member_text(answer, member);

	if (ctl->is_json) {
		client_print_json(answer);
		return CTL_DONE;
	}
	if (token == NULL) {
		ctl_print_error(ctl, "the daemon returned no token");
		return CTL_FAILED;
	}
	puts(token);
	if (strcmp(member, "url") == 0)
		fputs("Give this URL to a feed reader. It cannot be shown "
		      "again, and opens only the feed.\n",
		      stderr);
	else
		fprintf(stderr,
			"The token may %s, and cannot be shown again. Send it "
			"as Authorization: Bearer TOKEN.\n",
			field_text(answer, "role"));
	return CTL_DONE;
}

enum ctl_status run_token_add(const struct ctl *ctl)
{
	bool may_write = option_given(ctl, "write");
	json_t *role;
	json_t *answer;
	enum ctl_status status;

	if (may_write && option_given(ctl, "read")) {
		ctl_print_error(ctl, "use --read or --write, not both");
		return CTL_USAGE;
	}
	role = json_pack("{s:s}", "role", may_write ? "write" : "read");
	status = action_ask(ctl, role, &answer);
	if (status == CTL_DONE)
		status = print_token(ctl, answer, "token");
	json_decref(answer);
	json_decref(role);
	return status;
}

/* The action templatectl feed add. */
enum ctl_status run_feed_add(const struct ctl *ctl)
{
	json_t *answer = NULL;
	enum ctl_status status = action_ask(ctl, NULL, &answer);

	if (status == CTL_DONE)
		status = print_token(ctl, answer, "url");
	json_decref(answer);
	return status;
}

/* The action templatectl ui. */

enum { OPENING_MS = 10000 };

/*
 * Open the address in the browser of the desktop. If this fails, the user still
 * has the printed address.
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

enum ctl_status run_ui(const struct ctl *ctl)
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
	if (option_given(ctl, "open") && isatty(STDOUT_FILENO) &&
	    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
	    (getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL))
		open_browser(browser_proxy_address(tunnel));
	error = browser_proxy_run(tunnel);
	browser_proxy_close(tunnel);
	ctl_print_error(ctl, "%s", error_text(error));
	return CTL_FAILED;
}
