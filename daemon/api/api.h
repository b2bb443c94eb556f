/*
 * daemon/api/api.h - the HTTP API: a table of routes (method, path, handler,
 * access) over the store and the pipeline, and the state that the handlers
 * share.
 */
#ifndef DAEMON_API_API_H
#define DAEMON_API_API_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "daemon/config/config.h"
#include "daemon/engine/pipeline.h"
#include "daemon/http/server.h"
#include "daemon/http/tokens.h"
#include "daemon/nodes/nodes.h"
#include "daemon/query/event.h"
#include "daemon/query/query.h"
#include "daemon/runtime/lock.h"
#include "daemon/runtime/quota.h"
#include "store/rows.h"
#include "store/store.h"
#include "store/txn.h"

struct alert_change;
struct api;
struct guard_change;
struct import_site;
struct node_client;
struct process_table;
struct client_page;
struct delivery;
struct rendering;
struct tokens;
struct wanted_guard;
struct worker_pool;

/* Create the API. *config is copied. */
struct api *api_create(struct store *store, struct pipeline *pipeline,
		       struct worker_pool *pool, const struct config *config);

/* Cancel requests that take long. Call it before you stop the server. */
void api_stop(struct api *api);

/* Free the pages of clients that have left; none is being rendered. */
void api_free_pages(struct api *api);

/* NULL is a no-op. */
void api_destroy(struct api *api);

/*
 * Use a new configuration, which is copied. `path` is its file; NULL = the
 * defaults. If the file was invalid, `config` is NULL and `error` states the
 * reason; then the previous configuration remains in use. Running requests keep
 * the configuration with which they began. Any thread.
 */
void api_configure(struct api *api, const char *path,
		   const struct config *config, const char *error);

/* The servers that receive requests. */
enum listener {
	LISTENER_SOCKET,  /* socket.path */
	LISTENER_READER,  /* socket.read_only_path */
	LISTENER_NETWORK, /* the TCP server (listen) */
	LISTENER_NODES,   /* requests of other nodes, which arrive through the
			     broker */
	LISTENERS
};

/*
 * Set a server, whose figures the status and the metrics report. Call it with
 * NULL before you stop the server. Any thread.
 */
void api_set_server(struct api *api, enum listener listener,
		    struct http_server *server);

/*
 * Set the interface to the other nodes, once, before the first request; it must
 * live as long as the API. Without it the API serves only the local store.
 */
void api_set_node_client(struct api *api, const struct node_client *peers);

/*
 * End the exchanges of browser sessions that have expired. Call it
 * periodically. Any thread.
 */
void api_expire_sessions(struct api *api);

/* The function `traits` of http_options. */
unsigned api_traits(const char *method, const char *path);

/*
 * Maximum number of POST /v1/ingest and batches at the same time, because each
 * of them occupies a worker thread of the server.
 */
enum { MAX_INGESTS = 4 };

/*
 * The function `handle` of http_options for a server whose clients may use all
 * routes; `context` is the struct api.
 */
enum http_verdict api_handle(struct http_exchange *exchange, void *context);

/*
 * The function `handle` for read-only clients. They can get stored texts,
 * clusters, templates, events and metrics; their requests change nothing and
 * fetch nothing.
 */
enum http_verdict api_handle_reader(struct http_exchange *exchange,
				    void *context);

/*
 * The function `admit` for clients over TCP; use it with api_handle_admitted().
 * A request is admitted if it names this daemon in the header Host, does not
 * come from a page of another site, and has a valid token in a header or a
 * session cookie. The role and the rate limit of the token apply.
 */
bool api_admit(struct http_exchange *exchange, void *context);

/*
 * The function `admit` of the server LISTENER_NODES, which has no socket; use
 * it with api_handle_admitted(). The sending node states the access of its
 * client.
 */
bool api_admit_node(struct http_exchange *exchange, void *context);

/*
 * Run an import job, whose data is a packed struct import_job, on the node that
 * owns its partition. Block until the job finishes. ERR_BUSY: try again later.
 * ERR_MALFORMED, ERR_ADDRESS_FORBIDDEN: the job can never succeed; a
 * human-readable line is appended to `why`.
 */
enum error api_run_job(struct api *api, unsigned partition, struct slice data,
		       struct buffer *why);

/*
 * Run import jobs of the partition as one change: the first of the `count` jobs
 * that have the verb "seed". The same commit records the progress. `before` is
 * the hash of the progress recorded last. Return the number of jobs that were
 * run; the `why` of an invalid job states its error. Return 0 if the first job
 * is of another kind or must be run alone: call api_run_job() for it.
 */
size_t api_seed(struct api *api, unsigned partition, struct import_site *jobs,
		size_t count, uint64_t before);

/*
 * Wait until the running requests of nodes and the running jobs have finished.
 * Call it after the last request and the last job; then you may stop the server
 * for nodes.
 */
void api_end_nodes(struct api *api);

/*
 * Handle the request of another node and append the response to `answer`. This
 * is the function for nodes_set_request_handler(); `context` is the struct api.
 */
void api_handle_node(void *context, struct slice question,
		     struct buffer *answer);

enum http_verdict api_handle_admitted(struct http_exchange *exchange,
				      void *context);

/*
 * The interface of the API to the other nodes. Its members are functions of
 * daemon/nodes/nodes.h. Because of this table the API runs without a node
 * group, and its tests run without a broker.
 */

/*
 * Maximum number of requests that wait for other nodes at the same time,
 * because each of them occupies a worker thread of the server; and how many of
 * these are reserved for the daemon's own socket.
 */
enum { MAX_FORWARDED = 16, RESERVED_FORWARDED = 2 };

struct node_client {
	struct node_group *cluster;
	unsigned (*partition)(struct slice host);
	void (*facts)(struct node_group *cluster, struct cluster_facts *out);
	void (*find)(struct node_group *cluster, unsigned partition,
		     struct partition_route *out);
	enum error (*ask)(struct node_group *cluster, unsigned partition,
			  const char *node, struct slice question,
			  uint32_t timeout_ms, struct buffer *answer);
	void (*drain)(struct node_group *cluster, bool drains);
	enum error (*remove)(struct node_group *cluster, const char *node);
	enum error (*submit)(struct node_group *cluster,
			     struct import_job *jobs, size_t count);
	/* maximum size of a message */
	size_t (*max_bytes)(struct node_group *cluster);
	/* Settings for direct connections to other nodes: */
	const char *token;   /* token with which nodes authenticate, or "" */
	const char *ca_file; /* file with the CA of the other nodes, or "" */
	const char *certificate_file; /* file with the certificate of this node,
					 or "" */
	const char *key_file;
	bool needs_certificate; /* the other nodes need a certificate, too */
};

/* A request of the API in progress, and the handlers of the table of routes. */

/* Error message for ERR_NOT_RENDERED without a browser. */
#define API_NO_BROWSER                                                        \
	"no browser is configured; install chromium-headless-shell, and set " \
	"render.browser"

/* Error message for ERR_TOO_LARGE when a site is added. */
#define API_TOO_MANY_SITES                                        \
	"the limit crawl.max_sites is reached; raise the limit, " \
	"or delete a site"

/*
 * Kinds of long tasks. The number of running tasks of each kind is limited. A
 * task may continue after its request has ended.
 */
enum work_kind {
	WORK_TEXTS,      /* streams of texts */
	WORK_EXTRACTING, /* threads that extract the pages of a stream or a
			    batch */
	WORK_VERIFYING,  /* a verification, which reads the whole store */
	WORK_COPYING,    /* a backup or a compaction; both need disk space */
	/* an export of a bundle, which needs memory and a worker */
	WORK_BUNDLING,
	WORK_RENDERING, /* pages that clients wait for (POST /v1/render) */
	WORK_KINDS
};

enum { MAX_API_PAGES = 16 /* of WORK_RENDERING */ };

/*
 * Quota owners (http_set_owner()) that are not tokens. The owners of clients
 * that another node serves have OWNER_BIT, which no token has.
 */
#define OWNER_STRANGERS UINT64_MAX
#define OWNER_READERS   (UINT64_MAX - 1) /* clients of socket.read_only_path */
#define OWNER_BIT       (1ULL << 63)

/* Which node responded to a forwarded request. */
enum forward_result {
	FORWARD_NO_RESPONSE,
	FORWARD_OWNER,
	FORWARD_REPLICA,
	FORWARD_RESULTS
};

struct api {
	struct store *store;
	struct pipeline *pipeline;
	struct worker_pool *pool; /* workers that parse pages; NULL: the calling
				     thread parses */
	/* set the next five before the first request; each may be NULL */
	struct worker_pool *unpackers; /* workers that unpack archives; NULL:
					  the calling thread unpacks */
	struct process_table *roster;
	struct tokens *tokens;       /* tokens of TCP clients */
	struct delivery *delivery;   /* the notifier; or NULL */
	struct rendering *rendering; /* NULL: no page is rendered */
	struct site_thresholds *cuts;
	struct text_cache *answers;
	struct cache_warmer *teaching; /* or NULL */
	struct event_counters *tally;
	/* sessions of browsers that logged in with a token */
	struct sessions *sessions;
	const struct node_client *peers; /* NULL: there is no node group */
	uint64_t started_ms;
	uint64_t steady_ms; /* steady clock at the time started_ms */
	struct lock lock;   /* guards the fields below */
	struct http_server *servers[LISTENERS]; /* NULL: not running */
	/* a reload replaces it; users hold a reference */
	const struct config *config;
	char config_path[MAX_CONFIG_TEXT]; /* "": the defaults are used */
	/* error of the last reload, or "" */
	char config_error[MAX_CONFIG_TEXT];
	uint64_t config_ms;
	struct quota works[WORK_KINDS]; /* running tasks of each kind */
	/*
	 * names of the nodes that handle a forwarded request now; "": the slot
	 * is free
	 */
	char passed[MAX_FORWARDED][NODE_NAME_BYTES];
	struct quota passing; /* running forwarded requests, by quota owner */
	uint64_t random;      /* random number, chosen at start */
	bool is_passing_awaited; /* an exchange is suspended until one of these
				    slots is free */
	struct client_page *pages; /* that are rendered for clients */
	uint64_t last_page;        /* id of the last one */
	size_t served; /* number of running requests of nodes and of running
			  jobs */
	uint64_t pass_results[FORWARD_RESULTS];
	struct time_histogram pass_times;
	struct condition is_quiet; /* signalled when `served` becomes 0 */
};

/* The access of a client. For admitted clients http_user_data() contains it. */
enum access {
	ACCESS_NONE, /* no token; may only use public routes and log in */
	ACCESS_READ,
	ACCESS_WRITE, /* all routes except the routes for tokens */
	ACCESS_OWNER, /* a client of the daemon's own socket; all routes */
};

struct call {
	struct api *api;
	struct http_exchange *exchange;
	const struct route *route;
	const struct config *config; /* a reference to the configuration at the
					start of the call */
	char host[MAX_HOST_BYTES + 1]; /* segment HOST of the path */
	char name[TOKEN_NAME_BYTES];   /* segment NAME of the path */
	uint64_t event;   /* segment N of the path, at most 16 digits */
	uint32_t number;  /* the same number; 0 if it does not fit */
	uint64_t version; /* segment V of the path */
	enum access access;
	bool is_reader; /* the client may not fetch or change anything */
	bool is_passed; /* another node has forwarded the request */
	bool is_over;   /* the quota of its owner is used up */
	/*
	 * For a part of a report: the handler's JSON response is stored here
	 * instead of being sent, and these arguments (an object, or NULL =
	 * none) replace those of the request. NULL for an ordinary request.
	 */
	json_t **answer_out;
	unsigned answer_status;
	const json_t *arguments;
};

typedef enum http_verdict call_handler(struct call *call);

/*
 * The access that a route requires. The owner of the socket may use every
 * route.
 */
enum route_access {
	ROUTE_WRITE,  /* clients with write access */
	ROUTE_READ,   /* clients with read or write access */
	ROUTE_OWNER,  /* only the owner of the socket */
	ROUTE_PUBLIC, /* every client, even without a token */
};

enum route_flag {
	/* Traits that the server must know (enum http_trait): */
	ROUTE_UPLOAD = HTTP_UPLOAD,
	ROUTE_INLINE = HTTP_INLINE,
	ROUTE_SLOW = HTTP_SLOW, /* the handler parses pages or reads much of the
				   store */
	ROUTE_TRAITS = ROUTE_UPLOAD | ROUTE_INLINE | ROUTE_SLOW,
	/*
	 * The data that the request concerns. The node that owns this data
	 * handles the request. If no flag is set, the data is the site HOST of
	 * the pattern; if the pattern has no HOST, the node that receives the
	 * request handles it.
	 */
	ROUTE_OF_EVENT = 1 << 3, /* the event N */
	ROUTE_OF_QUERY = 1 << 4, /* the site of the argument `url`, `host` or
				    `site`, if there is one */
	ROUTE_OF_HOSTS = 1 << 5, /* the site of the argument `host`, if there is
				    only one */
	ROUTE_OF_BODY = 1 << 6,  /* the site of the member `url` of the body */
	ROUTE_OF_ALL = 1 << 7,   /* all sites */
	ROUTE_SUBJECT = ROUTE_OF_EVENT | ROUTE_OF_QUERY | ROUTE_OF_HOSTS |
			ROUTE_OF_BODY | ROUTE_OF_ALL,
	/* The format of the body: */
	ROUTE_JSON = 1 << 8, /* a JSON object */
	ROUTE_FORM = 1 << 9, /* the form of the login */
	/* How the request may be forwarded: */
	ROUTE_STREAM = 1 << 10, /* the response may be endless */
	ROUTE_EVENTS = 1 << 11, /* the request waits for events (`wait`), or the
				   response is a stream of events */
	/*
	 * A POST that may be sent again if the first request got no response
	 * and may have been executed, because a repetition stores the same
	 * data.
	 */
	ROUTE_REPEATABLE = 1 << 12,
};

/*
 * A row of the table of routes. HOST, N, V and NAME in the pattern match one
 * segment of the path each.
 */
struct route {
	const char *method;
	const char *pattern;
	call_handler *handle;
	enum route_access access;
	unsigned flags; /* bits of enum route_flag */
};

call_handler api_ack_incident, api_delete_guard, api_delete_hook,
	api_delete_node, api_delete_page, api_delete_quarantine,
	api_delete_feed, api_delete_silence, api_delete_site, api_delete_token,
	api_drain_node, api_get_backup, api_post_name, api_get_bundle,
	api_get_changes, api_get_cluster, api_get_clusters, api_get_diff,
	api_get_events, api_get_explain, api_delete_field, api_get_feed,
	api_get_feed_of_key, api_get_feeds, api_get_fields, api_get_hook_forms,
	api_post_feed, api_get_guard, api_get_guards, api_get_hook,
	api_get_hooks, api_get_incident, api_get_incident_screenshot,
	api_get_screenshot, api_get_incidents, api_get_login, api_get_methods,
	api_get_metrics, api_get_nodes, api_get_pages, api_get_patterns,
	api_get_quarantine, api_get_record_copy, api_get_records,
	api_get_report, api_get_silences, api_post_fields, api_post_record,
	api_get_site, api_get_sites, api_get_status, api_get_template,
	api_get_text, api_get_texts, api_get_thresholds, api_get_tokens,
	api_get_verify, api_get_version, api_get_application, api_get_web_file,
	api_get_element, api_get_page_copy, api_get_session, api_get_tree,
	api_post_comment, api_post_ack, api_post_batch, api_post_compact,
	api_post_extract, api_post_guard, api_post_hook, api_post_ingest,
	api_post_jobs, api_post_login, api_post_logout, api_post_render,
	api_post_silence, api_post_site, api_post_token, api_resume_node,
	api_test_hook, api_retry_hook;

/* Return the picture in Base64. */
json_t *screenshot_base64(struct slice picture);

/*
 * Return the screenshot of a page of the template call->host/call->number, with
 * its url, taken and data (in Base64); NULL = it has no screenshot.
 */
json_t *call_template_screenshot(struct call *call);

/*
 * Return a reference to the current configuration; release it with
 * config_release().
 */
const struct config *api_acquire_config(struct api *api);

/* Respond with `value`, which is released. */
enum http_verdict call_reply_json(struct call *call, unsigned status,
				  json_t *value);

/*
 * Respond with a body and its ETag (daemon/http/exchange.h). If the request
 * states that the client already has this body, respond with 304 instead. A
 * POST gets neither an ETag nor a 304. `media_type` must be static memory.
 */
enum http_verdict call_reply_tagged(struct call *call, const char *media_type,
				    struct buffer *body);

/* Like call_reply_tagged(), for `value` as JSON; `value` is released. */
enum http_verdict call_reply_tagged_json(struct call *call, json_t *value);

/*
 * If the request of a read-only client has a body, reject the request without
 * reading the body, because no route of these clients has a body. Return false
 * then. Call it on the server's thread.
 */
bool api_refuse_body(struct call *call);

/* Return whether clients without a token may use this path. */
bool api_path_is_public(const char *path);

/* Return whether this path belongs to a page of the web interface. */
bool api_path_is_page(const char *path);

/* Respond with an error. */
enum http_verdict call_fail(struct call *call, unsigned status,
			    const char *code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Return whether the XPath expression is valid; otherwise write the reason to
 * `error` [256], which must be empty before. A worker checks it, because
 * libxml2 must not run in the process that has the store.
 */
bool call_check_xpath(struct call *call, const char *xpath, char *error);

/* Respond with status 400 (the request is wrong), and return false. */
bool call_refuse(struct call *call, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Respond with a document of HTML that a frame of this daemon may show. Its
 * policy lets nothing run or load.
 */
enum http_verdict call_reply_frame(struct call *call, struct buffer *body);

/*
 * Add the headers of everything that a browser may show. The referrer policy
 * sends the referrer only to pages of this daemon. A stricter policy would make
 * browsers send forms with "Origin: null", and the daemon could not recognise
 * its own forms.
 */
void call_add_page_headers(struct call *call);

/*
 * Respond with the status and the code that belong to `error`. `detail` is text
 * for the message; it may be "".
 */
enum http_verdict call_fail_with(struct call *call, enum error error,
				 const char *detail);

/* A scan over the rows of a table, of one site or of all sites. */
struct call_rows {
	const struct call *call;
	struct txn txn;
	struct scan scan;     /* positioned at the current row */
	struct site_row site; /* the site HOST of the route, if it has one */
};

/* Return the current row as JSON; NULL to omit the row. */
typedef json_t *call_row(struct call_rows *rows);

/*
 * Respond with {`name`: [rows]}: at most `max` rows of the table, converted by
 * `row`. If the route has a site, these are only rows of this site.
 */
enum http_verdict call_reply_rows(struct call *call, enum table table,
				  const char *name, size_t max, call_row *row);

/* Return the decoded value of an argument of the request, or NULL. */
const char *call_argument(const struct call *call, const char *name);

/*
 * Parse the argument `name` as a number; if it is missing, use `default_value`.
 * If it is not a number of at most `max`, respond with the error and return
 * false.
 */
bool call_number(struct call *call, const char *name, uint64_t default_value,
		 uint64_t max, uint64_t *number_out);

/*
 * Parse `text` (may be NULL) as a URL. If it is not a URL, respond with the
 * error and return false.
 */
bool call_read_url(struct call *call, const char *text, struct url *url_out);

/*
 * Parse the body as a JSON object, which you must release. If it is not an
 * object, respond with the error and return false.
 */
bool call_read_object(struct call *call, json_t **object_out);

/* Like kind_set_parse(), but respond with the error before returning false. */
bool call_read_kinds(struct call *call, struct slice list, kind_set *kinds_out);

/* Commit a change of hooks or silences (daemon/engine/commit_event.h). */
enum error call_alert(struct call *call, struct alert_change *alert);

/*
 * Return the owner whose quota the call uses (daemon/runtime/quota.h);
 * QUOTA_UNLIMITED for a call on the daemon's own socket.
 */
uint64_t call_owner(const struct call *call);

/*
 * api_begin_work() begins a task of this owner, unless too many tasks of this
 * kind are running in total or for this owner. api_end_work() ends it. Any
 * thread.
 */
enum quota_result api_begin_work(struct api *api, enum work_kind kind,
				 uint64_t owner);
void api_end_work(struct api *api, enum work_kind kind, uint64_t owner);

/*
 * Begin a task for this call. If it cannot begin, return false; respond with
 * call_fail_busy() then.
 */
bool call_begin_work(struct call *call, enum work_kind kind);

/*
 * Call http_end_owner() at all servers. `owner` is a token id or the ticket of
 * a session.
 */
void api_end_owner(struct api *api, uint64_t owner);

/*
 * Respond that a limit is reached: with 429 if the quota of the owner is used
 * up, otherwise with 503.
 */
enum http_verdict call_fail_busy(struct call *call, const char *message);

/* Return the name that responses and metrics use for the state. */
const char *partition_state_name(enum partition_state state);

/* Return how many pages the request may extract concurrently. */
size_t call_threads(const struct call *call);
/*
 * Evaluate a guard on a stored page. *found_out gets the result in the form of
 * daemon/privsep/analyse_task.h; it is NULL if the page has no stored body or
 * is not HTML, or after an error. Errors of worker_pool_run().
 */
enum error call_try_guard(struct call *call, const struct wanted_guard *wanted,
			  uint32_t site, uint64_t page, json_t **found_out);
/* Get the figures of a server. Return false if the server is not running. */
bool api_listener_stats(struct api *api, enum listener listener,
			struct http_stats *stats_out);

/* Return the extraction options of the call's configuration. */
struct extraction_options call_rules(const struct call *call);

enum { MAX_WAIT_S = 3600 /* maximum duration of a long poll */ };

/*
 * Respond with the event of the call and with the member `rule`, whose value is
 * the number `made`. `rule` may be NULL: no such member.
 */
enum http_verdict call_reply_event(struct call *call, const char *rule,
				   uint64_t made);

#endif
