#include "daemon/ctl/offline_run.h"

#include <assert.h>
#include <jansson.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/memory.h"
#include "daemon/ctl/client.h"
#include "daemon/ctl/offline.h"
#include "daemon/ctl/offline_input.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/terminal.h"
#include "daemon/runtime/thread.h"
#include "page/selector.h"
#include "template/extraction.h"
#include "template/request.h"
#include "template/version_json.h"

enum { MAX_ERROR = 256 };

/*
 * Join the values of the option `name` with commas. Each must be a valid
 * selector by itself; otherwise one with an open bracket would include the next
 * one. On failure print an error and return false.
 */
static bool join_selectors(const struct ctl *ctl, const char *name,
			   struct buffer *joined)
{
	for (size_t i = 0; i < ctl->value_count; i++) {
		const char *text = ctl->values[i].text;
		char error[MAX_ERROR];
		struct arena *arena;
		bool is_right;

		if (strcmp(ctl->values[i].option->name, name) != 0)
			continue;
		arena = arena_create();
		is_right = selector_compile(arena, text, error) != NULL;
		arena_destroy(arena);
		if (!is_right) {
			ctl_print_error(ctl, "--%s: \"%s\": %s", name, text,
					error);
			return false;
		}
		if (joined->size > 0)
			buffer_append_text(joined, ", ");
		buffer_append_text(joined, text);
	}
	return true;
}

static bool ctl_request_check(const struct ctl *ctl,
			      const struct text_request *request)
{
	char error[MAX_ERROR];

	switch (request_check(request, error)) {
	case ERR_NONE:
		return true;
	case ERR_NOT_FOUND:
		ctl_print_error(ctl,
				"--method: \"%s\" is not a method; see "
				"templatectl methods",
				request->method);
		return false;
	default:
		ctl_print_error(ctl, "%s", error);
		return false;
	}
}

static uint32_t ctl_request_read_extras(const struct ctl *ctl)
{
	static const struct {
		const char *name;
		enum extra extra;
	} options[] = {
		{"with", EXTRA_COMMENTS},
		{"comments", EXTRA_COMMENTS_APART},
		{"images", EXTRA_IMAGES},
		{"links", EXTRA_LINKS},
		{"no-tables", EXTRA_NO_TABLES},
		{"no-title", EXTRA_NO_TITLE},
		{"front-matter", EXTRA_FRONT_MATTER},
	};
	uint32_t extras = 0;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (option_given(ctl, options[i].name))
			extras |= options[i].extra;
	return extras;
}

bool ctl_request_read(const struct ctl *ctl, struct ctl_request *request_out)
{
	struct text_request *request = &request_out->request;
	const char *favor = option_text(ctl, "favor");
	const char *scope = option_text(ctl, "scope");

	*request_out =
		(struct ctl_request){.parameters = offline_parameters(ctl)};
	request->method = option_text(ctl, "method");
	request->parameters = request_out->parameters;
	request->extras = ctl_request_read_extras(ctl);
	if (favor != NULL)
		favor_from_name(favor, &request->preference.favor);
	if (scope != NULL)
		scope_from_name(scope, &request->preference.scope);
	if (!join_selectors(ctl, "include", &request_out->include) ||
	    !join_selectors(ctl, "exclude", &request_out->exclude))
		return false;
	request->include = request_out->include.data;
	request->exclude = request_out->exclude.data;
	return ctl_request_check(ctl, request);
}

void ctl_request_free(struct ctl_request *request)
{
	free(request->parameters);
	buffer_free(&request->include);
	buffer_free(&request->exclude);
}

static void append_extras(uint32_t extras, bool is_omission,
			  struct buffer *target)
{
	const char *before = is_omission ? "&without=" : "&with=";

	for (uint32_t extra = 1; extra <= EXTRAS; extra *= 2) {
		const char *word = extra_word((enum extra)extra);

		if ((extras & extra) == 0 ||
		    extra_is_omission((enum extra)extra) != is_omission)
			continue;
		buffer_printf(target, "%s%s", before, word);
		before = "%2C";
	}
}

void ctl_request_append(const struct ctl_request *asked, struct buffer *target)
{
	const struct text_request *request = &asked->request;

	client_append_query(target, "method", request->method);
	if (request->preference.favor != FAVOR_BALANCE)
		client_append_query(target, "favor",
				    favor_name(request->preference.favor));
	client_append_query(target, "scope",
			    scope_name(request->preference.scope));
	append_extras(request->extras, false, target);
	append_extras(request->extras, true, target);
	client_append_query(target, "include", request->include);
	client_append_query(target, "exclude", request->exclude);
	for (size_t i = 0; asked->parameters[i] != NULL; i++) {
		buffer_append_text(target, i == 0 ? "&param=" : "%2C");
		client_append_escaped(target, asked->parameters[i]);
	}
}

enum { ITEMS_PER_JOB = 4, LONG_MS = 60 * 60 * 1000 };

struct parallel_run {
	const struct ordered_work *work;
	sem_t is_ended; /* posted when no thread uses this struct any longer */
};

unsigned ordered_work_jobs(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	if (count < 1)
		return 1;
	return count > MAX_JOBS ? MAX_JOBS : (unsigned)count;
}

/* Return the next item; NULL if there are no more. */
static void *begin_item(const struct ordered_work *work)
{
	void *item = mem_alloc(1, work->item_bytes);

	if (work->next(work->context, item))
		return item;
	free(item);
	return NULL;
}

static bool end_item(const struct ordered_work *work, void *item)
{
	bool goes_on = work->done(work->context, item);

	free(item);
	return goes_on;
}

static void parallel_run_work(void *context, void *item)
{
	const struct parallel_run *run = context;

	run->work->work(run->work->context, item);
}

/* The queue needs no limit of bytes, because it has a limit of items. */
static size_t parallel_run_item_bytes(const void *item)
{
	(void)item;
	return 0;
}

static void parallel_run_end(void *context)
{
	struct parallel_run *run = context;

	sem_post(&run->is_ended);
}

/*
 * Put items into the queue until it is full or a result is ready. Return false
 * if there are no more items.
 */
static bool parallel_run_fill(const struct ordered_work *work,
			      struct ordered_queue *ordered)
{
	while (ordered_queue_is_not_full(ordered) &&
	       !ordered_queue_is_ready(ordered)) {
		void *item = begin_item(work);

		if (item == NULL)
			return false;
		ordered_queue_put(ordered, item);
	}
	return true;
}

static void parallel_run_all(const struct ordered_work *work,
			     struct ordered_queue *ordered)
{
	bool has_more = parallel_run_fill(work, ordered);

	while (!ordered_queue_is_empty(ordered)) {
		void *item = ordered_queue_take(ordered,
						clock_steady_ms() + LONG_MS);

		if (item != NULL && !end_item(work, item))
			has_more = false;
		if (has_more)
			has_more = parallel_run_fill(work, ordered);
	}
}

void ordered_work_run(const struct ordered_work *work, unsigned jobs)
{
	struct parallel_run run = {.work = work};
	const struct ordered_queue_options options = {
		.threads = jobs,
		.window = (size_t)jobs * ITEMS_PER_JOB,
		.max_bytes = SIZE_MAX,
		.work = parallel_run_work,
		.size = parallel_run_item_bytes,
		.discard = free,
		.end = parallel_run_end,
		.context = &run,
	};
	struct ordered_queue *ordered;
	bool goes_on = true;
	void *item;

	assert(jobs >= 1 && jobs <= MAX_JOBS);
	sem_init(&run.is_ended, 0, 0);
	if (jobs == 1 || ordered_queue_open(&ordered, &options) != ERR_NONE) {
		while (goes_on && (item = begin_item(work)) != NULL) {
			work->work(work->context, item);
			goes_on = end_item(work, item);
		}
	} else {
		parallel_run_all(work, ordered);
		ordered_queue_close(ordered);
		while (sem_wait(&run.is_ended) != 0)
			continue; /* interrupted by a signal */
	}
	sem_destroy(&run.is_ended);
}

bool page_run_url(const struct ctl *ctl, struct text_request *request,
		  struct url *url_out)
{
	const char *text = option_text(ctl, "url");
	enum error error;

	if (text == NULL)
		return true;
	error = url_parse(url_out, slice_of(text), NULL);
	if (error != ERR_NONE) {
		ctl_print_error(ctl,
				"--url: \"%s\" is not an http or https URL: %s",
				text, error_text(error));
		return false;
	}
	request->url = url_out;
	return true;
}

unsigned page_run_jobs(const struct ctl *ctl)
{
	return (unsigned)option_whole(ctl, "jobs", ordered_work_jobs());
}

bool page_run_is_many(const struct ctl *ctl)
{
	return ctl->operand_count > 1 || option_given(ctl, "urls") ||
	       (ctl->operand_count == 1 && (is_folder(ctl->operands[0]) ||
					    is_archive(ctl, ctl->operands[0])));
}

bool page_run_format(const struct ctl *ctl, bool is_listed,
		     enum format *format_out)
{
	bool has_folder = option_text(ctl, "out") != NULL;

	*format_out = offline_format(ctl);
	if (has_folder && ctl->operand_count == 0 &&
	    !option_given(ctl, "urls")) {
		ctl_print_error(ctl, "--out DIR needs a FILE or DIR as input");
		return false;
	}
	if (has_folder || !is_listed)
		return true;
	if (option_text(ctl, "format") == NULL)
		*format_out = FORMAT_JSON;
	if (*format_out == FORMAT_JSON)
		return true;
	ctl_print_error(ctl, "several pages on standard output must be JSON "
			     "lines: use --format json, or --out DIR");
	return false;
}

/* A page that is being processed. */
struct page_job {
	struct page_item item;
	struct buffer out;  /* text to print or write */
	struct buffer note; /* warning about the page; or empty */
	bool is_left_out;
};

struct running {
	const struct page_run *run;
	struct page_stream stream;
	const char *folder; /* folder for the output files; NULL = standard
			       output */
	bool is_listed;     /* print a line of JSON for each page */
	bool is_strict;     /* --only-with-metadata */
	struct progress progress;
	uint64_t started_ms; /* steady clock */
	size_t ended;        /* number of pages whose work has ended */
	struct page_run_counts counts;
	bool is_broken; /* an error was printed: stop */
};

static bool page_run_next(void *context, void *place)
{
	struct running *running = context;
	struct page_job *job = place;

	if (running->run->next != NULL)
		return running->run->next(running->run->context, &job->item);
	return page_stream_next(&running->stream, &job->item);
}

/*
 * Read the file of a page. Read one byte more than the maximum, to notice
 * whether the page is truncated.
 */
static enum error page_run_read_page(const struct page_run *run,
				     struct page_job *job)
{
	struct page_item *item = &job->item;
	enum error error =
		file_read_start(item->path, run->max_bytes + 1, &item->body);

	if (error != ERR_NONE)
		input_trouble(error, run->max_bytes, &item->trouble);
	else if (item->body.size > run->max_bytes)
		buffer_printf(
			&job->note,
			"truncated after %zu bytes, the maximum of a page",
			run->max_bytes);
	return error;
}

/* If the page is one of several files, set its URL. */
static enum error page_run_set_url(const struct running *running,
				   struct page_job *job)
{
	const struct page_run *run = running->run;
	struct page_item *item = &job->item;
	enum error error;

	if (item->has_url || run->place == NULL || item->output.size == 0 ||
	    (running->folder == NULL && !running->is_listed))
		return ERR_NONE;
	error = run->place(run->context, item->output.data, &item->url);
	item->has_url = error == ERR_NONE;
	if (error != ERR_NONE)
		buffer_printf(&item->trouble,
			      "cannot make a URL from its name: %s",
			      error_text(error));
	return error;
}

/*
 * Insert `"file":"...",` after the first brace of the object that was appended
 * to `out` at `begin`.
 */
static void name_line(const struct page_item *item, size_t begin,
		      struct buffer *out)
{
	json_t *name = json_text(buffer_slice(&item->name));
	char *quoted = json_dumps(name, JSON_ENCODE_ANY);
	struct buffer rest = {0};

	buffer_append(&rest, out->data + begin + 1, out->size - begin - 1);
	out->size = begin + 1;
	buffer_printf(out, "\"file\":%s,", quoted == NULL ? "null" : quoted);
	buffer_append_slice(out, buffer_slice(&rest));
	buffer_free(&rest);
	free(quoted);
	json_decref(name);
}

static void render_answer(const struct running *running, struct page_job *job,
			  struct extraction_result *answer)
{
	enum format format = running->run->request.format;

	job->is_left_out = running->is_strict && !result_is_citable(answer);
	if (job->is_left_out)
		return;
	offline_render(answer, format, &job->out);
	if (running->is_listed)
		name_line(&job->item, 0, &job->out);
}

static void page_run_extract(const struct running *running,
			     struct page_job *job)
{
	const struct page_run *run = running->run;
	struct page_item *item = &job->item;
	struct text_request request = run->request;
	struct extraction_result answer = {0};
	enum error error;

	if (item->has_url)
		request.url = &item->url;
	if (item->charset.size > 0)
		request.charset = buffer_slice(&item->charset);
	request.body = buffer_slice(&item->body);
	error = run->append != NULL
			? run->append(run->context, item, &request, &job->out)
			: run->answer(run->context, item, &request, &answer);
	if (error == ERR_NONE && run->append == NULL)
		render_answer(running, job, &answer);
	else if (error != ERR_NONE)
		offline_trouble(error, &answer, &item->trouble);
	extraction_result_free(&answer);
}

static void work_on_page(void *context, void *place)
{
	const struct running *running = context;
	struct page_job *job = place;
	bool is_read = job->item.path != NULL;

	if (job->item.trouble.size == 0 &&
	    page_run_set_url(running, job) == ERR_NONE &&
	    (!is_read || page_run_read_page(running->run, job) == ERR_NONE))
		page_run_extract(running, job);
	buffer_free(&job->item.body);
}

static void page_run_report(struct running *running, const struct page_job *job,
			    const struct buffer *text)
{
	if (text->size == 0)
		return;
	progress_clear(&running->progress);
	ctl_print_error(running->run->ctl, "%s: %s", job->item.name.data,
			text->data);
}

/* Print a line of JSON with the reason why the page failed. */
static void print_trouble(const struct page_job *job)
{
	json_t *line = json_pack("{s:o}", "error",
				 json_text(buffer_slice(&job->item.trouble)));
	char *text = json_dumps(line, JSON_COMPACT);
	struct buffer out = {0};

	buffer_append_text(&out, text == NULL ? "{}" : text);
	buffer_append_byte(&out, '\n');
	name_line(&job->item, 0, &out);
	terminal_print(buffer_slice(&out));
	buffer_free(&out);
	free(text);
	json_decref(line);
}

static void put_page(struct running *running, const struct page_job *job)
{
	const struct page_run *run = running->run;

	if (running->folder == NULL)
		terminal_print(buffer_slice(&job->out));
	else if (!offline_write(run->ctl, running->folder,
				job->item.output.data, run->request.format,
				buffer_slice(&job->out)))
		running->is_broken = true;
	running->counts.done += !running->is_broken;
}

static bool end_page(void *context, void *place)
{
	struct running *running = context;
	struct page_job *job = place;
	bool is_known = running->run->next != NULL;
	size_t total =
		is_known ? running->run->count : running->stream.inputs.count;

	page_run_report(running, job, &job->note);
	page_run_report(running, job, &job->item.trouble);
	running->counts.left_out += job->is_left_out;
	running->counts.failed += job->item.trouble.size > 0;
	if (job->item.trouble.size > 0 && running->is_listed &&
	    !running->run->is_csv)
		print_trouble(job);
	else if (job->item.trouble.size == 0 && !job->is_left_out &&
		 !running->is_broken)
		put_page(running, job);
	/* the number of pages in an archive is unknown */
	progress_show(&running->progress, ++running->ended,
		      is_known || job->item.path != NULL ? total : 0, NULL);
	page_item_free(&job->item);
	buffer_free(&job->out);
	buffer_free(&job->note);
	return !running->is_broken;
}

static void page_run_all(struct running *running)
{
	const struct ordered_work work = {
		.next = page_run_next,
		.work = work_on_page,
		.done = end_page,
		.context = running,
		.item_bytes = sizeof(struct page_job),
	};

	running->started_ms = clock_steady_ms();
	running->progress = progress_begin("extract");
	/* the line and the pages must not share a terminal */
	if (running->folder == NULL && isatty(STDOUT_FILENO) != 0)
		running->progress.is_shown = false;
	ordered_work_run(&work, running->run->jobs);
	progress_clear(&running->progress);
	if (running->counts.left_out > 0)
		ctl_print_error(running->run->ctl,
				"%zu pages skipped: no title, date or URL",
				running->counts.left_out);
}

/* Print one line about the files that were written. */
static void page_run_print_summary(const struct running *running)
{
	const struct page_run_counts *counts = &running->counts;

	fprintf(stderr, "%zu pages in %s; %zu failed; %.1f s\n", counts->done,
		running->folder, counts->failed,
		(double)(clock_steady_ms() - running->started_ms) / 1000);
}

enum ctl_status page_run(const struct page_run *run,
			 struct page_run_counts *counts_out)
{
	struct running running = {
		.run = run,
		.folder = option_text(run->ctl, "out"),
		.is_strict = option_given(run->ctl, "only-with-metadata"),
	};
	enum ctl_status status = CTL_FAILED;

	running.is_listed = running.folder == NULL &&
			    (run->next != NULL || page_run_is_many(run->ctl));
	if (run->next != NULL ||
	    page_stream_open(run->ctl, run->max_bytes, &running.stream)) {
		page_run_all(&running);
		if (running.counts.done + running.counts.left_out > 0 &&
		    !running.is_broken)
			status = CTL_DONE;
	}
	if (run->next == NULL)
		page_stream_close(&running.stream);
	/* an action with its own pages has its own summary */
	if (run->next == NULL && running.folder != NULL && running.ended > 0)
		page_run_print_summary(&running);
	*counts_out = running.counts;
	return status;
}
