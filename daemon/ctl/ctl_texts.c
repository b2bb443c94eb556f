/* daemon/ctl/ctl_texts.c - templatectl: texts, the texts of a site's pages. */
#include "daemon/ctl/ctl.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "daemon/ctl/ctl_client.h"
#include "daemon/ctl/ctl_request.h"
#include "daemon/runtime/terminal.h"

enum {
	BLOCK_BYTES = 64 * 1024,
	SEQUENCE_BYTES = 64,
	MAX_LINE_BYTES = 256 << 20, /* limit of a response of the daemon */
};

struct texts_output {
	const char *path; /* NULL: standard output */
	int file;
	int failure; /* errno */
	char since[SEQUENCE_BYTES];
};

static enum error write_texts(void *context, struct slice bytes, uint64_t total)
{
	struct texts_output *output = context;
	const char *rest = bytes.data;
	size_t left = bytes.size;

	(void)total;
	if (output->path == NULL) {
		terminal_print(bytes);
		return ferror(stdout) == 0 ? ERR_NONE : ERR_IO;
	}
	while (left > 0) {
		ssize_t size = write(output->file, rest, left);

		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0) {
			output->failure = errno;
			return ERR_IO;
		}
		rest += size;
		left -= (size_t)size;
	}
	return ERR_NONE;
}

/*
 * Return the position of the last newline before `end`; -1 if there is none, or
 * on an error.
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

/* Read the sequence of the line from `begin` to `end`; false if it has none. */
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
 * Find where an earlier run stopped, and truncate its incomplete last line.
 * Return false if another program wrote the file.
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

static void texts_append_argument(struct buffer *target, const char *name,
				  const char *value)
{
	if (value == NULL || *value == '\0')
		return;
	buffer_printf(target, "&%s=", name);
	client_append_escaped(target, value);
}

static bool texts_path_ends_with(const char *text, const char *end)
{
	size_t length = strlen(text);

	return length >= strlen(end) &&
	       strcmp(text + length - strlen(end), end) == 0;
}

/* Return the format of --format, or of the ending of the file's name. */
static const char *format_of(const struct ctl *ctl, const char *path)
{
	static const char *const formats[] = {"wet.gz", "wet", "csv"};
	const char *format = option_text(ctl, "format");

	for (size_t i = 0; format == NULL && path != NULL && i < 3; i++)
		if (texts_path_ends_with(path, formats[i]))
			format = formats[i];
	return format == NULL ? "jsonl" : format;
}

static void texts_make_target(const struct ctl *ctl, const char *host,
			      const struct texts_output *output,
			      struct buffer *target)
{
	static const char *const arguments[] = {
		"template", "type", "quality", "confidence", "limit", "content",
	};

	buffer_append_text(target, "/v1/sites/");
	client_append_escaped(target, host);
	buffer_printf(target, "/texts?format=%s", format_of(ctl, output->path));
	texts_append_argument(target, "since",
			      output->since[0] != '\0'
				      ? output->since
				      : option_text(ctl, "since"));
	if (option_given(ctl, "raw"))
		texts_append_argument(target, "raw", "1");
	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++)
		texts_append_argument(target, arguments[i],
				      option_text(ctl, arguments[i]));
}

static enum ctl_status texts_receive(const struct ctl *ctl, const char *host,
				     const struct ctl_request *asked,
				     struct texts_output *output)
{
	struct buffer target = {0};
	struct socket_download download = {.sink = write_texts,
					   .context = output};
	enum ctl_status status;

	texts_make_target(ctl, host, output, &target);
	ctl_request_append(asked, &target);
	download.target = target.data;
	status = client_receive(ctl, &download);
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

static enum ctl_status run_texts(const struct ctl *ctl)
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
				 ? texts_receive(ctl, host, &asked, &output)
				 : CTL_FAILED;
	if (output.file >= 0)
		close(output.file);
	ctl_request_free(&asked);
	return status;
}

static const struct verb_option texts_options[] = {
	{.name = "out",
	 .letter = 'o',
	 .kind = OPTION_TEXT,
	 .value = "FILE",
	 .meaning = "write to FILE, whose ending may set the format; default: "
		    "standard output"},
	{.name = "resume",
	 .kind = OPTION_FLAG,
	 .meaning = "continue at the end of FILE (jsonl)"},
	{.name = "since",
	 .kind = OPTION_TEXT,
	 .value = "SEQ",
	 .meaning = "only pages stored after the one with this sequence, or "
		    "after this time in milliseconds"},
	{.name = "format",
	 .kind = OPTION_CHOICE,
	 .value = "jsonl|wet|wet.gz|csv",
	 .meaning = "default: jsonl"},
	{.name = "raw",
	 .kind = OPTION_FLAG,
	 .meaning =
		 "in CSV, no apostrophe before cells that begin with = + - @"},
	{.name = "content",
	 .kind = OPTION_CHOICE,
	 .value = "txt|md|json|html|xml",
	 .meaning = "format of the text; json: with all stored fields "
		    "(default: txt)"},
	{.name = "template",
	 .kind = OPTION_WHOLE,
	 .value = "N",
	 .minimum = 1,
	 .maximum = UINT32_MAX,
	 .meaning = "only pages of the template HOST/N"},
	{.name = "type",
	 .kind = OPTION_TEXT,
	 .value = "TYPE,...",
	 .meaning = "only these page classes: page, error, soft-404, "
		    "challenge..."},
	{.name = "quality",
	 .kind = OPTION_TEXT,
	 .value = "QUALITY,...",
	 .meaning = "only texts of this quality: ok, listing, truncated..."},
	{.name = "confidence",
	 .kind = OPTION_TEXT,
	 .value = "C",
	 .meaning = "only texts of at least this confidence, 0 to 1"},
	{.name = "limit",
	 .kind = OPTION_WHOLE,
	 .value = "N",
	 .minimum = 1,
	 .maximum = INT64_MAX,
	 .meaning = "at most this many pages"},
	OPTION_METHOD_ROW,
	OPTION_PARAM_ROW,
	OPTION_FAVOR_ROW,
	OPTION_SCOPE_ROW,
	OPTION_WITH_ROW,
	OPTION_INCLUDE_ROW,
	OPTION_EXCLUDE_ROW,
	{.name = NULL},
};

const struct verb verb_texts = {
	.name = "texts",
	.group = VERBS_READ,
	.operands = "HOST",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Print the content of all stored pages of a site",
	.options = texts_options,
	.run = run_texts,
};
