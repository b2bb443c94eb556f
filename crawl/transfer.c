#include "crawl/transfer.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "crawl/curl_error.h"
#include "crawl/header.h"
#include "store/memory.h"

enum {
	MAX_HEADER_BYTES = 64 * 1024,
	/* of an answer that is no page: more costs more than a connection */
	MAX_DROPPED_BYTES = 64 * 1024,
	STALL_BYTES_PER_S = 64,
};

/* The first reason to end the transfer is kept. */
__attribute__((format(printf, 3, 4))) static void
fail(struct transfer *transfer, enum error error, const char *format, ...)
{
	struct fetch_result *result = &transfer->result;
	va_list list;

	if (result->error != ERR_NONE)
		return;
	result->error = error;
	va_start(list, format);
	vsnprintf(result->reason, sizeof(result->reason), format, list);
	va_end(list);
}

static void fail_refused(struct transfer *transfer)
{
	fail(transfer, ERR_REFUSED, "%s is a private or reserved address",
	     transfer->refused);
}

/* Called after DNS, for each address, before anything is sent to it. */
static curl_socket_t on_open(void *context, curlsocktype purpose,
			     struct curl_sockaddr *target)
{
	struct transfer *transfer = context;
	/* the address goes on behind the end of the struct */
	const struct sockaddr *address =
		(const void *)((const char *)target +
			       offsetof(struct curl_sockaddr, addr));

	(void)purpose;
	if (!transfer->is_private_ok &&
	    !guard_allows(address, transfer->options->allowed,
			  transfer->options->allowed_count)) {
		guard_format(address, transfer->refused,
			     sizeof(transfer->refused));
		return CURL_SOCKET_BAD;
	}
	transfer->is_connected = true;
	return socket(target->family, target->socktype | SOCK_CLOEXEC,
		      target->protocol);
}

/* Called before the request is sent, also over a connection that was open. */
/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's type */
static int on_ready(void *context, char *remote, char *local, int remote_port,
		    int local_port)
{
	struct transfer *transfer = context;

	(void)local;
	(void)remote_port;
	(void)local_port;
	if (transfer->is_private_ok ||
	    guard_allows_text(remote, transfer->options->allowed,
			      transfer->options->allowed_count))
		return CURL_PREREQFUNC_OK;
	snprintf(transfer->refused, sizeof(transfer->refused), "%s", remote);
	fail_refused(transfer);
	return CURL_PREREQFUNC_ABORT;
}

static void copy_value(struct slice value, char *out, size_t capacity)
{
	out[0] = '\0';
	if (value.size == 0 || value.size >= capacity)
		return;
	memcpy(out, value.data, value.size);
	out[value.size] = '\0';
}

static void take_header(struct transfer *transfer, struct slice line)
{
	struct answer_headers *headers = &transfer->headers;
	struct slice value;

	if ((value = header_value(line, "Content-Type")).size > 0)
		copy_value(value, headers->content_type,
			   sizeof(headers->content_type));
	else if ((value = header_value(line, "Content-Length")).size > 0)
		headers->content_length = header_number(value);
	else if ((value = header_value(line, "Location")).size > 0)
		url_parse(&headers->redirect, value, &transfer->url);
	else if ((value = header_value(line, "Retry-After")).size > 0)
		copy_value(value, headers->retry_after,
			   sizeof(headers->retry_after));
	else if ((value = header_value(line, "Date")).size > 0)
		headers->date_s = header_date(value);
}

static unsigned status_of(const struct transfer *transfer)
{
	long status = 0;

	curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
	return status > 0 && status <= UINT16_MAX ? (unsigned)status : 0;
}

static bool is_success(unsigned status)
{
	return status >= 200 && status < 300;
}

static void read_headers(struct transfer *transfer)
{
	const struct answer_headers *headers = &transfer->headers;
	struct fetch_result *result = &transfer->result;
	struct slice type = slice_of(headers->content_type);
	uint64_t now_s =
		headers->date_s > 0 ? headers->date_s : (uint64_t)time(NULL);

	result->is_html = header_is_html(type);
	header_charset(type, result->charset, sizeof(result->charset));
	result->retry_after_s =
		header_retry_after(slice_of(headers->retry_after), now_s);
	if (result->http_status >= 300 && result->http_status < 400)
		memcpy(result->redirect, headers->redirect.text,
		       sizeof(result->redirect));
}

/* The headers are complete. False when the body is not wanted. */
static bool end_headers(struct transfer *transfer)
{
	const struct answer_headers *headers = &transfer->headers;
	struct fetch_result *result = &transfer->result;

	result->http_status = (uint16_t)status_of(transfer);
	if (result->http_status < 200)
		return true; /* 100 Continue, 103 Early Hints */
	transfer->is_headed = true;
	read_headers(transfer);
	if (!is_success(result->http_status) || transfer->any_type)
		return true;
	if (!result->is_html)
		fail(transfer, ERR_NOT_HTML, "the type is %.100s",
		     headers->content_type);
	else if (headers->content_length != UINT64_MAX &&
		 headers->content_length > transfer->max_body_bytes)
		fail(transfer, ERR_TOO_LARGE, "the page has %llu bytes",
		     (unsigned long long)headers->content_length);
	return result->error == ERR_NONE;
}

static bool is_blank_line(struct slice line)
{
	return slice_equal(line, slice_of("\r\n")) ||
	       slice_equal(line, slice_of("\n"));
}

static size_t on_header(char *data, size_t size, size_t count, void *context)
{
	struct transfer *transfer = context;
	struct slice line = {data, size * count};

	transfer->header_bytes += line.size;
	if (transfer->header_bytes > MAX_HEADER_BYTES) {
		fail(transfer, ERR_TOO_LARGE, "the headers are over %d bytes",
		     MAX_HEADER_BYTES);
		return 0;
	}
	if (transfer->is_headed) /* trailers */
		return line.size;
	if (line.size >= 5 && memcmp(data, "HTTP/", 5) == 0)
		transfer->headers =
			(struct answer_headers){.content_length = UINT64_MAX};
	else if (!is_blank_line(line))
		take_header(transfer, line);
	else if (!end_headers(transfer))
		return 0;
	return line.size;
}

/* `data` is decoded, so a bomb ends here. */
static size_t on_body(char *data, size_t size, size_t count, void *context)
{
	struct transfer *transfer = context;
	struct buffer *body = &transfer->result.body;
	size_t length = size * count;
	size_t room = transfer->max_body_bytes - body->size;

	if (!is_success(transfer->result.http_status)) {
		transfer->dropped_bytes += length;
		return transfer->dropped_bytes > MAX_DROPPED_BYTES ? 0 : length;
	}
	buffer_append(body, data, length < room ? length : room);
	if (length <= room)
		return length;
	fail(transfer, ERR_TOO_LARGE, "the body is over %zu bytes",
	     transfer->max_body_bytes);
	return 0;
}

static unsigned set_callbacks(struct transfer *transfer)
{
	CURL *easy = transfer->easy;
	unsigned failed = 0;

	failed |= curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
	failed |= curl_easy_setopt(easy, CURLOPT_ERRORBUFFER,
				   transfer->error_text);
	failed |= curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
	failed |= curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
	failed |= curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_ready);
	failed |= curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
	failed |= curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	failed |= curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
	failed |= curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	failed |= curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
	return failed;
}

static unsigned set_limits(const struct transfer *transfer)
{
	const struct fetch_options *options = transfer->options;
	CURL *easy = transfer->easy;
	unsigned failed = 0;

	failed |= curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
				   (long)options->connect_timeout_ms);
	failed |= curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
				   (long)options->total_timeout_ms);
	failed |= curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT,
				   (long)STALL_BYTES_PER_S);
	failed |= curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME,
				   ((long)options->stall_timeout_ms + 999L) /
					   1000L);
	failed |= curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	return failed;
}

/* Only HTTP, only directly, nothing remembered, nothing followed. */
static unsigned set_protocol(const struct transfer *transfer)
{
	const curl_version_info_data *library =
		curl_version_info(CURLVERSION_NOW);
	bool has_brotli = (library->features & CURL_VERSION_BROTLI) != 0;
	CURL *easy = transfer->easy;
	unsigned failed = 0;

	failed |= curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	failed |= curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
				   (long)CURL_HTTP_VERSION_1_1);
	failed |= curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	failed |= curl_easy_setopt(easy, CURLOPT_PROXY, "");
	failed |= curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
	failed |= curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
	failed |= curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING,
				   has_brotli ? "gzip, br" : "gzip");
	failed |= curl_easy_setopt(easy, CURLOPT_USERAGENT,
				   transfer->options->user_agent);
	return failed;
}

struct transfer *transfer_create(const struct fetch_options *options)
{
	struct transfer *transfer = mem_alloc(1, sizeof(*transfer));

	transfer->options = options;
	transfer->easy = curl_easy_init();
	if (transfer->easy == NULL ||
	    (set_callbacks(transfer) | set_limits(transfer) |
	     set_protocol(transfer)) != 0) {
		transfer_destroy(transfer);
		return NULL;
	}
	return transfer;
}

void transfer_destroy(struct transfer *transfer)
{
	if (transfer == NULL)
		return;
	curl_easy_cleanup(transfer->easy);
	buffer_free(&transfer->result.body);
	free(transfer);
}

bool transfer_prepare(struct transfer *transfer, const struct url *url,
		      struct curl_slist *headers)
{
	unsigned failed = 0;

	buffer_free(&transfer->result.body);
	*transfer = (struct transfer){
		.sister = transfer->sister,
		.easy = transfer->easy,
		.options = transfer->options,
		.url = *url,
	};
	failed |= curl_easy_setopt(transfer->easy, CURLOPT_URL,
				   transfer->url.text);
	failed |= curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, headers);
	if (failed != 0)
		fail(transfer, ERR_NETWORK, "the request cannot be made");
	return failed == 0;
}

static void measure(struct transfer *transfer)
{
	struct fetch_result *result = &transfer->result;
	curl_off_t bytes = 0;
	curl_off_t time_us = 0;

	curl_easy_getinfo(transfer->easy, CURLINFO_SIZE_DOWNLOAD_T, &bytes);
	curl_easy_getinfo(transfer->easy, CURLINFO_TOTAL_TIME_T, &time_us);
	result->wire_bytes = (uint64_t)bytes + transfer->header_bytes;
	result->elapsed_ms = (uint32_t)(time_us / 1000);
}

/* Is the body of no interest, so that it does not matter how it ended? */
static bool is_answered(const struct transfer *transfer)
{
	return transfer->is_headed && !is_success(transfer->result.http_status);
}

void transfer_stop(struct transfer *transfer)
{
	fail(transfer, ERR_STOPPED, "%s", error_text(ERR_STOPPED));
	transfer_finish(transfer, CURLE_ABORTED_BY_CALLBACK);
}

void transfer_finish(struct transfer *transfer, CURLcode code)
{
	struct fetch_result *result = &transfer->result;
	bool keeps_beginning;

	measure(transfer);
	if (code != CURLE_OK && !is_answered(transfer)) {
		if (!transfer->is_connected && transfer->refused[0] != '\0')
			fail_refused(transfer);
		fail(transfer, error_from_curl(code), "%s",
		     transfer->error_text[0] != '\0'
			     ? transfer->error_text
			     : curl_easy_strerror(code));
	}
	keeps_beginning = transfer->any_type && result->error == ERR_TOO_LARGE;
	if (result->error != ERR_NONE && !keeps_beginning)
		buffer_free(&result->body);
}
