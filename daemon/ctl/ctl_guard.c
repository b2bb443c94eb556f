/* daemon/ctl/ctl_guard.c - templatectl: guard. */
#include "daemon/ctl/ctl_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/runtime/table.h"

/*
 * Set `target` to "/v1/sites/HOST/guards", and *cluster_out to the N of HOST/N,
 * or 0.
 */
static bool guards_target(const struct ctl *ctl, const char *operand,
			  struct buffer *target, uint64_t *cluster_out)
{
	const char *slash = strrchr(operand, '/');
	struct buffer name = {0};
	char host[MAX_HOST_BYTES + 1];
	bool is_right;

	*cluster_out = 0;
	if (slash != NULL && slash[1] != '\0' &&
	    slash[1 + strspn(slash + 1, "0123456789")] == '\0')
		*cluster_out = strtoull(slash + 1, NULL, 10);
	if (*cluster_out != 0)
		buffer_append(&name, operand, (size_t)(slash - operand));
	else
		buffer_append_text(&name, operand);
	buffer_append_byte(&name, '\0');
	is_right = client_host(ctl, name.data, host);
	buffer_free(&name);
	if (!is_right)
		return false;
	buffer_append_text(target, "/v1/sites/");
	client_append_escaped(target, host);
	buffer_append_text(target, "/guards");
	return true;
}

static const struct table_column guard_columns[] = {
	{.title = "ID", .is_number = true},
	{.title = "NAME"},
	{.title = "STATE"},
	{.title = "PAGES", .is_number = true},
	{.title = "FAILING", .is_number = true},
	{.title = "EXPECT"},
	{.title = "TEMPLATE"},
	{.title = "SELECTOR", .is_elastic = true},
};

static void guard_add_row(struct text_table *table, const json_t *guard)
{
	table_printf(table, "%" PRIu64, field_whole(guard, "id"));
	table_add_text(table, field_text(guard, "name"));
	table_add_text(table, field_text(guard, "state"));
	table_printf(table, "%" PRIu64, field_whole(guard, "pages"));
	table_printf(table, "%" PRIu64, field_whole(guard, "failing"));
	table_add_text(table, field_text(guard, "expect"));
	table_add_text(table, field_text(guard, "cluster"));
	table_add_text(table, field_text(guard, "selector"));
}

static const struct client_list guard_list = {
	"guards", guard_columns,
	sizeof(guard_columns) / sizeof(guard_columns[0]), guard_add_row};

static const struct table_column page_columns[] = {
	{.title = "MATCHES", .is_number = true},
	{.title = "LAST GOOD VALUE", .is_elastic = true},
	{.title = "PAGE", .is_elastic = true},
};

static void print_pages(const json_t *pages, const char *value)
{
	struct text_table *table = table_create(
		page_columns, sizeof(page_columns) / sizeof(page_columns[0]));
	const json_t *page;
	size_t i;

	json_array_foreach(pages, i, page)
	{
		table_printf(table, "%" PRIu64, field_whole(page, "matches"));
		table_add_text(table, field_text(page, value));
		table_add_text(table, field_text(page, "url"));
	}
	if (json_array_size(pages) > 0) {
		putchar('\n');
		table_print(table);
	}
	table_destroy(table);
}

static const struct table_column candidate_columns[] = {
	{.title = "SCORE", .is_number = true},
	{.title = "PAGES", .is_number = true},
	{.title = "CANDIDATE", .is_elastic = true},
	{.title = "EXAMPLE", .is_elastic = true},
};

static void print_candidates(const json_t *candidates)
{
	struct text_table *table = table_create(
		candidate_columns,
		sizeof(candidate_columns) / sizeof(candidate_columns[0]));
	const json_t *row;
	size_t i;

	json_array_foreach(candidates, i, row)
	{
		table_printf(table, "%.2f",
			     json_number_value(json_object_get(row, "score")));
		table_printf(table, "%" PRIu64, field_whole(row, "pages"));
		table_add_text(table, field_text(row, "selector"));
		table_add_text(table, field_text(row, "example"));
	}
	if (json_array_size(candidates) > 0) {
		putchar('\n');
		table_print(table);
	}
	table_destroy(table);
}

static void print_guard(const struct ctl *ctl, json_t *guard)
{
	static const char *const lists[] = {"sample", "candidates", "examples"};
	json_t *tables[3];

	if (ctl->is_json) {
		client_print_json(guard);
		return;
	}
	for (size_t i = 0; i < 3; i++) {
		tables[i] = json_incref(json_object_get(guard, lists[i]));
		json_object_del(guard, lists[i]);
	}
	client_print_object(guard);
	print_pages(tables[2] != NULL ? tables[2] : tables[0], "value");
	print_candidates(tables[1]);
	for (size_t i = 0; i < 3; i++)
		json_decref(tables[i]);
}

static enum ctl_status ctl_guard_add(const struct ctl *ctl, const char *target,
				     uint64_t cluster)
{
	static const char *const options[] = {"css", "xpath", "expect", "name"};
	json_t *body = json_object();
	json_t *answer;
	enum ctl_status status;

	for (size_t i = 0; i < 4; i++)
		if (option_given(ctl, options[i]))
			json_object_set_new(
				body, options[i],
				json_string(option_text(ctl, options[i])));
	if (cluster != 0)
		json_object_set_new(body, "cluster",
				    json_integer((json_int_t)cluster));
	status = client_ask_value(ctl, "POST", target, body, &answer);
	json_decref(body);
	if (status == CTL_DONE) {
		print_guard(ctl, answer);
		if (json_is_string(json_object_get(answer, "warning")))
			ctl_print_error(ctl, "%s",
					field_text(answer, "warning"));
	}
	json_decref(answer);
	return status;
}

/*
 * Return the number of a guard, given by number or name. If it does not exist,
 * print a message and return 0.
 */
static uint64_t find_guard(const struct ctl *ctl, const char *target,
			   const char *wanted, enum ctl_status *status_out)
{
	uint64_t number = 0;
	json_t *answer;
	const json_t *row;
	size_t i;

	*status_out = CTL_DONE;
	if (wanted[strspn(wanted, "0123456789")] == '\0')
		return strtoull(wanted, NULL, 10);
	*status_out = client_ask_value(ctl, NULL, target, NULL, &answer);
	json_array_foreach(json_object_get(answer, "guards"), i, row)
	{
		if (strcmp(field_text(row, "name"), wanted) == 0)
			number = field_whole(row, "id");
	}
	json_decref(answer);
	if (*status_out == CTL_DONE && number == 0) {
		ctl_print_error(ctl, "%s: no such guard", wanted);
		*status_out = CTL_FAILED;
	}
	return number;
}

static enum ctl_status with_guard(const struct ctl *ctl, const char *method,
				  struct buffer *target, const char *wanted)
{
	enum ctl_status status = CTL_DONE;
	uint64_t number = find_guard(ctl, target->data, wanted, &status);
	json_t *answer;

	if (status != CTL_DONE)
		return status;
	buffer_printf(target, "/%" PRIu64, number);
	status = client_ask_value(ctl, method, target->data, NULL, &answer);
	if (status == CTL_DONE)
		print_guard(ctl, answer);
	json_decref(answer);
	return status;
}

static enum ctl_status run_on_all(const struct ctl *ctl)
{
	json_t *answer;
	const json_t *site;
	size_t i;
	enum ctl_status status = client_ask_sites(ctl, &answer);

	json_array_foreach(json_object_get(answer, "sites"), i, site)
	{
		struct buffer target = {0};

		buffer_append_text(&target, "/v1/sites/");
		client_append_escaped(&target, field_text(site, "host"));
		buffer_append_text(&target, "/guards");
		if (!ctl->is_json)
			printf("%s%s\n", i == 0 ? "" : "\n",
			       field_text(site, "host"));
		if (status == CTL_DONE)
			status = client_print_list(ctl, target.data,
						   &guard_list);
		buffer_free(&target);
	}
	json_decref(answer);
	return status;
}

static enum ctl_status run_guard(const struct ctl *ctl)
{
	const char *action = ctl->operands[0];
	struct buffer target = {0};
	enum ctl_status status = CTL_USAGE;
	uint64_t cluster = 0;

	if (strcmp(action, "list") == 0 && ctl->operand_count == 1)
		return run_on_all(ctl);
	if (ctl->operand_count > 1 &&
	    !guards_target(ctl, ctl->operands[1], &target, &cluster))
		goto out;
	if (strcmp(action, "list") == 0)
		status = client_print_list(ctl, target.data, &guard_list);
	else if (strcmp(action, "add") == 0)
		status = ctl_guard_add(ctl, target.data, cluster);
	else
		status = with_guard(ctl,
				    strcmp(action, "rm") == 0 ? "DELETE" : NULL,
				    &target, ctl->operands[2]);
out:
	buffer_free(&target);
	return status;
}

static const struct verb_option guard_options[] = {
	{.name = "css",
	 .kind = OPTION_TEXT,
	 .value = "S",
	 .meaning = "a CSS selector that must match"},
	{.name = "xpath",
	 .kind = OPTION_TEXT,
	 .value = "X",
	 .meaning = "an XPath 1.0 expression instead"},
	{.name = "expect",
	 .kind = OPTION_TEXT,
	 .value = "N",
	 .meaning = "matches on a page: 1 (default), 1.., 0 or 2..5"},
	{.name = "name",
	 .kind = OPTION_TEXT,
	 .value = "W",
	 .meaning = "name of the guard"},
	{.name = NULL},
};

const struct verb verb_guard = {
	.name = "guard",
	.group = VERBS_WATCH,
	.operands = "add HOST[/N] | list [HOST] | show HOST GUARD | "
		    "rm HOST GUARD",
	.min_operands = 1,
	.max_operands = 3,
	.summary = "Manage selectors that must keep matching",
	.options = guard_options,
	.run = run_guard,
};
