/* daemon/ctl/ctl_template.c - templatectl: template. */
#include "daemon/ctl/ctl_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/runtime/table.h"
#include "daemon/runtime/terminal.h"

enum { MAX_DIGITS = 9 };

/* "-" stands for an unknown ratio. */
static void add_ratio(struct text_table *table, const json_t *item)
{
	const json_t *ratio = json_object_get(item, "ratio");

	if (json_is_number(ratio))
		table_printf(table, "%.2f", json_number_value(ratio));
	else
		table_add_text(table, "-");
}

static void template_add_text(struct text_table *table, const json_t *item)
{
	const char *text = json_string_value(json_object_get(item, "text"));

	if (text != NULL)
		table_add_text(table, text);
	else
		table_printf(table, "(text not stored; hash %s)",
			     field_text(item, "hash"));
}

/* Print the history of the template; nothing if it has no version yet. */
static void print_state(const json_t *answer)
{
	const char *state = json_string_value(json_object_get(answer, "state"));
	struct buffer line = {0};

	if (state == NULL)
		return;
	buffer_printf(&line, "%s: %s", field_text(answer, "id"), state);
	if (json_is_string(json_object_get(answer, "other")))
		buffer_printf(&line, ", %s", field_text(answer, "other"));
	buffer_printf(&line, "; version %" PRIu64 ", last seen %s\n\n",
		      field_whole(answer, "version"),
		      field_text(answer, "seen"));
	terminal_print(buffer_slice(&line));
	buffer_free(&line);
}

static void print_versions(const json_t *answer)
{
	static const struct table_column columns[] = {
		{.title = "VERSION", .is_number = true},
		{.title = "PAGES", .is_number = true},
		{.title = "FIRST"},
		{.title = "LAST"},
	};
	const json_t *list = json_object_get(answer, "versions");
	const json_t *row;
	struct text_table *table;
	size_t i;

	if (json_array_size(list) == 0)
		return;
	table = table_create(columns, sizeof(columns) / sizeof(*columns));
	json_array_foreach(list, i, row)
	{
		table_printf(table, "%" PRIu64, field_whole(row, "version"));
		table_printf(table, "%" PRIu64, field_whole(row, "pages"));
		table_add_text(table, field_text(row, "first"));
		table_add_text(table, field_text(row, "last"));
	}
	table_print(table);
	table_destroy(table);
	printf("\n");
}

static void print_lineage(const json_t *answer)
{
	static const struct table_column columns[] = {
		{.title = "TIME"},
		{.title = "BECAME"},
		{.title = "OTHER"},
	};
	const json_t *list = json_object_get(answer, "lineage");
	const json_t *row;
	struct text_table *table;
	size_t i;

	if (json_array_size(list) == 0)
		return;
	table = table_create(columns, sizeof(columns) / sizeof(*columns));
	json_array_foreach(list, i, row)
	{
		table_add_text(table, field_text(row, "time"));
		table_add_text(table, field_text(row, "kind"));
		table_add_text(table, field_text(row, "other"));
	}
	table_print(table);
	table_destroy(table);
	printf("\n");
}

static void print_live(const json_t *answer)
{
	static const struct table_column columns[] = {
		{.title = "DF", .is_number = true},
		{.title = "RATIO", .is_number = true},
		{.title = "TEXT", .is_elastic = true},
	};
	struct text_table *table;
	const json_t *row;
	size_t i;

	print_state(answer);
	print_versions(answer);
	print_lineage(answer);
	table = table_create(columns, sizeof(columns) / sizeof(*columns));
	json_array_foreach(json_object_get(answer, "fragments"), i, row)
	{
		table_printf(table, "%" PRIu64, field_whole(row, "df"));
		add_ratio(table, row);
		template_add_text(table, row);
	}
	table_print(table);
	table_destroy(table);
}

/* Add rows of one kind, up to the limit. */
static void add_items(const struct ctl *ctl, struct text_table *table,
		      const char *const *heads, const json_t *list)
{
	uint64_t limit = option_whole(ctl, "limit", UINT32_MAX);
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		if (i >= limit)
			break;
		for (const char *const *head = heads; *head != NULL; head++)
			table_add_text(table, *head);
		add_ratio(table, item);
		template_add_text(table, item);
	}
}

static void print_version(const struct ctl *ctl, const json_t *answer)
{
	static const struct table_column columns[] = {
		{.title = "WHAT"},
		{.title = "RATIO", .is_number = true},
		{.title = "TEXT", .is_elastic = true},
	};
	static const char *const path[] = {"path", NULL};
	static const char *const fragment[] = {"fragment", NULL};
	struct text_table *table =
		table_create(columns, sizeof(columns) / sizeof(*columns));
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(answer, "samples"), i, item)
	{
		table_add_text(table, "page");
		table_add_text(table, "");
		table_add_text(table, json_string_value(item));
	}
	json_array_foreach(json_object_get(answer, "regions"), i, item)
	{
		table_add_text(table, "content");
		add_ratio(table, item);
		table_add_text(table, field_text(item, "path"));
	}
	add_items(ctl, table, path, json_object_get(answer, "paths"));
	if (option_given(ctl, "version"))
		add_items(ctl, table, fragment,
			  json_object_get(answer, "fragments"));
	table_print(table);
	table_destroy(table);
}

/*
 * Print the fragments by their current counts, and the paths of the newest
 * version.
 */
static void template_print(const struct ctl *ctl, const json_t *answer)
{
	struct buffer target = {0};
	json_t *version = NULL;

	print_live(answer);
	if (field_whole(answer, "version") == 0 ||
	    !client_cluster_target(ctl, ctl->operands[0], "/versions/",
				   &target))
		return;
	buffer_printf(&target, "%" PRIu64, field_whole(answer, "version"));
	if (client_ask_value(ctl, NULL, target.data, NULL, &version) ==
	    CTL_DONE) {
		printf("\n");
		print_version(ctl, version);
	}
	json_decref(version);
	buffer_free(&target);
}

static void print_diff(const struct ctl *ctl, const json_t *answer)
{
	static const struct table_column columns[] = {
		{.title = ""},
		{.title = "WHAT"},
		{.title = "RATIO", .is_number = true},
		{.title = "TEXT", .is_elastic = true},
	};
	static const struct {
		const char *list;
		const char *turn;
		const char *heads[3];
	} parts[] = {
		{"paths", "gone", {"-", "path", NULL}},
		{"paths", "come", {"+", "path", NULL}},
		{"fragments", "gone", {"-", "fragment", NULL}},
		{"fragments", "come", {"+", "fragment", NULL}},
	};
	struct text_table *table =
		table_create(columns, sizeof(columns) / sizeof(*columns));

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const json_t *part = json_object_get(answer, parts[i].list);

		if (i % 2 == 0)
			printf("%s moved: %.0f %%\n", parts[i].list,
			       100 * json_number_value(
					     json_object_get(part, "moved")));
		add_items(ctl, table, parts[i].heads,
			  json_object_get(part, parts[i].turn));
	}
	table_print(table);
	table_destroy(table);
}

static enum ctl_status print_answer(const struct ctl *ctl, const char *target,
				    void (*print)(const struct ctl *ctl,
						  const json_t *answer))
{
	json_t *answer = NULL;
	enum ctl_status status =
		client_ask_value(ctl, NULL, target, NULL, &answer);

	if (status != CTL_DONE)
		return status;
	if (ctl->is_json)
		client_print_json(answer);
	else
		print(ctl, answer);
	json_decref(answer);
	return CTL_DONE;
}

static bool is_version(const char *text)
{
	size_t length = strlen(text);

	return length > 0 && length <= MAX_DIGITS &&
	       strspn(text, "0123456789") == length && text[0] != '0';
}

/* Check that the command has versions if and only if it has --diff. */
static bool check_operands(const struct ctl *ctl)
{
	bool is_diff = option_given(ctl, "diff");

	if (is_diff && option_given(ctl, "version")) {
		ctl_print_error(ctl, "use --diff or --version, not both");
		return false;
	}
	if (ctl->operand_count != (is_diff ? 3U : 1U)) {
		ctl_print_error(ctl, is_diff ? "--diff needs two versions"
					     : "give one template");
		return false;
	}
	for (size_t i = 1; i < ctl->operand_count; i++)
		if (!is_version(ctl->operands[i])) {
			ctl_print_error(ctl, "%s: not a version",
					ctl->operands[i]);
			return false;
		}
	return true;
}

static enum ctl_status run_template(const struct ctl *ctl)
{
	const char *ending = option_given(ctl, "diff") ? "/diff" : "/versions/";
	struct buffer target = {0};
	enum ctl_status status;

	if (!check_operands(ctl) ||
	    !client_cluster_target(ctl, ctl->operands[0], ending, &target))
		return CTL_USAGE;
	if (option_given(ctl, "diff")) {
		buffer_printf(&target, "?from=%s&to=%s", ctl->operands[1],
			      ctl->operands[2]);
		status = print_answer(ctl, target.data, print_diff);
	} else if (option_given(ctl, "version")) {
		buffer_printf(&target, "%" PRIu64,
			      option_whole(ctl, "version", 0));
		status = print_answer(ctl, target.data, print_version);
	} else {
		buffer_append_text(&target, "current");
		if (option_given(ctl, "limit"))
			buffer_printf(&target, "?limit=%" PRIu64,
				      option_whole(ctl, "limit", 0));
		status = print_answer(ctl, target.data, template_print);
	}
	buffer_free(&target);
	return status;
}

static const struct verb_option options[] = {
	{.name = "version",
	 .kind = OPTION_WHOLE,
	 .value = "V",
	 .minimum = 1,
	 .maximum = UINT32_MAX,
	 .meaning = "the state at that version: paths, texts, position of the "
		    "content"},
	{.name = "diff",
	 .kind = OPTION_FLAG,
	 .meaning = "show what version V2 added and removed since V1"},
	{.name = "limit",
	 .kind = OPTION_WHOLE,
	 .value = "N",
	 .minimum = 1,
	 .maximum = 100000,
	 .meaning = "at most this many fragments, or paths"},
	{.name = NULL},
};

const struct verb verb_template = {
	.name = "template",
	.group = VERBS_LOOK,
	.operands = "HOST/N [V1 V2]",
	.min_operands = 1,
	.max_operands = 3,
	.summary =
		"Show what the pages of a template share, now or in the past",
	.options = options,
	.run = run_template,
};
