/* daemon/ctl/ctl_poison.c - templatectl: poison. */
#include "daemon/ctl/ctl_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/runtime/table.h"

static const struct table_column columns[] = {
	{.title = "TIME"},
	{.title = "BYTES", .is_number = true},
	{.title = "REASON"},
	{.title = "URL", .is_elastic = true},
};

static void quarantine_add_row(struct text_table *table, const json_t *page)
{
	table_add_text(table, field_text(page, "time"));
	table_printf(table, "%" PRIu64, field_whole(page, "bytes"));
	table_add_text(table, field_text(page, "reason"));
	table_add_text(table, field_text(page, "url"));
}

static const struct client_list poison_list = {
	"pages", columns, sizeof(columns) / sizeof(columns[0]),
	quarantine_add_row};

/* Write the bytes of the page to standard output, unchanged. */
static enum ctl_status print_body(const struct ctl *ctl, const char *target)
{
	struct buffer body = {0};
	enum ctl_status status = client_ask(
		ctl, &(struct client_request){.target = target}, &body);

	if (status == CTL_DONE)
		fwrite(body.data, 1, body.size, stdout);
	buffer_free(&body);
	return status;
}

static enum ctl_status run_poison(const struct ctl *ctl)
{
	struct buffer target = {0};
	enum ctl_status status;
	json_t *answer = NULL;

	if (ctl->operand_count == 0 && !option_given(ctl, "forget"))
		return client_print_list(ctl, "/v1/quarantine", &poison_list);
	if (ctl->operand_count == 0) {
		ctl_print_error(ctl, "--forget needs the URL of a page");
		return CTL_USAGE;
	}
	buffer_append_text(&target, "/v1/quarantine?url=");
	client_append_escaped(&target, ctl->operands[0]);
	if (option_given(ctl, "forget")) {
		status = client_ask_value(ctl, "DELETE", target.data, NULL,
					  &answer);
		json_decref(answer);
	} else {
		status = print_body(ctl, target.data);
	}
	buffer_free(&target);
	return status;
}

static const struct verb_option poison_options[] = {
	{.name = "forget",
	 .kind = OPTION_FLAG,
	 .meaning = "delete the entry, so that the next visit reads the page "
		    "again"},
	{.name = NULL},
};

const struct verb verb_poison = {
	.name = "poison",
	.group = VERBS_CRAWL,
	.operands = "[URL]",
	.min_operands = 0,
	.max_operands = 1,
	.summary = "List quarantined pages, which crashed a worker; with a URL "
		   "print its bytes",
	.options = poison_options,
	.run = run_poison,
};
