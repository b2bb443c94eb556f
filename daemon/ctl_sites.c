/* daemon/ctl_sites.c - templatectl: watch, sites, site. */
#include "daemon/ctl_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/progress.h"
#include "daemon/table.h"

enum { POLL_MS = 500 };

static void add_whole(const struct ctl *ctl, const char *option, json_t *body,
		      const char *member)
{
	if (option_given(ctl, option))
		json_object_set_new(
			body, member,
			json_integer((json_int_t)option_whole(ctl, option, 0)));
}

static json_t *threshold_json(const struct ctl *ctl)
{
	unsigned threshold = option_cut(ctl, "threshold", 0);

	return threshold == THRESHOLD_AUTO ? json_string("auto")
					   : json_real(threshold / 1000.0);
}

static json_t *watch_body(const struct ctl *ctl)
{
	json_t *body = json_object();

	json_object_set_new(body, "url", json_string(ctl->operands[0]));
	add_whole(ctl, "max-pages", body, "max_pages");
	add_whole(ctl, "max-depth", body, "max_depth");
	add_whole(ctl, "delay", body, "delay_ms");
	add_whole(ctl, "revisit", body, "revisit_s");
	if (option_given(ctl, "measure"))
		json_object_set_new(body, "measure",
				    json_string(option_text(ctl, "measure")));
	add_whole(ctl, "width", body, "width");
	if (option_given(ctl, "threshold"))
		json_object_set_new(body, "threshold", threshold_json(ctl));
	if (option_given(ctl, "private"))
		json_object_set_new(body, "private", json_true());
	return body;
}

static void print_site(const struct ctl *ctl, const json_t *site)
{
	if (ctl->is_json)
		client_print_json(site);
	else
		client_print_object(site);
}

static void show_crawl(struct progress *progress, const json_t *site)
{
	uint64_t found = field_whole(site, "found");
	uint64_t pending = field_whole(site, "pending");
	char note[64];

	snprintf(note, sizeof(note), "%" PRIu64 " pages, %" PRIu64 " clusters",
		 field_whole(site, "pages"), field_whole(site, "clusters"));
	progress_show(progress, found > pending ? found - pending : 0, found,
		      note);
}

static const char *state_of(const json_t *site)
{
	return field_text(site, "state");
}

/* Poll until the crawl is done; `*site` is replaced by its last state. */
static enum ctl_status wait_for(const struct ctl *ctl, json_t **site)
{
	const struct timespec pause = {.tv_nsec = POLL_MS * 1000000L};
	struct progress progress = progress_begin("crawl");
	struct buffer target = {0};
	enum ctl_status status = CTL_DONE;

	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target, field_text(*site, "host"));
	while (status == CTL_DONE && strcmp(state_of(*site), "watching") != 0) {
		json_t *next = NULL;

		show_crawl(&progress, *site);
		nanosleep(&pause, NULL);
		status = client_ask_json(
			ctl,
			&(struct ask){.target = target.data,
				      .timeout_ms = ASK_TIMEOUT_MS},
			&next);
		if (status != CTL_DONE)
			break;
		json_decref(*site);
		*site = next;
	}
	progress_clear(&progress);
	buffer_free(&target);
	return status;
}

static enum ctl_status run_watch(const struct ctl *ctl)
{
	json_t *body = watch_body(ctl);
	json_t *site = NULL;
	enum ctl_status status =
		client_ask_json(ctl,
				&(struct ask){.method = "POST",
					      .target = "/v1/sites",
					      .body = body,
					      .timeout_ms = ASK_TIMEOUT_MS},
				&site);

	if (status == CTL_DONE && option_given(ctl, "wait"))
		status = wait_for(ctl, &site);
	if (status == CTL_DONE)
		print_site(ctl, site);
	json_decref(body);
	json_decref(site);
	return status;
}

static const struct column site_columns[] = {
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

static void add_site(struct text_table *table, const json_t *site)
{
	static const char *const counts[] = {"pages", "clusters", "pending",
					     "failed"};

	table_add_text(table, field_text(site, "host"));
	table_add_text(table, state_of(site));
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
	json_t *answer = NULL;
	enum ctl_status status =
		client_ask_json(ctl,
				&(struct ask){.target = "/v1/sites",
					      .timeout_ms = ASK_TIMEOUT_MS},
				&answer);
	struct text_table *table;
	const json_t *site;
	size_t i;

	if (status != CTL_DONE)
		return status;
	table = table_create(site_columns,
			     sizeof(site_columns) / sizeof(*site_columns));
	json_array_foreach(json_object_get(answer, "sites"), i, site)
	{
		add_site(table, site);
	}
	if (ctl->is_json)
		client_print_json(answer);
	else
		table_print(table);
	table_destroy(table);
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
		&(struct ask){.method = is_delete ? "DELETE" : "GET",
			      .target = target.data,
			      .timeout_ms = is_delete ? 0 : ASK_TIMEOUT_MS},
		&answer);
	if (status == CTL_DONE)
		print_site(ctl, answer);
	json_decref(answer);
	buffer_free(&target);
	return status;
}

static const struct verb_option watch_options[] = {
	{.name = "max-pages",
	 .kind = OPTION_WHOLE,
	 .value = "N",
	 .minimum = 1,
	 .maximum = UINT32_MAX,
	 .meaning = "stop looking for new pages at this many"},
	{.name = "max-depth",
	 .kind = OPTION_WHOLE,
	 .value = "N",
	 .maximum = UINT16_MAX,
	 .meaning = "follow this many links from URL"},
	{.name = "delay",
	 .kind = OPTION_WHOLE,
	 .value = "MS",
	 .maximum = 86400000,
	 .meaning = "milliseconds between two requests"},
	OPTION_MEASURE_ROW,
	OPTION_THRESHOLD_ROW,
	OPTION_WIDTH_ROW,
	{.name = "revisit",
	 .kind = OPTION_WHOLE,
	 .value = "S",
	 .maximum = UINT32_MAX,
	 .meaning = "fetch a page anew after this many seconds; 0: never"},
	{.name = "private",
	 .kind = OPTION_FLAG,
	 .meaning = "the host may have a private address"},
	{.name = "wait",
	 .kind = OPTION_FLAG,
	 .meaning = "until the site is crawled, with a progress bar"},
	{.name = NULL},
};

static const struct verb_option site_options[] = {
	{.name = "delete",
	 .kind = OPTION_FLAG,
	 .meaning = "forget the site and everything learned from it"},
	{.name = NULL},
};

const struct verb verb_watch = {
	.name = "watch",
	.operands = "URL",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Crawl a site and keep watching it",
	.options = watch_options,
	.run = run_watch,
};

const struct verb verb_sites = {
	.name = "sites",
	.operands = "",
	.summary = "List the sites",
	.run = run_sites,
};

const struct verb verb_site = {
	.name = "site",
	.operands = "HOST",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Show or delete a site",
	.options = site_options,
	.run = run_site,
};
