#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "daemon/ctl/client.h"
#include "daemon/query/event.h"
#include "daemon/runtime/terminal.h"
#include "template/version_json.h"

/* The action templatectl event list. */

enum {
	EVENTS_AT_ONCE = 1000,
	WAIT_S = 60, /* how long the daemon waits for an event before it
			responds */
	FOLLOW_TIMEOUT_MS = (WAIT_S + 30) * 1000,
};

/* The state of printing events. */
struct printer {
	const struct ctl *ctl;
	json_t *rows;   /* rows of the next table; NULL = print each event as
			   a line */
	uint64_t since; /* number of the last event that was printed */
	size_t seen;    /* number of events in the last response */
};

/* Print an event as one line. */
static void print_line(const json_t *event, const char *what)
{
	struct buffer place = {0};
	struct buffer line = {0};
	struct buffer clean = {0};

	event_subject(event, &place);
	buffer_printf(&line, "%6" PRIu64 "  %s  %-17s  %s: %s",
		      field_whole(event, "seq"), field_text(event, "time"),
		      field_text(event, "kind"), place.data, what);
	buffer_free(&place);
	terminal_clean(buffer_slice(&line), &clean);
	printf("%s\n", clean.data);
	buffer_free(&line);
	buffer_free(&clean);
}

/*
 * Print an event. Print its URL, too, if it has one and is no alert. Skip
 * silenced events unless --all is given.
 */
static void print_event(struct printer *printer, json_t *event)
{
	const char *url = json_string_value(json_object_get(event, "url"));
	uint64_t number = field_whole(event, "seq");
	struct buffer place = {0};
	struct buffer what = {0};

	/* require increasing numbers; otherwise the loop may never end */
	if (number <= printer->since)
		return;
	printer->since = number;
	printer->seen++;
	if (json_is_true(json_object_get(event, "silenced")) &&
	    !option_given(printer->ctl, "all"))
		return;
	event_subject(event, &place);
	event_summary(event, &what);
	if (url != NULL && !json_is_true(json_object_get(event, "alert")))
		buffer_printf(&what, "  %s", url);
	if (printer->ctl->is_json)
		client_print_json(event);
	else if (printer->rows == NULL)
		print_line(event, what.data);
	else if (json_object_set_new(event, "where", json_string(place.data)) ==
			 0 &&
		 json_object_set_new(event, "what", json_string(what.data)) ==
			 0)
		json_array_append(printer->rows, event);
	buffer_free(&place);
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

static void event_make_target(const struct printer *printer, uint64_t wait_s,
			      struct buffer *target)
{
	const struct ctl *ctl = printer->ctl;
	char since[32];

	action_target(ctl, NULL, target);
	if (!option_given(ctl, "kinds") && !option_given(ctl, "all"))
		client_append_query(target, "kinds", "alerts");
	snprintf(since, sizeof(since), "%" PRIu64, printer->since);
	client_append_query(target, "since", since);
	buffer_printf(target, "&limit=%d&wait=%" PRIu64, EVENTS_AT_ONCE,
		      wait_s);
}

/* Send one request for events, and print the events. */
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

/*
 * Print all events, in tables of EVENTS_AT_ONCE rows; only the first table has
 * titles.
 */
static enum ctl_status list_events(struct printer *printer)
{
	const struct result_table *tables = printer->ctl->action->tables;
	const char *columns = tables[0].columns;
	enum ctl_status status;

	do {
		printer->rows = json_array();
		status = ask_events(printer, 0, false);
		if (status == CTL_DONE && !printer->ctl->is_json &&
		    (printer->seen > 0 || columns == tables[0].columns))
			table_print_rows(columns, printer->rows);
		json_decref(printer->rows);
		columns = tables[1].columns;
	} while (status == CTL_DONE && ferror(stdout) == 0 &&
		 printer->seen == EVENTS_AT_ONCE);
	return status;
}

/*
 * Print events until the user interrupts the command. Wait while the daemon
 * does not respond.
 */
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

enum ctl_status run_event_list(const struct ctl *ctl)
{
	struct printer printer = {
		.ctl = ctl,
		.since = option_whole(ctl, "since", 0),
	};

	return option_given(ctl, "follow") ? follow_events(&printer)
					   : list_events(&printer);
}

/* The action templatectl incident show. */

/* Replace the detail by its lists, which are printed as tables. */
void incident_arrange(json_t *answer)
{
	static const char *const lists[] = {"templates", "guards", "moved"};
	const json_t *detail = json_object_get(answer, "detail");

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		json_t *list = json_object_get(detail, lists[i]);

		if (json_array_size(list) > 0)
			json_object_set(answer, lists[i], list);
	}
	json_object_del(answer, "detail");
}

/* The actions templatectl hook. */

enum { MAX_SECRET_FILE = 4096, MAX_TEMPLATE_FILE = 65536 };

/*
 * Options whose value is a file: the member gets its first line, or the whole
 * file.
 */
static const struct hook_file {
	const char *option;
	const char *member;
	bool is_whole;
} hook_files[] = {
	{"secret-file", "secret", false},
	{"token-file", "token", false},
	{"password-file", "password", false},
	{"template", "template", true},
};

/* Add the files of the options to the body. */
static bool hook_add_file(const struct ctl *ctl, const struct hook_file *file,
			  json_t *body)
{
	const char *path = option_text(ctl, file->option);
	struct buffer text = {0};
	enum error error;
	size_t length;

	if (path == NULL)
		return true;
	error = file_read(path,
			  file->is_whole ? MAX_TEMPLATE_FILE : MAX_SECRET_FILE,
			  &text);
	buffer_append_byte(&text, '\0');
	length =
		file->is_whole ? strlen(text.data) : strcspn(text.data, "\r\n");
	if (error == ERR_NONE)
		json_object_set_new(
			body, file->member,
			json_text((struct slice){text.data, length}));
	else
		ctl_print_error(ctl, "%s: %s", path, file_error_text(error));
	buffer_free(&text);
	return error == ERR_NONE;
}

/* Add the form and the target in the operands: FORM, TARGET, or both. */
static void hook_add_operands(const struct ctl *ctl, json_t *body)
{
	const char *first = ctl->operands[0];
	bool is_target = strchr(first, ':') != NULL;

	if (!is_target)
		json_object_set_new(body, "form", json_string(first));
	else if (option_given(ctl, "template"))
		json_object_set_new(body, "form", json_string("template"));
	if (is_target || ctl->operand_count > 1)
		json_object_set_new(
			body, "target",
			json_string(is_target ? first : ctl->operands[1]));
}

enum ctl_status run_hook_add(const struct ctl *ctl)
{
	json_t *body = json_object();
	json_t *answer = NULL;
	enum ctl_status status = CTL_DONE;

	hook_add_operands(ctl, body);
	for (size_t i = 0; i < sizeof(hook_files) / sizeof(hook_files[0]); i++)
		if (!hook_add_file(ctl, &hook_files[i], body))
			status = CTL_FAILED;
	if (status == CTL_DONE)
		status = action_ask(ctl, body, &answer);
	if (status == CTL_DONE)
		action_print(ctl, answer);
	json_decref(answer);
	json_decref(body);
	return status;
}

enum ctl_status run_hook_test(const struct ctl *ctl)
{
	json_t *answer = NULL;
	enum ctl_status status = action_ask(ctl, NULL, &answer);

	if (status == CTL_DONE) {
		action_print(ctl, answer);
		if (!json_is_true(json_object_get(answer, "delivered")))
			status = CTL_FAILED;
	}
	json_decref(answer);
	return status;
}

/* Write the fields of each form as words: "target [token]". */
void hook_forms_arrange(json_t *answer)
{
	const json_t *form;
	size_t i;

	json_array_foreach(json_object_get(answer, "forms"), i, form)
	{
		const json_t *field;
		struct buffer words = {0};
		size_t at;

		json_array_foreach(json_object_get(form, "fields"), at, field)
		{
			bool is_required = json_is_true(
				json_object_get(field, "required"));

			buffer_printf(&words, is_required ? "%s%s" : "%s[%s]",
				      at == 0 ? "" : " ",
				      field_text(field, "name"));
		}
		json_object_set_new((json_t *)form, "words",
				    json_text(buffer_slice(&words)));
		buffer_free(&words);
	}
}
