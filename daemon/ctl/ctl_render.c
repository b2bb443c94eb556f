/*
 * The action templatectl render: run the scripts of a page in a browser without
 * a network. Its requests are answered from an archive.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "crawl/http_message.h"
#include "crawl/url/url.h"
#include "crawl/warc_write.h"
#include "daemon/ctl/client.h"
#include "daemon/ctl/ctl.h"
#include "daemon/ctl/offline.h"
#include "daemon/ctl/offline_input.h"
#include "daemon/privsep/browser.h"

enum {
	MAX_ANSWER_BYTES = 64 << 20, /* of the body of a record */
	MAX_ARCHIVE_ENTRIES = 1 << 24,
	OK_STATUS = 200,
	MS_PER_S = 1000,
	MIB = 1 << 20,
};

/* A response in the archive. */
struct archive_entry {
	uint64_t url; /* hash of the canonical URL */
	uint64_t time_ms;
	uint64_t offset;
};

/* An archive with an index of its responses, or none. */
struct render_archive {
	int file; /* -1 = there is no archive */
	int failure;
	struct archive_entry *entries; /* [count], by URL and time */
	size_t count;
	size_t capacity;
	struct warc_reader *reader;
	struct warc_record *record; /* the last one that was read */
};

/* Where the answers come from. */
struct page_replay {
	struct render_archive archive;
	struct url url;                  /* of the page */
	char address[2 * MAX_URL_BYTES]; /* the same, with its fragment */
	uint64_t date_ms;                /* of the page */
	struct buffer page;              /* the document, if it is a file */
	bool has_page;
	struct buffer head; /* of the last answer */
};

static enum error archive_pull(void *context, char *out, size_t capacity,
			       size_t *size_out)
{
	struct render_archive *archive = context;

	return client_read(archive->file, out, capacity, size_out,
			   &archive->failure);
}

/* Read the archive from `offset`. */
static bool archive_seek(struct render_archive *archive, uint64_t offset)
{
	warc_reader_destroy(archive->reader);
	archive->reader = NULL;
	if (offset > INT64_MAX ||
	    lseek(archive->file, (off_t)offset, SEEK_SET) < 0) {
		archive->failure = errno;
		return false;
	}
	archive->reader =
		warc_reader_create(archive_pull, archive, MAX_ANSWER_BYTES);
	return true;
}

/* Return whether the record is the response to a request, and its URL. */
static bool archive_is_response(const struct warc_record *record,
				struct url *url_out)
{
	return record->error == ERR_NONE && record->http_status >= OK_STATUS &&
	       (record->kind == WARC_RESPONSE ||
		record->kind == WARC_RESOURCE) &&
	       url_parse(url_out, slice_of(record->url), NULL) == ERR_NONE;
}

static uint64_t url_hash(const struct url *url)
{
	return hash64(url->text, strlen(url->text), 0);
}

static int archive_compare(const void *left, const void *right)
{
	const struct archive_entry *a = left;
	const struct archive_entry *b = right;

	if (a->url != b->url)
		return a->url < b->url ? -1 : 1;
	if (a->time_ms != b->time_ms)
		return a->time_ms < b->time_ms ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

/* List the responses of the archive. Return ERR_IO and others. */
static enum error archive_index(struct render_archive *archive)
{
	struct warc_record *record = archive->record;
	enum error error = ERR_NONE;
	struct url url;

	if (!archive_seek(archive, 0))
		return ERR_IO;
	while (warc_next(archive->reader, record, &error)) {
		if (!archive_is_response(record, &url))
			continue;
		if (archive->count == MAX_ARCHIVE_ENTRIES)
			return ERR_TOO_LARGE;
		archive->entries =
			mem_grow(archive->entries, archive->count,
				 &archive->capacity, sizeof(*archive->entries));
		archive->entries[archive->count++] = (struct archive_entry){
			url_hash(&url), record->time_ms, record->offset};
	}
	if (archive->count > 0)
		qsort(archive->entries, archive->count,
		      sizeof(*archive->entries), archive_compare);
	return error;
}

static bool archive_open(const struct ctl *ctl, const char *path,
			 struct render_archive *archive)
{
	enum error error = ERR_IO;

	archive->record = mem_alloc(1, sizeof(*archive->record));
	archive->file = open(path, O_RDONLY | O_CLOEXEC);
	if (archive->file < 0)
		archive->failure = errno;
	else
		error = archive_index(archive);
	if (error != ERR_NONE)
		ctl_print_error(ctl, "%s: %s", path,
				archive->failure == 0
					? error_text(error)
					: strerrordesc_np(archive->failure));
	return error == ERR_NONE;
}

static void archive_close(struct render_archive *archive)
{
	warc_reader_destroy(archive->reader);
	free(archive->record);
	free(archive->entries);
	if (archive->file >= 0)
		close(archive->file);
}

/*
 * Find the response of the URL whose time is closest to `time_ms`; UINT64_MAX
 * = the last one.
 */
static const struct archive_entry *
archive_find(const struct render_archive *archive, uint64_t hash,
	     uint64_t time_ms)
{
	const struct archive_entry *entries = archive->entries;
	const struct archive_entry *best = NULL;
	uint64_t best_ms = UINT64_MAX;
	size_t at;

	LOWER_BOUND(at, archive->count, entries[at].url < hash);
	for (; at < archive->count && entries[at].url == hash; at++) {
		uint64_t other_ms = entries[at].time_ms;
		uint64_t away_ms = other_ms > time_ms ? other_ms - time_ms
						      : time_ms - other_ms;

		if (best == NULL || away_ms < best_ms) {
			best = &entries[at];
			best_ms = away_ms;
		}
	}
	return best;
}

/*
 * Read the response of an entry into archive->record. URLs may have equal
 * hashes; then it is the response to another one, and there is none.
 */
static bool archive_read(struct render_archive *archive,
			 const struct archive_entry *entry,
			 const struct url *url)
{
	struct warc_record *record = archive->record;
	enum error error;
	struct url found;

	if (!archive_seek(archive, entry->offset))
		return false;
	while (warc_next(archive->reader, record, &error)) {
		if (archive_is_response(record, &found) &&
		    record->time_ms == entry->time_ms &&
		    strcmp(found.text, url->text) == 0)
			return true;
	}
	return false;
}

/* Find and read the response to a URL. */
static bool replay_read(struct page_replay *replay, const struct url *url,
			uint64_t time_ms)
{
	const struct archive_entry *entry =
		archive_find(&replay->archive, url_hash(url), time_ms);

	return entry != NULL && archive_read(&replay->archive, entry, url);
}

/* Answer with the file that the user has named. */
static void replay_answer_page(struct page_replay *replay,
			       struct page_answer *answer)
{
	buffer_append_text(&replay->head, "Content-Type: text/html\r\n");
	answer->status = OK_STATUS;
	answer->head = buffer_slice(&replay->head);
	answer->body = buffer_slice(&replay->page);
}

/*
 * Answer a request of the page from the archive; a render_source. An archive
 * does not say which response belongs to which body of a request, so only
 * requests without a body are answered.
 */
static void replay_answer(void *context, const struct page_request *request,
			  struct page_answer *answer_out)
{
	struct page_replay *replay = context;
	const struct warc_record *record = replay->archive.record;
	struct url url;

	if ((strcmp(request->method, "GET") != 0 &&
	     strcmp(request->method, "HEAD") != 0) ||
	    url_parse(&url, slice_of(request->url), NULL) != ERR_NONE)
		return;
	buffer_clear(&replay->head);
	if (replay->has_page && request->is_page &&
	    strcmp(url.text, replay->url.text) == 0) {
		replay_answer_page(replay, answer_out);
		return;
	}
	if (!replay_read(replay, &url, replay->date_ms))
		return;
	answer_out->status = record->http_status;
	answer_out->body = record->body;
	buffer_append_slice(&replay->head, record->head);
	if (record->kind == WARC_RESOURCE)
		buffer_printf(&replay->head, "Content-Type: %s\r\n",
			      record->content_type);
	answer_out->head = buffer_slice(&replay->head);
}

/* Find the page in the archive, and take its date. */
static bool replay_find_page(const struct ctl *ctl, struct page_replay *replay)
{
	if (!replay_read(replay, &replay->url, UINT64_MAX)) {
		ctl_print_error(ctl,
				"%s: the archive has no response to this "
				"URL",
				replay->url.text);
		return false;
	}
	replay->date_ms = replay->archive.record->time_ms;
	return true;
}

/* Read the file of the page. Its URL is --base, or made from its name. */
static bool replay_read_page(const struct ctl *ctl, const char *path,
			     struct page_replay *replay)
{
	const char *base = option_text(ctl, "base");
	const char *name = strrchr(path, '/');
	struct stat status;
	enum error error =
		base == NULL ? offline_url(name == NULL ? path : name + 1,
					   &replay->url)
			     : url_parse(&replay->url, slice_of(base), NULL);

	if (error != ERR_NONE) {
		ctl_print_error(ctl, "%s: not a URL: %s",
				base == NULL ? path : base, error_text(error));
		return false;
	}
	error = file_read(path, MAX_ANSWER_BYTES, &replay->page);
	if (error != ERR_NONE) {
		input_print_error(ctl, path, error, MAX_ANSWER_BYTES);
		return false;
	}
	replay->has_page = true;
	replay->date_ms = page_render_options_default.date_ms;
	if (strcmp(path, "-") != 0 && stat(path, &status) == 0)
		replay->date_ms = (uint64_t)status.st_mtim.tv_sec * MS_PER_S;
	return true;
}

/* Find the URL or the file of an operand. */
static bool replay_find(const struct ctl *ctl, const char *page,
			struct page_replay *replay)
{
	buffer_clear(&replay->page);
	replay->has_page = false;
	if (!is_address(page))
		return replay_read_page(ctl, page, replay);
	if (replay->archive.file < 0) {
		ctl_print_error(ctl,
				"%s: a URL needs --archive, because the "
				"browser has no network",
				page);
		return false;
	}
	if (url_parse(&replay->url, slice_of(page), NULL) != ERR_NONE) {
		ctl_print_error(ctl, "%s: not a URL", page);
		return false;
	}
	return replay_find_page(ctl, replay);
}

/*
 * Prepare the answers for the page of an operand. A fragment does not belong to
 * the URL of a record, but the scripts of the page may read it.
 */
static bool replay_begin(const struct ctl *ctl, const char *page,
			 struct page_replay *replay)
{
	const char *base = option_text(ctl, "base");
	const char *fragment = NULL;

	if (is_address(page))
		fragment = strchr(page, '#');
	else if (base != NULL)
		fragment = strchr(base, '#');
	if (!replay_find(ctl, page, replay))
		return false;
	snprintf(replay->address, sizeof(replay->address), "%s%s",
		 replay->url.text, fragment == NULL ? "" : fragment);
	return true;
}

static json_t *render_lines_json(const struct render_result *result)
{
	static const char *const fates[] = {[RENDER_ANSWERED] = "answered",
					    [RENDER_REFUSED] = "refused",
					    [RENDER_BLOCKED] = "blocked"};
	json_t *lines = json_array();

	for (size_t i = 0; i < result->count; i++) {
		const struct render_line *line = &result->lines[i];
		json_t *row = json_pack("{s:s, s:s, s:s, s:s}", "method",
					line->method, "url", line->url, "kind",
					render_kind_name(line->kind), "fate",
					fates[line->fate]);

		if (line->status != 0)
			json_object_set_new(row, "status",
					    json_integer(line->status));
		json_array_append_new(lines, row);
	}
	return lines;
}

/* Return whether each page is printed as a line of JSON. */
static bool render_is_listed(const struct ctl *ctl)
{
	return ctl->is_json || ctl->operand_count > 1;
}

static void render_print(const struct ctl *ctl,
			 const struct render_result *result)
{
	json_t *value;

	if (!render_is_listed(ctl)) {
		fwrite(result->dom.data, 1, result->dom.size, stdout);
		return;
	}
	value = json_pack("{s:s, s:b, s:s, s:i, s:I, s:o}", "url", result->url,
			  "complete", result->end == RENDER_COMPLETE, "end",
			  render_end_text(result->end), "time_ms",
			  (int)result->time_ms, "bytes",
			  (json_int_t)result->bytes, "requests",
			  render_lines_json(result));
	if (render_has_dom(result->end))
		json_object_set_new(
			value, "html",
			json_stringn(result->dom.data, result->dom.size));
	client_print_json(value);
	json_decref(value);
}

static struct page_render_options
render_options_of(const struct ctl *ctl, const struct page_replay *replay)
{
	struct page_render_options options = page_render_options_default;

	options.url = replay->address;
	options.date_ms = replay->date_ms;
	options.wait = option_text(ctl, "wait");
	options.click = option_text(ctl, "click");
	options.scroll = option_given(ctl, "scroll");
	options.keep_consent = option_given(ctl, "consent");
	if (option_given(ctl, "screenshot"))
		options.screenshot = SCREENSHOT_WIDTH;
	options.time_ms = (uint32_t)option_whole(ctl, "time",
						 options.time_ms / MS_PER_S) *
			  MS_PER_S;
	options.max_wall_ms =
		(uint32_t)option_whole(ctl, "timeout",
				       options.max_wall_ms / MS_PER_S) *
		MS_PER_S;
	if (option_given(ctl, "media"))
		options.blocked = 0;
	return options;
}

/* Write the screenshot to its file. Return false after a message. */
static bool write_screenshot(const struct ctl *ctl,
			     const struct page_replay *replay,
			     const struct render_result *result)
{
	const char *path = option_text(ctl, "screenshot");

	if (path == NULL || !render_has_dom(result->end))
		return true;
	if (result->screenshot_end != SCREENSHOT_OK) {
		ctl_print_error(ctl, "%s: no screenshot: %s", replay->url.text,
				screenshot_end_text(result->screenshot_end));
		return false;
	}
	return ctl_write_file(ctl, path, result->screenshot, file_write);
}

/* Render the page of an operand. Return whether there is a DOM. */
static bool render_page(const struct ctl *ctl, struct page_replay *replay,
			struct browser *browser)
{
	const struct page_render_options options =
		render_options_of(ctl, replay);
	struct page_render *page =
		browser_render(browser, &options, replay_answer, replay);
	struct render_result result = page_render_result(page);
	bool has_dom = render_has_dom(result.end);

	if (has_dom || render_is_listed(ctl))
		render_print(ctl, &result);
	if (result.end != RENDER_COMPLETE)
		ctl_print_error(ctl, "%s: %s", replay->url.text,
				render_end_text(result.end));
	has_dom &= write_screenshot(ctl, replay, &result);
	page_render_destroy(page);
	return has_dom;
}

/* Start a browser, unless it is running. */
static bool render_start(const struct ctl *ctl, struct browser **browser)
{
	struct browser_options options = browser_options_default;
	struct buffer reason = {0};
	enum error error = ERR_NONE;

	if (*browser != NULL && browser_is_alive(*browser))
		return true;
	browser_destroy(*browser);
	options.program = option_text(ctl, "browser");
	options.endpoint = option_text(ctl, "endpoint");
	options.insecure = option_given(ctl, "insecure");
	options.memory_bytes =
		option_whole(ctl, "memory", options.memory_bytes / MIB) * MIB;
	error = browser_start(&options, browser, &reason);
	if (error != ERR_NONE)
		ctl_print_error(ctl, "%s", reason.data);
	buffer_free(&reason);
	return error == ERR_NONE;
}

enum ctl_status run_render(const struct ctl *ctl)
{
	const char *archive = option_text(ctl, "archive");
	struct page_replay replay = {.archive = {.file = -1}};
	struct browser *browser = NULL;
	size_t done = 0;
	bool can_run;

	if (option_given(ctl, "screenshot") && ctl->operand_count > 1) {
		ctl_print_error(ctl, "--screenshot is for one page");
		return CTL_USAGE;
	}
	can_run =
		archive == NULL || archive_open(ctl, archive, &replay.archive);
	for (size_t i = 0; can_run && i < ctl->operand_count; i++) {
		if (!replay_begin(ctl, ctl->operands[i], &replay))
			continue;
		can_run = render_start(ctl, &browser);
		if (can_run && render_page(ctl, &replay, browser))
			done++;
	}
	browser_destroy(browser);
	archive_close(&replay.archive);
	buffer_free(&replay.page);
	buffer_free(&replay.head);
	if (done == ctl->operand_count)
		return CTL_DONE;
	return done > 0 ? CTL_PARTLY : CTL_FAILED;
}
