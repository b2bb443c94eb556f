/*
 * crawl/fetch/fetch.h - HTTP/1.1 and 2 by libcurl multi, for one thread that
 * owns the loop. Redirects are not followed but returned, so that every hop
 * passes scope, robots.txt, politeness and the address filter again. gzip and
 * br are asked for and unpacked here (crawl/fetch/unpack.h), so that a bomb is
 * recognised while it is unpacked: 1 GiB in 1 MB of gzip costs 0.6 KB of
 * traffic and 0.5 MB of memory; in brotli 17 MB, because its decoder keeps a
 * large window.
 */
#ifndef CRAWL_FETCH_FETCH_H
#define CRAWL_FETCH_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/fetch/address_filter.h"
#include "crawl/url/url.h"
#include "store/buffer.h"
#include "store/error.h"

struct fetcher;

/* A size or time of 0 means a default: see fetch.c. */
struct fetch_options {
	const char *user_agent; /* names the crawler and a contact */
	size_t max_body_bytes;  /* decoded */
	uint32_t connect_timeout_ms;
	uint32_t total_timeout_ms;
	uint32_t stall_timeout_ms;     /* under 64 bytes/s for so long */
	size_t max_connections;        /* in all; one a host */
	const struct network *allowed; /* [allowed_count], kept by the caller:
					  private, but open to requests that
					  say is_network_ok */
	size_t allowed_count;
	const uint16_t *ports; /* [port_count] that may be connected to, kept by
				  the caller; none: 80, 443, 8080, 8443 */
	size_t port_count;
	const char *proxy;     /* URL, or NULL: none. The address filter then
				  only sees the address of the proxy */
	bool is_proxy_trusted; /* otherwise using a proxy is ERR_REFUSED */
	const char *ca_file;   /* PEM file of more authorities, or NULL */
	struct slice ca_pem;   /* or what stands in it; empty: none */
	bool keeps_headers;    /* fill fetch_result's head and request */
};

enum { MAX_AUTHORITY_BYTES = 16 * 1024 * 1024 }; /* of `ca_file` */

/* The options are copied, but for the lists. NULL when `ca_file` cannot be
 * read, or libcurl fails. */
struct fetcher *fetcher_create(const struct fetch_options *options);

/* Ends every transfer. NULL is a no-op. */
void fetcher_destroy(struct fetcher *fetcher);

enum { MAX_ETAG = 128, MAX_MODIFIED = 64 };

/*
 * The cookies of one site, as lines of Netscape's format; libcurl's engine
 * reads and writes them. Belongs to the caller, and to one transfer at a time.
 * Zero-initialised it is empty; at most 64 cookies and 16 KiB are kept.
 */
struct cookies {
	struct buffer lines; /* free it with buffer_free() */
};

/* Takes decoded bytes of a 2xx as they come; an error ends the transfer and is
 * its result. */
typedef enum error fetch_sink(void *context, struct slice bytes);

/* Slices and pointers belong to the caller; what they point to is copied,
 * but for cookies and context. */
struct fetch_request {
	const struct url *url;
	bool is_private_ok;    /* private addresses and the port of the URL are
				  allowed, because the operator named the site
				   */
	bool is_port_ok;       /* only the port of the URL is allowed */
	bool is_network_ok;    /* the networks `allowed` of the options are, for
				  the same reason */
	bool any_type;         /* also download what is not HTML (robots.txt) */
	size_t max_body_bytes; /* 0: that of the options */
	const char *etag;      /* If-None-Match; NULL or "": none */
	const char *modified;  /* If-Modified-Since; NULL or "": none */
	const char *headers;   /* more of the site's own, "Name: value\n"...;
				  NULL: none */
	const char *proxy;     /* NULL: that of the options */
	struct cookies *cookies; /* NULL: none are sent, none are kept */
	fetch_sink *sink;        /* takes the body in place of `body` */
	void *sink_context;
	uint64_t not_after_ms; /* by the clock of who has a fetcher_start() for
				  others, and refuses it then; 0: any time */
	void *context;         /* returned with the result */
};

struct fetch_result {
	void *context;
	enum error error; /* ERR_NONE: an answer came, whatever its status */
	char reason[128]; /* English, when error is set or the body is cut */
	uint16_t http_status;
	bool is_html;   /* by Content-Type: html, xhtml, or none named */
	bool is_cut;    /* the body stops before its end: over
			   max_body_bytes, or the connection broke. What came
			   is in `body`, and error is ERR_NONE */
	bool is_broken; /* is_cut by the network: another attempt may get the
			   whole body */
	unsigned robots_tag; /* ROBOTS_TAG_* of its X-Robots-Tag headers */
	char charset[32];    /* of the Content-Type, or "" */
	char redirect[MAX_URL_BYTES +
		      1]; /* canonical Location of 301, 302, 303, 307, 308, or
			     "" */
	char etag[MAX_ETAG];         /* as it came, or "" (also when longer) */
	char modified[MAX_MODIFIED]; /* Last-Modified as it came, or "" */
	uint64_t retry_after_s; /* Retry-After in seconds, dates resolved; 0:
				   none */
	struct buffer body; /* of a 2xx; free it with buffer_free(). Empty for
			       errors */
	struct buffer head; /* of the answer, with its status line, when
			       keeps_headers; free it, too */
	struct buffer request; /* head of the request, when keeps_headers */
	char address[46];      /* of the server; "": none was connected to */
	uint64_t wire_bytes;
	uint64_t elapsed_us;
};

/* End what the result owns. */
void fetch_result_free(struct fetch_result *result);

/*
 * Begin to fetch. A body that is not HTML is not downloaded unless `any_type`
 * or a sink. A body that unpacks to more than 512 KiB and to more than 100
 * times what came over the wire is a bomb: ERR_TOO_LARGE, and nothing of it is
 * kept. 304 without a condition in the request is ERR_MALFORMED, because there
 * is no stored page that it could confirm. Errors come with the result:
 * ERR_REFUSED (the filter: address, port or proxy; `reason` names it),
 * ERR_TIMEOUT, ERR_NETWORK, ERR_TOO_LARGE (also headers over 64 KiB),
 * ERR_NOT_HTML, ERR_MALFORMED (a content coding that is broken or was not asked
 * for), and those of the sink. A status outside of 2xx is an answer, however
 * its body ends. Headers of the request that frame the message or that the
 * fetcher sets are left out.
 */
void fetcher_start(struct fetcher *fetcher,
		   const struct fetch_request *request);

/* From now on fetcher_run() waits no longer when the descriptor can be read. */
void fetcher_listen(struct fetcher *fetcher, int descriptor);

/* Transfer data, waiting at most `timeout_ms` for something to happen. */
void fetcher_run(struct fetcher *fetcher, uint32_t timeout_ms);

/* The next finished fetch; false when there is none. */
bool fetcher_next(struct fetcher *fetcher, struct fetch_result *result_out);

/* Abort all running requests: fetcher_next() returns them with ERR_STOPPED. */
void fetcher_abort(struct fetcher *fetcher);

/*
 * So many others wait for one of the connections, and may begin: while none is
 * free, the rate at which an answer must come grows from 64 bytes a second in
 * the second second up to 16 KiB in the ninth, by the average since it began,
 * and the slowest below it end with ERR_TIMEOUT, as many as wait. Those that
 * have begun in the last two seconds do not. `now_ms` never goes back; to be
 * called before each fetcher_run().
 */
void fetcher_press(struct fetcher *fetcher, size_t waiting, uint64_t now_ms);

/* The number of running requests. */
size_t fetcher_running(const struct fetcher *fetcher);

#endif
