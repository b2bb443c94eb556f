#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/memory.h"
#include "daemon/ctl/client.h"
#include "daemon/ctl/ctl.h"
#include "daemon/ctl/offline_run.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/terminal.h"
#include "template/text_diff.h"

/* The action templatectl ingest, which uploads archives to the daemon. */

enum { SHOWN_HOSTS = 5 };

/* An archive that is being sent. */
struct archive_input {
	const char *name;
	int file;
	uint64_t size; /* 0 = unknown */
	uint64_t done;
	int failure; /* errno of a failed read, or 0 */
	struct progress progress;
};

static enum error read_input(void *context, char *out, size_t capacity,
			     size_t *size_out)
{
	struct archive_input *input = context;
	enum error error = client_read(input->file, out, capacity, size_out,
				       &input->failure);

	input->done += *size_out;
	if (error == ERR_NONE)
		progress_show_bytes(&input->progress, input->done, input->size);
	return error;
}

static bool archive_input_open(const struct ctl *ctl,
			       struct archive_input *input)
{
	struct stat status;

	input->file = strcmp(input->name, "-") == 0
			      ? dup(STDIN_FILENO)
			      : open(input->name, O_RDONLY | O_CLOEXEC);
	if (input->file < 0) {
		ctl_print_error(ctl, "%s: %s", input->name,
				strerrordesc_np(errno));
		return false;
	}
	if (fstat(input->file, &status) == 0 && S_ISREG(status.st_mode))
		input->size = (uint64_t)status.st_size;
	return true;
}

/*
 * Send the archive. The query of the request has the options that select its
 * pages.
 */
static enum ctl_status send_input(const struct ctl *ctl,
				  struct archive_input *input,
				  json_t **answer_out)
{
	struct socket_request upload = {
		.media_type = "application/warc",
		.source = read_input,
		.context = input,
	};
	struct buffer target = {0};
	enum ctl_status status;

	buffer_printf(&target, "/v1/ingest?replace=%d",
		      option_given(ctl, "replace"));
	for (size_t i = 0; i < ctl->value_count; i++)
		if (strcmp(ctl->values[i].option->name, "host") == 0)
			client_append_query(&target, "host",
					    ctl->values[i].text);
	upload.target = target.data;
	input->progress = progress_begin("ingest");
	status = client_send(ctl, &upload, answer_out);
	progress_clear(&input->progress);
	if (input->failure != 0)
		ctl_print_error(ctl, "%s: %s", input->name,
				strerrordesc_np(input->failure));
	buffer_free(&target);
	return status;
}

/*
 * Append the first SHOWN_HOSTS hosts whose pages were skipped with this error.
 */
static void append_hosts(const json_t *answer, const char *error,
			 struct buffer *out)
{
	const json_t *row;
	size_t count = 0;
	size_t i;

	json_array_foreach(json_object_get(answer, "hosts"), i, row)
	{
		if (strcmp(field_text(row, "error"), error) != 0)
			continue;
		if (count++ == SHOWN_HOSTS) {
			buffer_append_text(out, ", ...");
			break;
		}
		buffer_printf(out, "%s%s (%" PRIu64 ")", count > 1 ? ", " : "",
			      field_text(row, "host"),
			      field_whole(row, "pages"));
	}
	buffer_append_byte(out, '\0');
}

/* Report skipped and rejected pages, and the option that includes them. */
static void complain_pages(const struct ctl *ctl, const char *name,
			   const json_t *answer)
{
	uint64_t strangers =
		field_whole(json_object_get(answer, "skipped"), "no-site");
	uint64_t kept = field_whole(answer, "kept");
	struct buffer unknown = {0};
	struct buffer over = {0};

	append_hosts(answer, "no_site", &unknown);
	append_hosts(answer, "too_large", &over);
	if (strangers > 0)
		ctl_print_error(
			ctl,
			"%s: skipped %" PRIu64
			" pages of unknown sites: %s; use --host HOST, or "
			"--host '*', to add the sites",
			name, strangers, unknown.data);
	if (over.size > 1)
		ctl_print_error(ctl,
				"%s: rejected: pages of new sites beyond "
				"crawl.max_sites: %s",
				name, over.data);
	if (kept > 0)
		ctl_print_error(
			ctl,
			"%s: kept %" PRIu64
			" pages that the daemon fetched itself; --replace "
			"replaces them by newer ones",
			name, kept);
	buffer_free(&unknown);
	buffer_free(&over);
}

/*
 * Report rejected records and, if reading stopped before the end of the
 * archive, the reason.
 */
static void complain_records(const struct ctl *ctl, const char *name,
			     const json_t *answer)
{
	const json_t *errors = json_object_get(answer, "errors");
	const json_t *row;
	size_t i;

	json_array_foreach(errors, i, row)
	{
		ctl_print_error(ctl, "%s: record at %" PRIu64 ": %s: %s", name,
				field_whole(row, "offset"),
				field_text(row, "message"),
				field_text(row, "url"));
	}
	if (field_whole(answer, "rejected") > json_array_size(errors))
		ctl_print_error(
			ctl, "%s: %" PRIu64 " more records were rejected", name,
			field_whole(answer, "rejected") -
				json_array_size(errors));
	if (!json_is_true(json_object_get(answer, "complete")))
		ctl_print_error(ctl,
				"%s: stopped before the end of the archive: %s",
				name, field_text(answer, "reason"));
}

static void archive_add_row(json_t *rows, const char *name, json_t *answer)
{
	static const char *const reasons[] = {"not-html", "error-status",
					      "other", "other-host", "no-site"};
	const json_t *skipped = json_object_get(answer, "skipped");
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		sum += field_whole(skipped, reasons[i]);
	json_object_set_new(answer, "skipped", json_integer((json_int_t)sum));
	json_object_set_new(answer, "file", json_string(name));
	json_array_append(rows, answer);
}

/* Send one archive; print the result as JSON or add it to the rows. */
static enum ctl_status ingest_file(const struct ctl *ctl, const char *name,
				   json_t *rows)
{
	struct archive_input input = {.name = name};
	enum ctl_status status = CTL_FAILED;
	json_t *answer = NULL;

	if (!archive_input_open(ctl, &input))
		return status;
	status = send_input(ctl, &input, &answer);
	close(input.file);
	if (status != CTL_DONE)
		return status;
	if (ctl->is_json) {
		json_object_set_new(answer, "file", json_string(name));
		client_print_json(answer);
	} else {
		complain_records(ctl, name, answer);
		complain_pages(ctl, name, answer);
		archive_add_row(rows, name, answer);
	}
	if (!json_is_true(json_object_get(answer, "complete")))
		status = CTL_FAILED;
	json_decref(answer);
	return status;
}

enum ctl_status run_ingest(const struct ctl *ctl)
{
	json_t *rows = json_array();
	enum ctl_status worst = CTL_DONE;

	for (size_t i = 0; i < ctl->operand_count; i++) {
		enum ctl_status status =
			ingest_file(ctl, ctl->operands[i], rows);

		worst = status > worst ? status : worst;
		if (status == CTL_NO_DAEMON)
			break;
	}
	if (!ctl->is_json && worst != CTL_NO_DAEMON)
		table_print_rows(ctl->action->tables[0].columns, rows);
	json_decref(rows);
	return worst;
}

/*
 * The action templatectl texts, which prints the texts of the pages of a site.
 */

enum {
	BLOCK_BYTES = 64 * 1024,
	SEQUENCE_BYTES = 64,
	MAX_LINE_BYTES = 256 << 20, /* maximum size of a line of the daemon */
};

struct texts_output {
	const char *path; /* NULL = standard output */
	int file;
	int failure; /* errno of a failed write, or 0 */
	char since[SEQUENCE_BYTES];
	bool is_lines;     /* each page is a line */
	uint64_t pages;    /* number of lines received */
	uint64_t expected; /* number of pages of the site; 0 = unknown */
	uint64_t bytes;    /* number of bytes received */
	struct progress progress;
};

static uint64_t count_lines(struct slice bytes)
{
	const char *at = bytes.data;
	const char *end = at + bytes.size;
	uint64_t count = 0;

	while (at < end &&
	       (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		count++;
		at++;
	}
	return count;
}

static enum error write_texts(void *context, struct slice bytes, uint64_t total)
{
	struct texts_output *output = context;

	output->bytes += bytes.size;
	output->pages += count_lines(bytes);
	if (output->path != NULL && output->is_lines)
		progress_show(&output->progress, output->pages,
			      output->expected, NULL);
	else if (output->path != NULL)
		progress_show_bytes(&output->progress, output->bytes, total);
	if (output->path != NULL)
		return client_write(output->file, bytes, &output->failure);
	terminal_print(bytes);
	return ferror(stdout) == 0 ? ERR_NONE : ERR_IO;
}

/*
 * Return the position of the last newline before `end`; -1 if there is none or
 * reading fails.
 */
static off_t last_newline(int file, off_t end)
{
	char block[BLOCK_BYTES];

	while (end > 0) {
		off_t begin = end > BLOCK_BYTES ? end - BLOCK_BYTES : 0;
		ssize_t size = pread(file, block, (size_t)(end - begin), begin);
		const char *newline;

		if (size <= 0)
			return -1;
		newline = memrchr(block, '\n', (size_t)size);
		if (newline != NULL)
			return begin + (newline - block);
		end = begin;
	}
	return -1;
}

/*
 * Store the sequence of the line from `begin` to `end` in output->since. Return
 * false if it has none.
 */
static bool texts_read_sequence(struct texts_output *output, off_t begin,
				off_t end)
{
	size_t size = (size_t)(end - begin);
	json_t *line = NULL;
	const char *sequence;
	char *bytes;

	if (size > MAX_LINE_BYTES)
		return false;
	bytes = mem_alloc(size + 1, 1);
	if (pread(output->file, bytes, size, begin) == (ssize_t)size)
		line = json_loadb(bytes, size, 0, NULL);
	sequence = json_string_value(json_object_get(line, "sequence"));
	if (sequence != NULL)
		snprintf(output->since, sizeof(output->since), "%s", sequence);
	json_decref(line);
	free(bytes);
	return sequence != NULL;
}

/*
 * Find the line after which an earlier run stopped, and remove an incomplete
 * line at the end. Return false if the file was not written by this command.
 */
static bool texts_find_end(struct texts_output *output)
{
	off_t end = lseek(output->file, 0, SEEK_END);
	off_t newline = last_newline(output->file, end);

	if (newline >= 0 &&
	    !texts_read_sequence(
		    output, last_newline(output->file, newline) + 1, newline))
		return false;
	if (ftruncate(output->file, newline + 1) != 0) {
		output->failure = errno;
		return false;
	}
	return lseek(output->file, 0, SEEK_END) >= 0;
}

static bool open_output(const struct ctl *ctl, struct texts_output *output)
{
	bool is_resumed = option_given(ctl, "resume");
	bool is_open;

	if (output->path == NULL)
		return true;
	output->file =
		open(output->path,
		     O_RDWR | O_CREAT | O_CLOEXEC | (is_resumed ? 0 : O_TRUNC),
		     0666);
	is_open = output->file >= 0;
	if (is_open && (!is_resumed || texts_find_end(output)))
		return true;
	if (!is_open || output->failure != 0)
		ctl_print_error(
			ctl, "%s: %s", output->path,
			strerrordesc_np(is_open ? output->failure : errno));
	else
		ctl_print_error(ctl, "%s: the last line has no sequence",
				output->path);
	return false;
}

/*
 * Return the format of --format; without it, the format for the ending of the
 * file name.
 */
static const char *format_of(const struct ctl *ctl, const char *path)
{
	static const char *const formats[] = {"wet.gz", "wet", "csv"};
	const char *format = option_text(ctl, "format");

	for (size_t i = 0; format == NULL && path != NULL && i < 3; i++)
		if (ends_with(path, formats[i]))
			format = formats[i];
	return format == NULL ? "jsonl" : format;
}

/*
 * Return the number of pages of the site; 0 if it is unknown, or if options
 * select some of the pages.
 */
static uint64_t texts_expected(const struct ctl *ctl)
{
	static const char *const selections[] = {
		"resume",  "since",      "template", "type",
		"quality", "confidence", "limit"};
	struct buffer target = {0};
	json_t *site = NULL;
	uint64_t pages = 0;

	for (size_t i = 0; i < sizeof(selections) / sizeof(selections[0]); i++)
		if (option_given(ctl, selections[i]))
			return 0;
	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target, ctl->operands[0]);
	if (client_ask_value(ctl, NULL, target.data, NULL, &site) == CTL_DONE)
		pages = field_whole(site, "pages");
	json_decref(site);
	buffer_free(&target);
	return pages;
}

static void texts_print_summary(const struct texts_output *output)
{
	struct buffer line = {0};

	if (output->is_lines)
		buffer_printf(&line, "%" PRIu64 " pages", output->pages);
	else
		append_bytes((double)output->bytes, &line);
	fprintf(stderr, "%s in %s; %.1f s\n", line.data, output->path,
		(double)(clock_steady_ms() - output->progress.started_ms) /
			1000);
	buffer_free(&line);
}

static enum ctl_status texts_receive(const struct ctl *ctl,
				     const struct ctl_request *asked,
				     struct texts_output *output)
{
	struct buffer target = {0};
	struct socket_request download = {.sink = write_texts,
					  .context = output};
	enum ctl_status status = action_target(ctl, NULL, &target);

	client_append_query(&target, "format", format_of(ctl, output->path));
	client_append_query(&target, "since",
			    output->since[0] != '\0'
				    ? output->since
				    : option_text(ctl, "since"));
	ctl_request_append(asked, &target);
	download.target = target.data;
	output->is_lines = strcmp(format_of(ctl, output->path), "jsonl") == 0;
	output->progress = progress_begin("texts");
	if (status == CTL_DONE && output->path != NULL && output->is_lines)
		output->expected = texts_expected(ctl);
	if (status == CTL_DONE)
		status = client_receive(ctl, &download);
	progress_clear(&output->progress);
	if (output->path != NULL &&
	    (status == CTL_DONE || status == CTL_PARTLY))
		texts_print_summary(output);
	if (output->failure != 0)
		ctl_print_error(ctl, "%s: %s", output->path,
				strerrordesc_np(output->failure));
	buffer_free(&target);
	return status;
}

static bool check_resume(const struct ctl *ctl, const char *path)
{
	if (!option_given(ctl, "resume") ||
	    (path != NULL && strcmp(format_of(ctl, path), "jsonl") == 0))
		return true;
	ctl_print_error(ctl, "--resume needs -o FILE with JSON lines");
	return false;
}

enum ctl_status run_texts(const struct ctl *ctl)
{
	const char *path = option_text(ctl, "out");
	struct texts_output output = {.file = -1};
	struct ctl_request asked;
	char host[MAX_HOST_BYTES + 1];
	enum ctl_status status = CTL_USAGE;

	if (path != NULL && strcmp(path, "-") != 0)
		output.path = path;
	if (ctl_request_read(ctl, &asked) &&
	    client_host(ctl, ctl->operands[0], host) &&
	    check_resume(ctl, output.path))
		status = open_output(ctl, &output)
				 ? texts_receive(ctl, &asked, &output)
				 : CTL_FAILED;
	if (output.file >= 0)
		close(output.file);
	ctl_request_free(&asked);
	return status;
}

/* The action templatectl page changes. */

struct word_mark {
	const char *begin;
	const char *end;
};

/* How words are marked: with colours on a terminal, otherwise as in wdiff. */
struct word_marks {
	struct word_mark removed;
	struct word_mark added;
};

static const struct word_marks plain_marks = {{"[-", "-]"}, {"{+", "+}"}};
static const struct word_marks colour_marks = {{"\033[31m", "\033[0m"},
					       {"\033[32m", "\033[0m"}};
static const struct word_mark no_mark = {"", ""};

static const struct word_marks *word_marks_choose(void)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
	const char *no_colour = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && (no_colour == NULL || *no_colour == 0)
		       ? &colour_marks
		       : &plain_marks;
}

/* Append the words [first, first + count) between the marks. */
static void words_append(const struct text_words *words, size_t first,
			 size_t count, const struct word_mark *mark,
			 struct buffer *out)
{
	if (count == 0)
		return;
	if (out->size > 0)
		buffer_append_byte(out, ' ');
	buffer_append_text(out, mark->begin);
	terminal_clean(text_words_slice(words, first, first + count), out);
	buffer_append_text(out, mark->end);
}

/* Append both texts as one, with the removed and the added words marked. */
static void change_append(struct arena *arena, const json_t *change,
			  const struct word_marks *marks, struct buffer *out)
{
	struct text_words before = text_words_make(
		arena, slice_of(field_text(change, "before")), SIZE_MAX);
	struct text_words after = text_words_make(
		arena, slice_of(field_text(change, "after")), SIZE_MAX);
	struct text_diff diff = text_words_diff(arena, &before, &after);
	size_t at = 0;

	for (size_t i = 0; i < diff.count; i++) {
		const struct diff_range *range = &diff.ranges[i];

		words_append(&after, at, range->after - at, &no_mark, out);
		words_append(&before, range->before, range->removed,
			     &marks->removed, out);
		words_append(&after, range->after, range->added, &marks->added,
			     out);
		at = range->after + range->added;
	}
	words_append(&after, at, after.count - at, &no_mark, out);
}

static void page_changes_print(const json_t *answer)
{
	const json_t *list = json_object_get(answer, "changes");
	const struct word_marks *marks = word_marks_choose();
	struct arena *arena = arena_create();
	uint64_t ignored = field_whole(answer, "ignored");
	const json_t *change;
	size_t i;

	if (json_array_size(list) == 0)
		puts("no change of the text is known");
	else
		printf("%s, before: %s\n", field_text(answer, "changed"),
		       field_text(answer, "before"));
	json_array_foreach(list, i, change)
	{
		struct buffer line = {0};

		change_append(arena, change, marks, &line);
		printf("%s\n", line.size == 0 ? "" : line.data);
		buffer_free(&line);
	}
	if (json_is_true(json_object_get(answer, "truncated")))
		puts("and more");
	if (ignored > 0)
		printf("ignored: %" PRIu64 " that change at each visit\n",
		       ignored);
	arena_destroy(arena);
}

enum ctl_status run_page_changes(const struct ctl *ctl)
{
	json_t *answer = NULL;
	enum ctl_status status = action_ask(ctl, NULL, &answer);

	if (status == CTL_DONE && ctl->is_json)
		action_print(ctl, answer);
	else if (status == CTL_DONE)
		page_changes_print(answer);
	json_decref(answer);
	return status;
}
