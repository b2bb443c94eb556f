#include "crawl/fetch.h"

#include <assert.h>
#include <curl/curl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/memory.h"
#include "crawl/http_message.h"
#include "crawl/transfer.h"
#include "page/page.h"
#include "page/robots_tag.h"

enum error error_from_curl(CURLcode code)
{
	switch (code) {
	case CURLE_OK:
		return ERR_NONE;
	case CURLE_OPERATION_TIMEDOUT:
		return ERR_TIMEOUT;
	case CURLE_ABORTED_BY_CALLBACK:
		return ERR_ADDRESS_FORBIDDEN;
	case CURLE_URL_MALFORMAT:
	case CURLE_BAD_CONTENT_ENCODING:
		return ERR_MALFORMED;
	case CURLE_FILESIZE_EXCEEDED:
	/*
	 * libcurl 7.88 returns this for a header line over 100 KB. It does not
	 * mean a lack of memory here: in that case the allocators of
	 * curl_memory_begin() abort the process.
	 */
	case CURLE_OUT_OF_MEMORY:
		return ERR_TOO_LARGE;
	default:
		/*
		 * unknown host, no connection, TLS or HTTP error, incomplete
		 * response
		 */
		return ERR_NETWORK;
	}
}

static void *curl_alloc(size_t size)
{
	return mem_resize(NULL, size, 1);
}

static void *curl_resize(void *memory, size_t size)
{
	return mem_resize(memory, size, 1);
}

static char *curl_copy_text(const char *text)
{
	return mem_copy_text(text, strlen(text));
}

bool curl_memory_begin(void)
{
	return curl_global_init_mem(CURL_GLOBAL_DEFAULT, curl_alloc, free,
				    curl_resize, curl_copy_text,
				    mem_alloc) == CURLE_OK;
}

enum { MAX_LINE_BYTES = 4096 };

struct curl_slist *request_headers_add(struct curl_slist *list,
				       const char *line)
{
	struct curl_slist *longer = curl_slist_append(list, line);

	if (longer == NULL)
		mem_exhausted("libcurl");
	return longer;
}

/*
 * Return whether a validator (ETag or date), which may come from a server, can
 * be sent in a request.
 */
static bool is_condition(const char *value, size_t capacity)
{
	return value != NULL && value[0] != '\0' && strlen(value) < capacity &&
	       header_is_printable(slice_of(value));
}

bool request_is_conditional(const struct fetch_request *request)
{
	return is_condition(request->etag, MAX_ETAG) ||
	       is_condition(request->modified, MAX_MODIFIED);
}

static struct curl_slist *add_condition(struct curl_slist *list,
					const char *name, const char *value,
					size_t capacity)
{
	char line[32 + MAX_ETAG];

	if (!is_condition(value, capacity))
		return list;
	snprintf(line, sizeof(line), "%s: %s", name, value);
	return request_headers_add(list, line);
}

/*
 * Return whether requests must not set the header: it frames the message,
 * routes it, or states which responses are accepted. This includes all headers
 * that begin with "Proxy-".
 */
static bool request_header_is_reserved(struct slice name)
{
	static const char *const names[] = {
		"Accept-Encoding",
		"Connection",
		"Content-Length",
		"Expect",
		"Host",
		"HTTP2-Settings",
		"If-Match",
		"If-Modified-Since",
		"If-None-Match",
		"If-Range",
		"If-Unmodified-Since",
		"Keep-Alive",
		"Range",
		"TE",
		"Trailer",
		"Transfer-Encoding",
		"Upgrade",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (header_is_word(name, names[i]))
			return true;
	return name.size >= 6 && strncasecmp(name.data, "Proxy-", 6) == 0;
}

/* Return whether the name is a token (RFC 9110, 5.6.2). */
static bool is_token(struct slice name)
{
	static const char marks[] = "!#$%&'*+-.^_`|~";
	const char *bytes = name.data;

	for (size_t i = 0; i < name.size; i++) {
		char c = bytes[i];
		char lower = (char)(c | 0x20);

		if ((lower < 'a' || lower > 'z') && (c < '0' || c > '9') &&
		    memchr(marks, c, sizeof(marks) - 1) == NULL)
			return false;
	}
	return name.size > 0;
}

static bool request_header_is_allowed(struct slice line)
{
	const char *colon =
		line.size == 0 ? NULL : memchr(line.data, ':', line.size);
	struct slice name = {line.data, 0};

	if (colon == NULL || line.size >= MAX_LINE_BYTES ||
	    !header_is_printable(line))
		return false;
	name.size = (size_t)(colon - (const char *)line.data);
	return is_token(name) && !request_header_is_reserved(name);
}

static struct curl_slist *add_own(struct curl_slist *list, struct slice lines)
{
	while (lines.size > 0) {
		struct slice line = line_take(&lines);
		char text[MAX_LINE_BYTES];

		if (!request_header_is_allowed(line))
			continue;
		memcpy(text, line.data, line.size);
		text[line.size] = '\0';
		list = request_headers_add(list, text);
	}
	return list;
}

struct curl_slist *request_headers(const struct fetch_request *request)
{
	struct curl_slist *list = NULL;

	list = add_condition(list, "If-None-Match", request->etag, MAX_ETAG);
	list = add_condition(list, "If-Modified-Since", request->modified,
			     MAX_MODIFIED);
	return add_own(list, slice_of(request->headers));
}

/*
 * Copy the value to `out` if it fits and is printable, so that it can be shown
 * and sent again. Otherwise `out` is "".
 */
static void copy_value(struct slice value, char *out, size_t capacity)
{
	out[0] = '\0';
	if (value.size >= capacity || !header_is_printable(value))
		return;
	memcpy(out, value.data, value.size);
	out[value.size] = '\0';
}

/*
 * Copy the media type to `out`, without its parameters, for example a file
 * name.
 */
static void copy_type(struct slice value, char *out, size_t capacity)
{
	const char *bytes = value.data;
	size_t size = value.size < capacity ? value.size : capacity - 1;

	for (size_t i = 0; i < size; i++)
		out[i] = (char)(bytes[i] < ' ' || bytes[i] > '~' ? '?'
								 : bytes[i]);
	out[size] = '\0';
}

/*
 * If the line is the header `name`, write its value to *value_out and return
 * true. Return false for another header or an empty value.
 */
static bool response_head_match(struct slice line, const char *name,
				struct slice *value_out)
{
	*value_out = header_value(line, name);
	return value_out->size > 0;
}

/*
 * Add the codings of a Content-Encoding header, which may be empty and may
 * occur several times. libcurl decodes the transfer coding "chunked"; requests
 * accept no other transfer coding.
 */
static void take_coding(struct response_head *answer, struct slice line)
{
	struct codings transfer = {0};
	struct slice value;

	if (response_head_match(line, "Content-Encoding", &value))
		answer->is_unreadable |= !codings_add(&answer->codings, value);
	else if (response_head_match(line, "Transfer-Encoding", &value))
		answer->is_unreadable |=
			!codings_add(&transfer, value) || transfer.count > 0;
}

/*
 * Sets the fields one by one, because the struct is too large to be zeroed for
 * each response.
 */
void response_head_begin(struct response_head *answer)
{
	answer->redirect.text[0] = '\0';
	answer->refresh.text[0] = '\0';
	answer->robots_tag = 0;
	answer->codings.count = 0;
	answer->is_unreadable = false;
	answer->content_type[0] = '\0';
	answer->retry_after[0] = '\0';
	answer->date[0] = '\0';
	answer->etag[0] = '\0';
	answer->modified[0] = '\0';
}

/* Set the target of a Refresh header, unless it is the page itself. */
static void take_refresh(struct response_head *answer, struct slice value,
			 const struct url *url)
{
	struct slice target = refresh_url(value);

	if (target.size > 0 &&
	    url_parse(&answer->refresh, target, url) == ERR_NONE &&
	    strcmp(answer->refresh.text, url->text) == 0)
		answer->refresh.text[0] = '\0';
}

void response_head_take(struct response_head *answer, struct slice line,
			const struct url *url)
{
	struct slice value;

	if (response_head_match(line, "Content-Type", &value))
		copy_type(value, answer->content_type,
			  sizeof(answer->content_type));
	else if (response_head_match(line, "Location", &value))
		url_parse(&answer->redirect, value, url);
	else if (response_head_match(line, "Refresh", &value))
		take_refresh(answer, value, url);
	else if (response_head_match(line, "Retry-After", &value))
		copy_value(value, answer->retry_after,
			   sizeof(answer->retry_after));
	else if (response_head_match(line, "Date", &value))
		copy_value(value, answer->date, sizeof(answer->date));
	else if (response_head_match(line, "ETag", &value))
		copy_value(value, answer->etag, sizeof(answer->etag));
	else if (response_head_match(line, "Last-Modified", &value))
		copy_value(value, answer->modified, sizeof(answer->modified));
	else if (response_head_match(line, "X-Robots-Tag", &value))
		answer->robots_tag |= robots_tag_parse(value, ROBOTS_AGENT);
	else
		take_coding(answer, line);
}

/*
 * Return whether the status is a redirect in the Fetch standard (2.2.3). 304 is
 * none.
 */
static bool http_status_is_redirect(unsigned status)
{
	return (status >= 301 && status <= 303) || status == 307 ||
	       status == 308;
}

/*
 * Return the value of Retry-After in seconds. Parsing a date is slow, so the
 * Date header is parsed only here, if there is a Retry-After.
 */
static uint64_t retry_after(const struct response_head *answer, uint64_t now_s)
{
	uint64_t date_s;

	if (answer->retry_after[0] == '\0')
		return 0;
	date_s = header_date(slice_of(answer->date));
	return header_retry_after(slice_of(answer->retry_after),
				  date_s > 0 ? date_s : now_s);
}

void response_head_finish(const struct response_head *answer, uint64_t now_s,
			  struct fetch_result *result_out)
{
	struct slice type = slice_of(answer->content_type);

	result_out->is_html = header_is_html(type);
	header_charset(type, result_out->charset, sizeof(result_out->charset));
	result_out->retry_after_s = retry_after(answer, now_s);
	result_out->robots_tag = answer->robots_tag;
	memcpy(result_out->etag, answer->etag, sizeof(answer->etag));
	memcpy(result_out->modified, answer->modified,
	       sizeof(answer->modified));
	if (http_status_is_redirect(result_out->http_status))
		memcpy(result_out->redirect, answer->redirect.text,
		       sizeof(result_out->redirect));
	else if (result_out->http_status >= 200 &&
		 result_out->http_status < 300)
		memcpy(result_out->redirect, answer->refresh.text,
		       sizeof(result_out->redirect));
}

enum {
	DEFAULT_BODY_BYTES = 8 * 1024 * 1024,
	DEFAULT_CONNECT_MS = 10 * 1000,
	DEFAULT_TOTAL_MS = 60 * 1000,
	DEFAULT_STALL_MS = 20 * 1000,
	DEFAULT_CONNECTIONS = 32,
	/*
	 * While requests wait for a connection, the minimum rate of a response
	 * doubles every PATIENCE_MS. Transfers that started less than YOUNG_MS
	 * ago are exempt.
	 */
	PATIENCE_MS = 1000,
	YOUNG_MS = 2000,
	FIRST_RATE = 64, /* bytes per second */
	MAX_DOUBLINGS = 8,
};

struct fetcher {
	CURLM *multi;
	struct transfer_plan plan;
	char *user_agent; /* copies of texts that the options point to */
	char *proxy;
	struct fetch_transfer *all; /* list of all transfers, by `sister` */
	/* list of the transfers without a request, by `next` */
	struct fetch_transfer *idle;
	/* list of the finished transfers, the oldest first */
	struct fetch_transfer *first;
	struct fetch_transfer *last;
	size_t running;
	size_t waiting;     /* number of requests that wait for a connection */
	uint64_t turned_ms; /* last time when a connection was free or no
			       request waited */
	bool has_turned;    /* a transfer has started since the last
			       fetcher_report_backlog() */
	bool has_begun;     /* a transfer has started since libcurl last ran */
	int listened; /* descriptor at which fetcher_run() returns; -1 = none */
};

static uint32_t or_default(uint32_t value, uint32_t otherwise)
{
	return value == 0 ? otherwise : value;
}

static char *fetcher_copy_text(const char *text)
{
	return text == NULL ? NULL : mem_copy_text(text, strlen(text));
}

static void copy_options(struct fetcher *fetcher,
			 const struct fetch_options *options)
{
	struct fetch_options *own = &fetcher->plan.options;

	*own = *options;
	fetcher->user_agent = fetcher_copy_text(
		options->user_agent == NULL ? "" : options->user_agent);
	own->user_agent = fetcher->user_agent;
	fetcher->proxy = fetcher_copy_text(options->proxy);
	own->proxy = fetcher->proxy;
	own->ca_file = NULL; /* it was already read */
	own->ca_pem = (struct slice){NULL, 0};
	if (own->max_body_bytes == 0)
		own->max_body_bytes = DEFAULT_BODY_BYTES;
	if (own->max_connections == 0)
		own->max_connections = DEFAULT_CONNECTIONS;
	own->connect_timeout_ms =
		or_default(own->connect_timeout_ms, DEFAULT_CONNECT_MS);
	own->total_timeout_ms =
		or_default(own->total_timeout_ms, DEFAULT_TOTAL_MS);
	own->stall_timeout_ms =
		or_default(own->stall_timeout_ms, DEFAULT_STALL_MS);
}

static bool set_up_multi(struct fetcher *fetcher)
{
	long connections = fetcher->plan.options.max_connections < LONG_MAX
				   ? (long)fetcher->plan.options.max_connections
				   : LONG_MAX;

	fetcher->multi = curl_multi_init();
	return fetcher->multi != NULL &&
	       curl_multi_setopt(fetcher->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS,
				 connections) == CURLM_OK &&
	       curl_multi_setopt(fetcher->multi, CURLMOPT_MAXCONNECTS,
				 connections) == CURLM_OK;
}

struct fetcher *fetcher_create(const struct fetch_options *options)
{
	struct fetcher *fetcher;

	if (!curl_memory_begin())
		return NULL;
	fetcher = mem_alloc(1, sizeof(*fetcher));
	fetcher->listened = -1;
	copy_options(fetcher, options);
	fetcher->plan.page_headers = request_headers_add(
		NULL, "Accept: text/html, application/xhtml+xml, */*;q=0.1");
	if (!(options->ca_pem.size > 0
		      ? ca_bundle_open_pem(&fetcher->plan.authorities,
					   options->ca_pem)
		      : ca_bundle_open(&fetcher->plan.authorities,
				       options->ca_file)) ||
	    !set_up_multi(fetcher)) {
		fetcher_destroy(fetcher);
		return NULL;
	}
	return fetcher;
}

void fetcher_destroy(struct fetcher *fetcher)
{
	struct fetch_transfer *transfer;

	if (fetcher == NULL)
		return;
	while ((transfer = fetcher->all) != NULL) {
		fetcher->all = transfer->sister;
		curl_multi_remove_handle(fetcher->multi, transfer->easy);
		assert(transfer->plan == &fetcher->plan);
		transfer_destroy(transfer);
	}
	curl_multi_cleanup(fetcher->multi);
	curl_slist_free_all(fetcher->plan.page_headers);
	ca_bundle_close(&fetcher->plan.authorities);
	free(fetcher->user_agent);
	free(fetcher->proxy);
	free(fetcher);
	curl_global_cleanup();
}

/* Return a transfer without a request: an idle one or a new one. */
static struct fetch_transfer *take_idle(struct fetcher *fetcher)
{
	struct fetch_transfer *transfer = fetcher->idle;

	if (transfer != NULL) {
		assert(!transfer->is_running);
		fetcher->idle = transfer->next;
		return transfer;
	}
	transfer = transfer_create(&fetcher->plan);
	if (transfer == NULL)
		mem_exhausted("libcurl");
	transfer->sister = fetcher->all;
	fetcher->all = transfer;
	return transfer;
}

static void append_ended(struct fetcher *fetcher,
			 struct fetch_transfer *transfer)
{
	assert(!transfer->is_running);
	transfer->next = NULL;
	if (fetcher->last == NULL)
		fetcher->first = transfer;
	else
		fetcher->last->next = transfer;
	fetcher->last = transfer;
}

void fetcher_start(struct fetcher *fetcher, const struct fetch_request *request)
{
	struct fetch_transfer *transfer = take_idle(fetcher);

	assert(request->url != NULL);
	assert(!transfer->is_running);
	if (transfer_prepare(transfer, request) &&
	    curl_multi_add_handle(fetcher->multi, transfer->easy) == CURLM_OK) {
		transfer->is_running = true;
		transfer->is_young = true;
		fetcher->has_turned = true;
		fetcher->running++;
		fetcher->has_begun = true;
		return;
	}
	transfer_finish(transfer, CURLE_FAILED_INIT);
	append_ended(fetcher, transfer);
}

/* Move a running transfer, whose result is complete, to the finished ones. */
static void fetcher_end_transfer(struct fetcher *fetcher,
				 struct fetch_transfer *transfer)
{
	assert(transfer->is_running && fetcher->running > 0);
	transfer->is_running = false;
	fetcher->running--;
	append_ended(fetcher, transfer);
}

/*
 * Complete the results of the transfers that libcurl has finished, and move
 * them to the finished transfers.
 */
static void fetcher_collect_results(struct fetcher *fetcher)
{
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(fetcher->multi, &left)) !=
	       NULL) {
		CURLcode code = message->data.result;
		CURL *easy = message->easy_handle;
		struct fetch_transfer *transfer = NULL;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&transfer);
		curl_multi_remove_handle(fetcher->multi, easy);
		assert(transfer != NULL && transfer->is_running);
		transfer_finish(transfer, code);
		fetcher_end_transfer(fetcher, transfer);
	}
}

static void fetcher_perform(struct fetcher *fetcher)
{
	int running;
	CURLMcode code = curl_multi_perform(fetcher->multi, &running);

	fetcher->has_begun = false;
	if (code != CURLM_OK)
		log_error_limited("fetcher: %s", curl_multi_strerror(code));
	fetcher_collect_results(fetcher);
}

/*
 * Return the minimum rate in bytes per second of a response, when requests have
 * waited for a connection for `waited_ms`.
 */
static uint64_t rate_floor(uint64_t waited_ms)
{
	uint64_t doublings =
		waited_ms < PATIENCE_MS ? 0 : waited_ms / PATIENCE_MS - 1;

	if (waited_ms < PATIENCE_MS)
		return 0;
	return (uint64_t)FIRST_RATE
	       << (doublings < MAX_DOUBLINGS ? doublings : MAX_DOUBLINGS);
}

/*
 * Return the slowest running transfer with a rate below `rate`; NULL if none
 * exists.
 */
static struct fetch_transfer *find_slowest(const struct fetcher *fetcher,
					   uint64_t rate, uint64_t now_ms)
{
	struct fetch_transfer *slowest = NULL;

	for (struct fetch_transfer *transfer = fetcher->all; transfer != NULL;
	     transfer = transfer->sister) {
		uint64_t age_ms = now_ms - transfer->begin_ms;
		uint64_t bytes = transfer->bytes.raw + transfer->bytes.headers;

		if (!transfer->is_running || age_ms < YOUNG_MS ||
		    bytes * 1000U / age_ms >= rate)
			continue;
		slowest = transfer;
		rate = bytes * 1000U / age_ms;
	}
	return slowest;
}

/* Stop slow transfers so that waiting requests can use their connections. */
static void fetcher_stop_slow(struct fetcher *fetcher, uint64_t now_ms)
{
	uint64_t rate = fetcher->waiting == 0
				? 0
				: rate_floor(now_ms - fetcher->turned_ms);

	for (; rate > 0 && fetcher->waiting > 0; fetcher->waiting--) {
		struct fetch_transfer *transfer =
			find_slowest(fetcher, rate, now_ms);

		if (transfer == NULL)
			return;
		curl_multi_remove_handle(fetcher->multi, transfer->easy);
		transfer_fail(transfer, ERR_TIMEOUT,
			      "too slow while other requests wait");
		transfer_finish(transfer, CURLE_OPERATION_TIMEDOUT);
		fetcher_end_transfer(fetcher, transfer);
	}
}

/* Set the start time of the transfers that have started since the last call. */
static void stamp_young(struct fetcher *fetcher, uint64_t now_ms)
{
	for (struct fetch_transfer *transfer = fetcher->all; transfer != NULL;
	     transfer = transfer->sister) {
		if (transfer->is_young)
			transfer->begin_ms = now_ms;
		transfer->is_young = false;
	}
	fetcher->has_turned = false;
}

void fetcher_report_backlog(struct fetcher *fetcher, size_t waiting,
			    uint64_t now_ms)
{
	if (fetcher->has_turned || fetcher->waiting == 0 || waiting == 0)
		fetcher->turned_ms = now_ms;
	if (fetcher->has_turned)
		stamp_young(fetcher, now_ms);
	fetcher->waiting = waiting;
	fetcher_stop_slow(fetcher, now_ms);
}

void fetcher_listen(struct fetcher *fetcher, int descriptor)
{
	fetcher->listened = descriptor;
}

void fetcher_run(struct fetcher *fetcher, uint32_t timeout_ms)
{
	int wait = timeout_ms < INT_MAX ? (int)timeout_ms : INT_MAX;
	struct curl_waitfd listened = {.fd = fetcher->listened,
				       .events = CURL_WAIT_POLLIN};
	unsigned count = fetcher->listened >= 0 ? 1 : 0;
	int ready = 0;

	if (fetcher->has_begun)
		fetcher_perform(fetcher);
	if (fetcher->first != NULL)
		return;
	curl_multi_poll(fetcher->multi, &listened, count, wait, &ready);
	/* only the descriptor is ready, so libcurl has nothing to do */
	if (ready == 1 && count == 1 && listened.revents != 0)
		return;
	fetcher_perform(fetcher);
}

bool fetcher_next(struct fetcher *fetcher, struct fetch_result *result_out)
{
	struct fetch_transfer *transfer = fetcher->first;

	if (transfer == NULL)
		return false;
	fetcher->first = transfer->next;
	if (fetcher->first == NULL)
		fetcher->last = NULL;
	*result_out = transfer->result;
	transfer->result.body = (struct buffer){0};
	transfer->result.head = (struct buffer){0};
	transfer->result.request = (struct buffer){0};
	assert(!transfer->is_running);
	transfer->next = fetcher->idle;
	fetcher->idle = transfer;
	return true;
}

void fetch_result_free(struct fetch_result *result)
{
	buffer_free(&result->body);
	buffer_free(&result->head);
	buffer_free(&result->request);
}

void fetcher_abort(struct fetcher *fetcher)
{
	for (struct fetch_transfer *transfer = fetcher->all; transfer != NULL;
	     transfer = transfer->sister) {
		if (!transfer->is_running)
			continue;
		curl_multi_remove_handle(fetcher->multi, transfer->easy);
		transfer_stop(transfer);
		fetcher_end_transfer(fetcher, transfer);
	}
}

size_t fetcher_running(const struct fetcher *fetcher)
{
	return fetcher->running;
}
