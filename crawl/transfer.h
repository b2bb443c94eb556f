/*
 * crawl/transfer.h - one HTTP request: an easy handle of libcurl and the state
 * of its callbacks. Only fetch.c uses it.
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
 * The trusted CA certificates: the certificates of the system, and additional
 * ones of the operator.
 *
 * CURLOPT_CAINFO replaces the file with which libcurl was built. So if there
 * are additional certificates, a memory file contains both. libcurl caches the
 * parsed certificates between connections only if they are in a file with a
 * name (not in a blob), and if no folder is set (CURLOPT_CAPATH). Parsing them
 * for each connection takes twenty times the CPU time of the rest of a TLS
 * handshake (libcurl 7.88, 140 certificates). Therefore, if the system has a
 * file, its folder, which contains the same certificates, is not used.
 */

struct ca_bundle {
	char *file; /* for CURLOPT_CAINFO; NULL: libcurl uses its default */
	bool is_complete; /* `file` includes the system's certificates: do not
			     use CURLOPT_CAPATH */
	int descriptor;   /* descriptor of the memory file; -1 = none */
};

/*
 * Read the certificates of the system and those in `ca_file`, a PEM file or
 * NULL. Return false if `ca_file` cannot be read.
 */
bool ca_bundle_open(struct ca_bundle *authorities_out, const char *ca_file);

/*
 * Read the certificates of the system and those in `pem`, the content of a PEM
 * file; empty = none. Return false if this fails.
 */
bool ca_bundle_open_pem(struct ca_bundle *authorities_out, struct slice pem);
void ca_bundle_close(struct ca_bundle *authorities);

/*
 * The options of a request that all users of libcurl in this program set. NULL
 * or 0 selects the default of libcurl.
 */
struct curl_setup {
	const char *protocols; /* allowed protocols; NULL = HTTP and HTTPS */
	const char *user_agent;
	const struct ca_bundle *authorities;
	uint32_t connect_timeout_ms;
	uint32_t total_timeout_ms;
	/* time limit for a rate under `stall_rate` */
	uint32_t stall_timeout_ms;
	uint32_t stall_rate; /* bytes per second */
	curl_write_callback on_body;
	void *context;    /* last argument of on_body */
	char *error_text; /* [CURL_ERROR_SIZE], for the reason of an error */
};

/*
 * Set the options of a handle. It follows no redirects and uses no signals, no
 * proxy and no settings from the environment. Return 0, or the error of
 * libcurl.
 */
unsigned curl_set_up(CURL *easy, const struct curl_setup *setup);

/*
 * Return the reason why a request failed: `error_text`, or libcurl's text for
 * `code`.
 */
const char *curl_reason(const char *error_text, CURLcode code);

/*
 * The addresses that a request may connect to, and the result of checking them.
 */
struct connection_filter {
	const struct network *allowed; /* [allowed_count], private networks that
					  are allowed */
	size_t allowed_count;
	bool is_open;      /* allow all IPv4 and IPv6 addresses */
	bool drops_unsent; /* discard unsent data when the socket is closed */
	bool is_connected; /* an address was allowed */
	char refused[INET6_ADDRSTRLEN]; /* the last address that was refused; ""
					   = none */
};

/*
 * Make libcurl check each address after DNS resolution, before it connects. The
 * filter must exist until the end of the request. Return 0, or the error of
 * libcurl.
 */
unsigned connection_filter_set(struct connection_filter *filter, CURL *easy);

/* Data that all transfers of a fetcher share. The fetcher owns them. */
struct transfer_plan {
	struct fetch_options options;    /* with all defaults set */
	struct ca_bundle authorities;    /* certificates for TLS */
	struct curl_slist *page_headers; /* headers of a request for a page */
};

/* Counts of received bytes. */
struct transfer_counts {
	size_t headers;
	size_t raw;   /* bytes of the body, with chunk headers */
	size_t taken; /* bytes of the body, without chunk headers */
	size_t sent;  /* bytes of the body, if it is needed */
	size_t wire;  /* bytes of the body that were processed */
	size_t body;  /* bytes of the decompressed body */
};

struct fetch_transfer {
	/* next in the list of idle or finished transfers */
	struct fetch_transfer *next;
	struct fetch_transfer *sister; /* next in the list of all transfers */
	CURL *easy;
	bool is_running;   /* the transfer is in the multi handle */
	bool is_young;     /* begin_ms is not set yet */
	uint64_t begin_ms; /* start time by the clock of
			      fetcher_report_backlog() */
	const struct transfer_plan *plan;
	bool has_cookies; /* libcurl's cookie engine is enabled, so its cookies
			     must be cleared */
	struct url url;
	/* a copy; its texts are no longer valid */
	struct fetch_request request;
	bool is_conditional;
	bool is_post; /* struct fetch_post */
	bool is_mail;
	bool has_quit;                 /* a mail: QUIT was sent */
	struct curl_slist *recipients; /* of a mail, or NULL */
	struct buffer mail;            /* a mail; its rest is not sent yet */
	size_t mail_sent;
	bool is_proxied;
	struct curl_slist *headers; /* headers of this request only, or NULL */
	/* result of the request */
	struct fetch_result result;
	struct response_head answer;
	struct unpacker *unpacker; /* NULL: the body has no content coding */
	bool is_headed; /* the headers of the final response are complete */
	struct transfer_counts bytes;
	struct connection_filter filter;
	char error_text[CURL_ERROR_SIZE];
};

/*
 * Create a transfer. `plan` must exist as long as the transfer. Return NULL
 * only if libcurl fails.
 */
struct fetch_transfer *transfer_create(const struct transfer_plan *plan);

/*
 * Free the transfer, which must not be in a multi handle. Do nothing for NULL.
 */
void transfer_destroy(struct fetch_transfer *transfer);

/*
 * Prepare the transfer for a request. If the request is invalid or not allowed,
 * set the error of the result and return false.
 */
bool transfer_prepare(struct fetch_transfer *transfer,
		      const struct fetch_request *request);

/*
 * Set ERR_STOPPED as the result, because the caller has stopped the transfer.
 */
void transfer_stop(struct fetch_transfer *transfer);

/* Complete the result of a transfer that libcurl has finished with `code`. */
void transfer_finish(struct fetch_transfer *transfer, CURLcode code);

/*
 * Set the error and the reason of the result, unless it already has an error.
 */
void transfer_fail(struct fetch_transfer *transfer, enum error error,
		   const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
