/*
 * crawl/fetch.h - HTTP/1.1 and 2 with libcurl multi, for one thread that
 * owns the loop. Redirects are returned, not followed, so that every hop passes
 * scope, robots.txt, politeness and the address filter again. Requests accept
 * gzip and br, which are decompressed here (crawl/http_message.h), so that a
 * bomb is detected during decompression: 1 GiB in 1 MB of gzip costs 0.6 KB of
 * traffic and 0.5 MB of memory; in brotli 17 MB, because its decoder keeps a
 * large window.
 */
#ifndef CRAWL_FETCH_H
#define CRAWL_FETCH_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "crawl/address_filter.h"
#include "crawl/http_message.h"
#include "crawl/url/url.h"

struct fetcher;

/* A size or time of 0 selects the default: see fetch.c. */
struct fetch_options {
	const char *user_agent; /* name of the crawler and a contact */
	size_t max_body_bytes;  /* decompressed */
	uint32_t connect_timeout_ms;
	uint32_t total_timeout_ms;
	uint32_t stall_timeout_ms; /* time limit under 64 bytes per second */
	size_t max_connections;    /* in total; one per host */
	const struct network
		*allowed; /* [allowed_count], owned by the caller: private
			     networks, open to requests with is_network_ok */
	size_t allowed_count;
	const uint16_t *ports; /* [port_count], allowed ports, owned by the
				  caller; if empty: 80, 443, 8080, 8443 */
	size_t port_count;
	const char *proxy; /* URL, or NULL = no proxy. With a proxy, the address
			      filter checks only the proxy's address */
	bool is_proxy_trusted; /* otherwise using a proxy is
				  ERR_ADDRESS_FORBIDDEN */
	const char *ca_file;   /* PEM, additional to the system's; or NULL */
	struct slice ca_pem;   /* or its content; empty = none */
	bool keeps_headers;    /* fill fetch_result's head and request */
};

enum { MAX_CA_BYTES = 16 * 1024 * 1024 }; /* of `ca_file` */

/*
 * Copies the options, except the lists. Return NULL if `ca_file` cannot be
 * read, or libcurl fails.
 */
struct fetcher *fetcher_create(const struct fetch_options *options);

/* Stop all transfers. NULL is a no-op. */
void fetcher_destroy(struct fetcher *fetcher);

enum { MAX_ETAG = 128, MAX_MODIFIED = 64 };

/*
 * The cookies of one site, as lines in Netscape's format, which libcurl's
 * engine reads and writes. Owned by the caller; used by one transfer at a time.
 * Zero-initialised it is empty; it holds at most 64 cookies and 16 KiB.
 */
struct cookies {
	struct buffer lines; /* free it with buffer_free() */
};

/*
 * Process decoded bytes of a 2xx as they arrive; an error stops the transfer
 * and is its result.
 */
typedef enum error fetch_sink(void *context, struct slice bytes);

/*
 * A POST request to a server that the operator has configured. Only the status
 * of the response is used; its body is dropped.
 */
struct fetch_post {
	const char *url; /* http or https, as configured: it may have a user and
			    password */
	struct slice body;
};

/*
 * The caller owns slices and pointers. Their targets are copied, except cookies
 * and context.
 */
struct fetch_request {
	const struct url *url;
	bool is_private_ok; /* allow private addresses and the port of the URL,
			       because the operator entered the site */
	bool is_port_ok;    /* allow only the port of the URL */
	bool is_network_ok; /* allow the networks `allowed` of the options, for
			       the same reason */
	bool any_type; /* also download other types than HTML (robots.txt) */
	size_t max_body_bytes;   /* 0 = default of the options */
	const char *etag;        /* If-None-Match; NULL or "" = none */
	const char *modified;    /* If-Modified-Since; NULL or "" = none */
	const char *headers;     /* additional headers of the site, "Name:
				    value\n"...; NULL = none */
	const char *proxy;       /* NULL = default of the options */
	struct cookies *cookies; /* NULL = send and store no cookies */
	const struct fetch_post *post; /* NULL = GET */
	fetch_sink *sink;              /* receives the body instead of `body` */
	void *sink_context;
	uint64_t not_after_ms; /* for a fetcher_start() in another process,
				  which rejects the request after this time of
				  its clock; 0 = no limit */
	void *context;         /* returned with the result */
};

struct fetch_result {
	void *context;
	enum error error; /* ERR_NONE: the server responded, with any status */
	char reason[128]; /* English, if error or is_cut is set */
	uint16_t http_status;
	bool is_html;   /* by Content-Type: html, xhtml, or no type */
	bool is_cut;    /* the body is incomplete: over max_body_bytes, or the
			   connection failed. `body` has the received part, and
			   error is ERR_NONE */
	bool is_broken; /* is_cut by the network: another attempt may get the
			   complete body */
	unsigned robots_tag; /* ROBOTS_TAG_* of its X-Robots-Tag headers */
	char charset[32];    /* from the Content-Type, or "" */
	char redirect[MAX_URL_BYTES + 1]; /* canonical Location of 301, 302,
					     303, 307, 308, or "" */
	char etag[MAX_ETAG];         /* as received, or "" (also if longer) */
	char modified[MAX_MODIFIED]; /* Last-Modified as received, or "" */
	uint64_t retry_after_s;      /* Retry-After in seconds; 0 = none */
	struct buffer body; /* of a 2xx; free it with buffer_free(). Empty after
			       errors */
	struct buffer head; /* of the response, with its status line, with
			       keeps_headers; free it, too */
	struct buffer request; /* head of the request, with keeps_headers */
	char address[46];      /* of the server; "" = not connected */
	uint64_t wire_bytes;
	uint64_t elapsed_us;
};

/* Free the data of the result. */
void fetch_result_free(struct fetch_result *result);

/*
 * Start a fetch. A body that is not HTML is downloaded only with `any_type` or
 * a sink. A body that decompresses to more than 512 KiB and to more than 100
 * times its transferred size is a bomb: ERR_TOO_LARGE, and the body is dropped.
 * 304 without a condition in the request is ERR_MALFORMED, because there is no
 * stored page that it could confirm. The result has the errors:
 * ERR_ADDRESS_FORBIDDEN (by the filter: address, port or proxy; `reason` names
 * it), ERR_TIMEOUT, ERR_NETWORK, ERR_TOO_LARGE (also headers over 64 KiB),
 * ERR_NOT_HTML, ERR_MALFORMED (a content coding that is broken or was not
 * accepted), and errors of the sink. A status outside of 2xx is a valid
 * response even if its body fails. Request headers that frame the message or
 * that the fetcher sets are omitted.
 */
void fetcher_start(struct fetcher *fetcher,
		   const struct fetch_request *request);

/* Make fetcher_run() return when the descriptor is readable. */
void fetcher_listen(struct fetcher *fetcher, int descriptor);

/* Transfer data. Wait at most `timeout_ms` for activity. */
void fetcher_run(struct fetcher *fetcher, uint32_t timeout_ms);

/* Return the next finished fetch; false if there is no such fetch. */
bool fetcher_next(struct fetcher *fetcher, struct fetch_result *result_out);

/* Abort all running requests: fetcher_next() returns them with ERR_STOPPED. */
void fetcher_abort(struct fetcher *fetcher);

/*
 * Report that `waiting` requests wait for a connection. While none is free, the
 * minimum average rate of a response grows from 64 bytes per second in the
 * second second to 16 KiB per second in the ninth; the slowest transfers below
 * it stop with ERR_TIMEOUT, as many as requests wait. Transfers started in the
 * last two seconds are exempt. `now_ms` never goes back; call this before each
 * fetcher_run().
 */
void fetcher_report_backlog(struct fetcher *fetcher, size_t waiting,
			    uint64_t now_ms);

/* Return the number of running requests. */
size_t fetcher_running(const struct fetcher *fetcher);

enum { MAX_COOKIES = 64, MAX_COOKIE_BYTES = 16 * 1024 };

/* The only translation of libcurl's error codes. */
enum error error_from_curl(CURLcode code);

/*
 * Initialise libcurl, like curl_global_init(); undo it by
 * curl_global_cleanup(). When memory is short, the process aborts, as in
 * mem_alloc(): libcurl has one code for that and for headers that are too long,
 * which only fail the page. Not thread-safe.
 */
bool curl_memory_begin(void);

/*
 * Return the headers of the request: its conditions, and the site's own lines.
 * Omit invalid lines and headers that libcurl or the crawler sets (Host,
 * Connection, Accept-Encoding, ...). Return NULL if there are none. Free the
 * list with curl_slist_free_all().
 */
struct curl_slist *request_headers(const struct fetch_request *request);

/* Add a line to a list (NULL for an empty list). Out of memory aborts. */
struct curl_slist *request_headers_add(struct curl_slist *list,
				       const char *line);

/*
 * Return whether the request has a condition, so that 304 is a valid response.
 */
bool request_is_conditional(const struct fetch_request *request);

/*
 * The fields of one block of headers of an HTTP response, parsed line by line.
 * Pure, except for libcurl's date parser.
 */
struct response_head {
	struct url redirect;    /* Location, resolved; text "" = none */
	unsigned robots_tag;    /* ROBOTS_TAG_* */
	struct codings codings; /* of the content */
	bool is_unreadable;     /* a coding of the body cannot be decoded */
	char content_type[128]; /* "" = none; truncated if longer */
	char retry_after[64];   /* "" = none, or longer */
	char date[64];          /* "" = none, or longer */
	/* "" = none, longer, or not printable */
	char etag[MAX_ETAG];
	char modified[MAX_MODIFIED];
};

/* Start a new head. */
void response_head_begin(struct response_head *answer);

/* Parse a header line of the response for `url`. */
void response_head_take(struct response_head *answer, struct slice line,
			const struct url *url);

/*
 * The headers are complete: fill the fields of `result_out` that depend on
 * them. Its status is set; `now_s` is the Unix time, used if there is no Date.
 */
void response_head_finish(const struct response_head *answer, uint64_t now_s,
			  struct fetch_result *result_out);

#endif
