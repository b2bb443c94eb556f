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
#include "daemon/ctl/ctl_site_file.h"
#include "daemon/ctl/yaml_json.h"
#include "daemon/runtime/terminal.h"

/* The action templatectl site thresholds. */

static enum ctl_status ask_thresholds(const struct ctl *ctl, const char *format,
				      struct buffer *out)
{
	struct buffer target = {0};
	enum ctl_status status = action_target(ctl, NULL, &target);

	client_append_query(&target, "format", format);
	if (status == CTL_DONE)
		status = client_ask(
			ctl,
			&(struct client_request){
				.target = target.data,
				.timeout_ms = DENDROGRAM_TIMEOUT_S * 1000},
			out);
	buffer_free(&target);
	return status;
}

enum ctl_status run_site_thresholds(const struct ctl *ctl)
{
	const char *path = option_text(ctl, "svg");
	struct buffer text = {0};
	enum ctl_status status =
		ask_thresholds(ctl, ctl->is_json ? "json" : "txt", &text);

	if (status == CTL_DONE)
		terminal_print(buffer_slice(&text));
	buffer_free(&text);
	if (status != CTL_DONE || path == NULL)
		return status;
	status = ask_thresholds(ctl, "svg", &text);
	if (status == CTL_DONE &&
	    !ctl_write_file(ctl, path, buffer_slice(&text), file_write))
		status = CTL_FAILED;
	buffer_free(&text);
	return status;
}

/* The action templatectl site report. */

static bool report_write(const struct ctl *ctl, struct slice page)
{
	const char *path = option_text(ctl, "out");
	char host[MAX_HOST_BYTES + 1];
	char name[MAX_HOST_BYTES + 8];

	if (path != NULL && strcmp(path, "-") == 0)
		return fwrite(page.data, 1, page.size, stdout) == page.size;
	if (path != NULL)
		return ctl_write_file(ctl, path, page, file_replace);
	if (!client_host(ctl, ctl->operands[0], host))
		return false;
	snprintf(name, sizeof(name), "%s.html", host);
	if (!ctl_write_file(ctl, name, page, file_replace))
		return false;
	printf("%s\n", name);
	return true;
}

enum ctl_status run_site_report(const struct ctl *ctl)
{
	struct buffer page = {0};
	enum ctl_status status = action_ask_bytes(ctl, NULL, &page);

	if (status == CTL_DONE && !report_write(ctl, buffer_slice(&page)))
		status = CTL_FAILED;
	buffer_free(&page);
	return status;
}

/*
 * The action templatectl site import, which adds the URLs in a file, as many as
 * it has. A second file next to that file stores the progress, so that the next
 * call can continue there.
 */

enum {
	DEFAULT_BATCH = 500,
	TRIES = 20, /* attempts while the daemon does not respond or is too
		       busy */
	MAX_PAUSE_S = 30,
	MAX_REPORTED = 20, /* maximum number of invalid lines to print */
};

struct site_import {
	const struct ctl *ctl;
	FILE *file;
	struct buffer place_path; /* path of the file with the progress;
				     empty = none */
	uint64_t lines;           /* number of lines read */
	uint64_t taken;
	uint64_t known;
	uint64_t wrong;
	uint64_t size; /* size of the file; 0 = unknown */
	json_t *batch; /* the sites to send next */
	size_t max_batch;
	bool is_cluster;
	bool is_file; /* it is a YAML file and not a list */
	struct progress progress;
};

/*
 * Read from PATH.seeded how many lines the previous run of the command
 * finished, and continue after them.
 */
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

/*
 * Store the position in the file. On failure return false; then nothing more
 * may be sent.
 */
static bool keep_place(struct site_import *seeding)
{
	struct buffer text = {0};
	bool is_kept;

	if (seeding->place_path.size == 0)
		return true;
	buffer_printf(&text, "%" PRIu64 " %lld\n", seeding->lines,
		      (long long)ftello(seeding->file));
	is_kept = ctl_write_file(seeding->ctl, seeding->place_path.data,
				 buffer_slice(&text), file_replace);
	buffer_free(&text);
	return is_kept;
}

/*
 * Parse a line, which is a URL or a JSON object with a member "url". Return the
 * site; NULL if the line is invalid.
 */
static json_t *site_import_parse_line(const char *line)
{
	struct url url;
	json_t *site = *line == '{'
			       ? json_loads(line, JSON_REJECT_DUPLICATES, NULL)
			       : json_pack("{s:s}", "url", line);
	const char *text = json_string_value(json_object_get(site, "url"));

	if (text != NULL && url_parse_site(&url, slice_of(text)) == ERR_NONE)
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
		if (strrchr(line, '@') != NULL) /* do not show a password */
			line = strrchr(line, '@') + 1;
		ctl_print_error(seeding->ctl,
				"line %" PRIu64 ": %.200s: not a URL",
				seeding->lines, line);
	}
}

/*
 * Send a request, and repeat it while the daemon does not respond or is too
 * busy.
 */
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

/*
 * Send each site of the batch. If the daemon rejects a site, continue with the
 * next one.
 */
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

/* Import the YAML file that begins with `line`. */
static enum ctl_status site_import_file(struct site_import *seeding,
					const char *line)
{
	struct buffer text = {0};
	char bytes[4096];
	size_t size;
	enum ctl_status status;

	seeding->is_file = true;
	buffer_append_text(&text, line);
	while ((size = fread(bytes, 1, sizeof(bytes), seeding->file)) > 0 &&
	       text.size <= MAX_YAML_BYTES)
		buffer_append(&text, bytes, size);
	if (ferror(seeding->file) || text.size > MAX_YAML_BYTES) {
		ctl_print_error(seeding->ctl,
				"cannot read the file, or it is too large");
		status = CTL_FAILED;
	} else {
		status = site_file_import(seeding->ctl, buffer_slice(&text));
	}
	buffer_free(&text);
	return status;
}

static enum ctl_status site_import_send_all(struct site_import *seeding)
{
	enum ctl_status status = CTL_DONE;
	size_t capacity = 0;
	char *line = NULL;

	while (status == CTL_DONE &&
	       getline(&line, &capacity, seeding->file) >= 0) {
		if (site_file_begins(line)) {
			status = site_import_file(seeding, line);
			free(line);
			return status;
		}
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

static enum ctl_status site_import_run(struct site_import *seeding,
				       const char *path)
{
	struct stat facts;
	enum ctl_status status;
	json_t *counts;

	if (fstat(fileno(seeding->file), &facts) == 0)
		seeding->size = (uint64_t)facts.st_size;
	site_import_find_position(seeding, path);
	status = site_import_send_all(seeding);
	if (seeding->is_file)
		return status;
	counts = json_pack("{s:I, s:I, s:I, s:I}", "lines",
			   (json_int_t)seeding->lines, "taken",
			   (json_int_t)seeding->taken, "known",
			   (json_int_t)seeding->known, "wrong",
			   (json_int_t)seeding->wrong);
	client_print(seeding->ctl, counts);
	if (status != CTL_DONE)
		return status;
	if (seeding->place_path.size > 0)
		(void)unlink(seeding->place_path.data);
	return seeding->wrong > 0 ? CTL_PARTLY : CTL_DONE;
}

enum ctl_status run_site_import(const struct ctl *ctl)
{
	const char *path = ctl->operands[0];
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
		ctl_print_error(ctl, "%s: %s", path, strerrordesc_np(errno));
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

/* The actions templatectl site list and templatectl site show. */

enum ctl_status run_site_list(const struct ctl *ctl)
{
	json_t *answer;
	enum ctl_status status = client_ask_sites(ctl, &answer);

	if (status == CTL_DONE)
		action_print(ctl, answer);
	json_decref(answer);
	return status;
}

/*
 * Add the URL patterns to the site, all with --json, otherwise only those of
 * the kind "fine".
 */
static void site_add_patterns(const struct ctl *ctl, json_t *site,
			      const json_t *patterns)
{
	json_t *shown = json_array();
	json_t *row;
	size_t i;

	json_array_foreach(patterns, i, row)
	{
		if (ctl->is_json ||
		    strcmp(field_text(row, "kind"), "fine") == 0)
			json_array_append(shown, row);
	}
	json_object_set_new(site, "patterns", shown);
}

enum ctl_status run_site_show(const struct ctl *ctl)
{
	struct buffer target = {0};
	json_t *answer = NULL;
	json_t *site = NULL;
	enum ctl_status status = action_ask(ctl, NULL, &site);

	if (status == CTL_DONE)
		status = action_target(ctl, NULL, &target);
	buffer_append_text(&target, "/patterns");
	if (status == CTL_DONE)
		status =
			client_ask_value(ctl, NULL, target.data, NULL, &answer);
	if (status == CTL_DONE) {
		site_add_patterns(ctl, site,
				  json_object_get(answer, "patterns"));
		action_print(ctl, site);
	}
	json_decref(answer);
	json_decref(site);
	buffer_free(&target);
	return status;
}

/* The action templatectl watch. */

enum { POLL_MS = 500 };

/*
 * Add the headers of each --header "Name: value" to `body`. If one has no
 * colon, print an error and return false.
 */
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

/*
 * Add the patterns of each --include or --exclude to `body`. An empty pattern
 * removes those that the site has.
 */
static void watch_add_patterns(const struct ctl *ctl, const char *option,
			       json_t *body)
{
	json_t *patterns = json_array();

	for (size_t i = 0; i < ctl->value_count; i++)
		if (strcmp(ctl->values[i].option->name, option) == 0 &&
		    *ctl->values[i].text != '\0')
			json_array_append_new(patterns,
					      json_string(ctl->values[i].text));
	if (option_given(ctl, option))
		json_object_set(body, option, patterns);
	json_decref(patterns);
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

/* Print once that the crawl is paused, and once that it continues. */
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

/* A state of a site in which its crawl is over. */
struct watch_end {
	const char *state;
	/* printed after the host and the reason of the state; or NULL */
	const char *message;
	enum ctl_status status;
};

/* Return the row for the state of the site; NULL while it is crawled. */
static const struct watch_end *watch_end_of(const json_t *site)
{
	static const struct watch_end ends[] = {
		{"watching", NULL, CTL_DONE},
		{"exhausted", "", CTL_DONE},
		{"moved", ", which is watched now", CTL_DONE},
		{"alternating", "", CTL_DONE},
		{"blocked", "", CTL_FAILED},
		{"missing", "", CTL_FAILED},
		{"unreachable", "; the daemon tries again", CTL_FAILED},
		{"no_credentials",
		 "it has no credentials: set its headers or its proxy again",
		 CTL_FAILED},
	};
	const char *state = field_text(site, "state");

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strcmp(state, ends[i].state) == 0)
			return &ends[i];
	return NULL;
}

/* Print the message of the row, and return its status. */
static enum ctl_status watch_report_end(const struct ctl *ctl,
					const struct watch_end *end,
					const json_t *site)
{
	const char *reason = json_string_value(json_object_get(site, "reason"));

	if (end->message != NULL)
		ctl_print_error(ctl, "%s: %s%s", field_text(site, "host"),
				reason == NULL ? "" : reason, end->message);
	return end->status;
}

/* Poll the site until its crawl is done. *site becomes its last state. */
static enum ctl_status wait_for(const struct ctl *ctl, json_t **site)
{
	const struct timespec pause = {.tv_nsec = POLL_MS * 1000000L};
	struct progress progress = progress_begin("crawl");
	struct buffer target = {0};
	bool was_paused = false;
	const struct watch_end *end;
	enum ctl_status status = CTL_DONE;

	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target, field_text(*site, "host"));
	while ((end = watch_end_of(*site)) == NULL) {
		json_t *next = NULL;

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
	return end == NULL ? status : watch_report_end(ctl, end, *site);
}

/* Print the command that the user may want next. */
static void watch_add_next(struct text_table *table, const json_t *site)
{
	bool is_crawled = watch_end_of(site) != NULL;

	table_add_text(table, "next");
	table_printf(table, "templatectl %s %s",
		     is_crawled ? "template list" : "site show",
		     field_text(site, "host"));
}

/* Print the site in five lines. */
static void watch_print_short(const json_t *site)
{
	static const struct table_column columns[] = {
		{.title = NULL},
		{.title = NULL, .is_elastic = true},
	};
	struct text_table *table = table_create(columns, 2);
	const char *reason = json_string_value(json_object_get(site, "reason"));
	const char *paused = json_string_value(json_object_get(site, "paused"));

	table_add_text(table, "site");
	table_add_text(table, field_text(site, "host"));
	table_add_text(table, "state");
	if (paused != NULL)
		reason = paused;
	table_printf(table, "%s%s%s", field_text(site, "state"),
		     reason == NULL ? "" : ": ", reason == NULL ? "" : reason);
	table_add_text(table, "pages");
	table_printf(table,
		     "%" PRIu64 " (of %" PRIu64 " URLs: %" PRIu64
		     " skipped, %" PRIu64 " failed, %" PRIu64 " wait)",
		     field_whole(site, "pages"), field_whole(site, "found"),
		     field_whole(site, "skipped"), field_whole(site, "failed"),
		     field_whole(site, "pending"));
	table_add_text(table, "templates");
	table_printf(table, "%" PRIu64, field_whole(site, "templates"));
	watch_add_next(table, site);
	table_print(table);
	table_destroy(table);
}

static void watch_print(const struct ctl *ctl, json_t *site)
{
	const char *warning =
		json_string_value(json_object_get(site, "warning"));

	if (ctl->is_json || option_given(ctl, "verbose")) {
		action_print(ctl, site);
		return;
	}
	watch_print_short(site);
	if (warning != NULL)
		ctl_print_error(ctl, "%s", warning);
}

enum ctl_status run_watch(const struct ctl *ctl)
{
	json_t *members = json_object();
	json_t *site = NULL;
	enum ctl_status status = CTL_USAGE;

	watch_add_patterns(ctl, "include", members);
	watch_add_patterns(ctl, "exclude", members);
	if (watch_add_headers(ctl, members))
		status = action_ask(ctl, members, &site);
	if (status == CTL_DONE && option_given(ctl, "wait"))
		status = wait_for(ctl, &site);
	if (status == CTL_DONE)
		watch_print(ctl, site);
	json_decref(members);
	json_decref(site);
	return status;
}
