/* The UI pages of sites. */
#include "daemon/api/api_ui.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/web/ui_form.h"
#include "daemon/web/ui_html.h"
#include "daemon/web/ui_pages.h"
#include "store/rows_site.h"
#include "store/rows_template.h"

/* The home page is loaded often and needs no old alerts. */
static const struct ui_window home_alerts = {8, 20000};
static const struct ui_window site_events = {300, 200000};

enum http_verdict api_ui_home(struct call *call)
{
	struct event_query query = {.kinds = kind_set_alerts(),
				    .is_firing = true};
	struct buffer page = {0};
	enum http_verdict verdict = HTTP_ANSWERED;
	json_t *alerts = NULL;
	json_t *sites;

	if (ui_ask(call, api_get_some_sites, &sites)) {
		alerts = ui_last_events(call, &query, home_alerts);
		if (alerts != NULL) {
			ui_open(call, &page, "Sites", UI_SITES);
			ui_sites(&page,
				 &(struct ui_sites){
					 sites, alerts,
					 http_argument(call->exchange, "after"),
					 call->is_reader});
			verdict = ui_reply(call, &page);
		}
	}
	json_decref(alerts);
	json_decref(sites);
	return verdict;
}

enum http_verdict api_ui_post_site(struct call *call)
{
	static const char *const numbers[] = {"max_pages", "delay_ms",
					      "revisit_interval_s"};
	struct url url;
	struct buffer path = {0};
	enum http_verdict verdict;
	json_t *form;

	if (!ui_read_form(call, &form))
		return HTTP_ANSWERED;
	if (!ui_form_number(form, numbers, 3)) {
		json_decref(form);
		return ui_fail(call, 400,
			       "A field of the form must be a number.");
	}
	if (json_object_get(form, "allow_private") != NULL)
		json_object_set_new(form, "allow_private", json_true());
	buffer_append_text(&path, "/ui/sites/");
	if (url_parse(&url, slice_of(ui_member(form, "url")), NULL) == ERR_NONE)
		ui_escape(&path, url.host);
	verdict = ui_do(call, api_post_site, form, path.data, "site");
	buffer_free(&path);
	return verdict;
}

/* Convert the form to the API's settings; return NULL, or the error message. */
static const char *read_settings(json_t *form)
{
	static const char *const numbers[] = {
		"max_pages",          "max_depth",        "delay_ms",
		"revisit_interval_s", "check_interval_s", "pattern_stop_after",
		"max_bytes",          "max_seconds",
	};
	static const char *const flags[] = {"sitemaps", "soft_404_probe",
					    "cookies", "allow_private"};

	if (!ui_form_number(form, numbers,
			    sizeof(numbers) / sizeof(numbers[0])))
		return "A field of the form must be a number.";
	if (!ui_form_threshold(form))
		return "The threshold must be auto or a number from 0 to 1.";
	if (!ui_form_headers(form))
		return "A line of the headers is not Name: value.";
	ui_form_flags(form, flags, sizeof(flags) / sizeof(flags[0]));
	if (json_object_get(form, "no_proxy") != NULL)
		json_object_set_new(form, "proxy", json_string(""));
	json_object_del(form, "no_proxy");
	return NULL;
}

/* Return the path of a tab of the site's page; buffer_free() it. */
static struct buffer web_site_path(const struct call *call, const char *part)
{
	struct buffer path = {0};

	buffer_append_text(&path, "/ui/sites/");
	ui_escape(&path, call->host);
	buffer_append_text(&path, part);
	return path;
}

/* The headers are bound to the origin of the site's first URL. */
enum http_verdict api_ui_post_settings(struct call *call)
{
	struct buffer path = web_site_path(call, "/settings");
	enum http_verdict verdict = HTTP_ANSWERED;
	const char *wrong;
	json_t *form;
	json_t *site = NULL;

	if (ui_read_form(call, &form) && ui_ask(call, api_get_site, &site)) {
		wrong = read_settings(form);
		json_object_set(form, "url", json_object_get(site, "url"));
		if (wrong != NULL)
			verdict = ui_fail(call, 400, wrong);
		else
			verdict = ui_do(call, api_post_site, json_incref(form),
					path.data, "saved");
	}
	json_decref(form);
	json_decref(site);
	buffer_free(&path);
	return verdict;
}

enum http_verdict api_ui_delete_site(struct call *call)
{
	enum http_verdict verdict;
	json_t *form;

	if (!ui_read_form(call, &form))
		return HTTP_ANSWERED;
	if (json_object_get(form, "sure") != NULL)
		return ui_do(call, api_delete_site, form, "/", "forgotten");
	verdict = ui_fail(call, 400, "Check the box to delete the site.");
	json_decref(form);
	return verdict;
}

static enum ui_tab tab_of(const struct call *call)
{
	enum ui_tab tab = ui_tab_of(ui_last_segment(call));

	return tab == UI_TABS ? UI_TEMPLATES : tab;
}

/* Add "version", the newest one of its template, to each cluster. */
static void add_versions(struct call *call, const json_t *answer)
{
	const json_t *clusters = json_object_get(answer, "templates");
	struct txn txn = txn_begin_read(call->api->store);
	struct template_row row;
	struct site_row site;
	json_t *cluster;
	size_t i;

	if (!site_get(&txn, slice_of(call->host), &site))
		clusters = NULL;
	json_array_foreach(clusters, i, cluster)
	{
		const char *slash = strrchr(ui_member(cluster, "id"), '/');
		unsigned long number =
			slash == NULL ? 0 : strtoul(slash + 1, NULL, 10);

		if (template_row_get(&txn, site.id, (uint32_t)number, &row))
			json_object_set_new(
				cluster, "version",
				json_integer((json_int_t)row.version));
	}
	txn_abort(&txn);
}

/*
 * Read the data of the tab; on failure respond with the error and return false.
 */
static bool web_site_read_tab(struct call *call, struct ui_site *shown,
			      json_t **part)
{
	struct event_query query = {.kinds = ~(kind_set)0};

	*part = NULL;
	switch (shown->tab) {
	case UI_PATTERNS:
		if (!ui_ask(call, api_get_patterns, part))
			return false;
		shown->patterns = *part;
		return true;
	case UI_GUARDS:
		if (!ui_ask(call, api_get_guards, part))
			return false;
		shown->guards = *part;
		return true;
	case UI_SETTINGS:
		return true;
	case UI_EVENTS:
		memcpy(query.host, call->host, sizeof(query.host));
		*part = ui_last_events(call, &query, site_events);
		shown->events = *part;
		return *part != NULL;
	default:
		if (!ui_ask(call, api_get_clusters, part))
			return false;
		add_versions(call, *part);
		shown->clusters = *part;
		return true;
	}
}

enum http_verdict api_ui_site(struct call *call)
{
	struct ui_site shown = {.tab = tab_of(call),
				.is_reader = call->is_reader};
	enum http_verdict verdict = HTTP_ANSWERED;
	struct buffer page = {0};
	json_t *part = NULL;
	json_t *site;

	if (ui_ask(call, api_get_site, &site) &&
	    web_site_read_tab(call, &shown, &part)) {
		shown.site = site;
		ui_open(call, &page, call->host, UI_SITES);
		ui_site(&page, &shown);
		verdict = ui_reply(call, &page);
	}
	json_decref(part);
	json_decref(site);
	return verdict;
}

enum http_verdict api_ui_daemon(struct call *call)
{
	enum http_verdict verdict = HTTP_ANSWERED;
	struct buffer page = {0};
	json_t *status;

	if (ui_ask(call, api_get_status, &status)) {
		ui_open(call, &page, "Daemon", UI_DAEMON);
		ui_daemon(&page, status);
		verdict = ui_reply(call, &page);
	}
	json_decref(status);
	return verdict;
}

enum http_verdict api_ui_cluster(struct call *call)
{
	enum http_verdict verdict = HTTP_ANSWERED;
	struct buffer page = {0};
	json_t *cluster;

	if (ui_ask(call, api_get_nodes, &cluster)) {
		ui_open(call, &page, "Cluster", UI_CLUSTER);
		ui_cluster(&page, cluster);
		verdict = ui_reply(call, &page);
	}
	json_decref(cluster);
	return verdict;
}
