/* daemon/ctl/ctl_templates.c - templatectl: clusters, pages, text. */
#include "daemon/ctl/ctl_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/ctl_request.h"
#include "daemon/runtime/table.h"
#include "daemon/runtime/terminal.h"

/* Request `target` and print the rows of its array `name`, or all as JSON. */
static enum ctl_status print_rows(const struct ctl *ctl, const char *target,
				  const char *name, struct text_table *table,
				  void (*add)(struct text_table *table,
					      const json_t *row))
{
	json_t *answer = NULL;
	const json_t *row;
	size_t i;
	enum ctl_status status = client_ask_json(
		ctl,
		&(struct client_request){.target = target,
					 .timeout_ms = ASK_TIMEOUT_MS},
		&answer);

	if (status != CTL_DONE)
		return status;
	json_array_foreach(json_object_get(answer, name), i, row)
	{
		add(table, row);
	}
	if (ctl->is_json)
		client_print_json(answer);
	else
		table_print(table);
	json_decref(answer);
	return CTL_DONE;
}

static void template_add_row(struct text_table *table, const json_t *cluster)
{
	const json_t *example =
		json_array_get(json_object_get(cluster, "sample"), 0);

	table_add_text(table, field_text(cluster, "id"));
	table_printf(table, "%" PRIu64, field_whole(cluster, "pages"));
	table_add_text(table,
		       json_is_true(json_object_get(cluster, "has_template"))
			       ? "yes"
			       : "no");
	table_add_text(table, field_text(cluster, "changed"));
	table_add_text(table, field_text(example, "url"));
	table_add_text(table, field_text(example, "title"));
}

static enum ctl_status run_clusters(const struct ctl *ctl)
{
	static const struct table_column columns[] = {
		{.title = "TEMPLATE"},
		{.title = "PAGES", .is_number = true},
		{.title = "LEARNED"},
		{.title = "CHANGED"},
		{.title = "EXAMPLE", .is_elastic = true},
		{.title = "TITLE", .is_elastic = true},
	};
	struct buffer target = {0};
	char host[MAX_HOST_BYTES + 1];
	struct text_table *table;
	enum ctl_status status;

	if (!client_host(ctl, ctl->operands[0], host))
		return CTL_USAGE;
	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target, host);
	buffer_append_text(&target, "/templates");
	table = table_create(columns, sizeof(columns) / sizeof(*columns));
	status = print_rows(ctl, target.data, "templates", table,
			    template_add_row);
	table_destroy(table);
	buffer_free(&target);
	return status;
}

static void template_add_page_row(struct text_table *table, const json_t *page)
{
	table_add_text(table, field_text(page, "url"));
	table_printf(table, "%" PRIu64, field_whole(page, "bytes"));
	table_add_text(table, field_text(page, "fetched"));
	table_add_text(table, field_text(page, "title"));
}

static enum ctl_status run_pages(const struct ctl *ctl)
{
	static const struct table_column columns[] = {
		{.title = "URL", .is_elastic = true},
		{.title = "BYTES", .is_number = true},
		{.title = "FETCHED"},
		{.title = "TITLE", .is_elastic = true},
	};
	struct buffer target = {0};
	struct text_table *table;
	enum ctl_status status;

	if (!client_cluster_target(ctl, ctl->operands[0], "/pages", &target))
		return CTL_USAGE;
	buffer_printf(&target, "?limit=%" PRIu64,
		      option_whole(ctl, "limit", 1000));
	if (option_given(ctl, "after")) {
		buffer_append_text(&target, "&after=");
		client_append_escaped(&target, option_text(ctl, "after"));
	}
	table = table_create(columns, sizeof(columns) / sizeof(*columns));
	status = print_rows(ctl, target.data, "pages", table,
			    template_add_page_row);
	table_destroy(table);
	buffer_free(&target);
	return status;
}

static void page_append_argument(struct buffer *target, const char *name,
				 const char *value)
{
	if (value == NULL)
		return;
	buffer_printf(target, "&%s=", name);
	client_append_escaped(target, value);
}

static enum ctl_status run_text(const struct ctl *ctl)
{
	struct ctl_request asked;
	struct buffer target = {0};
	struct buffer answer = {0};
	enum ctl_status status;

	if (!ctl_request_read(ctl, &asked)) {
		ctl_request_free(&asked);
		return CTL_USAGE;
	}
	buffer_append_text(&target, "/v1/text?url=");
	client_append_escaped(&target, ctl->operands[0]);
	page_append_argument(&target, "format",
			     ctl->is_json ? "json"
					  : option_text(ctl, "format"));
	page_append_argument(&target, "fetch", option_text(ctl, "fetch"));
	page_append_argument(&target, "timeout_ms",
			     option_text(ctl, "timeout"));
	ctl_request_append(&asked, &target);
	ctl_request_free(&asked);
	/* no timeout: the daemon limits the time of the fetch */
	status = client_ask(
		ctl, &(struct client_request){.target = target.data}, &answer);
	if (status == CTL_DONE) {
		terminal_print(buffer_slice(&answer));
		if (answer.size > 0 && answer.data[answer.size - 1] != '\n')
			printf("\n");
	}
	buffer_free(&answer);
	buffer_free(&target);
	return status;
}

#define OPTION_LIMIT_ROW(text)                                       \
	{                                                            \
		.name = "limit", .kind = OPTION_WHOLE, .value = "N", \
		.minimum = 1, .maximum = 100000, .meaning = (text)   \
	}

static const struct verb_option pages_options[] = {
	OPTION_LIMIT_ROW("at most this many pages (default: 1000)"),
	{.name = "after",
	 .kind = OPTION_TEXT,
	 .value = "URL",
	 .meaning = "start after this page"},
	{.name = NULL},
};

static const struct verb_option text_options[] = {
	OPTION_FORMAT_ROW,
	OPTION_METHOD_ROW,
	OPTION_PARAM_ROW,
	OPTION_FAVOR_ROW,
	OPTION_SCOPE_ROW,
	OPTION_WITH_ROW,
	OPTION_EXTRAS_ROWS,
	OPTION_INCLUDE_ROW,
	OPTION_EXCLUDE_ROW,
	{.name = "fetch",
	 .kind = OPTION_CHOICE,
	 .value = "never|missing|always",
	 .meaning = "when the daemon may fetch the page"},
	{.name = "timeout",
	 .kind = OPTION_WHOLE,
	 .value = "MS",
	 .minimum = 1,
	 .maximum = 3600000,
	 .meaning = "timeout of the fetch"},
	{.name = NULL},
};

const struct verb verb_clusters = {
	.name = "clusters",
	.group = VERBS_LOOK,
	.operands = "HOST",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "List the templates of a site",
	.run = run_clusters,
};

const struct verb verb_pages = {
	.name = "pages",
	.group = VERBS_LOOK,
	.operands = "HOST/N",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "List the pages of a template",
	.options = pages_options,
	.run = run_pages,
};

const struct verb verb_text = {
	.name = "text",
	.group = VERBS_READ,
	.operands = "URL",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Print the content of a page",
	.options = text_options,
	.run = run_text,
};
