/* daemon/ctl_daemon.c - templatectl: status, events, verify. */
#include "daemon/ctl_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/table.h"
#include "daemon/terminal.h"
#include "daemon/verify.h"
#include "store/store.h"

enum { EVENTS_AT_ONCE = 1000 };

static enum ctl_status run_status(const struct ctl *ctl)
{
	json_t *answer = NULL;
	enum ctl_status status =
		client_ask_json(ctl,
				&(struct ask){.target = "/v1/status",
					      .timeout_ms = ASK_TIMEOUT_MS},
				&answer);

	if (status != CTL_DONE)
		return status;
	if (ctl->is_json)
		client_print_json(answer);
	else
		client_print_object(answer);
	json_decref(answer);
	return CTL_DONE;
}

static void print_event(const json_t *event)
{
	const char *cluster = field_text(event, "cluster");
	const char *other = json_string_value(json_object_get(event, "other"));
	uint64_t pages = field_whole(event, "pages");
	const char *url = json_string_value(json_object_get(event, "url"));
	struct buffer line = {0};
	struct buffer clean = {0};

	buffer_printf(&line, "%6" PRIu64 "  %s  %-14s  %s",
		      field_whole(event, "seq"), field_text(event, "time"),
		      field_text(event, "kind"),
		      strcmp(cluster, "-") == 0 ? field_text(event, "site")
						: cluster);
	if (other != NULL)
		buffer_printf(&line, " (%s)", other);
	if (pages > 0 && url == NULL)
		buffer_printf(&line, "  %" PRIu64 " pages", pages);
	if (url != NULL)
		buffer_printf(&line, "  %s", url);
	terminal_clean(buffer_slice(&line), &clean);
	printf("%s\n", clean.data);
	buffer_free(&line);
	buffer_free(&clean);
}

/* Print the lines; raises *since to the last event and returns how many. */
static size_t print_events(const struct ctl *ctl, struct slice lines,
			   uint64_t *since)
{
	const char *rest = (const char *)lines.data;
	size_t size = lines.size;
	size_t count = 0;

	while (size > 0) {
		const char *newline = memchr(rest, '\n', size);
		size_t length =
			newline == NULL ? size : (size_t)(newline - rest);
		json_t *event = json_loadb(rest, length, 0, NULL);

		/* an event that does not lead on would be asked for forever */
		if (field_whole(event, "seq") > *since) {
			*since = field_whole(event, "seq");
			if (ctl->is_json)
				client_print_json(event);
			else
				print_event(event);
			count++;
		}
		json_decref(event);
		length += newline == NULL ? 0 : 1;
		rest += length;
		size -= length;
	}
	return count;
}

static enum ctl_status run_events(const struct ctl *ctl)
{
	const struct timespec pause = {.tv_sec = 1};
	uint64_t since = option_whole(ctl, "since", 0);
	enum ctl_status status = CTL_DONE;
	size_t count = 0;

	do {
		struct buffer target = {0};
		struct buffer answer = {0};

		buffer_printf(&target, "/v1/events?since=%" PRIu64 "&limit=%d",
			      since, EVENTS_AT_ONCE);
		if (option_given(ctl, "site")) {
			buffer_append_text(&target, "&site=");
			client_append_escaped(&target,
					      option_text(ctl, "site"));
		}
		status = client_ask(ctl,
				    &(struct ask){.target = target.data,
						  .timeout_ms = ASK_TIMEOUT_MS},
				    &answer);
		if (status == CTL_DONE)
			count = print_events(ctl, buffer_slice(&answer),
					     &since);
		buffer_free(&target);
		buffer_free(&answer);
		if (status == CTL_DONE && count == 0 &&
		    option_given(ctl, "follow")) {
			fflush(stdout);
			nanosleep(&pause, NULL);
		}
	} while (status == CTL_DONE && ferror(stdout) == 0 &&
		 (count > 0 || option_given(ctl, "follow")));
	return status;
}

/* The report of an offline check, in the shape of GET /v1/verify. */
static json_t *report_json(const struct verify_report *report)
{
	json_t *lines = json_array();
	const char *text = report->text.data;

	while (text != NULL && *text != '\0') {
		size_t length = strcspn(text, "\n");
		struct buffer clean = {0};

		terminal_clean((struct slice){text, length}, &clean);
		json_array_append_new(
			lines,
			json_stringn(clean.data == NULL ? "" : clean.data,
				     clean.size));
		buffer_free(&clean);
		text += length + (text[length] == '\n' ? 1 : 0);
	}
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "problems",
			 (json_int_t)report->problems, "sites",
			 (json_int_t)report->sites, "pages",
			 (json_int_t)report->pages, "clusters",
			 (json_int_t)report->clusters, "df_counts",
			 (json_int_t)report->df_counts, "urls",
			 (json_int_t)report->urls, "report", lines);
}

static enum ctl_status check_store(const struct ctl *ctl, json_t **answer_out)
{
	const char *path = option_text(ctl, "store");
	const struct store_options options = {.is_read_only = true};
	struct verify_report report = {0};
	struct store *store = NULL;
	enum error error = store_open(&store, path, &options);

	if (error == ERR_NONE)
		error = verify(store, &report);
	store_close(store);
	if (error != ERR_NONE)
		ctl_complain(ctl, "%s: %s", path, error_text(error));
	else
		*answer_out = report_json(&report);
	buffer_free(&report.text);
	return error == ERR_NONE ? CTL_DONE : CTL_FAILED;
}

static void print_report(const json_t *answer)
{
	const json_t *line;
	size_t i;

	json_array_foreach(json_object_get(answer, "report"), i, line)
	{
		struct buffer clean = {0};

		terminal_clean(slice_of(json_string_value(line)), &clean);
		printf("%s\n", clean.data == NULL ? "" : clean.data);
		buffer_free(&clean);
	}
	printf("%" PRIu64 " problems in %" PRIu64 " sites, %" PRIu64
	       " pages, %" PRIu64 " clusters, %" PRIu64 " counts, %" PRIu64
	       " URLs\n",
	       field_whole(answer, "problems"), field_whole(answer, "sites"),
	       field_whole(answer, "pages"), field_whole(answer, "clusters"),
	       field_whole(answer, "df_counts"), field_whole(answer, "urls"));
}

static enum ctl_status run_verify(const struct ctl *ctl)
{
	json_t *answer = NULL;
	enum ctl_status status =
		option_given(ctl, "store")
			? check_store(ctl, &answer)
			: client_ask_json(ctl,
					  &(struct ask){.target = "/v1/verify"},
					  &answer);

	if (status != CTL_DONE)
		return status;
	if (ctl->is_json)
		client_print_json(answer);
	else
		print_report(answer);
	if (field_whole(answer, "problems") > 0)
		status = CTL_FAILED;
	json_decref(answer);
	return status;
}

static const struct verb_option events_options[] = {
	{.name = "since",
	 .kind = OPTION_WHOLE,
	 .value = "N",
	 .maximum = INT64_MAX,
	 .meaning = "events behind number N (default: 0, all)"},
	{.name = "site",
	 .kind = OPTION_TEXT,
	 .value = "HOST",
	 .meaning = "events of this site alone"},
	{.name = "follow",
	 .kind = OPTION_FLAG,
	 .meaning = "wait for more, asking each second"},
	{.name = NULL},
};

static const struct verb_option verify_options[] = {
	{.name = "store",
	 .kind = OPTION_TEXT,
	 .value = "DIR",
	 .meaning = "check the store in DIR itself, without the daemon"},
	{.name = NULL},
};

const struct verb verb_status = {
	.name = "status",
	.operands = "",
	.summary = "Show what the daemon does",
	.run = run_status,
};

const struct verb verb_events = {
	.name = "events",
	.operands = "",
	.summary = "Print what happened to pages and templates",
	.options = events_options,
	.run = run_events,
};

const struct verb verb_verify = {
	.name = "verify",
	.operands = "",
	.summary = "Recompute everything that is stored, and compare",
	.options = verify_options,
	.run = run_verify,
};
