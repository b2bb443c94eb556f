#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "daemon/ctl/client.h"
#include "daemon/runtime/terminal.h"

/* templatectl site thresholds */

/* computing the dendrogram of many pages is slow */
enum { TREE_TIMEOUT_MS = 600000 };

static enum ctl_status ask_cuts(const struct ctl *ctl, const char *host,
				const char *format, struct buffer *out)
{
	struct buffer target = {0};
	enum ctl_status status;

	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target, host);
	buffer_printf(&target, "/thresholds?format=%s", format);
	status = client_ask(
		ctl,
		&(struct client_request){.target = target.data,
					 .timeout_ms = TREE_TIMEOUT_MS},
		out);
	buffer_free(&target);
	return status;
}

static enum ctl_status thresholds_write_svg(const struct ctl *ctl,
					    const char *host, const char *path)
{
	struct buffer svg = {0};
	enum ctl_status status = ask_cuts(ctl, host, "svg", &svg);
	enum error error;

	if (status == CTL_DONE) {
		error = file_write(path, buffer_slice(&svg));
		if (error != ERR_NONE) {
			ctl_print_error(ctl, "%s: cannot write: %s", path,
					file_error_text(error));
			status = CTL_FAILED;
		}
	}
	buffer_free(&svg);
	return status;
}

static enum ctl_status site_thresholds(const struct ctl *ctl)
{
	char host[MAX_HOST_BYTES + 1];
	struct buffer text = {0};
	enum ctl_status status;

	if (!client_host(ctl, ctl->operands[1], host))
		return CTL_USAGE;
	status = ask_cuts(ctl, host, ctl->is_json ? "json" : "txt", &text);
	if (status == CTL_DONE)
		terminal_print(buffer_slice(&text));
	buffer_free(&text);
	if (status == CTL_DONE && option_given(ctl, "svg"))
		status = thresholds_write_svg(ctl, host,
					      option_text(ctl, "svg"));
	return status;
}

/* templatectl site report */

/* computing the dendrogram of many pages is slow */
enum { REPORT_TIMEOUT_MS = 600000 };

/* Write the file atomically. */
static bool report_write_atomically(const struct ctl *ctl, const char *path,
				    struct slice page)
{
	enum error error = file_replace(path, page);

	if (error != ERR_NONE)
		ctl_print_error(ctl, "%s: cannot write: %s", path,
				file_error_text(error));
	return error == ERR_NONE;
}

static bool report_write(const struct ctl *ctl, const char *host,
			 struct slice page)
{
	const char *path = option_text(ctl, "out");
	struct buffer default_value = {0};
	bool is_done;

	if (path != NULL && path[0] == '-' && path[1] == '\0') {
		fwrite(page.data, 1, page.size, stdout);
		return true;
	}
	buffer_printf(&default_value, "%s.html", host);
	is_done = report_write_atomically(
		ctl, path == NULL ? default_value.data : path, page);
	if (is_done && path == NULL)
		printf("%s\n", default_value.data);
	buffer_free(&default_value);
	return is_done;
}

static enum ctl_status site_report(const struct ctl *ctl)
{
	char host[MAX_HOST_BYTES + 1];
	struct buffer target = {0};
	struct buffer page = {0};
	enum ctl_status status;

	if (!client_host(ctl, ctl->operands[1], host))
		return CTL_USAGE;
	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target, host);
	buffer_append_text(&target, "/report");
	status = client_ask(
		ctl,
		&(struct client_request){.target = target.data,
					 .timeout_ms = REPORT_TIMEOUT_MS},
		&page);
	if (status == CTL_DONE && !report_write(ctl, host, buffer_slice(&page)))
		status = CTL_FAILED;
	buffer_free(&page);
	buffer_free(&target);
	return status;
}

/*
 * templatectl site import: add the URLs of a file, any number of URLs. A second
 * file next to the first stores the progress, so that the next call continues
 * there.
 */

enum {
	DEFAULT_BATCH = 500,
	MAX_BATCH = 1000, /* of POST /v1/imports */
	TRIES = 20, /* while the daemon does not respond, or is too busy */
	MAX_PAUSE_S = 30,
	MAX_REPORTED = 20, /* invalid lines */
};

struct site_import {
	const struct ctl *ctl;
	FILE *file;
	struct buffer place_path; /* path of the progress file; or empty */
	uint64_t lines;           /* lines read */
	uint64_t taken;
	uint64_t known;
	uint64_t wrong;
	uint64_t size; /* of the file; 0 = unknown */
	json_t *batch; /* sites to send next */
	size_t max_batch;
	bool is_cluster;
	struct progress progress;
};

/* Find the position where the previous call stopped. */
static void site_import_find_position(struct site_import *seeding,
				      const char *path)
{
	struct buffer text = {0};
	char *end = NULL;
	uint64_t lines;
	long long bytes;

	if (strcmp(path, "-") == 0)
		return;
	buffer_printf(&seeding->place_path, "%s.seeded", path);
	if (file_read(seeding->place_path.data, 100, &text) == ERR_NONE &&
	    text.size > 0) {
		lines = strtoull(text.data, &end, 10);
		bytes = strtoll(end, NULL, 10);
		if (fseeko(seeding->file, (off_t)bytes, SEEK_SET) == 0) {
			seeding->lines = lines;
			fprintf(stderr, "continuing after line %" PRIu64 "\n",
				lines);
		}
	}
	buffer_free(&text);
}

/* If the position cannot be written, return false; then send nothing more. */
static bool keep_place(struct site_import *seeding)
{
	struct buffer text = {0};
	enum error error;

	if (seeding->place_path.size == 0)
		return true;
	buffer_printf(&text, "%" PRIu64 " %lld\n", seeding->lines,
		      (long long)ftello(seeding->file));
	error = file_replace(seeding->place_path.data, buffer_slice(&text));
	buffer_free(&text);
	if (error != ERR_NONE)
		ctl_print_error(seeding->ctl, "%s: cannot write: %s",
				seeding->place_path.data,
				file_error_text(error));
	return error == ERR_NONE;
}

/*
 * Parse a line as a site: a URL, or an object with one. Return NULL if it is
 * invalid.
 */
static json_t *site_import_parse_line(const char *line)
{
	struct url url;
	json_t *site = *line == '{'
			       ? json_loads(line, JSON_REJECT_DUPLICATES, NULL)
			       : json_pack("{s:s}", "url", line);
	const char *text = json_string_value(json_object_get(site, "url"));

	if (text != NULL && url_parse(&url, slice_of(text), NULL) == ERR_NONE)
		return site;
	json_decref(site);
	return NULL;
}

static void site_import_add_line(struct site_import *seeding, char *line)
{
	json_t *site;

	seeding->lines++;
	line += strspn(line, " \t");
	line[strcspn(line, "\r\n")] = '\0';
	if (*line == '\0' || *line == '#')
		return;
	site = site_import_parse_line(line);
	if (site != NULL) {
		if (seeding->is_cluster)
			json_object_set_new(site, "verb", json_string("seed"));
		json_array_append_new(seeding->batch, site);
		return;
	}
	if (seeding->wrong++ < MAX_REPORTED) {
		progress_clear(&seeding->progress);
		ctl_print_error(seeding->ctl,
				"line %" PRIu64 ": %.200s: not a URL",
				seeding->lines, line);
	}
}

/* Repeat the request while the daemon does not respond, or is too busy. */
static enum ctl_status ask_patiently(struct site_import *seeding,
				     const char *target, const json_t *body,
				     json_t **answer_out)
{
	const struct client_request ask = {.method = "POST",
					   .target = target,
					   .body = body,
					   .timeout_ms = 2 * ASK_TIMEOUT_MS,
					   .is_patient = true};
	struct timespec pause = {.tv_sec = 1};
	enum ctl_status status = CTL_NO_DAEMON;

	for (unsigned i = 0; i < TRIES; i++) {
		status = client_ask_json(seeding->ctl, &ask, answer_out);
		if (status != CTL_NO_DAEMON)
			return status;
		progress_show(&seeding->progress, 0, seeding->size,
			      "waiting for the daemon");
		nanosleep(&pause, NULL);
		if (pause.tv_sec < MAX_PAUSE_S)
			pause.tv_sec *= 2;
	}
	ctl_print_error(seeding->ctl, "the daemon does not respond; run the "
				      "command again to continue");
	return status;
}

static enum ctl_status send_jobs(struct site_import *seeding)
{
	json_t *body = json_pack("{s:O}", "jobs", seeding->batch);
	json_t *answer = NULL;
	enum ctl_status status =
		ask_patiently(seeding, "/v1/imports", body, &answer);

	if (status == CTL_DONE) {
		seeding->taken += field_whole(answer, "jobs");
		seeding->known += field_whole(answer, "known");
	}
	json_decref(answer);
	json_decref(body);
	return status;
}

/* Report a site that the daemon rejects, and continue with the next one. */
static enum ctl_status send_sites(struct site_import *seeding)
{
	enum ctl_status status;
	const json_t *site;
	size_t i;

	json_array_foreach(seeding->batch, i, site)
	{
		json_t *answer = NULL;

		status = ask_patiently(seeding, "/v1/sites", site, &answer);
		json_decref(answer);
		if (status == CTL_NO_DAEMON)
			return status;
		if (status == CTL_DONE)
			seeding->taken++;
		else
			seeding->wrong++;
	}
	return CTL_DONE;
}

static enum ctl_status site_import_send_batch(struct site_import *seeding)
{
	enum ctl_status status = CTL_DONE;

	if (json_array_size(seeding->batch) > 0)
		status = seeding->is_cluster ? send_jobs(seeding)
					     : send_sites(seeding);
	json_array_clear(seeding->batch);
	if (status == CTL_DONE && !keep_place(seeding))
		status = CTL_FAILED;
	progress_show(&seeding->progress, (uint64_t)ftello(seeding->file),
		      seeding->size, NULL);
	return status;
}

static enum ctl_status site_import_send_all(struct site_import *seeding)
{
	enum ctl_status status = CTL_DONE;
	size_t capacity = 0;
	char *line = NULL;

	while (status == CTL_DONE &&
	       getline(&line, &capacity, seeding->file) >= 0) {
		site_import_add_line(seeding, line);
		if (json_array_size(seeding->batch) >= seeding->max_batch)
			status = site_import_send_batch(seeding);
	}
	free(line);
	if (status == CTL_DONE && ferror(seeding->file)) {
		ctl_print_error(seeding->ctl, "cannot read the file");
		status = CTL_FAILED;
	}
	if (status == CTL_DONE)
		status = site_import_send_batch(seeding);
	progress_clear(&seeding->progress);
	return status;
}

static void print_counts(const struct site_import *seeding)
{
	json_t *counts = json_pack("{s:I, s:I, s:I, s:I}", "lines",
				   (json_int_t)seeding->lines, "taken",
				   (json_int_t)seeding->taken, "known",
				   (json_int_t)seeding->known, "wrong",
				   (json_int_t)seeding->wrong);

	client_print(seeding->ctl, counts);
	json_decref(counts);
}

static enum ctl_status site_import_run(struct site_import *seeding,
				       const char *path)
{
	struct stat facts;
	enum ctl_status status;

	if (fstat(fileno(seeding->file), &facts) == 0)
		seeding->size = (uint64_t)facts.st_size;
	site_import_find_position(seeding, path);
	status = site_import_send_all(seeding);
	print_counts(seeding);
	if (status != CTL_DONE)
		return status;
	if (seeding->place_path.size > 0)
		(void)unlink(seeding->place_path.data);
	return seeding->wrong > 0 ? CTL_PARTLY : CTL_DONE;
}

static enum ctl_status ctl_site_import(const struct ctl *ctl)
{
	const char *path = ctl->operands[1];
	bool is_input = strcmp(path, "-") == 0;
	struct site_import seeding = {
		.ctl = ctl,
		.file = is_input ? stdin : fopen(path, "re"),
		.max_batch = option_whole(ctl, "batch", DEFAULT_BATCH),
		.is_cluster = option_given(ctl, "async"),
		.progress = progress_begin("site import"),
	};
	enum ctl_status status;

	if (seeding.file == NULL) {
		ctl_print_error(
			ctl, "%s: %s", path,
			strerror(errno)); /* NOLINT(concurrency-mt-unsafe):
					     one thread */
		return CTL_FAILED;
	}
	seeding.batch = json_array();
	status = site_import_run(&seeding, path);
	if (!is_input)
		(void)fclose(seeding.file);
	json_decref(seeding.batch);
	buffer_free(&seeding.place_path);
	return status;
}

/* templatectl site */

static const struct table_column site_columns[] = {
	{.title = "SITE", .is_elastic = true},
	{.title = "STATE"},
	{.title = "PAGES", .is_number = true},
	{.title = "TEMPLATES", .is_number = true},
	{.title = "PENDING", .is_number = true},
	{.title = "FAILED", .is_number = true},
	{.title = "MEASURE"},
	{.title = "THRESHOLD", .is_number = true},
	{.title = "ADDED"},
};

static void site_add_row(struct text_table *table, const json_t *site)
{
	static const char *const counts[] = {"pages", "templates", "pending",
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

static enum ctl_status site_list(const struct ctl *ctl)
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
	{.title = "TEMPLATE"},
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

static enum ctl_status ctl_site_show(const struct ctl *ctl, bool is_removal)
{
	struct buffer target = {0};
	char host[MAX_HOST_BYTES + 1];
	json_t *answer = NULL;
	enum ctl_status status;

	if (!client_host(ctl, ctl->operands[1], host))
		return CTL_USAGE;
	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target, host);
	status = client_ask_json(
		ctl,
		&(struct client_request){
			.method = is_removal ? "DELETE" : "GET",
			.target = target.data,
			.timeout_ms = is_removal ? 0 : ASK_TIMEOUT_MS},
		&answer);
	if (status == CTL_DONE && is_removal)
		client_print(ctl, answer);
	else if (status == CTL_DONE)
		status = show_site(ctl, &target, answer);
	json_decref(answer);
	buffer_free(&target);
	return status;
}

static enum ctl_status run_site(const struct ctl *ctl)
{
	const char *action = ctl->operands[0];

	if (strcmp(action, "list") == 0)
		return site_list(ctl);
	if (strcmp(action, "import") == 0)
		return ctl_site_import(ctl);
	if (strcmp(action, "thresholds") == 0)
		return site_thresholds(ctl);
	if (strcmp(action, "report") == 0)
		return site_report(ctl);
	return ctl_site_show(ctl, strcmp(action, "rm") == 0);
}

static const struct verb_option site_options[] = {
	{.name = "async",
	 .kind = OPTION_FLAG,
	 .meaning = "import: the broker stores the list as jobs, and the "
		    "owners add the sites later"},
	{.name = "batch",
	 .kind = OPTION_WHOLE,
	 .value = "N",
	 .minimum = 1,
	 .maximum = MAX_BATCH,
	 .meaning = "import: URLs per request (default: 500)"},
	{.name = "svg",
	 .kind = OPTION_TEXT,
	 .value = "FILE",
	 .meaning = "thresholds: also draw them, with the dendrogram"},
	{.name = "out",
	 .letter = 'o',
	 .kind = OPTION_TEXT,
	 .value = "FILE",
	 .meaning = "report: write to FILE (default: HOST.html); -: standard "
		    "output"},
	{.name = NULL},
};

const struct verb verb_site = {
	.name = "site",
	.group = VERBS_WATCH,
	.operands = "list | show HOST | rm HOST | import FILE|- | "
		    "thresholds HOST | report HOST",
	.min_operands = 1,
	.max_operands = 2,
	.summary = "Manage sites: list, show, rm, import a list, thresholds, "
		   "report",
	.options = site_options,
	.run = run_site,
};

/* Templatectl watch. */

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

	snprintf(note, sizeof(note), "%" PRIu64 " pages, %" PRIu64 " templates",
		 field_whole(site, "pages"), field_whole(site, "templates"));
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
