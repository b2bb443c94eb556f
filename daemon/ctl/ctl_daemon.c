/* daemon/ctl/ctl_daemon.c - templatectl: status, verify. */
#include "daemon/ctl/ctl_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/ctl_store.h"
#include "daemon/runtime/table.h"
#include "daemon/runtime/terminal.h"
#include "store/store.h"

/* `one` is a running process of the role; NULL if none runs. */
static void add_process(struct text_table *table, const json_t *role,
			const json_t *one)
{
	table_add_text(table, field_text(role, "role"));
	if (one == NULL)
		table_add_text(table, "-");
	else
		table_printf(table, "%" PRIu64, field_whole(one, "pid"));
	table_add_text(table, field_text(one, "since"));
	table_printf(table, "%" PRIu64, field_whole(role, "deaths"));
	table_add_text(table, field_text(role, "holds"));
	table_add_text(table, field_text(role, "lacks"));
}

static void print_processes(const json_t *roles)
{
	static const struct table_column columns[] = {
		{.title = "PROCESS"},
		{.title = "PID", .is_number = true},
		{.title = "SINCE"},
		{.title = "DEATHS", .is_number = true},
		{.title = "HOLDS", .is_elastic = true},
		{.title = "LACKS", .is_elastic = true},
	};
	struct text_table *table = table_create(columns, 6);
	const json_t *role;
	size_t i;

	json_array_foreach(roles, i, role)
	{
		const json_t *running = json_object_get(role, "running");
		size_t at = 0;

		do
			add_process(table, role, json_array_get(running, at));
		while (++at < json_array_size(running));
	}
	table_print(table);
	table_destroy(table);
}

static void status_print(json_t *answer)
{
	json_t *processes = json_incref(json_object_get(answer, "processes"));

	json_object_del(answer, "processes");
	client_print_object(answer);
	if (json_array_size(processes) > 0) {
		putchar('\n');
		print_processes(processes);
	}
	json_decref(processes);
}

static enum ctl_status run_status(const struct ctl *ctl)
{
	json_t *answer = NULL;
	enum ctl_status status = client_ask_json(
		ctl,
		&(struct client_request){.target = "/v1/status",
					 .timeout_ms = ASK_TIMEOUT_MS},
		&answer);

	if (status != CTL_DONE)
		return status;
	if (ctl->is_json)
		client_print_json(answer);
	else
		status_print(answer);
	json_decref(answer);
	return CTL_DONE;
}

/* Return the report of an offline check, in the form of GET /v1/verify. */
static json_t *verify_report_json(const struct verify_report *report)
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
	struct verify_report report;
	bool is_read =
		ctl_verify_store(ctl, option_text(ctl, "store"), &report);

	if (is_read)
		*answer_out = verify_report_json(&report);
	buffer_free(&report.text);
	return is_read ? CTL_DONE : CTL_FAILED;
}

static void verify_report_print(const json_t *answer)
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
					  &(struct client_request){
						  .target = "/v1/verify"},
					  &answer);

	if (status != CTL_DONE)
		return status;
	if (ctl->is_json)
		client_print_json(answer);
	else
		verify_report_print(answer);
	if (field_whole(answer, "problems") > 0)
		status = CTL_FAILED;
	json_decref(answer);
	return status;
}

static const struct verb_option verify_options[] = {
	{.name = "store",
	 .kind = OPTION_TEXT,
	 .value = "DIR",
	 .meaning = "verify the store in DIR, without the daemon"},
	OPTION_TIME_ROW,
	{.name = NULL},
};

const struct verb verb_status = {
	.name = "status",
	.group = VERBS_OPERATE,
	.operands = "",
	.summary = "Show the state of the daemon",
	.run = run_status,
};

const struct verb verb_verify = {
	.name = "verify",
	.group = VERBS_OPERATE,
	.operands = "",
	.summary = "Recompute all stored data, and compare",
	.options = verify_options,
	.run = run_verify,
};
