#include "daemon/ctl/page_run.h"

#include "daemon/ctl/ctl_offline.h"
#include "daemon/ctl/inputs.h"
#include "daemon/ctl/progress.h"
#include "daemon/runtime/terminal.h"
#include "store/file.h"

bool page_run_url(const struct ctl *ctl, struct text_request *request,
		  struct url *url_out)
{
	const char *text = option_text(ctl, "url");
	enum error error;

	if (text == NULL)
		return true;
	error = url_parse(url_out, slice_of(text), NULL);
	if (error != ERR_NONE) {
		ctl_complain(ctl, "--url: \"%s\" is no http or https URL: %s",
			     text, error_text(error));
		return false;
	}
	request->url = url_out;
	return true;
}

/* Read one byte more than a page may have, to know whether it is cut. */
static enum error read_page(const struct page_run *run, const char *path,
			    struct buffer *body)
{
	enum error error = file_read_start(path, run->max_bytes + 1, body);

	if (error == ERR_NONE && body->size > run->max_bytes)
		ctl_complain(run->ctl,
			     "%s: cut behind %zu bytes, the limit of a page",
			     path, run->max_bytes);
	return error;
}

/* Append the content of the file at `path`, in the format, to `out`. */
static enum error answer_file(const struct page_run *run, const char *path,
			      const struct url *url, struct buffer *out)
{
	struct text_request request = run->request;
	struct text_answer answer = {0};
	struct buffer body = {0};
	enum error error = read_page(run, path, &body);

	request.url = url;
	request.body = buffer_slice(&body);
	if (error == ERR_NONE)
		error = run->answer(run->context, &request, &answer);
	if (error == ERR_NONE)
		offline_render(&answer, request.format, out);
	else
		offline_complain(run->ctl, path, error, &answer);
	text_answer_free(&answer);
	buffer_free(&body);
	return error;
}

static enum ctl_status run_one(const struct page_run *run, const char *path)
{
	struct buffer out = {0};
	enum error error = answer_file(run, path, run->request.url, &out);

	if (error == ERR_NONE)
		terminal_print(buffer_slice(&out));
	buffer_free(&out);
	return error == ERR_NONE ? CTL_DONE : CTL_FAILED;
}

/* As answer_file(), with the URL of one of many. */
static enum error answer_input(const struct page_run *run,
			       const struct input *input, struct buffer *out)
{
	const struct url *url = run->request.url;
	struct url own;

	if (run->place != NULL) {
		enum error error = run->place(run->context, input->name, &own);

		if (error != ERR_NONE) {
			ctl_complain(run->ctl, "%s: its name makes no URL: %s",
				     input->path, error_text(error));
			return error;
		}
		url = &own;
	}
	return answer_file(run, input->path, url, out);
}

/* ERR_NONE, why the page is left out, or ERR_STORE_FULL: it cannot go on. */
static enum error run_to(const struct page_run *run,
			 const struct inputs *inputs, size_t index,
			 const char *folder)
{
	const struct input *input = &inputs->items[index];
	struct buffer out = {0};
	enum error error = ERR_REFUSED;

	if (!inputs_clash(run->ctl, inputs, index))
		error = answer_input(run, input, &out);
	if (error == ERR_NONE &&
	    !offline_write(run->ctl, folder, input->name, run->request.format,
			   buffer_slice(&out)))
		error = ERR_STORE_FULL;
	buffer_free(&out);
	return error;
}

static enum ctl_status run_all(const struct page_run *run, const char *folder)
{
	struct progress progress = progress_begin("extract");
	struct inputs inputs;
	enum error error = ERR_NONE;
	size_t done = 0;

	if (!inputs_collect(run->ctl, false, &inputs)) {
		inputs_free(&inputs);
		return CTL_FAILED;
	}
	for (size_t i = 0; i < inputs.count && error != ERR_STORE_FULL; i++) {
		progress_show(&progress, i, inputs.count, NULL);
		error = run_to(run, &inputs, i, folder);
		done += error == ERR_NONE;
		if (error != ERR_NONE)
			progress_clear(&progress);
	}
	progress_clear(&progress);
	inputs_free(&inputs);
	return done > 0 && error != ERR_STORE_FULL ? CTL_DONE : CTL_FAILED;
}

enum ctl_status page_run(const struct page_run *run)
{
	const struct ctl *ctl = run->ctl;
	const char *folder = option_text(ctl, "out");
	const char *path = ctl->operand_count == 0 ? "-" : ctl->operands[0];

	if (folder != NULL && ctl->operand_count > 0)
		return run_all(run, folder);
	if (folder != NULL || ctl->operand_count > 1 || is_folder(path)) {
		ctl_complain(ctl,
			     folder == NULL
				     ? "several pages need --out DIR"
				     : "--out DIR needs a FILE or DIR to read");
		return CTL_USAGE;
	}
	return run_one(run, path);
}
