/* daemon/ctl_batch.c - templatectl: batch, the daemon's work on a folder. */
#include "daemon/ctl.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/analyse.h"
#include "daemon/clock.h"
#include "daemon/ctl_offline.h"
#include "daemon/engine.h"
#include "daemon/inputs.h"
#include "daemon/progress.h"
#include "daemon/survey.h"
#include "extract/extractor.h"
#include "store/compress.h"
#include "store/file.h"
#include "store/memory.h"

enum { MAX_CHANGES = 200, MAX_WAITING_BYTES = 64 << 20 };

/* A page that waits to be committed; `change` points into the rest. */
struct waiting {
	struct url url;
	struct buffer packed;
	struct buffer record;
	size_t input;
};

struct batch_run {
	const struct ctl *ctl;
	const char *folder; /* of the output */
	struct inputs inputs;
	bool *is_stored; /* [inputs.count] */
	struct store *store;
	struct engine *engine;
	struct change *changes;  /* [change_count], of MAX_CHANGES */
	struct waiting *waiting; /* the same */
	size_t change_count;
	size_t waiting_bytes;
	struct answer_rules rules;
	struct text_request request;
	struct progress progress;
	/* the summary */
	uint64_t started_ms;
	size_t by_template;
	size_t by_fallback;
	size_t skipped;
	bool is_broken; /* it cannot go on; told */
};

/* A new folder under $TMPDIR; free() the path. NULL, told. */
static char *make_folder(const struct ctl *ctl)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
	const char *parent = getenv("TMPDIR");
	struct buffer path = {0};

	buffer_printf(&path, "%s/templatectl.XXXXXX",
		      parent == NULL || *parent == '\0' ? "/tmp" : parent);
	if (mkdtemp(path.data) != NULL)
		return path.data;
	ctl_complain(ctl,
		     "%s: cannot be made; set TMPDIR to a folder with "
		     "room for a packed copy of the pages",
		     path.data);
	buffer_free(&path);
	return NULL;
}

static void remove_folder(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	struct buffer name = {0};

	/* NOLINTNEXTLINE(concurrency-mt-unsafe): this folder is ours alone */
	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		buffer_clear(&name);
		buffer_printf(&name, "%s/%s", path, entry->d_name);
		unlink(name.data); /* "." and ".." fail */
	}
	if (folder != NULL)
		closedir(folder);
	rmdir(path);
	buffer_free(&name);
}

/*
 * Open a store whose files have no name any more: they go away with this
 * process, however it ends.
 */
static enum error open_store(struct batch_run *run)
{
	const struct store_options options = {.is_temporary = true};
	char *path = make_folder(run->ctl);
	enum error error;

	if (path == NULL)
		return ERR_IO;
	error = store_open(&run->store, path, &options);
	if (error != ERR_NONE)
		ctl_complain(run->ctl, "%s: %s", path, error_text(error));
	remove_folder(path);
	free(path);
	return error;
}

static bool add_site(struct batch_run *run)
{
	struct url seed;
	struct change change = {
		.kind = CHANGE_SITE_ADD,
		.url = &seed,
		.options = {.measure = offline_measure(run->ctl),
			    .width = offline_width(run->ctl),
			    .max_pages = UINT32_MAX,
			    .max_depth = UINT16_MAX,
			    .flags = SITE_IS_OFFLINE},
	};
	enum error error = offline_url("", &seed);

	options_set_threshold(&change.options, offline_threshold(run->ctl));
	if (error == ERR_NONE)
		error = engine_commit(run->engine, &change, 1, clock_wall_ms(),
				      NULL);
	if (error == ERR_NONE)
		error = change.error;
	if (error != ERR_NONE)
		ctl_complain(run->ctl, "the temporary store: %s",
			     error_text(error));
	return error == ERR_NONE;
}

static bool open_engine(struct batch_run *run)
{
	const struct engine_options options = {0};

	if (open_store(run) != ERR_NONE)
		return false;
	if (engine_create(&run->engine, run->store, &options,
			  clock_wall_ms()) != ERR_NONE) {
		ctl_complain(run->ctl, "the temporary store cannot be used");
		return false;
	}
	return add_site(run);
}

static void skip(struct batch_run *run, size_t input, enum error error)
{
	progress_clear(&run->progress);
	complain_input(run->ctl, run->inputs.items[input].path, error,
		       run->rules.limits.max_bytes);
	run->skipped++;
}

static void commit(struct batch_run *run)
{
	enum error error =
		engine_commit(run->engine, run->changes, run->change_count,
			      clock_wall_ms(), NULL);

	if (error != ERR_NONE) {
		progress_clear(&run->progress);
		ctl_complain(run->ctl,
			     "the temporary store: %s; is there "
			     "room in TMPDIR?",
			     error_text(error));
		run->is_broken = true;
	}
	for (size_t i = 0; i < run->change_count; i++) {
		struct waiting *waiting = &run->waiting[i];

		if (run->changes[i].error == ERR_NONE)
			run->is_stored[waiting->input] = !run->is_broken;
		else if (!run->is_broken)
			skip(run, waiting->input, run->changes[i].error);
		buffer_free(&waiting->packed);
		buffer_free(&waiting->record);
	}
	run->change_count = 0;
	run->waiting_bytes = 0;
}

/* Analyse a file and have it wait for the commit. */
static enum error add_page(struct batch_run *run, size_t input)
{
	const struct page_limits *limits = &run->rules.limits;
	const struct analyse_options options = {
		.limits = limits,
		.measure = offline_measure(run->ctl),
		.width = offline_width(run->ctl),
	};
	struct waiting *waiting = &run->waiting[run->change_count];
	struct change *change = &run->changes[run->change_count];
	struct buffer body = {0};
	enum error error = file_read(run->inputs.items[input].path,
				     limits->max_bytes, &body);

	*waiting = (struct waiting){.input = input};
	if (error == ERR_NONE)
		error = offline_url(run->inputs.items[input].name,
				    &waiting->url);
	if (error == ERR_NONE)
		error = analyse(buffer_slice(&body), (struct slice){NULL, 0},
				&waiting->url, &options, &waiting->record);
	if (error == ERR_NONE) {
		compress(buffer_slice(&body), &waiting->packed);
		*change = (struct change){
			.kind = CHANGE_PAGE,
			.url = &waiting->url,
			.packed = buffer_slice(&waiting->packed),
			.body_bytes = (uint32_t)body.size,
			.record = buffer_slice(&waiting->record),
			.outcome = {.http_status = 200,
				    .now_ms = clock_wall_ms()},
		};
		run->waiting_bytes +=
			waiting->packed.size + waiting->record.size;
		run->change_count++;
	}
	buffer_free(&body);
	return error;
}

static void learn(struct batch_run *run)
{
	run->progress = progress_begin("learn");
	for (size_t i = 0; i < run->inputs.count && !run->is_broken; i++) {
		enum error error = ERR_NONE;

		progress_show(&run->progress, i, run->inputs.count, NULL);
		if (inputs_clash(run->ctl, &run->inputs, i))
			run->skipped++;
		else
			error = add_page(run, i);
		if (error != ERR_NONE)
			skip(run, i, error);
		if (run->change_count == MAX_CHANGES ||
		    run->waiting_bytes > MAX_WAITING_BYTES)
			commit(run);
	}
	if (run->change_count > 0)
		commit(run);
	progress_clear(&run->progress);
}

static bool show_tree(void *context, uint64_t done, uint64_t total)
{
	progress_show(context, done, total, NULL);
	return true;
}

/* Choose the threshold, as the daemon does when a crawl is at rest. */
static void tune(struct batch_run *run)
{
	const struct dendrogram_options watch = {
		.max_leaves = REPORT_MAX_LEAVES,
		.goes_on = show_tree,
		.context = &run->progress,
	};
	struct url seed;
	struct change change;
	struct choice choice;
	enum error error = offline_url("", &seed);

	run->progress = progress_begin("compare");
	if (error == ERR_NONE)
		error = survey_choose(run->store, seed.host, &watch, &choice);
	if (error == ERR_NONE) {
		change = choice_change(&choice, &seed);
		error = engine_commit(run->engine, &change, 1, clock_wall_ms(),
				      NULL);
	}
	progress_clear(&run->progress);
	if (error == ERR_NONE)
		ctl_complain(run->ctl, "threshold %.3f: %s",
			     choice.threshold / 1000.0, choice.reason);
	else
		ctl_complain(run->ctl, "no threshold can be chosen: %s",
			     error_text(error));
	run->is_broken |= error != ERR_NONE;
}

static void extract_page(struct batch_run *run, size_t input)
{
	const char *name = run->inputs.items[input].name;
	struct text_request request = run->request;
	struct text_answer answer = {0};
	struct buffer out = {0};
	struct url url;
	enum error error = offline_url(name, &url);

	request.url = &url;
	if (error == ERR_NONE)
		error = answer_text(run->store, &run->rules, &request, &answer);
	if (error == ERR_NONE) {
		const struct extractor *used = extractor_find(answer.method);

		if (used != NULL && needs_template(used))
			run->by_template++;
		else
			run->by_fallback++;
		offline_render(&answer, request.format, &out);
		run->is_broken =
			!offline_write(run->ctl, run->folder, name,
				       request.format, buffer_slice(&out));
	} else {
		progress_clear(&run->progress);
		offline_complain(run->ctl, run->inputs.items[input].path, error,
				 &answer);
		run->skipped++;
	}
	buffer_free(&out);
	text_answer_free(&answer);
}

static void extract_pages(struct batch_run *run)
{
	run->progress = progress_begin("extract");
	for (size_t i = 0; i < run->inputs.count && !run->is_broken; i++) {
		progress_show(&run->progress, i, run->inputs.count, NULL);
		if (run->is_stored[i])
			extract_page(run, i);
	}
	progress_clear(&run->progress);
}

static void summarise(const struct batch_run *run)
{
	struct store_usage usage = {0};

	if (store_usage(run->store, &usage) != ERR_NONE)
		return;
	fprintf(stderr,
		"%zu pages in %" PRIu64
		" clusters: %zu by template, %zu without; %zu left out; "
		"%.1f s\n",
		run->by_template + run->by_fallback, usage.rows[TABLE_CLUSTERS],
		run->by_template, run->by_fallback, run->skipped,
		(double)(clock_steady_ms() - run->started_ms) / 1000);
}

static enum ctl_status run_all(struct batch_run *run)
{
	if (!inputs_collect(run->ctl, false, &run->inputs))
		return CTL_FAILED;
	run->is_stored = mem_alloc(run->inputs.count, sizeof(bool));
	run->changes = mem_alloc(MAX_CHANGES, sizeof(*run->changes));
	run->waiting = mem_alloc(MAX_CHANGES, sizeof(*run->waiting));
	if (!open_engine(run))
		return CTL_FAILED;
	learn(run);
	if (offline_threshold(run->ctl) == THRESHOLD_AUTO && !run->is_broken)
		tune(run);
	extract_pages(run);
	if (!run->is_broken)
		summarise(run);
	return run->is_broken || run->by_template + run->by_fallback == 0
		       ? CTL_FAILED
		       : CTL_DONE;
}

static bool check_operands(const struct ctl *ctl)
{
	if (!is_folder(ctl->operands[0]))
		ctl_complain(ctl, "%s: no such folder", ctl->operands[0]);
	else if (option_text(ctl, "out") == NULL)
		ctl_complain(ctl, "--out DIR is missing: where to write");
	else
		return true;
	return false;
}

static enum ctl_status run_batch(const struct ctl *ctl)
{
	struct batch_run run = {.ctl = ctl,
				.folder = option_text(ctl, "out"),
				.rules = answer_rules_default,
				.started_ms = clock_steady_ms()};
	enum ctl_status status = CTL_USAGE;

	run.request.format = offline_format(ctl);
	run.request.method = option_text(ctl, "method");
	run.rules.min_cluster_pages = (uint32_t)option_whole(
		ctl, "min-pages", run.rules.min_cluster_pages);
	if (check_operands(ctl) && offline_check_method(ctl, NULL))
		status = run_all(&run);
	engine_destroy(run.engine);
	store_close(run.store);
	inputs_free(&run.inputs);
	free(run.is_stored);
	free(run.changes);
	free(run.waiting);
	return status;
}

static const struct verb_option batch_options[] = {
	{.name = "out",
	 .kind = OPTION_TEXT,
	 .value = "DIR",
	 .meaning = "write a file a page into DIR"},
	OPTION_METHOD_ROW,
	OPTION_FORMAT_ROW,
	OPTION_MEASURE_ROW,
	OPTION_THRESHOLD_ROW,
	OPTION_WIDTH_ROW,
	{.name = "min-pages",
	 .kind = OPTION_WHOLE,
	 .value = "N",
	 .minimum = 2,
	 .maximum = UINT32_MAX,
	 .meaning = "a smaller cluster has no template (default: 3)"},
	{.name = NULL},
};

const struct verb verb_batch = {
	.name = "batch",
	.operands = "DIR",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Learn the templates of a folder of HTML files, and extract "
		   "the content of each",
	.options = batch_options,
	.run = run_batch,
};
