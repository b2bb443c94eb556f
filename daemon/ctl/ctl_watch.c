/* daemon/ctl/ctl_watch.c - templatectl watch. */
#include "daemon/ctl/ctl_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "daemon/ctl/progress.h"

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
	unsigned threshold = option_threshold(ctl, "threshold", 0);

	return threshold == THRESHOLD_AUTO ? json_string("auto")
					   : json_real(threshold / 1000.0);
}

static void add_switches(const struct ctl *ctl, json_t *body)
{
	static const char *const names[] = {"sitemaps", "probe", "cookies"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (option_given(ctl, names[i]))
			json_object_set_new(
				body, names[i],
				json_boolean(strcmp(option_text(ctl, names[i]),
						    "yes") == 0));
}

/* Add each --header "Name: value"; false if one has no colon. */
static bool watch_add_headers(const struct ctl *ctl, json_t *body)
{
	json_t *headers = json_object();

	for (size_t i = 0; i < ctl->value_count; i++) {
		const char *text = ctl->values[i].text;
		const char *colon;
		char name[128];

		if (strcmp(ctl->values[i].option->name, "header") != 0)
			continue;
		colon = strchr(text, ':');
		if (colon == NULL || (size_t)(colon - text) >= sizeof(name)) {
			ctl_print_error(
				ctl, "--header: %s: must be Name: value", text);
			json_decref(headers);
			return false;
		}
		snprintf(name, sizeof(name), "%.*s", (int)(colon - text), text);
		colon += 1 + strspn(colon + 1, " ");
		json_object_set_new(headers, name, json_string(colon));
	}
	if (json_object_size(headers) > 0)
		json_object_set_new(body, "headers", headers);
	else
		json_decref(headers);
	return true;
}

static json_t *watch_body(const struct ctl *ctl)
{
	json_t *body = json_object();

	json_object_set_new(body, "url", json_string(ctl->operands[0]));
	add_whole(ctl, "max-pages", body, "max_pages");
	add_whole(ctl, "max-depth", body, "max_depth");
	add_whole(ctl, "delay", body, "delay_ms");
	add_whole(ctl, "revisit-interval", body, "revisit_interval_s");
	add_whole(ctl, "check-interval", body, "check_interval_s");
	add_whole(ctl, "max-bytes", body, "max_bytes");
	add_whole(ctl, "max-seconds", body, "max_seconds");
	add_whole(ctl, "pattern-stop-after", body, "pattern_stop_after");
	if (option_given(ctl, "measure"))
		json_object_set_new(body, "measure",
				    json_string(option_text(ctl, "measure")));
	add_whole(ctl, "shingle-width", body, "shingle_width");
	if (option_given(ctl, "threshold"))
		json_object_set_new(body, "threshold", threshold_json(ctl));
	if (option_given(ctl, "allow-private"))
		json_object_set_new(body, "allow_private", json_true());
	if (option_given(ctl, "proxy"))
		json_object_set_new(body, "proxy",
				    json_string(option_text(ctl, "proxy")));
	add_switches(ctl, body);
	return body;
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

/* Report once when the crawl pauses, and once when it continues. */
static void tell_pause(const struct ctl *ctl, struct progress *progress,
		       const json_t *site, bool *was_paused)
{
	const char *reason = json_string_value(json_object_get(site, "paused"));

	if ((reason != NULL) == *was_paused)
		return;
	*was_paused = reason != NULL;
	progress_clear(progress);
	if (reason != NULL)
		ctl_print_error(
			ctl,
			"the crawl is paused: %s; it continues automatically",
			reason);
	else
		ctl_print_error(ctl, "the crawl continues");
}

/* The daemon does not crawl a site without its credentials; report this. */
static bool watch_is_locked(const struct ctl *ctl, const json_t *site)
{
	if (strcmp(field_text(site, "state"), "no_credentials") != 0)
		return false;
	ctl_print_error(
		ctl,
		"%s has no credentials: set its headers or its proxy again",
		field_text(site, "host"));
	return true;
}

/* Poll until the crawl is done; replace `*site` by its last state. */
static enum ctl_status wait_for(const struct ctl *ctl, json_t **site)
{
	const struct timespec pause = {.tv_nsec = POLL_MS * 1000000L};
	struct progress progress = progress_begin("crawl");
	struct buffer target = {0};
	bool was_paused = false;
	enum ctl_status status = CTL_DONE;

	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target, field_text(*site, "host"));
	while (status == CTL_DONE &&
	       strcmp(field_text(*site, "state"), "watching") != 0) {
		json_t *next = NULL;

		if (watch_is_locked(ctl, *site)) {
			status = CTL_FAILED;
			break;
		}
		tell_pause(ctl, &progress, *site, &was_paused);
		show_crawl(&progress, *site);
		nanosleep(&pause, NULL);
		status = client_ask_json(
			ctl,
			&(struct client_request){.target = target.data,
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
	enum ctl_status status = CTL_USAGE;

	if (watch_add_headers(ctl, body))
		status = client_ask_json(
			ctl,
			&(struct client_request){.method = "POST",
						 .target = "/v1/sites",
						 .body = body,
						 .timeout_ms = ASK_TIMEOUT_MS},
			&site);
	if (status == CTL_DONE && option_given(ctl, "wait"))
		status = wait_for(ctl, &site);
	if (status == CTL_DONE)
		client_print(ctl, site);
	json_decref(body);
	json_decref(site);
	return status;
}

static const struct verb_option watch_options[] = {
	{.name = "max-pages",
	 .kind = OPTION_WHOLE,
	 .value = "N",
	 .minimum = 1,
	 .maximum = UINT32_MAX,
	 .meaning = "visit at most this many pages"},
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
	{.name = "revisit-interval",
	 .kind = OPTION_WHOLE,
	 .value = "S",
	 .maximum = UINT32_MAX,
	 .meaning = "seconds between two visits of a page; 0 = never"},
	{.name = "check-interval",
	 .kind = OPTION_WHOLE,
	 .value = "S",
	 .maximum = UINT32_MAX,
	 .meaning = "seconds between two checks of a template on a few of its "
		    "pages; 0 = never"},
	{.name = "pattern-stop-after",
	 .kind = OPTION_WHOLE,
	 .value = "N",
	 .maximum = 1000000,
	 .meaning = "stop visiting a URL pattern after N pages without "
		    "anything new; 0 = never"},
	{.name = "max-bytes",
	 .kind = OPTION_WHOLE,
	 .value = "N",
	 .maximum = UINT64_MAX / 2,
	 .meaning = "maximum bytes received in the first crawl; 0 = unlimited"},
	{.name = "max-seconds",
	 .kind = OPTION_WHOLE,
	 .value = "S",
	 .maximum = 1000000000,
	 .meaning = "maximum seconds of fetches in the first crawl; 0 = "
		    "unlimited"},
	{.name = "header",
	 .kind = OPTION_TEXT,
	 .value = "NAME:VALUE",
	 .meaning = "send it with each request; may be repeated"},
	{.name = "proxy",
	 .kind = OPTION_TEXT,
	 .value = "PROXY",
	 .meaning =
		 "send requests through it (crawl.proxy_trusted must be yes)"},
	{.name = "sitemaps",
	 .kind = OPTION_CHOICE,
	 .value = "yes|no",
	 .meaning = "read sitemaps"},
	{.name = "soft-404-probe",
	 .kind = OPTION_CHOICE,
	 .value = "yes|no",
	 .meaning = "request a page that does not exist, to detect soft 404s"},
	{.name = "cookies",
	 .kind = OPTION_CHOICE,
	 .value = "yes|no",
	 .meaning = "send cookies back"},
	{.name = "allow-private",
	 .kind = OPTION_FLAG,
	 .meaning = "the host may have a private address"},
	{.name = "wait",
	 .kind = OPTION_FLAG,
	 .meaning = "wait until the site is crawled, with a progress bar"},
	{.name = NULL},
};

const struct verb verb_watch = {
	.name = "watch",
	.group = VERBS_WATCH,
	.operands = "URL",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Crawl a site and keep watching it",
	.options = watch_options,
	.run = run_watch,
};
