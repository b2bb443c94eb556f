/*
 * daemon/ctl/ctl_seed.c - templatectl seed: add the URLs of a file, any number
 * of URLs. A second file next to the first stores the progress, so that the
 * next call continues there.
 */
#include "daemon/ctl/ctl_client.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "daemon/ctl/progress.h"

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

static enum ctl_status run_seed(const struct ctl *ctl)
{
	const char *path = ctl->operands[0];
	bool is_input = strcmp(path, "-") == 0;
	struct site_import seeding = {
		.ctl = ctl,
		.file = is_input ? stdin : fopen(path, "re"),
		.max_batch = option_whole(ctl, "batch", DEFAULT_BATCH),
		.is_cluster = option_given(ctl, "cluster"),
		.progress = progress_begin("seed"),
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

static const struct verb_option options[] = {
	{.name = "cluster",
	 .kind = OPTION_FLAG,
	 .meaning = "as jobs: the broker stores them, and the owners add the "
		    "sites later"},
	{.name = "batch",
	 .kind = OPTION_WHOLE,
	 .value = "N",
	 .minimum = 1,
	 .maximum = MAX_BATCH,
	 .meaning = "URLs per request (default: 500)"},
	{.name = NULL},
};

const struct verb verb_seed = {
	.name = "seed",
	.group = VERBS_WATCH,
	.operands = "FILE|-",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Watch the sites of a list of any length",
	.options = options,
	.run = run_seed,
};
