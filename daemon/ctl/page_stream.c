#include "daemon/ctl/page_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "crawl/header.h"
#include "crawl/warc.h"
#include "daemon/ctl/page_fetch.h"
#include "daemon/privsep/process.h"

enum { MAX_LIST_BYTES = 64 << 20 /* of --urls */ };

static bool page_stream_name_ends_with(const char *text, const char *ending)
{
	size_t size = strlen(text);
	size_t length = strlen(ending);

	return size > length && strcmp(text + size - length, ending) == 0;
}

bool is_archive(const struct ctl *ctl, const char *operand)
{
	static const char *const endings[] = {".warc", ".warc.gz", ".warc.zst",
					      ".arc",  ".arc.gz",  ".arc.zst"};

	if (option_given(ctl, "warc"))
		return true;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (page_stream_name_ends_with(operand, endings[i]))
			return true;
	return false;
}

bool is_address(const char *operand)
{
	return strncasecmp(operand, "http://", 7) == 0 ||
	       strncasecmp(operand, "https://", 8) == 0;
}

static void add_url(struct page_stream *stream, const char *text)
{
	stream->urls = mem_grow(stream->urls, stream->url_count,
				&stream->url_capacity, sizeof(*stream->urls));
	stream->urls[stream->url_count++] = text;
}

/* Read the lines of --urls that are not blank. */
static bool read_urls(struct page_stream *stream)
{
	const char *path = option_text(stream->ctl, "urls");
	enum error error;
	char *rest;

	if (path == NULL)
		return true;
	error = file_read(path, MAX_LIST_BYTES, &stream->url_text);
	if (error != ERR_NONE) {
		input_print_error(stream->ctl, path, error, MAX_LIST_BYTES);
		return false;
	}
	rest = stream->url_text.data;
	for (char *line; (line = strsep(&rest, "\r\n")) != NULL;) {
		line += strspn(line, " \t");
		line[strcspn(line, " \t")] = '\0';
		if (*line != '\0')
			add_url(stream, line);
	}
	return true;
}

/*
 * Sort the operands by kind; files are put into `files`. Without operands, use
 * standard input.
 */
static void sort_operands(struct page_stream *stream, struct ctl *files)
{
	const struct ctl *ctl = stream->ctl;
	bool is_empty = ctl->operand_count == 0 && !option_given(ctl, "urls");

	for (size_t i = 0; i < ctl->operand_count + is_empty; i++) {
		const char *operand = is_empty ? "-" : ctl->operands[i];

		if (is_address(operand))
			add_url(stream, operand);
		else if (is_archive(ctl, operand))
			stream->archives[stream->archive_count++] = operand;
		else
			files->operands[files->operand_count++] = operand;
	}
}

/* Call this before any thread is started. */
static bool start_roles(struct page_stream *stream)
{
	if (stream->url_count == 0 || !stream->ctl->has_roles)
		return true;
	log_set_level(LOG_LEVEL_WARN); /* log missing sandbox layers, not
					  enforced ones */
	if (spawner_create(&stream->starter, false) == ERR_NONE)
		return true;
	ctl_print_error(stream->ctl, "cannot start the fetcher");
	return false;
}

bool page_stream_open(const struct ctl *ctl, size_t max_bytes,
		      struct page_stream *stream_out)
{
	struct page_stream *stream = stream_out;
	struct ctl files = *ctl;
	bool is_right = true;

	*stream = (struct page_stream){
		.ctl = ctl, .max_bytes = max_bytes, .file = -1};
	stream->archives =
		mem_alloc(ctl->operand_count + 1, sizeof(*stream->archives));
	files.operands =
		mem_alloc(ctl->operand_count + 1, sizeof(*files.operands));
	files.operand_count = 0;
	sort_operands(stream, &files);
	if (files.operand_count > 0)
		is_right = inputs_collect(&files, false, &stream->inputs);
	free(files.operands);
	return is_right && read_urls(stream) && start_roles(stream);
}

static void close_archive(struct page_stream *stream)
{
	warc_reader_destroy(stream->reader);
	stream->reader = NULL;
	if (stream->file >= 0)
		close(stream->file);
	stream->file = -1;
}

void page_stream_close(struct page_stream *stream)
{
	close_archive(stream);
	inputs_free(&stream->inputs);
	free(stream->archives);
	page_fetcher_destroy(stream->fetcher);
	spawner_destroy(stream->starter);
	free(stream->urls);
	buffer_free(&stream->url_text);
	output_names_free(&stream->outputs);
}

void page_item_free(struct page_item *item)
{
	buffer_free(&item->name);
	buffer_free(&item->output);
	buffer_free(&item->body);
	buffer_free(&item->charset);
	buffer_free(&item->trouble);
}

static void give_input(struct page_stream *stream, struct page_item *item)
{
	const struct input *input = &stream->inputs.items[stream->next_input];

	buffer_append_text(&item->name, input->path);
	item->path = input->path;
	buffer_append_text(&item->output, input->name);
	item->index = stream->next_input++;
}

static enum error page_stream_read_archive(void *context, char *out,
					   size_t capacity, size_t *size_out)
{
	struct page_stream *stream = context;
	ssize_t size;

	do
		size = read(stream->file, out, capacity);
	while (size < 0 && errno == EINTR);
	*size_out = size < 0 ? 0 : (size_t)size;
	stream->failure = size < 0 ? errno : 0;
	return size < 0 ? ERR_IO : ERR_NONE;
}

/* Open the next archive; on failure set the item's trouble and return false. */
static bool open_archive(struct page_stream *stream, struct page_item *item)
{
	const char *name = stream->archives[stream->next_archive];

	stream->failure = 0;
	stream->file = strcmp(name, "-") == 0
			       ? dup(STDIN_FILENO)
			       : open(name, O_RDONLY | O_CLOEXEC);
	if (stream->file < 0) {
		buffer_append_text(&item->name, name);
		buffer_append_text(&item->trouble, strerrordesc_np(errno));
		return false;
	}
	stream->reader = warc_reader_create(page_stream_read_archive, stream,
					    stream->max_bytes);
	return true;
}

/* Return whether the record may be a page; unusable pages are then reported. */
static bool page_stream_is_page(const struct warc_record *record)
{
	bool is_answer =
		record->kind == WARC_RESPONSE || record->kind == WARC_RESOURCE;

	if (record->error != ERR_NONE)
		return true;
	return is_answer && record->http_status / 100 == 2 &&
	       header_is_html(slice_of(record->content_type));
}

static void give_record(const char *archive, const struct warc_record *record,
			struct page_item *item)
{
	buffer_printf(&item->name, "%s:%" PRIu64, archive, record->offset);
	if (record->error != ERR_NONE) {
		buffer_append_text(&item->trouble, record->reason);
		return;
	}
	buffer_append_slice(&item->body, record->body);
	buffer_append_text(&item->charset, record->charset);
	item->has_url =
		url_parse(&item->url, slice_of(record->url), NULL) == ERR_NONE;
}

/*
 * Read the next page of the open archive; false at its end, with trouble if it
 * could not be read to the end.
 */
static bool next_record(struct page_stream *stream, struct page_item *item)
{
	const char *name = stream->archives[stream->next_archive];
	struct warc_record *record = mem_alloc(1, sizeof(*record));
	enum error error = ERR_NONE;
	bool is_found = false;

	while (!is_found && warc_next(stream->reader, record, &error))
		is_found = page_stream_is_page(record);
	if (is_found) {
		give_record(name, record, item);
	} else if (error != ERR_NONE) {
		buffer_append_text(&item->name, name);
		buffer_printf(&item->trouble, "stopped before its end: %s",
			      stream->failure == 0
				      ? record->reason
				      : strerrordesc_np(stream->failure));
	}
	free(record);
	return is_found;
}

static void give_url(struct page_stream *stream, struct page_item *item)
{
	const char *text = stream->urls[stream->next_url++];
	struct fetched_page page = {0};
	struct url url;

	buffer_append_text(&item->name, text);
	if (!is_address(text) ||
	    url_parse(&url, slice_of(text), NULL) != ERR_NONE) {
		buffer_append_text(&item->trouble, "not an http or https URL");
		return;
	}
	if (stream->fetcher == NULL)
		stream->fetcher =
			page_fetcher_create(stream->max_bytes, stream->starter);
	if (stream->fetcher == NULL) {
		buffer_append_text(&item->trouble, "cannot start the fetcher");
		return;
	}
	if (!page_fetch(stream->fetcher, &url, &page, &item->trouble))
		return;
	item->body = page.body;
	item->charset = page.charset;
	item->url = page.url;
	item->has_url = true;
}

static bool next_item(struct page_stream *stream, struct page_item *item_out)
{
	if (stream->next_input < stream->inputs.count) {
		give_input(stream, item_out);
		return true;
	}
	while (stream->next_archive < stream->archive_count) {
		bool is_open = stream->reader != NULL ||
			       open_archive(stream, item_out);

		if (is_open && next_record(stream, item_out))
			return true;
		close_archive(stream);
		stream->next_archive++;
		if (item_out->trouble.size > 0)
			return true;
	}
	if (stream->next_url == stream->url_count)
		return false;
	give_url(stream, item_out);
	return true;
}

/* Name the output file of the page; report it if another page has this name. */
static void name_output(struct page_stream *stream, struct page_item *item)
{
	const char *other;

	if (item->output.size == 0 && item->has_url)
		output_name_of_url(&item->url, &item->output);
	else if (item->output.size == 0)
		buffer_append_text(&item->trouble,
				   "cannot make a file name: it has no URL");
	if (item->trouble.size > 0)
		return;
	other = output_names_take(&stream->outputs, item->output.data,
				  item->name.data);
	if (other != NULL)
		buffer_printf(&item->trouble,
			      "skipped: %s has the same output file", other);
}

bool page_stream_next(struct page_stream *stream, struct page_item *item_out)
{
	if (!next_item(stream, item_out))
		return false;
	if (item_out->trouble.size == 0 && option_given(stream->ctl, "out"))
		name_output(stream, item_out);
	return true;
}
