#include "crawl/transfer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "crawl/cookies.h"
#include "crawl/curl_error.h"
#include "crawl/request_headers.h"

void transfer_fail(struct fetch_transfer *transfer, enum error error,
		   const char *format, ...)
{
	struct fetch_result *result = &transfer->result;
	va_list list;

	assert(error != ERR_NONE);
	if (result->error != ERR_NONE)
		return;
	result->error = error;
	va_start(list, format);
	vsnprintf(result->reason, sizeof(result->reason), format, list);
	va_end(list);
}

void transfer_cut(struct fetch_transfer *transfer, const char *format, ...)
{
	struct fetch_result *result = &transfer->result;
	va_list list;

	result->is_cut = true;
	va_start(list, format);
	vsnprintf(result->reason, sizeof(result->reason), format, list);
	va_end(list);
}

bool transfer_is_success(const struct fetch_transfer *transfer)
{
	unsigned status = transfer->result.http_status;

	return status >= 200 && status < 300;
}

struct fetch_transfer *transfer_create(const struct transfer_plan *plan)
{
	struct fetch_transfer *transfer = mem_alloc(1, sizeof(*transfer));

	transfer->plan = plan;
	transfer->easy = curl_easy_init();
	if (transfer->easy == NULL || !transfer_set_up(transfer)) {
		transfer_destroy(transfer);
		return NULL;
	}
	return transfer;
}

/* Free the data of the last request. */
static void transfer_clear(struct fetch_transfer *transfer)
{
	curl_slist_free_all(transfer->headers);
	transfer->headers = NULL;
	unpacker_destroy(transfer->unpacker);
	transfer->unpacker = NULL;
	fetch_result_free(&transfer->result);
}

void transfer_destroy(struct fetch_transfer *transfer)
{
	if (transfer == NULL)
		return;
	curl_easy_cleanup(transfer->easy);
	transfer_clear(transfer);
	free(transfer);
}

/* Reset everything except the parts that belong to the handle. */
static void transfer_reset(struct fetch_transfer *transfer,
			   const struct fetch_request *request)
{
	const struct fetch_options *options = &transfer->plan->options;

	assert(transfer->easy != NULL);
	transfer_clear(transfer);
	transfer->url = *request->url;
	transfer->is_private_ok = request->is_private_ok;
	transfer->is_port_ok = request->is_port_ok;
	transfer->is_network_ok = request->is_network_ok;
	transfer->any_type = request->any_type;
	transfer->is_conditional = request_is_conditional(request);
	transfer->max_body_bytes = request->max_body_bytes == 0
					   ? options->max_body_bytes
					   : request->max_body_bytes;
	transfer->headers = request_headers(request);
	transfer->cookies = request->cookies;
	transfer->sink = request->sink;
	transfer->sink_context = request->sink_context;
	transfer->result = (struct fetch_result){.context = request->context};
	response_head_begin(&transfer->answer);
	transfer->is_headed = false;
	transfer->header_bytes = 0;
	transfer->raw_bytes = 0;
	transfer->taken_bytes = 0;
	transfer->sent_bytes = 0;
	transfer->wire_bytes = 0;
	transfer->body_bytes = 0;
	transfer->is_connected = false;
	transfer->refused[0] = '\0';
	transfer->error_text[0] = '\0';
}

/*
 * Return the header list for libcurl: the shared list if the request has no own
 * headers.
 */
static struct curl_slist *choose_headers(struct fetch_transfer *transfer)
{
	struct curl_slist *page_headers = transfer->plan->page_headers;

	if (transfer->any_type || transfer->sink != NULL)
		return transfer->headers;
	if (transfer->headers == NULL)
		return page_headers;
	request_headers_add(transfer->headers, page_headers->data);
	return transfer->headers;
}

static CURLcode load_cookies(struct fetch_transfer *transfer)
{
	static const struct cookies none = {0};
	bool is_first = transfer->cookies != NULL && !transfer->has_cookies;
	CURLcode code = CURLE_OK;

	if (is_first) /* starts the engine */
		code = curl_easy_setopt(transfer->easy, CURLOPT_COOKIEFILE, "");
	transfer->has_cookies |= is_first;
	if (code != CURLE_OK || !transfer->has_cookies)
		return code;
	return cookies_load(transfer->easy, transfer->cookies == NULL
						    ? &none
						    : transfer->cookies);
}

static const char *proxy_of(const struct fetch_transfer *transfer,
			    const struct fetch_request *request)
{
	const char *proxy = request->proxy;

	if (proxy == NULL)
		proxy = transfer->plan->options.proxy;
	return proxy == NULL ? "" : proxy;
}

bool transfer_prepare(struct fetch_transfer *transfer,
		      const struct fetch_request *request)
{
	const char *proxy = proxy_of(transfer, request);
	CURL *easy = transfer->easy;
	unsigned failed = 0;

	transfer_reset(transfer, request);
	transfer->is_proxied = proxy[0] != '\0';
	if (!transfer_check(transfer))
		return false;
	failed |= curl_easy_setopt(easy, CURLOPT_URL, transfer->url.text);
	failed |= curl_easy_setopt(easy, CURLOPT_HTTPHEADER,
				   choose_headers(transfer));
	failed |= curl_easy_setopt(easy, CURLOPT_PROXY, proxy);
	failed |= load_cookies(transfer);
	if (failed != 0)
		transfer_fail(transfer, ERR_NETWORK, "the request is invalid");
	return failed == 0;
}

static void transfer_count_bytes(struct fetch_transfer *transfer)
{
	struct fetch_result *result = &transfer->result;
	CURL *easy = transfer->easy;
	curl_off_t time_us = 0;
	char *address = NULL;

	curl_easy_getinfo(easy, CURLINFO_TOTAL_TIME_T, &time_us);
	curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &address);
	result->wire_bytes = transfer->wire_bytes + transfer->header_bytes;
	result->elapsed_us = (uint64_t)time_us;
	if (address != NULL)
		snprintf(result->address, sizeof(result->address), "%s",
			 address);
}

/* Return whether the body is not needed, so that its errors do not matter. */
static bool transfer_needs_no_body(const struct fetch_transfer *transfer)
{
	return transfer->is_headed && !transfer_is_success(transfer);
}

static void break_off(struct fetch_transfer *transfer, const char *reason)
{
	transfer_cut(transfer, "%s", reason);
	transfer->result.is_broken = true;
}

/*
 * Set error and reason from the code with which libcurl has finished the
 * transfer.
 */
static void transfer_set_error(struct fetch_transfer *transfer, CURLcode code)
{
	enum error error = error_from_curl(code);
	const char *reason = transfer->error_text[0] != '\0'
				     ? transfer->error_text
				     : curl_easy_strerror(code);

	if (transfer->is_headed && transfer->body_bytes > 0 &&
	    error == ERR_NETWORK && transfer->result.error == ERR_NONE) {
		break_off(transfer, reason);
		return;
	}
	transfer_fail_refused(transfer);
	transfer_fail(transfer, error, "%s", reason);
}

/*
 * Return whether the decompressed body is complete. Closing the connection ends
 * a body without a length.
 */
static bool is_unpacked(const struct fetch_transfer *transfer)
{
	return transfer->unpacker == NULL || transfer->wire_bytes == 0 ||
	       unpacker_is_whole(transfer->unpacker);
}

void transfer_stop(struct fetch_transfer *transfer)
{
	transfer_fail(transfer, ERR_STOPPED, "%s", error_text(ERR_STOPPED));
	transfer_finish(transfer, CURLE_ABORTED_BY_CALLBACK);
}

void transfer_finish(struct fetch_transfer *transfer, CURLcode code)
{
	struct fetch_result *result = &transfer->result;

	if (transfer->is_running) /* otherwise the handle's data are of another
				     request */
		transfer_count_bytes(transfer);
	if (transfer->cookies != NULL && transfer->is_headed)
		cookies_save(transfer->easy, transfer->cookies);
	if (code == CURLE_OK && !is_unpacked(transfer))
		break_off(transfer, "the compressed body is incomplete");
	else if (code != CURLE_OK && !transfer_needs_no_body(transfer) &&
		 !result->is_cut)
		transfer_set_error(transfer, code);
	if (result->error != ERR_NONE)
		buffer_free(&result->body);
}
