#include "crawl/fetch.h"

#include <assert.h>
#include <curl/curl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "crawl/curl_memory.h"
#include "crawl/request_headers.h"
#include "crawl/transfer.h"

enum {
	DEFAULT_BODY_BYTES = 8 * 1024 * 1024,
	DEFAULT_CONNECT_MS = 10 * 1000,
	DEFAULT_TOTAL_MS = 60 * 1000,
	DEFAULT_STALL_MS = 20 * 1000,
	DEFAULT_CONNECTIONS = 32,
	/*
	 * intervals of doubling the minimum rate of responses while requests
	 * wait
	 */
	PATIENCE_MS = 1000,
	YOUNG_MS = 2000,
	FIRST_RATE = 64, /* bytes per second */
	MAX_DOUBLINGS = 8,
};

struct fetcher {
	CURLM *multi;
	struct transfer_plan plan;
	char *user_agent; /* copies that the options point to */
	char *proxy;
	struct fetch_transfer *all;   /* every transfer, linked by `sister` */
	struct fetch_transfer *idle;  /* transfers without a request */
	struct fetch_transfer *first; /* finished transfers, oldest first */
	struct fetch_transfer *last;
	size_t running;
	size_t waiting;     /* requests for a connection */
	uint64_t turned_ms; /* a connection was free, or no request waited */
	bool has_turned;    /* since the last fetcher_report_backlog() */
	bool has_begun;     /* a transfer, since libcurl last ran */
	int listened;       /* a descriptor that ends the wait; -1 = none */
};

static uint32_t or_default(uint32_t value, uint32_t otherwise)
{
	return value == 0 ? otherwise : value;
}

static char *fetcher_copy_text(const char *text)
{
	return text == NULL ? NULL : mem_copy_text(text, strlen(text));
}

static void fetcher_copy_options(struct fetcher *fetcher,
				 const struct fetch_options *options)
{
	struct fetch_options *own = &fetcher->plan.options;

	fetcher->user_agent = fetcher_copy_text(
		options->user_agent == NULL ? "" : options->user_agent);
	own->user_agent = fetcher->user_agent;
	fetcher->proxy = fetcher_copy_text(options->proxy);
	own->proxy = fetcher->proxy;
	own->ca_file = NULL; /* read immediately */
	own->ca_pem = (struct slice){NULL, 0};
}

static void copy_options(struct fetcher *fetcher,
			 const struct fetch_options *options)
{
	struct fetch_options *own = &fetcher->plan.options;

	*own = *options;
	fetcher_copy_options(fetcher, options);
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

static bool open_authorities(struct ca_bundle *authorities,
			     const struct fetch_options *options)
{
	return options->ca_pem.size > 0
		       ? ca_bundle_open_pem(authorities, options->ca_pem)
		       : ca_bundle_open(authorities, options->ca_file);
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
	if (!open_authorities(&fetcher->plan.authorities, options) ||
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

/* Return a transfer without a request. */
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

/* Finish a running transfer that has its result. */
static void fetcher_end_transfer(struct fetcher *fetcher,
				 struct fetch_transfer *transfer)
{
	assert(transfer->is_running && fetcher->running > 0);
	transfer->is_running = false;
	fetcher->running--;
	append_ended(fetcher, transfer);
}

/* Move the transfers that libcurl has finished to the list of results. */
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
 * Return the minimum rate in bytes per second after waiting `waited_ms` for a
 * free connection.
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

/* Return the slowest transfer below `rate`; NULL if all are faster. */
static struct fetch_transfer *find_slowest(const struct fetcher *fetcher,
					   uint64_t rate, uint64_t now_ms)
{
	struct fetch_transfer *slowest = NULL;

	for (struct fetch_transfer *transfer = fetcher->all; transfer != NULL;
	     transfer = transfer->sister) {
		uint64_t age_ms = now_ms - transfer->begin_ms;
		uint64_t bytes = transfer->raw_bytes + transfer->header_bytes;

		if (!transfer->is_running || age_ms < YOUNG_MS ||
		    bytes * 1000U / age_ms >= rate)
			continue;
		slowest = transfer;
		rate = bytes * 1000U / age_ms;
	}
	return slowest;
}

/* Stop slow transfers so that waiting requests get a connection. */
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

/* Set the start time of transfers that have started since the last call. */
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
	/* only the descriptor is ready */
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
