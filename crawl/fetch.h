/*
 * crawl/fetch.h - HTTP/1.1 and HTTP/2 with libcurl's multi interface, for one
 * thread that owns the loop. The fetcher returns redirects and does not follow
 * them. So every URL on the way passes the rules of scope, robots.txt,
 * politeness and the address filter. Requests accept gzip and br. The fetcher
 * decompresses bodies itself (crawl/http_message.h) to detect a bomb during
 * decompression. A bomb of 1 GiB in 1 MB of gzip costs 0.6 KB of traffic and
 * 0.5 MB of memory. In brotli it costs 17 MB of memory, because the decoder
 * keeps a large window.
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

/* If a size or time is 0, a default is used; see fetch.c. */
struct fetch_options {
	const char *user_agent; /* name of the crawler, and an address to
				   contact its operator */
	size_t max_body_bytes;  /* maximum size after decompression */
	uint32_t connect_timeout_ms;
	uint32_t total_timeout_ms;
	uint32_t stall_timeout_ms; /* time limit for a rate under 64 bytes per
				      second */
	size_t max_connections; /* maximum for all hosts together; each host has
				   one connection */
	/*
	 * [allowed_count], owned by the caller: private networks that requests
	 * with is_network_ok may use
	 */
	const struct network *allowed;
	size_t allowed_count;
	const uint16_t *ports; /* [port_count], owned by the caller: allowed
				  ports; if empty: 80, 443, 8080, 8443 */
	size_t port_count;
	const char *proxy; /* URL; NULL = no proxy. If there is one, the address
			      filter checks only the address of the proxy */
	bool is_proxy_trusted; /* if false, a request by a proxy is
				  ERR_ADDRESS_FORBIDDEN */
	const char *ca_file; /* PEM file with certificates in addition to those
				of the system; or NULL */
	struct slice ca_pem; /* the content of such a file instead of ca_file;
				empty = none */
	bool keeps_headers;  /* set `head` and `request` of the results */
};

enum { MAX_CA_BYTES = 16 * 1024 * 1024 }; /* maximum size of `ca_file` */

/*
 * Create a fetcher with a copy of the options; their lists are not copied.
 * Return NULL if `ca_file` cannot be read, or libcurl fails.
 */
struct fetcher *fetcher_create(const struct fetch_options *options);

/* Stop all transfers, and free the fetcher. Do nothing for NULL. */
void fetcher_destroy(struct fetcher *fetcher);

enum {
	MAX_ETAG = 128,
	MAX_MODIFIED = 64,
	MAX_FETCH_BODY = 1024 * 1024, /* maximum size of fetch_request.body */
};

/*
 * The cookies of one site, as lines in the Netscape format, which libcurl reads
 * and writes: at most 64 cookies and 16 KiB. The caller owns them. Only one
 * transfer at a time may use them. Initialise with {0}.
 */
struct cookies {
	struct buffer lines; /* free it with buffer_free() */
};

/*
 * Processes decompressed bytes of a response with status 2xx, as they arrive.
 * If it returns an error, the transfer stops with this error.
 */
typedef enum error fetch_sink(void *context, struct slice bytes);

/*
 * A request or a mail to a server that the operator has configured. It has a
 * connection of its own, so libcurl never sends it twice. Of the response only
 * the status and the first MAX_POST_ANSWER bytes of its body are used; of a
 * mail server, the code and the text of its last reply.
 */
struct fetch_post {
	const char *url; /* as in the configuration; it may contain a user
			    and a password. smtp or smtps for a mail */
	struct slice body;
	const char *method; /* NULL = POST */
	/* the sender of a mail, and the recipients as lines; NULL = HTTP */
	const char *mail_from;
	const char *mail_to;
	bool is_unencrypted; /* a mail: no STARTTLS */
};

enum { MAX_POST_ANSWER = 512 };

/*
 * A request. The caller owns what its slices and pointers refer to.
 * fetcher_start() copies this, except for cookies, sink_context and context.
 */
struct fetch_request {
	const struct url *url;
	bool is_private_ok; /* allow private addresses and the port of the URL,
			       because the operator has entered the site */
	bool is_port_ok;    /* allow the port of the URL, no private address */
	bool is_network_ok; /* allow the networks in `allowed` of the options,
			       because the operator has entered the site */
	bool any_type;      /* download a body of any type, not only HTML; for
			       robots.txt */
	size_t max_body_bytes; /* 0 = default of the options */
	const char *etag;      /* value of If-None-Match; NULL or "" = none */
	const char
		*modified;   /* value of If-Modified-Since; NULL or "" = none */
	const char *headers; /* additional headers for the site: "Name:
				value\n"...; NULL = none */
	const char *proxy;   /* URL of a proxy; NULL = proxy of the options */
	struct cookies *cookies;       /* NULL = send and store no cookies */
	const struct fetch_post *post; /* NULL = GET, or POST of `body` */
	/*
	 * If not empty, send it to `url` with POST, on a new connection, so
	 * that libcurl never sends it twice; its Content-Type is in `headers`.
	 * The response is handled like that of GET. Not together with `post`,
	 * `etag` or `modified`
	 */
	struct slice body;
	bool is_preflight; /* send OPTIONS; without `body` */
	fetch_sink *sink;  /* if set, the body is passed to it and not stored in
			      fetch_result.body */
	void *sink_context;
	uint64_t not_after_ms; /* if fetcher_start() runs in another process,
				  that process rejects the request after this
				  time of its clock; 0 = no limit */
	void *context;         /* copied to the result */
};

struct fetch_result {
	void *context;
	/* ERR_NONE: the server has responded, with any status */
	enum error error;
	char reason[128]; /* English text, if `error` or `is_cut` is set */
	uint16_t http_status;
	bool is_html;   /* the Content-Type is HTML or XHTML, or missing */
	bool is_cut;    /* the body is incomplete, because it is over
			   max_body_bytes or the connection failed; error is
			   ERR_NONE, and `body` is the received part */
	bool is_broken; /* is_cut because of the network: a further attempt may
			   return the complete body */
	unsigned robots_tag; /* ROBOTS_TAG_* of the X-Robots-Tag headers */
	char charset[32];    /* charset of the Content-Type, or "" */
	/*
	 * canonical Location of a response 301, 302, 303, 307 or 308; or, in a
	 * response 2xx, the canonical URL of its Refresh header; or ""
	 */
	char redirect[MAX_URL_BYTES + 1];
	char etag[MAX_ETAG]; /* ETag as received; "" if missing or too long */
	char modified[MAX_MODIFIED]; /* Last-Modified as received; "" if missing
					or too long */
	uint64_t retry_after_s;      /* Retry-After in seconds; 0 = none */
	struct buffer body; /* body of a 2xx response; empty after an error.
			       Free it with buffer_free() */
	/*
	 * if keeps_headers is set: head of the response with its status line.
	 * Free it with buffer_free()
	 */
	struct buffer head;
	struct buffer
		request;  /* if keeps_headers is set: head of the request */
	char address[46]; /* address of the server; "" = not connected */
	uint64_t wire_bytes;
	uint64_t elapsed_us;
};

/* Return whether the response is a redirect with a Location. */
static inline bool fetch_result_is_redirect(const struct fetch_result *result)
{
	return result->redirect[0] != '\0' && result->http_status >= 300;
}

/* Free the buffers of the result. */
void fetch_result_free(struct fetch_result *result);

/*
 * Start a request. A body that is not HTML is downloaded only if any_type is
 * set or there is a sink. Request headers that frame the message, or that the
 * fetcher sets itself, are omitted. A response with a status other than 2xx is
 * valid even if the transfer of its body fails.
 *
 * The result may have one of these errors. ERR_ADDRESS_FORBIDDEN: the address,
 * the port or the proxy is not allowed; `reason` names it. ERR_TIMEOUT.
 * ERR_NETWORK. ERR_TOO_LARGE: headers over 64 KiB, or a bomb: a body that
 * decompresses to more than 512 KiB and to more than 100 times its transferred
 * size. ERR_NOT_HTML. ERR_MALFORMED: a content coding is damaged or was not
 * accepted; or the status is 304, but the request had no condition, so there is
 * no stored page that 304 could confirm. Errors of the sink.
 */
void fetcher_start(struct fetcher *fetcher,
		   const struct fetch_request *request);

/* Make fetcher_run() return when `descriptor` is readable. */
void fetcher_listen(struct fetcher *fetcher, int descriptor);

/* Send and receive data. If nothing happens, return after `timeout_ms`. */
void fetcher_run(struct fetcher *fetcher, uint32_t timeout_ms);

/* Get the result of the next finished request; return false if none exists. */
bool fetcher_next(struct fetcher *fetcher, struct fetch_result *result_out);

/* Stop all running requests. fetcher_next() returns them with ERR_STOPPED. */
void fetcher_abort(struct fetcher *fetcher);

/*
 * Report that `waiting` requests wait for a connection. While no connection is
 * free, a minimum average rate of responses applies. It grows from 64 bytes per
 * second in the second second to 16 KiB per second in the ninth. Of the
 * transfers below this rate, the slowest stop with ERR_TIMEOUT: as many as
 * requests wait. Transfers that started in the last two seconds are exempt.
 * `now_ms` must never decrease. Call this function before each fetcher_run().
 */
void fetcher_report_backlog(struct fetcher *fetcher, size_t waiting,
			    uint64_t now_ms);

/* Return the number of running requests. */
size_t fetcher_running(const struct fetcher *fetcher);

enum { MAX_COOKIES = 64, MAX_COOKIE_BYTES = 16 * 1024 };

/* Return our code for an error of libcurl; no other function does this. */
enum error error_from_curl(CURLcode code);

/*
 * Initialise libcurl as curl_global_init() does; call curl_global_cleanup() at
 * the end. If memory is exhausted, libcurl will abort the process, as
 * mem_alloc() does. Otherwise it would return the same code as for headers that
 * are too long, which only make a page fail. Not thread-safe.
 */
bool curl_memory_begin(void);

/*
 * Return the headers of a request: its conditions, and the additional headers
 * of the site. Invalid lines, and headers that libcurl or the crawler sets
 * (Host, Connection, Accept-Encoding, ...), are omitted. Return NULL if none
 * exist. Free the list with curl_slist_free_all().
 */
struct curl_slist *request_headers(const struct fetch_request *request);

/*
 * Add a copy of `line` to a list (NULL = an empty list), and return the list.
 * If memory is exhausted, abort.
 */
struct curl_slist *request_headers_add(struct curl_slist *list,
				       const char *line);

/*
 * Return whether the request has a condition. Only then 304 is a valid
 * response.
 */
bool request_is_conditional(const struct fetch_request *request);

/*
 * The fields in the head of an HTTP response, which is parsed line by line.
 * Pure, except for libcurl's parser of dates.
 */
struct response_head {
	struct url redirect; /* resolved Location; text is "" if none exists */
	struct url refresh;  /* resolved Refresh; text is "" if none exists */
	unsigned robots_tag; /* set of ROBOTS_TAG_* */
	struct codings codings; /* content codings of the body */
	bool is_unreadable; /* the body has a coding that cannot be decoded */
	char content_type[128]; /* "" = none; truncated if it is too long */
	char retry_after[64];   /* "" = none, or too long */
	char date[64];          /* "" = none, or too long */
	/* "" = none, too long, or not printable */
	char etag[MAX_ETAG];
	char modified[MAX_MODIFIED];
};

/* Reset the fields for a new head. */
void response_head_begin(struct response_head *answer);

/*
 * Parse a header line of the response. A Location or Refresh is resolved
 * against `url`, the URL of the request.
 */
void response_head_take(struct response_head *answer, struct slice line,
			const struct url *url);

/*
 * Set the fields of *result_out that depend on the headers, after all of them
 * were parsed; its status must be set. `now_s` is the Unix time, which is used
 * if the response has no Date.
 */
void response_head_finish(const struct response_head *answer, uint64_t now_s,
			  struct fetch_result *result_out);

#endif
