/*
 * crawl/transfer.h - one running HTTP request: an easy handle of libcurl
 * and the state of its callbacks. Used only by fetch.c.
 */
#ifndef CRAWL_TRANSFER_H
#define CRAWL_TRANSFER_H

#include <curl/curl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "crawl/fetch.h"
#include "crawl/http_message.h"

/*
 * The trusted CA certificates: the system's, and additional ones of the
 * operator.
 *
 * CURLOPT_CAINFO replaces the file that libcurl was built with, so with
 * additional certificates a memory file holds both. libcurl caches the parsed
 * file between connections only if the file has a name (not for blobs) and no
 * folder is set (CURLOPT_CAPATH). Parsing it again for each connection takes
 * twenty times the CPU time of the rest of a TLS handshake (libcurl 7.88, 140
 * certificates). So if the system has a file, its folder, which has the same
 * certificates, is not used.
 */

struct ca_bundle {
	char *file;       /* for CURLOPT_CAINFO; NULL: default of libcurl */
	bool is_complete; /* `file` includes the system's: no CURLOPT_CAPATH */
	int descriptor;   /* of the memory file; -1 = none */
};

/* `ca_file` is a PEM file, or NULL. Return false if it cannot be read. */
bool ca_bundle_open(struct ca_bundle *authorities_out, const char *ca_file);

/* The same with the content of the file: PEM, not empty. */
bool ca_bundle_open_pem(struct ca_bundle *authorities_out, struct slice pem);
void ca_bundle_close(struct ca_bundle *authorities);

/*
 * The options of a request that every user of libcurl sets. NULL and 0 select
 * libcurl's default.
 */
struct curl_setup {
	const char *protocols; /* NULL = HTTP and HTTPS */
	const char *user_agent;
	const struct ca_bundle *authorities;
	uint32_t connect_timeout_ms;
	uint32_t total_timeout_ms;
	uint32_t stall_timeout_ms; /* time limit under `stall_rate` */
	uint32_t stall_rate;       /* bytes per second */
	curl_write_callback on_body;
	void *context;    /* of on_body */
	char *error_text; /* [CURL_ERROR_SIZE] */
};

/*
 * Set the options; use no redirects, signals, proxy, or settings from the
 * environment. Return 0, or the error of libcurl.
 */
unsigned curl_set_up(CURL *easy, const struct curl_setup *setup);

/* Return libcurl's reason of a failed request. */
const char *curl_reason(const char *error_text, CURLcode code);

/* The addresses that a request may connect to. */
struct connection_filter {
	const struct network *allowed; /* [allowed_count], private networks */
	size_t allowed_count;
	bool is_open;      /* allow all addresses of the internet families */
	bool drops_unsent; /* discard unsent data when the socket is closed */
	bool is_connected; /* an address was allowed */
	char refused[INET6_ADDRSTRLEN]; /* the refused address; "" = none */
};

/*
 * Make libcurl check each address after DNS resolution, before it connects. The
 * filter must outlive the request. Return 0, or the error of libcurl.
 */
unsigned connection_filter_set(struct connection_filter *filter, CURL *easy);

/* Data shared by all transfers of a fetcher; owned by the fetcher. */
struct transfer_plan {
	struct fetch_options options;    /* with all defaults set */
	struct ca_bundle authorities;    /* for TLS */
	struct curl_slist *page_headers; /* of a request for a page */
};

/* Received bytes. */
struct transfer_counts {
	size_t headers;
	size_t raw;   /* of the body, including chunk headers */
	size_t taken; /* of these, without chunk headers */
	size_t sent;  /* of the body */
	size_t wire;  /* of these, as far as decoded */
	size_t body;  /* decompressed */
};

struct fetch_transfer {
	struct fetch_transfer *next;   /* in the idle or finished list */
	struct fetch_transfer *sister; /* in the list of all transfers */
	CURL *easy;
	bool is_running;   /* in the multi handle */
	bool is_young;     /* begin_ms is not set yet */
	uint64_t begin_ms; /* start time, by the clock of
			      fetcher_report_backlog() */
	const struct transfer_plan *plan;
	bool has_cookies; /* libcurl's cookie engine is in use and must be
			     cleared */
	struct url url;
	struct fetch_request request; /* its texts are no longer valid */
	bool is_conditional;
	bool is_post;
	bool is_proxied;
	struct curl_slist *headers; /* its own headers, or NULL */
	/* its result */
	struct fetch_result result;
	struct response_head answer;
	struct unpacker *unpacker; /* NULL: the body has no coding */
	bool is_headed;            /* the last header block is complete */
	struct transfer_counts bytes;
	struct connection_filter filter;
	char error_text[CURL_ERROR_SIZE];
};

/* `plan` must outlive the transfer. Return NULL only if libcurl fails. */
struct fetch_transfer *transfer_create(const struct transfer_plan *plan);

/* NULL is a no-op. Not while it is in a multi handle. */
void transfer_destroy(struct fetch_transfer *transfer);

/*
 * Prepare the transfer for a new request. Return false if the request is
 * invalid or not allowed; the result has the error then.
 */
bool transfer_prepare(struct fetch_transfer *transfer,
		      const struct fetch_request *request);

/* Set the result ERR_STOPPED: the transfer was stopped from outside. */
void transfer_stop(struct fetch_transfer *transfer);

/* Complete the result of a transfer that has finished with `code`. */
void transfer_finish(struct fetch_transfer *transfer, CURLcode code);

/* Set this error as the result, unless the transfer has one. */
void transfer_fail(struct fetch_transfer *transfer, enum error error,
		   const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
