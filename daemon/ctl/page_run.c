#include "daemon/ctl/page_run.h"

#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "base/file.h"
#include "daemon/ctl/ctl_offline.h"
#include "daemon/ctl/inputs.h"
#include "daemon/ctl/ordered_work.h"
#include "daemon/ctl/page_stream.h"
#include "daemon/ctl/progress.h"
#include "daemon/runtime/terminal.h"
#include "template/json_value.h"
#include "template/presentation.h"

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

/* A page in progress. */
struct page_job {
	struct page_item item;
	struct buffer out;  /* to print or write */
	struct buffer note; /* additional message; or empty */
	bool is_left_out;
};

struct running {
	const struct page_run *run;
	struct page_stream stream;
	const char *folder; /* for the output, or NULL: standard output */
	bool is_listed;     /* print a line of JSON per page */
	bool is_strict;     /* --only-with-metadata */
	struct progress progress;
	struct page_run_counts counts;
	bool is_broken; /* stop; the error was reported */
};

static bool page_run_next(void *context, void *place)
{
	struct running *running = context;
	struct page_job *job = place;

	if (running->run->next != NULL)
		return running->run->next(running->run->context, &job->item);
	return page_stream_next(&running->stream, &job->item);
}

/* Read one byte more than the maximum, to detect a truncated page. */
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

/* Make the URL of one of several files. */
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
 * Insert `"file":"...",` after the brace of the object that was appended at
 * `begin`.
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
	error = run->answer(run->context, item, &request, &answer);
	if (error == ERR_NONE)
		render_answer(running, job, &answer);
	else
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

/* Print a line with the reason instead of a page. */
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
	if (job->item.trouble.size > 0 && running->is_listed)
		print_trouble(job);
	else if (job->item.trouble.size == 0 && !job->is_left_out &&
		 !running->is_broken)
		put_page(running, job);
	if ((is_known || job->item.path != NULL) && total > 1)
		progress_show(&running->progress, job->item.index + 1, total,
			      NULL);
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

	running->progress = progress_begin("extract");
	ordered_work_run(&work, running->run->jobs);
	progress_clear(&running->progress);
	if (running->counts.left_out > 0)
		ctl_print_error(running->run->ctl,
				"%zu pages skipped: no title, date or URL",
				running->counts.left_out);
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
	*counts_out = running.counts;
	return status;
}
