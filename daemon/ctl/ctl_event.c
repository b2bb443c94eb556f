#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "daemon/ctl/client.h"
#include "daemon/query/event.h"
#include "daemon/runtime/terminal.h"

/* Templatectl: events, ack. */

enum {
	EVENTS_AT_ONCE = 1000,
	WAIT_S = 60, /* long poll: the daemon responds earlier if there is an
			event */
	FOLLOW_TIMEOUT_MS = (WAIT_S + 30) * 1000,
};

/* State for printing events. */
struct printer {
	const struct ctl *ctl;
	struct text_table *table; /* NULL: a line each */
	uint64_t since;           /* the last event printed */
	size_t seen;              /* events in the last response */
};

static const struct table_column titled[] = {
	{.title = "SEQ", .is_number = true},
	{.title = "TIME"},
	{.title = "KIND"},
	{.title = "WHERE"},
	{.title = "WHAT", .is_elastic = true},
};

static const struct table_column untitled[] = {
	{.is_number = true}, {.title = NULL},      {.title = NULL},
	{.title = NULL},     {.is_elastic = true},
};

enum { COLUMNS = sizeof(titled) / sizeof(titled[0]) };

/* Return HOST/N, or HOST. */
static const char *event_place(const json_t *event)
{
	const char *cluster =
		json_string_value(json_object_get(event, "cluster"));

	return cluster != NULL ? cluster : field_text(event, "site");
}

/* Print an event; name the page if it concerns one. */
static void event_print_line(const json_t *event, struct buffer *out)
{
	const char *url = json_string_value(json_object_get(event, "url"));

	event_summary(event, out);
	if (url != NULL && !json_is_true(json_object_get(event, "alert")))
		buffer_printf(out, "  %s", url);
}

static void print_line(const json_t *event, const char *what)
{
	struct buffer line = {0};
	struct buffer clean = {0};

	buffer_printf(&line, "%6" PRIu64 "  %s  %-17s  %s: %s",
		      field_whole(event, "seq"), field_text(event, "time"),
		      field_text(event, "kind"), event_place(event), what);
	terminal_clean(buffer_slice(&line), &clean);
	printf("%s\n", clean.data);
	buffer_free(&line);
	buffer_free(&clean);
}

static void event_add_row(struct text_table *table, const json_t *event,
			  const char *what)
{
	table_printf(table, "%" PRIu64, field_whole(event, "seq"));
	table_add_text(table, field_text(event, "time"));
	table_add_text(table, field_text(event, "kind"));
	table_add_text(table, event_place(event));
	table_add_text(table, what);
}

/* Return whether the event is shown; silenced events only with --all. */
static bool event_is_shown(const struct ctl *ctl, const json_t *event)
{
	return option_given(ctl, "all") ||
	       !json_is_true(json_object_get(event, "silenced"));
}

static void print_event(struct printer *printer, const json_t *event)
{
	uint64_t number = field_whole(event, "seq");
	struct buffer what = {0};

	/* numbers must increase, otherwise the loop would never end */
	if (number <= printer->since)
		return;
	printer->since = number;
	printer->seen++;
	if (!event_is_shown(printer->ctl, event))
		return;
	event_print_line(event, &what);
	if (printer->ctl->is_json)
		client_print_json(event);
	else if (printer->table != NULL)
		event_add_row(printer->table, event, what.data);
	else
		print_line(event, what.data);
	buffer_free(&what);
}

static void print_events(struct printer *printer, struct slice lines)
{
	const char *rest = lines.data;
	size_t size = lines.size;

	printer->seen = 0;
	while (size > 0) {
		const char *newline = memchr(rest, '\n', size);
		size_t length =
			newline == NULL ? size : (size_t)(newline - rest);
		json_t *event = json_loadb(rest, length, 0, NULL);

		print_event(printer, event);
		json_decref(event);
		length += newline == NULL ? 0 : 1;
		rest += length;
		size -= length;
	}
}

static void append_option(const struct ctl *ctl, const char *name,
			  struct buffer *target)
{
	if (!option_given(ctl, name))
		return;
	buffer_printf(target, "&%s=", name);
	client_append_escaped(target, option_text(ctl, name));
}

static void event_make_target(const struct printer *printer, uint64_t wait_s,
			      struct buffer *target)
{
	const struct ctl *ctl = printer->ctl;

	buffer_printf(target,
		      "/v1/events?since=%" PRIu64 "&limit=%d&wait=%" PRIu64,
		      printer->since, EVENTS_AT_ONCE, wait_s);
	append_option(ctl, "site", target);
	append_option(ctl, "kinds", target);
	if (!option_given(ctl, "kinds") && !option_given(ctl, "all"))
		buffer_append_text(target, "&kinds=alerts");
	if (option_given(ctl, "firing"))
		buffer_append_text(target, "&firing=1");
}

/* Send one request, and print the events. */
static enum ctl_status ask_events(struct printer *printer, uint64_t wait_s,
				  bool is_patient)
{
	struct buffer target = {0};
	struct buffer answer = {0};
	enum ctl_status status;

	event_make_target(printer, wait_s, &target);
	status = client_ask(printer->ctl,
			    &(struct client_request){
				    .target = target.data,
				    .timeout_ms = wait_s == 0
							  ? ASK_TIMEOUT_MS
							  : FOLLOW_TIMEOUT_MS,
				    .is_patient = is_patient},
			    &answer);
	if (status == CTL_DONE)
		print_events(printer, buffer_slice(&answer));
	buffer_free(&target);
	buffer_free(&answer);
	return status;
}

/* Print all events, in tables of a thousand. */
static enum ctl_status list_events(struct printer *printer)
{
	const struct table_column *columns = titled;
	enum ctl_status status;

	do {
		printer->table = table_create(columns, COLUMNS);
		status = ask_events(printer, 0, false);
		if (status == CTL_DONE && !printer->ctl->is_json &&
		    (printer->seen > 0 || columns == titled))
			table_print(printer->table);
		table_destroy(printer->table);
		columns = untitled;
	} while (status == CTL_DONE && ferror(stdout) == 0 &&
		 printer->seen == EVENTS_AT_ONCE);
	return status;
}

/* Print events until interrupted. Continue when the daemon restarts. */
static enum ctl_status follow_events(struct printer *printer)
{
	const struct timespec pause = {.tv_sec = 1};
	enum ctl_status status = ask_events(printer, 0, false);
	bool is_told = false;

	while ((status == CTL_DONE || status == CTL_NO_DAEMON) &&
	       fflush(stdout) == 0) {
		if ((status == CTL_NO_DAEMON) != is_told)
			ctl_print_error(
				printer->ctl,
				is_told ? "the daemon responds again"
					: "the daemon does not respond, "
					  "or is busy; waiting");
		is_told = status == CTL_NO_DAEMON;
		if (is_told)
			nanosleep(&pause, NULL);
		status = ask_events(printer, WAIT_S, true);
	}
	return status;
}

static enum ctl_status ack_event(const struct ctl *ctl, const char *operand)
{
	struct buffer target = {0};
	json_t *answer = NULL;
	enum ctl_status status;

	if (!client_number_target(ctl, "/v1/events/", operand, "/ack", &target))
		return CTL_USAGE;
	status = client_ask_json(
		ctl,
		&(struct client_request){.method = "POST",
					 .target = target.data,
					 .timeout_ms = ASK_TIMEOUT_MS},
		&answer);
	if (status == CTL_DONE && ctl->is_json)
		client_print_json(answer);
	json_decref(answer);
	buffer_free(&target);
	return status;
}

static enum ctl_status ctl_event_ack(const struct ctl *ctl)
{
	enum ctl_status status = CTL_DONE;

	for (size_t i = 1; i < ctl->operand_count && status == CTL_DONE; i++)
		status = ack_event(ctl, ctl->operands[i]);
	return status;
}

static enum ctl_status run_event(const struct ctl *ctl)
{
	struct printer printer = {
		.ctl = ctl,
		.since = option_whole(ctl, "since", 0),
	};

	if (strcmp(ctl->operands[0], "ack") == 0)
		return ctl_event_ack(ctl);
	return option_given(ctl, "follow") ? follow_events(&printer)
					   : list_events(&printer);
}

static const struct verb_option event_options[] = {
	{.name = "since",
	 .kind = OPTION_WHOLE,
	 .value = "N",
	 .maximum = INT64_MAX,
	 .meaning = "events after number N (default: 0, all)"},
	{.name = "site",
	 .kind = OPTION_TEXT,
	 .value = "HOST",
	 .meaning = "only events of this site"},
	{.name = "kinds",
	 .kind = OPTION_TEXT,
	 .value = "KIND,...",
	 .meaning = "kinds, for example template.*,guard.firing (default: "
		    "alerts)"},
	{.name = "all",
	 .kind = OPTION_FLAG,
	 .meaning = "all events, also silenced ones"},
	{.name = "firing",
	 .kind = OPTION_FLAG,
	 .meaning = "only alerts that are neither acknowledged nor silenced"},
	{.name = "follow",
	 .kind = OPTION_FLAG,
	 .meaning = "wait for more events, also after a restart of the daemon"},
	{.name = NULL},
};

const struct verb verb_event = {
	.name = "event",
	.group = VERBS_WATCH,
	.operands = "list | ack EVENT...",
	.min_operands = 1,
	.max_operands = SIZE_MAX,
	.summary = "List the events of templates, or acknowledge them",
	.options = event_options,
	.run = run_event,
};

/* Templatectl: hook, silence, silences, unsilence. */

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
	{.title = "QUEUED", .is_number = true},
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

static enum ctl_status ctl_silence_add(const struct ctl *ctl, const char *event)
{
	struct buffer number = {0};
	enum ctl_status status = CTL_USAGE;
	json_t *body;

	if (client_number_target(ctl, "", event, "", &number)) {
		body = json_pack("{s:I}", "event",
				 (json_int_t)strtoull(event, NULL, 10));
		status = ask_and_print(ctl, "POST", "/v1/silences", body);
		json_decref(body);
	}
	buffer_free(&number);
	return status;
}

static enum ctl_status run_silence(const struct ctl *ctl)
{
	const char *action = ctl->operands[0];

	if (strcmp(action, "list") == 0)
		return client_print_list(ctl, "/v1/silences", &silence_list);
	if (strcmp(action, "add") == 0)
		return ctl_silence_add(ctl, ctl->operands[1]);
	return with_number(ctl, "DELETE", "/v1/silences/", ctl->operands[1],
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
	.operands = "add EVENT | list | rm SILENCE",
	.min_operands = 1,
	.max_operands = 2,
	.summary = "Manage silences: add one for events similar to EVENT",
	.run = run_silence,
};
