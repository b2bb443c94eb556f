/* daemon/ctl/ctl_sites.c - templatectl: sites, site. */
#include "daemon/ctl/ctl_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/runtime/table.h"

static const struct table_column site_columns[] = {
	{.title = "SITE", .is_elastic = true},
	{.title = "STATE"},
	{.title = "PAGES", .is_number = true},
	{.title = "CLUSTERS", .is_number = true},
	{.title = "PENDING", .is_number = true},
	{.title = "FAILED", .is_number = true},
	{.title = "MEASURE"},
	{.title = "THRESHOLD", .is_number = true},
	{.title = "ADDED"},
};

static void site_add_row(struct text_table *table, const json_t *site)
{
	static const char *const counts[] = {"pages", "clusters", "pending",
					     "failed"};

	table_add_text(table, field_text(site, "host"));
	table_add_text(table, field_text(site, "state"));
	for (size_t i = 0; i < 4; i++)
		table_printf(table, "%" PRIu64, field_whole(site, counts[i]));
	table_add_text(table, field_text(site, "measure"));
	table_printf(table, "%g%s",
		     json_number_value(json_object_get(site, "threshold")),
		     json_is_true(json_object_get(site, "auto")) ? " auto"
								 : "");
	table_add_text(table, field_text(site, "added"));
}

static enum ctl_status run_sites(const struct ctl *ctl)
{
	static const struct client_list list = {
		"sites", site_columns,
		sizeof(site_columns) / sizeof(*site_columns), site_add_row};
	json_t *answer;
	enum ctl_status status = client_ask_sites(ctl, &answer);

	if (status == CTL_DONE)
		client_print_rows(ctl, answer, &list);
	json_decref(answer);
	return status;
}

static const struct table_column pattern_columns[] = {
	{.title = "PATTERN", .is_elastic = true},
	{.title = "FOUND", .is_number = true},
	{.title = "VISITED", .is_number = true},
	{.title = "QUIET", .is_number = true},
	{.title = "STATE"},
	{.title = "CLUSTER"},
};

static void print_patterns(const json_t *patterns)
{
	struct text_table *table =
		table_create(pattern_columns, sizeof(pattern_columns) /
						      sizeof(*pattern_columns));
	const json_t *row;
	size_t i;

	json_array_foreach(patterns, i, row)
	{
		if (strcmp(field_text(row, "kind"), "fine") != 0)
			continue;
		table_add_text(table, field_text(row, "pattern"));
		table_printf(table, "%" PRIu64, field_whole(row, "found"));
		table_printf(table, "%" PRIu64, field_whole(row, "visited"));
		table_printf(table, "%" PRIu64, field_whole(row, "quiet"));
		table_add_text(table, field_text(row, "state"));
		table_add_text(table, field_text(row, "cluster"));
	}
	putchar('\n');
	table_print(table);
	table_destroy(table);
}

/* Print the site and its URL patterns. */
static enum ctl_status show_site(const struct ctl *ctl, struct buffer *target,
				 json_t *site)
{
	json_t *answer = NULL;
	enum ctl_status status;
	json_t *patterns;

	buffer_append_text(target, "/patterns");
	status = client_ask_value(ctl, NULL, target->data, NULL, &answer);
	if (status != CTL_DONE)
		return status;
	patterns = json_object_get(answer, "patterns");
	if (ctl->is_json)
		json_object_set(site, "patterns", patterns);
	client_print(ctl, site);
	if (!ctl->is_json && json_array_size(patterns) > 0)
		print_patterns(patterns);
	json_decref(answer);
	return CTL_DONE;
}

static enum ctl_status run_site(const struct ctl *ctl)
{
	bool is_delete = option_given(ctl, "delete");
	struct buffer target = {0};
	char host[MAX_HOST_BYTES + 1];
	json_t *answer = NULL;
	enum ctl_status status;

	if (!client_host(ctl, ctl->operands[0], host))
		return CTL_USAGE;
	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target, host);
	status = client_ask_json(
		ctl,
		&(struct client_request){
			.method = is_delete ? "DELETE" : "GET",
			.target = target.data,
			.timeout_ms = is_delete ? 0 : ASK_TIMEOUT_MS},
		&answer);
	if (status == CTL_DONE && is_delete)
		client_print(ctl, answer);
	else if (status == CTL_DONE)
		status = show_site(ctl, &target, answer);
	json_decref(answer);
	buffer_free(&target);
	return status;
}

static const struct verb_option site_options[] = {
	{.name = "delete",
	 .kind = OPTION_FLAG,
	 .meaning = "delete the site and all its data"},
	{.name = NULL},
};

const struct verb verb_sites = {
	.name = "sites",
	.group = VERBS_WATCH,
	.operands = "",
	.summary = "List the sites",
	.run = run_sites,
};

const struct verb verb_site = {
	.name = "site",
	.group = VERBS_WATCH,
	.operands = "HOST",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Show or delete a site",
	.options = site_options,
	.run = run_site,
};
