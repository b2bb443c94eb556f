#include "daemon/ctl/offline_input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "crawl/fetch.h"
#include "crawl/http_message.h"
#include "crawl/robots.h"
#include "crawl/warc_write.h"
#include "daemon/config/config.h"
#include "daemon/ctl/client.h"
#include "daemon/privsep/fetcher_client.h"
#include "daemon/privsep/spawner_client.h"
#include "daemon/runtime/clock.h"
#include "extract/core/numeric.h"
#include "extract/render/render.h"

bool is_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

void input_trouble(enum error error, size_t max_bytes, struct buffer *out)
{
	switch (error) {
	case ERR_NOT_FOUND:
		buffer_append_text(out, "no such file or folder");
		break;
	case ERR_TOO_LARGE:
		buffer_printf(out,
			      "larger than %zu bytes, the maximum of a page",
			      max_bytes);
		break;
	case ERR_NOT_HTML:
		buffer_append_text(out, "not an HTML page, but binary data");
		break;
	case ERR_CORRUPT:
		buffer_append_text(out, "damaged gzip data");
		break;
	case ERR_IO:
		buffer_printf(out, "cannot read: %s", file_error_text(error));
		break;
	default:
		buffer_append_text(out, error_text(error));
	}
}

void input_print_error(const struct ctl *ctl, const char *path,
		       enum error error, size_t max_bytes)
{
	struct buffer trouble = {0};

	input_trouble(error, max_bytes, &trouble);
	ctl_print_error(ctl, "%s: %s", path, trouble.data);
	buffer_free(&trouble);
}

static char *inputs_join_path(const char *folder, const char *name)
{
	struct buffer path = {0};
	char *copy;

	buffer_append_text(&path, folder);
	if (path.size > 0 && path.data[path.size - 1] != '/')
		buffer_append_byte(&path, '/');
	buffer_append_text(&path, name);
	copy = mem_copy_text(path.data, path.size);
	buffer_free(&path);
	return copy;
}

/* Add a file. Takes ownership of both texts of `input`. */
static void inputs_add(struct inputs *inputs, struct input input)
{
	inputs->items = mem_grow(inputs->items, inputs->count,
				 &inputs->capacity, sizeof(*inputs->items));
	inputs->items[inputs->count++] = input;
}

static char *inputs_copy_text(const char *text)
{
	return mem_copy_text(text, strlen(text));
}

static bool add_folder(const struct ctl *ctl, const char *folder,
		       bool keeps_folder, struct inputs *inputs)
{
	static const char *const endings[] = {".html", ".htm", ".html.gz",
					      ".htm.gz", NULL};
	struct file_list list = {0};
	enum error error = file_list(folder, endings, &list);

	if (error != ERR_NONE) {
		input_print_error(ctl, folder, error, 0);
		return false;
	}
	for (size_t i = 0; i < list.count; i++)
		inputs_add(inputs,
			   (struct input){
				   inputs_join_path(folder, list.paths[i]),
				   keeps_folder
					   ? inputs_join_path(folder,
							      list.paths[i])
					   : inputs_copy_text(list.paths[i])});
	file_list_free(&list);
	return true;
}

static int inputs_compare(const void *a, const void *b)
{
	const struct input *left = a;
	const struct input *right = b;
	int order = strcmp(left->name, right->name);

	return order != 0 ? order : strcmp(left->path, right->path);
}

static void free_input(struct input *input)
{
	free(input->path);
	free(input->name);
}

static void inputs_drop_repeats(struct inputs *inputs)
{
	size_t kept = 0;

	for (size_t i = 0; i < inputs->count; i++)
		if (kept > 0 && inputs_compare(&inputs->items[kept - 1],
					       &inputs->items[i]) == 0)
			free_input(&inputs->items[i]);
		else
			inputs->items[kept++] = inputs->items[i];
	inputs->count = kept;
}

bool inputs_collect(const struct ctl *ctl, bool keeps_folders,
		    struct inputs *inputs_out)
{
	*inputs_out = (struct inputs){0};
	for (size_t i = 0; i < ctl->operand_count; i++) {
		const char *path = ctl->operands[i];
		const char *slash = keeps_folders ? NULL : strrchr(path, '/');

		if (!is_folder(path))
			inputs_add(inputs_out,
				   (struct input){
					   inputs_copy_text(path),
					   inputs_copy_text(
						   slash == NULL ? path
								 : slash + 1)});
		else if (!add_folder(ctl, path,
				     keeps_folders && ctl->operand_count > 1,
				     inputs_out))
			return false;
	}
	if (inputs_out->count == 0) {
		ctl_print_error(ctl, "%s: has no *.html or *.htm files",
				ctl->operands[0]);
		return false;
	}
	qsort(inputs_out->items, inputs_out->count, sizeof(*inputs_out->items),
	      inputs_compare);
	inputs_drop_repeats(inputs_out);
	return true;
}

void inputs_free(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		free_input(&inputs->items[i]);
	free(inputs->items);
	*inputs = (struct inputs){0};
}

/* Return the length of `name` [length] without `ending`, if that is its end. */
static size_t inputs_strip_ending(const char *name, size_t length,
				  const char *ending)
{
	size_t size = strlen(ending);

	return length > size && memcmp(name + length - size, ending, size) == 0
		       ? length - size
		       : length;
}

size_t output_stem_length(const char *name)
{
	return inputs_strip_ending(
		name, inputs_strip_ending(name, strlen(name), ".gz"), ".html");
}

void output_path(const char *folder, const char *name, enum format format,
		 struct buffer *out)
{
	buffer_printf(out, "%s/", folder);
	buffer_append(out, name, output_stem_length(name));
	buffer_printf(out, ".%s", format_ending(format));
}

enum {
	MAX_SEGMENT = 180, /* in bytes; file systems allow 255 */
	MAX_NAME = 1500,   /* in bytes; file systems allow paths of 4,096 */
};

/* Append a hash of `whole`, which replaces the truncated end of a name. */
static void output_name_append_hash(struct slice whole, struct buffer *out)
{
	buffer_printf(out, "-%016" PRIx64, hash64(whole.data, whole.size, 0));
}

static bool output_name_byte_is_plain(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') ||
	       (byte != '\0' && strchr("-._~%+,=@", byte) != NULL);
}

/*
 * Append a segment of a path, percent-encoded; truncate it if it is too long.
 */
static void append_segment(struct slice segment, struct buffer *out)
{
	const char *bytes = segment.data;
	bool keeps_dots = !slice_equal(segment, slice_of(".")) &&
			  !slice_equal(segment, slice_of(".."));
	size_t begin = out->size;

	for (size_t i = 0; i < segment.size; i++) {
		if (out->size - begin > MAX_SEGMENT) {
			output_name_append_hash(segment, out);
			return;
		}
		if (output_name_byte_is_plain(bytes[i]) &&
		    (bytes[i] != '.' || keeps_dots))
			buffer_append_byte(out, bytes[i]);
		else
			buffer_printf(out, "%%%02X", (unsigned char)bytes[i]);
	}
}

static bool ends_as_output(const struct buffer *name)
{
	for (int format = 0; format < FORMAT_COUNT; format++) {
		struct slice ending =
			slice_of(format_ending((enum format)format));

		if (name->size > ending.size &&
		    name->data[name->size - ending.size - 1] == '.' &&
		    memcmp(name->data + name->size - ending.size, ending.data,
			   ending.size) == 0)
			return true;
	}
	return false;
}

/* Append the path of a URL, without its first slash and with its query. */
static void output_name_append_path(struct slice path, struct buffer *out)
{
	const char *bytes = path.data;
	const char *query = memchr(bytes, '?', path.size);
	size_t names = query == NULL ? path.size : (size_t)(query - bytes);
	size_t begin = 0;

	for (size_t i = 0; i < names; i++) {
		if (bytes[i] != '/')
			continue;
		append_segment((struct slice){bytes + begin, i - begin}, out);
		if (ends_as_output(out) || i == begin)
			buffer_append_byte(out, '_');
		buffer_append_byte(out, '/');
		begin = i + 1;
	}
	if (begin == names)
		buffer_append_text(out, "index");
	append_segment((struct slice){bytes + begin, path.size - begin}, out);
	if (begin == path.size)
		buffer_append_text(out, ".html");
}

void output_name_of_url(const struct url *url, struct buffer *out)
{
	struct slice path = slice_of(url->text + url->path + 1);
	size_t begin = out->size;
	size_t host_end;

	append_segment(slice_of(url->host), out);
	host_end = out->size + 1;
	buffer_append_byte(out, '/');
	output_name_append_path(path, out);
	if (out->size - begin <= MAX_NAME)
		return;
	out->size = host_end;
	buffer_append_text(out, "long");
	output_name_append_hash(path, out);
}

struct taken_name {
	uint64_t key;
	const char *page;
};

const char *output_names_take(struct output_names *names, const char *name,
			      const char *page)
{
	uint64_t key = hash64(name, output_stem_length(name), 0);
	struct taken_name *taken;

	if (names->arena == NULL) {
		names->arena = arena_create();
		names->table = ARENA_NEW(names->arena, struct hash_table, 1);
		*names->table = hash_table_make(names->arena,
						sizeof(struct taken_name));
	}
	taken = hash_table_add(names->table, key);
	if (taken->page != NULL)
		return taken->page;
	taken->page = arena_copy(names->arena, page, strlen(page));
	return NULL;
}

void output_names_free(struct output_names *names)
{
	arena_destroy(names->arena);
	*names = (struct output_names){0};
}

enum {
	MAX_ROBOTS_REDIRECTS = 5, /* RFC 9309, 2.3.1.2 */
	PAUSE_MS = 1000,
	WAIT_MS = 1000,
	MAX_KNOWN = 1024, /* maximum number of servers whose robots.txt is
			     cached */
};

/* A server, scheme://host[:port], and the rules of its robots.txt. */
struct robots_origin {
	char *name;
	struct arena *arena;
	const struct robots *robots;
	char reason[128];  /* why fetching robots.txt failed, or "" */
	uint64_t ready_ms; /* steady clock: earliest time of the next request */
};

struct page_fetcher {
	struct fetcher_client *fetcher;
	struct config config; /* the default configuration */
	size_t max_bytes;
	struct robots_origin *origins; /* [count] */
	size_t count;
	size_t capacity;
};

struct page_fetcher *page_fetcher_create(size_t max_bytes,
					 struct spawner *spawner)
{
	struct page_fetcher *fetcher = mem_alloc(1, sizeof(*fetcher));

	config_defaults(&fetcher->config);
	fetcher->max_bytes = max_bytes;
	fetcher->fetcher = fetcher_client_create(&(
		struct fetcher_client_options){
		.spawner = spawner,
		.fetch = {
			.user_agent = fetcher->config.user_agent,
			.max_body_bytes = max_bytes,
			.connect_timeout_ms =
				fetcher->config.connect_timeout_ms,
			.total_timeout_ms = fetcher->config.total_timeout_ms,
			.stall_timeout_ms = fetcher->config.stall_timeout_ms,
			.max_connections = 1,
		}});
	if (fetcher->fetcher != NULL)
		return fetcher;
	page_fetcher_destroy(fetcher);
	return NULL;
}

static void forget_origins(struct page_fetcher *fetcher)
{
	for (size_t i = 0; i < fetcher->count; i++) {
		free(fetcher->origins[i].name);
		arena_destroy(fetcher->origins[i].arena);
	}
	fetcher->count = 0;
}

void page_fetcher_destroy(struct page_fetcher *fetcher)
{
	if (fetcher == NULL)
		return;
	forget_origins(fetcher);
	free(fetcher->origins);
	fetcher_client_destroy(fetcher->fetcher);
	free(fetcher);
}

/* Send one request and wait for its response. */
static void fetch_one(struct page_fetcher *fetcher,
		      const struct fetch_request *request,
		      struct fetch_result *result_out)
{
	fetcher_client_start(fetcher->fetcher, request, false);
	while (!fetcher_client_next(fetcher->fetcher, result_out))
		fetcher_client_run(fetcher->fetcher, WAIT_MS, NULL, 0);
}

/*
 * If the result is a redirect, and `hop` is less than `hops`, set *url to its
 * target and return true.
 */
static bool fetch_follow_redirect(const struct fetch_result *result,
				  unsigned hop, unsigned hops, struct url *url)
{
	struct url next;

	if (result->error != ERR_NONE || !fetch_result_is_redirect(result) ||
	    hop == hops ||
	    url_parse(&next, slice_of(result->redirect), NULL) != ERR_NONE)
		return false;
	*url = next;
	return true;
}

/*
 * Return whether the URL has the host that the user named, and this host is a
 * private address.
 */
static bool fetch_url_is_named(const struct url *url, const struct url *named)
{
	return strcmp(url->host, named->host) == 0 &&
	       address_filter_is_private_name(named->host);
}

static void robots_origin_read(struct page_fetcher *fetcher,
			       struct robots_origin *origin,
			       const struct url *named)
{
	struct fetch_result result = {0};
	struct url url;
	bool leads_on =
		url_parse(&url, slice_of("/robots.txt"), named) == ERR_NONE;

	for (unsigned hop = 0; leads_on; hop++) {
		fetch_result_free(&result);
		fetch_one(fetcher,
			  &(struct fetch_request){
				  .url = &url,
				  .is_private_ok =
					  fetch_url_is_named(&url, named),
				  .any_type = true,
				  .max_body_bytes = MAX_ROBOTS_BYTES},
			  &result);
		leads_on = fetch_follow_redirect(&result, hop,
						 MAX_ROBOTS_REDIRECTS, &url);
	}
	origin->arena = arena_create();
	if (result.error == ERR_NONE && result.http_status / 100 == 2)
		origin->robots = robots_parse(
			origin->arena, buffer_slice(&result.body), "templated");
	else if (fetch_result_is_redirect(
			 &result)) /* there are too many redirects: treat it as
			  a missing robots.txt */
		origin->robots = robots_from_status(origin->arena, 404);
	else
		origin->robots = robots_from_status(
			origin->arena,
			result.error == ERR_NONE ? result.http_status : 0);
	memcpy(origin->reason, result.reason, sizeof(origin->reason));
	fetch_result_free(&result);
}

/*
 * Return the server of a URL. The first call for a server fetches its
 * robots.txt.
 */
static struct robots_origin *robots_origin_find(struct page_fetcher *fetcher,
						const struct url *url,
						const struct url *named)
{
	struct slice name = url_origin(slice_of(url->text));
	struct robots_origin *origin;

	for (size_t i = 0; i < fetcher->count; i++)
		if (slice_equal(slice_of(fetcher->origins[i].name), name))
			return &fetcher->origins[i];
	if (fetcher->count == MAX_KNOWN)
		forget_origins(fetcher);
	fetcher->origins =
		mem_grow(fetcher->origins, fetcher->count, &fetcher->capacity,
			 sizeof(*fetcher->origins));
	origin = &fetcher->origins[fetcher->count++];
	*origin = (struct robots_origin){
		.name = mem_copy_text(name.data, name.size)};
	robots_origin_read(fetcher, origin,
			   strcmp(url->host, named->host) == 0 ? named : url);
	return origin;
}

static bool robots_origin_allows(const struct robots_origin *origin,
				 const struct url *url, struct buffer *trouble)
{
	struct robots_reason reason =
		robots_explain(origin->robots, slice_of(url->text + url->path));

	if (reason.is_allowed)
		return true;
	if (reason.line != 0)
		buffer_printf(trouble, "forbidden by line %u of robots.txt: %s",
			      reason.line, reason.rule);
	else
		buffer_printf(trouble,
			      "cannot fetch its robots.txt, so pages must not "
			      "be fetched%s%s",
			      origin->reason[0] == '\0' ? "" : ": ",
			      origin->reason);
	return false;
}

/*
 * Wait until the next request to the server is polite. A redirect needs no
 * wait.
 */
static void pause_for(struct robots_origin *origin, bool is_redirect)
{
	uint32_t delay_ms = robots_delay_ms(origin->robots);
	uint64_t now_ms = clock_steady_ms();

	while (now_ms < origin->ready_ms && !is_redirect) {
		uint64_t rest_ms = origin->ready_ms - now_ms;

		nanosleep(&(struct timespec){.tv_sec = (time_t)(rest_ms / 1000),
					     .tv_nsec = (long)(rest_ms % 1000) *
							1000000},
			  NULL);
		now_ms = clock_steady_ms();
	}
	origin->ready_ms = now_ms + (delay_ms > PAUSE_MS ? delay_ms : PAUSE_MS);
}

static bool fetch_move_page(struct fetch_result *result, const struct url *url,
			    struct fetched_page *page_out,
			    struct buffer *trouble)
{
	if (result->error != ERR_NONE) {
		buffer_append_text(trouble, result->reason[0] == '\0'
						    ? error_text(result->error)
						    : result->reason);
	} else if (fetch_result_is_redirect(result)) {
		buffer_printf(trouble, "more than %d redirects", MAX_REDIRECTS);
	} else if (result->http_status / 100 != 2) {
		buffer_printf(trouble, "HTTP status %u", result->http_status);
	} else if (!result->is_html) {
		buffer_append_text(trouble, "not an HTML page");
	} else {
		page_out->body = result->body;
		result->body = (struct buffer){0};
		buffer_append_text(&page_out->charset, result->charset);
		page_out->url = *url;
		return true;
	}
	return false;
}

bool page_fetch(struct page_fetcher *fetcher, const struct url *url,
		struct fetched_page *page_out, struct buffer *trouble)
{
	struct fetch_result result = {0};
	struct url here = *url;
	bool is_taken = false;
	bool leads_on = true;

	*page_out = (struct fetched_page){0};
	for (unsigned hop = 0; leads_on; hop++) {
		struct robots_origin *origin =
			robots_origin_find(fetcher, &here, url);

		if (!robots_origin_allows(origin, &here, trouble))
			break;
		pause_for(origin, hop > 0);
		fetch_result_free(&result);
		result = (struct fetch_result){0};
		fetch_one(fetcher,
			  &(struct fetch_request){
				  .url = &here,
				  .is_private_ok =
					  fetch_url_is_named(&here, url)},
			  &result);
		leads_on = fetch_follow_redirect(&result, hop, MAX_REDIRECTS,
						 &here);
		if (!leads_on)
			is_taken = fetch_move_page(&result, &here, page_out,
						   trouble);
	}
	fetch_result_free(&result);
	return is_taken;
}

enum { MAX_LIST_BYTES = 64 << 20 /* maximum size of the file of --urls */ };

bool is_archive(const struct ctl *ctl, const char *operand)
{
	static const char *const endings[] = {".warc", ".warc.gz", ".warc.zst",
					      ".arc",  ".arc.gz",  ".arc.zst"};

	if (option_given(ctl, "warc"))
		return true;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (ends_with(operand, endings[i]) &&
		    strlen(operand) > strlen(endings[i]))
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

/* Read the lines of the file of --urls; skip blank lines. */
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
 * Sort the operands by kind: URLs, archives, and files, which are copied to
 * `files`. If there is no operand, use standard input.
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

/*
 * If pages must be fetched, start the spawner. Call this before the process
 * starts a thread.
 */
static bool start_roles(struct page_stream *stream)
{
	if (stream->url_count == 0 || !stream->ctl->has_roles)
		return true;
	log_set_level(LOG_LEVEL_WARN); /* log missing layers of the sandbox,
					  but not the enforced ones */
	if (spawner_create(&stream->spawner, false) == ERR_NONE)
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
	spawner_destroy(stream->spawner);
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

static enum error page_stream_read_archive(void *context, char *out,
					   size_t capacity, size_t *size_out)
{
	struct page_stream *stream = context;

	return client_read(stream->file, out, capacity, size_out,
			   &stream->failure);
}

/*
 * Open the next archive. On failure set the trouble of the item and return
 * false.
 */
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

/* Return whether the record is a page, or cannot be read, which is reported. */
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
 * Read the next page of the open archive. Return false at its end; if an error
 * was the reason, set the trouble of the item.
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
			page_fetcher_create(stream->max_bytes, stream->spawner);
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
		const struct input *input =
			&stream->inputs.items[stream->next_input];

		buffer_append_text(&item_out->name, input->path);
		item_out->path = input->path;
		buffer_append_text(&item_out->output, input->name);
		item_out->index = stream->next_input++;
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

/*
 * Choose the name of the output file of the page. If another page has the same
 * output file, set the trouble of the item.
 */
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
