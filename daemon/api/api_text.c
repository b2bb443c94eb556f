#include "daemon/api/api_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/date.h"
#include "base/log.h"
#include "base/memory.h"
#include "crawl/url/url.h"
#include "daemon/api/api.h"
#include "daemon/privsep/worker_pool.h"
#include "daemon/query/stored_text.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/thread.h"
#include "extract/extractors.h"
#include "page/page_class.h"
#include "template/request.h"

/*
 * Split the argument `param`, such as "a=1,b=2", into parameters of the method.
 */
static bool text_params_read_parameters(struct call *call,
					struct text_params *question)
{
	const char *text = call_argument(call, "param");
	size_t count = 0;

	if (text == NULL)
		return true;
	question->parameter_text = mem_copy_text(text, strlen(text));
	for (char *part = question->parameter_text; part != NULL;) {
		char *comma = strchr(part, ',');

		if (count == MAX_PARAMETERS)
			return call_refuse(
				call, "param: must have at most %d parameters",
				MAX_PARAMETERS);
		question->parameters[count++] = part;
		if (comma != NULL)
			*comma++ = '\0';
		part = comma;
	}
	question->request.parameters = question->parameters;
	return true;
}

static bool text_params_read_format(struct call *call, const char *argument,
				    const char *name,
				    struct text_params *question)
{
	question->request.format = FORMAT_TXT;
	if (name == NULL || format_from_name(name, &question->request.format))
		return true;
	return call_refuse(
		call,
		"%s=%.32s: must be txt, md, json, html, xml, explain or copy",
		argument, name);
}

static bool read_policy(struct call *call, struct text_params *question)
{
	static const char *const names[] = {"never", "missing", "always"};
	const char *name = call_argument(call, "fetch");

	if (name == NULL)
		return true;
	if (call->is_reader && strcmp(name, names[FETCH_NEVER]) != 0) {
		call_fail(call, 403, "forbidden",
			  "fetch=%.32s: read-only clients cannot fetch pages",
			  name);
		return false;
	}
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0) {
			question->policy = (enum fetch_policy)i;
			return true;
		}
	return call_refuse(
		call, "fetch=%.32s: must be never, missing or always", name);
}

/* Read the argument `render`. A rendered page must be fetched. */
static bool read_render(struct call *call, struct text_params *question)
{
	uint64_t renders;

	if (!call_number(call, "render", 0, 1, &renders))
		return false;
	question->renders = renders != 0;
	if (!question->renders)
		return true;
	if (call->is_reader) {
		call_fail(call, 403, "forbidden",
			  "render=1: read-only clients cannot fetch pages");
		return false;
	}
	if (call->api->rendering == NULL) {
		call_fail_with(call, ERR_NOT_RENDERED, API_NO_BROWSER);
		return false;
	}
	if (question->policy == FETCH_NEVER)
		question->policy = FETCH_MISSING;
	return true;
}

static bool text_params_read_url(struct call *call,
				 struct text_params *question)
{
	const char *text = call_argument(call, "url");

	if (text == NULL)
		return true;
	if (!call_read_url(call, text, &question->url))
		return false;
	question->has_url = true;
	question->request.url = &question->url;
	return true;
}

/*
 * Read the argument `method`. An unescaped "+" in a URL arrives as a space, so
 * "df " means df+.
 */
static bool read_method(struct call *call, struct text_params *question)
{
	const char *name = call_argument(call, "method");

	if (name == NULL)
		return true;
	snprintf(question->method, sizeof(question->method), "%s", name);
	for (char *c = question->method; *c != '\0'; c++)
		if (*c == ' ')
			*c = '+';
	question->request.method = question->method;
	return true;
}

static bool read_favor(struct call *call, struct text_params *question)
{
	const char *name = call_argument(call, "favor");

	if (name == NULL ||
	    favor_from_name(name, &question->request.preference.favor))
		return true;
	return call_refuse(call,
			   "favor=%.32s: must be balance, precision or recall",
			   name);
}

static bool read_scope(struct call *call, struct text_params *question)
{
	const char *name = call_argument(call, "scope");

	if (name == NULL ||
	    scope_from_name(name, &question->request.preference.scope))
		return true;
	return call_refuse(call, "scope=%.32s: must be body or page", name);
}

static bool text_params_read_extras(struct call *call,
				    struct text_params *question)
{
	uint32_t *extras = &question->request.extras;
	const char *with = call_argument(call, "with");
	const char *without = call_argument(call, "without");

	if (with != NULL && !extras_read(with, extras))
		return call_refuse(
			call, "with=%.64s: must be one of " EXTRAS_WORDS, with);
	if (without == NULL || extras_read_omitted(without, extras))
		return true;
	return call_refuse(
		call, "without=%.32s: must be one of " EXTRAS_OMITTED, without);
}

/*
 * Read the timeout. A client may set a shorter timeout than the configuration,
 * but not a longer one.
 */
static bool read_timeout(struct call *call, struct text_params *question)
{
	uint64_t max = call->config->ask_timeout_ms;

	if (!call_number(call, "timeout_ms", max, INT64_MAX,
			 &question->timeout_ms))
		return false;
	if (question->timeout_ms > max)
		question->timeout_ms = max;
	return true;
}

/*
 * Check the request before a page is fetched. If it is invalid, respond with
 * the error and return false.
 */
static bool text_params_check(struct call *call,
			      const struct text_request *request)
{
	char reason[256];
	enum error error = request_check(request, reason);

	if (error == ERR_NONE)
		return true;
	if (error == ERR_NOT_FOUND)
		call_fail(call, 404, error_code(error),
			  "method=%.32s: unknown; see /v1/methods",
			  request->method);
	else
		call_fail_with(call, error, reason);
	return false;
}

bool text_params_read_as(struct call *call, const char *name,
			 const char *format, struct text_params *question_out)
{
	struct text_request *request = &question_out->request;

	*question_out = (struct text_params){0};
	request->include = call_argument(call, "include");
	request->exclude = call_argument(call, "exclude");
	return text_params_read_url(call, question_out) &&
	       text_params_read_format(call, name, format, question_out) &&
	       read_policy(call, question_out) &&
	       read_render(call, question_out) &&
	       read_method(call, question_out) &&
	       read_favor(call, question_out) &&
	       read_scope(call, question_out) &&
	       text_params_read_extras(call, question_out) &&
	       read_timeout(call, question_out) &&
	       text_params_read_parameters(call, question_out) &&
	       text_params_check(call, request);
}

bool text_params_read(struct call *call, struct text_params *question_out)
{
	return text_params_read_as(call, "format",
				   call_argument(call, "format"), question_out);
}

static char *keep_text(const char *text)
{
	return text == NULL ? NULL : mem_copy_text(text, strlen(text));
}

/* Copy the parameters, which all point into one text. */
static void keep_parameters(const struct text_params *from,
			    struct text_params *kept)
{
	size_t size = 0;

	for (size_t i = 0; from->parameters[i] != NULL; i++)
		size = (size_t)(from->parameters[i] - from->parameter_text) +
		       strlen(from->parameters[i]);
	kept->parameter_text = mem_copy_text(from->parameter_text, size);
	for (size_t i = 0; from->parameters[i] != NULL; i++)
		kept->parameters[i] =
			kept->parameter_text +
			(from->parameters[i] - from->parameter_text);
	kept->request.parameters = kept->parameters;
}

/*
 * Return a copy of the arguments that may outlive the exchange. The copy points
 * only into itself and has no URL.
 */
static struct text_params *text_params_copy(const struct text_params *question)
{
	struct text_params *kept = mem_alloc(1, sizeof(*kept));

	*kept = *question;
	kept->has_url = false;
	kept->request.url = NULL;
	if (question->request.method != NULL)
		kept->request.method = kept->method;
	if (question->parameter_text != NULL)
		keep_parameters(question, kept);
	kept->include = keep_text(question->request.include);
	kept->exclude = keep_text(question->request.exclude);
	kept->request.include = kept->include;
	kept->request.exclude = kept->exclude;
	return kept;
}

static void text_params_free(struct text_params *question)
{
	if (question == NULL)
		return;
	free(question->parameter_text);
	free(question->include);
	free(question->exclude);
	free(question);
}

enum { MAX_TRIES = 4, PAUSE_MS = 50 }; /* the pause is doubled after each try */

void shared_request_begin(struct shared_request *asking,
			  const struct call *call,
			  const struct text_params *question)
{
	asking->call = *call;
	asking->call.exchange = NULL;
	asking->call.config = config_acquire(call->config);
	asking->rules = call_rules(&asking->call);
	asking->question = text_params_copy(question);
	api_begin_work(call->api, WORK_EXTRACTING, QUOTA_UNLIMITED);
}

void shared_request_end(struct shared_request *asking)
{
	text_params_free(asking->question);
	config_release(asking->call.config);
	api_end_work(asking->call.api, WORK_EXTRACTING, QUOTA_UNLIMITED);
}

bool shared_request_should_retry(enum error error, unsigned *tries)
{
	const long pause_ms = PAUSE_MS << *tries;

	if ((error != ERR_BUSY && error != ERR_IO && error != ERR_TIMEOUT) ||
	    ++*tries == MAX_TRIES)
		return false;
	nanosleep(&(struct timespec){.tv_nsec = pause_ms * 1000000L}, NULL);
	return true;
}

bool shared_request_has_failed(enum error error)
{
	return error != ERR_NONE && error != ERR_BODY_EXPIRED &&
	       error != ERR_NOT_HTML && error != ERR_ADDRESS_FORBIDDEN;
}

void shared_request_set_reason(enum error error, struct text_result *answer)
{
	if (error != ERR_NONE && answer->reason[0] == '\0')
		(void)snprintf(answer->reason, sizeof(answer->reason), "%s",
			       error_text(error));
}

#define PROGRAM "templated " TEMPLATED_VERSION

enum {
	WINDOW = 64, /* maximum number of pages that are queued or ready */
	MAX_READY_BYTES = 4 << 20, /* maximum bytes of their texts; each thread
				      may hold another page */
	CHUNK_BYTES = 64 * 1024,   /* when a chunk has this size, it is sent */
	MAX_WAIT_MS = 200, /* how long a worker thread of the server waits for a
			      page before it is released */
};

/* What the extracting threads share. */
struct text_query {
	struct shared_request asking;
	enum text_export_format form;
	bool is_raw;
	uint32_t site;
	uint32_t qualities;
	double min_confidence;
};

/* A page in progress. */
struct text_item {
	struct text_position place;
	enum error error;    /* error of the store, which ends the stream */
	bool has_failed;     /* the page has failed, but the stream continues */
	struct buffer bytes; /* the page in the format of the stream */
};

struct text_stream {
	struct api *api;
	uint64_t owner;
	struct text_walk *walk;
	struct ordered_queue *ordered;
	enum text_export_format form;
	bool is_begun;
	bool is_walked; /* all pages of the walk were queued */
	bool is_broken;
	uint64_t left;   /* number of pages that may still be sent */
	uint64_t failed; /* number of failed pages */
	char host[MAX_HOST_BYTES + 1];
};

static size_t text_item_bytes(const void *memory)
{
	const struct text_item *item = memory;

	return item->bytes.size;
}

static void text_item_destroy(void *memory)
{
	struct text_item *item = memory;

	buffer_free(&item->bytes);
	free(item);
}

static bool text_query_matches(const struct text_query *search,
			       enum error error,
			       const struct text_result *answer)
{
	bool takes_all =
		search->qualities == UINT32_MAX && search->min_confidence <= 0;

	if (error != ERR_NONE)
		return takes_all;
	return (search->qualities >> answer->quality & 1U) != 0 &&
	       (search->min_confidence <= 0 ||
		(double)answer->confidence >= search->min_confidence);
}

static enum error text_stream_extract(const struct shared_request *asking,
				      const struct positioned_page *page,
				      struct text_result *answer)
{
	const struct api *api = asking->call.api;
	struct text_request request = asking->question->request;
	struct url url;
	enum error error = url_parse(&url, slice_of(page->url), NULL);
	unsigned tries = 0;
	bool is_tried;

	*answer = (struct text_result){.confidence = NAN};
	request.url = &url;
	is_tried = error == ERR_NONE;
	while (is_tried) {
		buffer_free(&answer->body);
		error = stored_text_get(api->pool, api->store, &asking->rules,
					&request, answer);
		is_tried = shared_request_should_retry(error, &tries);
	}
	shared_request_set_reason(error, answer);
	return error;
}

static enum error text_stream_find_page(const struct text_query *search,
					const struct text_item *item,
					struct positioned_page *page)
{
	unsigned tries = 0;
	enum error error;

	do
		error = text_position_page(search->asking.call.api->store,
					   search->site, item->place, page);
	while (shared_request_should_retry(error, &tries));
	return error;
}

/*
 * Extract the content of a page. If the page was stored again after the walk
 * has found it, skip it: the walk returns its new position later.
 */
static void text_stream_process_item(void *context, void *memory)
{
	const struct text_query *search = context;
	const struct shared_request *asking = &search->asking;
	struct text_item *item = memory;
	struct positioned_page page;
	struct text_result answer;
	enum error error = text_stream_find_page(search, item, &page);

	if (error != ERR_NONE) {
		item->error = error == ERR_NOT_FOUND ? ERR_NONE : error;
		return;
	}
	error = text_stream_extract(asking, &page, &answer);
	item->has_failed = shared_request_has_failed(error);
	if (text_query_matches(search, error, &answer))
		text_export_append(
			search->form,
			&(struct text_export_row){
				.place = item->place,
				.page = &page,
				.host = asking->call.host,
				.url = page.url,
				.format = asking->question->request.format,
				.is_raw = search->is_raw,
				.error = error,
				.answer = &answer,
			},
			&item->bytes);
	buffer_free(&answer.body);
}

static void end_search(void *context)
{
	struct text_query *search = context;

	shared_request_end(&search->asking);
	free(search);
}

/* Queue pages of the walk until the queue is full. */
static enum error text_stream_queue_pages(struct text_stream *stream)
{
	enum error error = ERR_NONE;

	while (!stream->is_walked &&
	       ordered_queue_is_not_full(stream->ordered)) {
		struct text_item *item;
		struct text_position place;
		bool is_there;
		unsigned tries = 0;

		do
			error = text_walk_next(stream->walk, &place, &is_there);
		while (shared_request_should_retry(error, &tries));
		if (error != ERR_NONE)
			break;
		stream->is_walked = !is_there;
		if (!is_there)
			break;
		item = mem_alloc(1, sizeof(*item));
		item->place = place;
		ordered_queue_put(stream->ordered, item);
	}
	return error;
}

/*
 * Move ready pages to `out` in order. If the first page is not ready, wait for
 * it until `until_ms`.
 */
static enum error text_stream_drain(struct text_stream *stream,
				    uint64_t until_ms, struct buffer *out)
{
	enum error error = ERR_NONE;

	while (error == ERR_NONE && out->size < CHUNK_BYTES &&
	       stream->left > 0) {
		struct text_item *item = ordered_queue_take(
			stream->ordered, out->size == 0 ? until_ms : 0);

		if (item == NULL)
			break;
		error = item->error;
		stream->failed += item->has_failed;
		stream->left -= item->bytes.size > 0;
		buffer_append_slice(out, buffer_slice(&item->bytes));
		text_item_destroy(item);
	}
	return error;
}

static bool text_stream_fill(void *context, struct buffer *out)
{
	struct text_stream *stream = context;
	uint64_t until_ms = clock_steady_ms() + MAX_WAIT_MS;
	bool is_over = false;
	enum error error;

	if (!stream->is_begun)
		text_export_begin(stream->form, PROGRAM, clock_wall_ms(), out);
	stream->is_begun = true;
	do {
		size_t before = out->size;

		error = text_stream_queue_pages(stream);
		if (error == ERR_NONE)
			error = text_stream_drain(stream, until_ms, out);
		is_over = stream->left == 0 ||
			  (stream->is_walked &&
			   ordered_queue_is_empty(stream->ordered));
		if (out->size == before && out->size > 0)
			break;
	} while (error == ERR_NONE && !is_over && out->size < CHUNK_BYTES &&
		 clock_steady_ms() < until_ms);
	if (error == ERR_NONE)
		return !is_over;
	log_error_limited_about(
		(struct log_subject){.site = slice_of(stream->host)},
		"a stream of its texts was aborted: %s", error_text(error));
	stream->is_broken = true;
	return false;
}

static bool text_stream_is_broken(const void *context)
{
	const struct text_stream *stream = context;

	return stream->is_broken;
}

static uint64_t count_failed(const void *context)
{
	const struct text_stream *stream = context;

	return stream->failed;
}

static void text_stream_destroy(void *context)
{
	struct text_stream *stream = context;

	ordered_queue_close(stream->ordered);
	text_walk_end(stream->walk);
	api_end_work(stream->api, WORK_TEXTS, stream->owner);
	free(stream);
}

static enum error text_stream_start(struct text_stream *stream,
				    const struct call *call,
				    const struct text_params *question,
				    const struct text_wish *wish)
{
	struct text_query *search = mem_alloc(1, sizeof(*search));
	const struct ordered_queue_options options = {
		.threads = call_threads(call),
		.window = WINDOW,
		.max_bytes = MAX_READY_BYTES,
		.work = text_stream_process_item,
		.size = text_item_bytes,
		.discard = text_item_destroy,
		.end = end_search,
		.context = search,
	};
	enum error error;

	search->form = wish->form;
	search->site = text_walk_site(stream->walk);
	search->is_raw = wish->is_raw;
	search->qualities = wish->qualities;
	search->min_confidence = wish->min_confidence;
	shared_request_begin(&search->asking, call, question);
	error = ordered_queue_open(&stream->ordered, &options);
	if (error != ERR_NONE)
		end_search(search);
	return error;
}

/*
 * Create the source of the stream; all arguments are copied. ERR_BUSY: there
 * are too many streams. ERR_NOT_FOUND: there is no such site. ERR_IO: no thread
 * can be started. Or an error of the store.
 */
static enum error text_stream_create(struct call *call,
				     const struct text_params *question,
				     const struct text_wish *wish,
				     struct http_stream *stream_out)
{
	struct text_stream *stream;
	enum error error;

	if (!call_begin_work(call, WORK_TEXTS))
		return ERR_BUSY;
	stream = mem_alloc(1, sizeof(*stream));
	stream->api = call->api;
	stream->owner = call_owner(call);
	stream->form = wish->form;
	stream->is_begun = wish->is_resumed;
	stream->left = wish->limit == 0 ? UINT64_MAX : wish->limit;
	snprintf(stream->host, sizeof(stream->host), "%s", call->host);
	*stream_out = (struct http_stream){
		.fill = text_stream_fill,
		.free = text_stream_destroy,
		.is_broken = text_stream_is_broken,
		.context = stream,
		.trailer_name = SHARED_REQUEST_FAILED_HEADER,
		.trailer = count_failed,
	};
	error = text_walk_begin(&stream->walk, call->api->store, &wish->filter);
	if (error == ERR_NONE)
		error = text_stream_start(stream, call, question, wish);
	if (error != ERR_NONE)
		text_stream_destroy(stream);
	return error;
}

/* GET texts: the texts of a site as a stream. */

/* How long a request waits for the end of another stream. */
enum { PATIENCE_MS = 1000 };

/* The words that a list in an argument may contain. */
struct word_list {
	const char *name;
	const char *(*word)(unsigned number);
	unsigned count;
};

static const char *quality_word(unsigned number)
{
	return text_quality_name((enum text_quality)number);
}

/* Return the bit of the word `text` [size]; 0 if the word is not allowed. */
static uint32_t bit_of(const struct word_list *words, const char *text,
		       size_t size)
{
	for (unsigned i = 0; i < words->count; i++)
		if (strlen(words->word(i)) == size &&
		    memcmp(words->word(i), text, size) == 0)
			return 1U << i;
	return 0;
}

/* Reject the argument with a message that lists the allowed words. */
static bool word_list_refuse(struct call *call, const struct word_list *words,
			     const char *text)
{
	struct buffer allowed = {0};

	for (unsigned i = 0; i < words->count; i++)
		buffer_printf(&allowed, "%s%s", i == 0 ? "" : ", ",
			      words->word(i));
	call_refuse(call,
		    "%s=%.64s: must be a comma-separated list of these "
		    "words: %.*s",
		    words->name, text, (int)allowed.size, allowed.data);
	buffer_free(&allowed);
	return false;
}

/*
 * Parse the argument `text`, a list of words with commas between them, to bits.
 * A missing argument means all words. If a word is not allowed, respond with
 * the error and return false.
 */
static bool word_list_parse(struct call *call, const struct word_list *words,
			    const char *text, uint32_t *bits_out)
{
	*bits_out = text == NULL ? UINT32_MAX : 0;
	while (text != NULL) {
		size_t size = strcspn(text, ",");
		uint32_t bit = bit_of(words, text, size);

		if (bit == 0)
			return word_list_refuse(call, words, text);
		*bits_out |= bit;
		text = text[size] == ',' ? text + size + 1 : NULL;
	}
	return true;
}

static bool read_confidence(struct call *call, struct text_wish *wish)
{
	const char *text = call_argument(call, "confidence");
	char *end;

	if (text == NULL)
		return true;
	wish->min_confidence = strtod(text, &end);
	if (*text >= '0' && *text <= '1' && *end == '\0' &&
	    wish->min_confidence >= 0 && wish->min_confidence <= 1)
		return true;
	return call_refuse(
		call, "confidence=%.32s: must be a number from 0 to 1", text);
}

static bool read_since(struct call *call, struct text_wish *wish)
{
	const char *text = call_argument(call, "since");

	wish->is_resumed = text != NULL;
	if (text == NULL ||
	    text_position_read(slice_of(text), &wish->filter.since))
		return true;
	return call_refuse(
		call,
		"since=%.64s: must be the \"sequence\" of a page, or a time in "
		"milliseconds since 1970",
		text);
}

static bool texts_read_form(struct call *call, struct text_wish *wish)
{
	const char *name = call_argument(call, "format");

	if (name == NULL || text_export_format_of(name, &wish->form))
		return true;
	return call_refuse(
		call, "format=%.32s: must be jsonl, wet, wet.gz or csv", name);
}

static bool read_raw(struct call *call, struct text_wish *wish)
{
	uint64_t is_raw;

	if (!call_number(call, "raw", 0, 1, &is_raw))
		return false;
	wish->is_raw = is_raw != 0;
	return true;
}

static bool read_template(struct call *call, struct text_wish *wish)
{
	uint64_t cluster;

	if (!call_number(call, "template", 0, UINT32_MAX, &cluster))
		return false;
	wish->filter.cluster = (uint32_t)cluster;
	return true;
}

static bool read_wish(struct call *call, struct text_wish *wish)
{
	static const struct word_list qualities = {"quality", quality_word,
						   QUALITY_COUNT};
	static const struct word_list classes = {"type", page_class_name,
						 PAGE_CLASS_COUNT};

	*wish = (struct text_wish){
		.filter = {.host = call->host, .before_ms = clock_wall_ms()},
	};
	return texts_read_form(call, wish) && read_raw(call, wish) &&
	       read_since(call, wish) && read_template(call, wish) &&
	       word_list_parse(call, &qualities, call_argument(call, "quality"),
			       &wish->qualities) &&
	       word_list_parse(call, &classes, call_argument(call, "type"),
			       &wish->filter.classes) &&
	       read_confidence(call, wish) &&
	       call_number(call, "limit", 0, INT64_MAX, &wish->limit);
}

static enum http_verdict texts_reject(struct call *call)
{
	return call_fail_busy(call,
			      "too many streams are open (socket.max_streams)");
}

static enum http_verdict send_texts(struct call *call,
				    const struct text_params *question,
				    const struct text_wish *wish)
{
	struct http_stream stream;
	enum error error = text_stream_create(call, question, wish, &stream);

	/*
	 * wait, because a stream that its client has just read to the end may
	 * not have finished yet
	 */
	if (error == ERR_BUSY &&
	    clock_steady_ms() < http_arrival_ms(call->exchange) + PATIENCE_MS)
		return HTTP_SUSPENDED;
	if (error == ERR_BUSY)
		return texts_reject(call);
	if (error != ERR_NONE)
		return call_fail_with(call, error, call->host);
	if (!http_listen(call->exchange)) {
		stream.free(stream.context);
		return texts_reject(call);
	}
	http_reply_stream(call->exchange, 200,
			  text_export_media_type(wish->form), &stream);
	return HTTP_ANSWERED;
}

enum http_verdict api_get_texts(struct call *call)
{
	enum http_verdict verdict = HTTP_ANSWERED;
	const char *content = call_argument(call, "content");
	struct text_params question = {0};
	struct text_wish wish;

	if (read_wish(call, &wish) &&
	    text_params_read_as(call, "content", content, &question))
		verdict = send_texts(call, &question, &wish);
	free(question.parameter_text);
	return verdict;
}

/*
 * GET text and POST extract: the text of a page that is stored, fetched on
 * request, or uploaded.
 */

/*
 * If the page's cluster has this many pages, a request does not wait for the
 * fetch of pages near its page.
 */
enum { ENOUGH_PAGES = 10 };

/*
 * The words of http_handler_state(), which keep the state of a suspended
 * exchange.
 */
enum { MEMORY_IS_ASKED, MEMORY_ASKED_MS };

/*
 * Respond with the text, or with 304, or with the error and its reason. Frees
 * answer->body.
 */
static enum http_verdict reply_answer(struct call *call, enum format format,
				      enum error error,
				      struct text_result *answer)
{
	enum http_verdict verdict;
	char confidence[16];
	char since[DATE_BYTES];

	if (error != ERR_NONE) {
		verdict = call_fail_with(call, error, answer->reason);
		buffer_free(&answer->body);
		return verdict;
	}
	http_add_header(call->exchange, "X-Templated-Method", answer->method);
	http_add_header(call->exchange, "X-Templated-Reason", answer->reason);
	http_add_header(call->exchange, "X-Templated-Cluster", answer->cluster);
	http_add_header(call->exchange, "X-Templated-Quality",
			text_quality_name(answer->quality));
	if (!isnan(answer->confidence)) {
		snprintf(confidence, sizeof(confidence), "%.3f",
			 (double)answer->confidence);
		http_add_header(call->exchange, "X-Templated-Confidence",
				confidence);
	}
	if (answer->waiting_ms != 0) {
		date_format(answer->waiting_ms, since);
		http_add_header(call->exchange, "X-Templated-Waiting", since);
	}
	return call_reply_tagged(call, format_media_type(format),
				 &answer->body);
}

static enum http_verdict answer_from_store(struct call *call,
					   const struct text_params *question)
{
	const struct text_request *request = &question->request;
	struct extraction_options rules = call_rules(call);
	struct store *store = call->api->store;
	struct text_result answer = {0};
	enum error error = ERR_NONE;

	if (http_is_inline(call->exchange) &&
	    !stored_text_get_cached(store, &rules, request, &answer))
		return HTTP_QUEUED;
	if (!http_is_inline(call->exchange))
		error = stored_text_get(call->api->pool, store, &rules, request,
					&answer);
	return reply_answer(call, request->format, error, &answer);
}

/*
 * Queue a fetch of the page. If its site is unknown, the site is added as a
 * sample: then the daemon also fetches pages near the page. Such a site may use
 * private addresses only in crawl.allowed_networks.
 */
static enum error text_queue_fetch(struct call *call,
				   const struct text_params *question)
{
	const struct config *config = call->config;
	struct change change = {
		.kind = CHANGE_FETCH_NOW,
		.url = &question->url,
		.ask = {.asked_ms = http_handler_state(
				call->exchange)[MEMORY_ASKED_MS],
			.renders = question->renders,
			.options = {.measure = (uint16_t)config->measure,
				    .width = (uint16_t)config->width,
				    .max_pages = config->max_pages,
				    .max_depth = 1,
				    .delay_ms = config->delay_ms,
				    .flags = SITE_IS_SAMPLE |
					     SITE_IS_NETWORK_OK}},
	};

	options_set_threshold(&change.ask.options, config->threshold);
	return pipeline_command(call->api->pipeline, &change);
}

/*
 * Queue a fetch of the page, and note in the state of the exchange when a
 * stored page begins to be fresh.
 */
static enum fetch_stage begin_fetch(struct call *call,
				    const struct text_params *question,
				    struct page_status *standing)
{
	uint64_t *memory = http_handler_state(call->exchange);

	/* if only a missing page is wanted, every stored page is fresh */
	memory[MEMORY_ASKED_MS] =
		question->policy == FETCH_ALWAYS ? clock_wall_ms() : 1;
	standing->error = text_queue_fetch(call, question);
	if (standing->error != ERR_NONE)
		return FETCH_IMPOSSIBLE;
	memory[MEMORY_IS_ASKED] = 1;
	return FETCH_AWAITED;
}

/*
 * Return whether the page is stored and fresh enough. With fetch=always it must
 * have been fetched after the request.
 */
static bool text_page_is_fresh(const struct call *call,
			       const struct text_params *question,
			       const struct page_status *standing)
{
	const uint64_t *memory = http_handler_state(call->exchange);

	return standing->state == PAGE_STORED &&
	       (!question->renders || standing->is_rendered) &&
	       (question->policy == FETCH_MISSING ||
		(memory[MEMORY_IS_ASKED] != 0 &&
		 standing->fetched_ms >= memory[MEMORY_ASKED_MS] &&
		 standing->fetched_ms <= clock_wall_ms()));
}

/* Return whether enough pages near the page are stored. */
static bool is_settled(const struct page_status *standing)
{
	return !standing->is_sample || standing->site_pending == 0 ||
	       standing->cluster_pages >= ENOUGH_PAGES;
}

enum fetch_stage call_fetch(struct call *call,
			    const struct text_params *question,
			    struct page_status *standing)
{
	bool is_late = clock_steady_ms() >=
		       http_arrival_ms(call->exchange) + question->timeout_ms;
	enum error error =
		query_page_status(call->api->store, &question->url, standing);

	if (error != ERR_NONE) {
		standing->error = error;
		return FETCH_IMPOSSIBLE;
	}
	if (text_page_is_fresh(call, question, standing))
		return is_late || is_settled(standing) ? FETCH_HERE
						       : FETCH_SETTLING;
	if (http_handler_state(call->exchange)[MEMORY_IS_ASKED] == 0)
		return begin_fetch(call, question, standing);
	if (standing->error != ERR_NONE)
		return FETCH_FAILED;
	if (standing->state == PAGE_UNKNOWN && standing->site_pending == 0 &&
	    !standing->is_awaited)
		return FETCH_GONE;
	return is_late ? FETCH_LATE : FETCH_AWAITED;
}

/* Fetch the page. Respond when the page and enough pages near it are stored. */
static enum http_verdict answer_fetched(struct call *call,
					const struct text_params *question)
{
	struct page_status standing;

	switch (call_fetch(call, question, &standing)) {
	case FETCH_IMPOSSIBLE:
		return call_fail_with(call, standing.error,
				      standing.error == ERR_TOO_LARGE
					      ? API_TOO_MANY_SITES
					      : "the page cannot be fetched");
	case FETCH_FAILED:
		return call_fail(
			call, 502, error_code(standing.error),
			"the page was not fetched: %s (HTTP status %u)",
			error_text(standing.error), standing.http_status);
	case FETCH_LATE:
		return call_fail_with(
			call, ERR_TIMEOUT,
			"the page has not been fetched yet; try again");
	case FETCH_HERE:
	case FETCH_GONE:
		return answer_from_store(call, question);
	default:
		return HTTP_SUSPENDED;
	}
}

static enum http_verdict text_reply(struct call *call,
				    struct text_params *question)
{
	if (!question->has_url)
		return call_fail(call, 400, "bad_request",
				 "url: missing; add ?url=URL");
	if (question->policy == FETCH_NEVER)
		return answer_from_store(call, question);
	if (http_is_inline(call->exchange))
		return HTTP_QUEUED;
	return answer_fetched(call, question);
}

static enum http_verdict extract_body(struct call *call,
				      struct text_params *question)
{
	struct extraction_options rules = call_rules(call);
	struct text_result answer;
	enum error error;

	question->request.body = http_body(call->exchange);
	if (question->request.body.size > rules.limits.max_bytes)
		return call_fail(call, 413, "too_large",
				 "the page has more than %zu bytes",
				 rules.limits.max_bytes);
	question->request.charset = slice_of(call_argument(call, "charset"));
	error = submitted_text_get(call->api->pool, call->api->store, &rules,
				   &question->request, &answer);
	return reply_answer(call, question->request.format, error, &answer);
}

/* Read the arguments of the request and call `answer` with them. */
static enum http_verdict
with_question(struct call *call,
	      enum http_verdict (*answer)(struct call *, struct text_params *))
{
	struct text_params question;
	enum http_verdict verdict = HTTP_ANSWERED;

	if (text_params_read(call, &question))
		verdict = answer(call, &question);
	free(question.parameter_text);
	return verdict;
}

enum http_verdict api_get_text(struct call *call)
{
	return with_question(call, text_reply);
}

enum http_verdict api_post_extract(struct call *call)
{
	return with_question(call, extract_body);
}
