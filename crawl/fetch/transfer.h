/*
 * crawl/fetch/transfer.h - one HTTP request under way: an easy handle of
 * libcurl and what its callbacks have learned. Used by fetch.c alone.
 */
#ifndef CRAWL_FETCH_TRANSFER_H
#define CRAWL_FETCH_TRANSFER_H

#include <curl/curl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "crawl/fetch/authorities.h"
#include "crawl/fetch/fetch.h"
#include "crawl/fetch/response_head.h"
#include "crawl/fetch/unpack.h"

/* What all transfers of a fetcher share; owned by the fetcher. */
struct transfer_plan {
	struct fetch_options options;    /* without defaults left open */
	struct authorities authorities;  /* trusted in TLS */
	struct curl_slist *page_headers; /* of a request for a page */
};

struct transfer {
	struct transfer *next;   /* in the list of idle or of ended transfers */
	struct transfer *sister; /* in the list of all transfers of the fetcher
				  */
	CURL *easy;
	bool is_running;   /* in the multi handle */
	bool is_young;     /* begin_ms is not known yet */
	uint64_t begin_ms; /* when that was, as fetcher_press() knows it */
	const struct transfer_plan *plan;
	bool has_cookies; /* libcurl's cookie engine is in use and must be
			     emptied */
	/* the request */
	struct url url;
	bool is_private_ok;
	bool is_port_ok;
	bool is_network_ok;
	bool any_type;
	bool is_conditional;
	bool is_proxied;
	size_t max_body_bytes;
	struct curl_slist *headers; /* its own, or NULL */
	struct cookies *cookies;
	fetch_sink *sink;
	void *sink_context;
	/* its answer */
	struct fetch_result result;
	struct response_head answer;
	struct unpacker *unpacker; /* NULL: the body is not coded */
	bool is_headed;            /* the last header block is complete */
	size_t header_bytes;
	size_t raw_bytes;   /* of the body, with its chunks' heads */
	size_t taken_bytes; /* of these, without them */
	size_t sent_bytes;  /* of the body */
	size_t wire_bytes;  /* of these, as far as used up */
	size_t body_bytes;  /* unpacked */
	bool is_connected;  /* the address filter has allowed an
			       address */
	char refused[INET6_ADDRSTRLEN]; /* an address that it refused; "": none
					 */
	char error_text[CURL_ERROR_SIZE];
};

/* Keeps `plan`. NULL only when libcurl fails. */
struct transfer *transfer_create(const struct transfer_plan *plan);

/* NULL is a no-op. Not while it is in a multi handle. */
void transfer_destroy(struct transfer *transfer);

/*
 * Forget the last request and make ready for this one. False when it cannot or
 * must not be made; then the result says so.
 */
bool transfer_prepare(struct transfer *transfer,
		      const struct fetch_request *request);

/* The transfer was ended from outside: its result is ERR_STOPPED. */
void transfer_stop(struct transfer *transfer);

/* The transfer has ended with `code`: complete the result. */
void transfer_finish(struct transfer *transfer, CURLcode code);

/* The following functions are internal to the sources of a transfer. */

/* transfer.c: the result is this error; the first one stays. */
void transfer_fail(struct transfer *transfer, enum error error,
		   const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Cut the body here, with this reason. */
void transfer_cut(struct transfer *transfer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

bool transfer_is_success(const struct transfer *transfer);

/* transfer_setup.c: the options that are the same for every request. */
bool transfer_set_up(struct transfer *transfer);

/* transfer_filter.c: whether the URL itself allows the request. */
bool transfer_check(struct transfer *transfer);

/*
 * After a failed transfer: if the address filter was the cause, set
 * ERR_REFUSED.
 */
void transfer_fail_refused(struct transfer *transfer);

/* The callbacks of libcurl. */
curl_socket_t transfer_on_open(void *context, curlsocktype purpose,
			       struct curl_sockaddr *target);
int transfer_on_ready(void *context, char *remote, char *local, int remote_port,
		      int local_port);

/* transfer_read.c: the answer as it comes. */
size_t transfer_on_header(char *data, size_t size, size_t count, void *context);
size_t transfer_on_body(char *data, size_t size, size_t count, void *context);
int transfer_on_debug(CURL *easy, curl_infotype type, char *data, size_t size,
		      void *context);
int transfer_on_progress(void *context, curl_off_t total, curl_off_t now,
			 curl_off_t upload_total, curl_off_t upload_now);

#endif
