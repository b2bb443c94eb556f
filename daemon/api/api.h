/*
 * daemon/api/api.h - the HTTP API: a table of routes (method, path, handler,
 * access) over the store and the pipeline.
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
struct tokens;
struct wanted_guard;
struct worker_pool;

/* Copies `config`. */
struct api *api_create(struct store *store, struct pipeline *pipeline,
		       struct worker_pool *pool, const struct config *config);

/* Cancel long requests. Call this before you stop the server. */
void api_stop(struct api *api);

/* NULL is a no-op. */
void api_destroy(struct api *api);

/*
 * Use a new configuration. `path` is its file (NULL: the defaults). `config` is
 * copied; it is NULL if the file was invalid, and then `error` states the
 * reason. Running requests keep the previous configuration. Any thread.
 */
void api_configure(struct api *api, const char *path,
		   const struct config *config, const char *error);

/* The server that a request came from. */
enum listener {
	LISTENER_SOCKET,
	LISTENER_READER,  /* socket.read_only_path */
	LISTENER_NETWORK, /* listen */
	LISTENER_NODES,   /* other nodes, through the broker */
	LISTENERS
};

/*
 * Set the server whose figures status and metrics report; NULL before you stop
 * it. Any thread.
 */
void api_set_server(struct api *api, enum listener listener,
		    struct http_server *server);

/*
 * Set the node client (daemon/api/api.h), once, before the first request; it
 * must live as long as the API. Without it the API serves the local store only.
 */
void api_set_node_client(struct api *api, const struct node_client *peers);

/*
 * Close the exchanges of expired browser sessions. Call it periodically. Any
 * thread.
 */
void api_expire_sessions(struct api *api);

/* For http_options.traits. */
unsigned api_traits(const char *method, const char *path);

/* POST /v1/ingest and batches at the same time; each holds a worker. */
enum { MAX_INGESTS = 4 };

/* The handler for http_options; `context` is the struct api. */
enum http_verdict api_handle(struct http_exchange *exchange, void *context);

/*
 * The handler for read-only clients: stored texts, clusters, templates, events
 * and metrics. It changes nothing and fetches nothing.
 */
enum http_verdict api_handle_reader(struct http_exchange *exchange,
				    void *context);

/*
 * The same over TCP, for http_options.admit and .handle. A request must name
 * this daemon, must not come from a page of another site, and needs a token in
 * a header or a session cookie. The token's role and rate limit apply. One of
 * the two handlers above then handles the request; only api_handle() serves the
 * token routes.
 */
bool api_admit(struct http_exchange *exchange, void *context);

/*
 * For http_options.admit of the LISTENER_NODES server, which has no socket; use
 * it with api_handle_admitted(). The sending node states the access of the
 * client.
 */
bool api_admit_node(struct http_exchange *exchange, void *context);

/*
 * Run a job (the data of a struct import_job) as the owner of its subject in
 * this partition; block until it finishes. ERR_BUSY: try again later.
 * ERR_MALFORMED, ERR_ADDRESS_FORBIDDEN: the job can never succeed; a
 * human-readable line is appended to `why`.
 */
enum error api_run_job(struct api *api, unsigned partition, struct slice data,
		       struct buffer *why);

/*
 * Run the first of these jobs [count] of this partition that have the verb
 * "seed", as one change, and record the progress in the same commit. `before`
 * is the hash of the last recorded progress. Return the number of jobs that
 * were run; the `why` of each invalid job states its error. Return 0 if the
 * first job cannot be run this way: use api_run_job().
 */
size_t api_seed(struct api *api, unsigned partition, struct import_site *jobs,
		size_t count, uint64_t before);

/*
 * Wait until running node requests and jobs finish. Call it after the last
 * request of a node and the last job; then you may stop the server for nodes.
 */
void api_end_nodes(struct api *api);

/*
 * Handle the request of another node, for nodes_set_request_handler();
 * `context` is the struct api.
 */
void api_handle_node(void *context, struct slice question,
		     struct buffer *answer);

enum http_verdict api_handle_admitted(struct http_exchange *exchange,
				      void *context);

/*
 * The API's interface to the other nodes: the functions of
 * daemon/nodes/nodes.h, so that the API runs without a node group, and its
 * tests without a broker.
 */

/*
 * Requests that wait for other nodes at the same time; each holds a server
 * thread.
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
	size_t (*max_bytes)(struct node_group *cluster); /* of a message */
	/* For direct connections. */
	const char *token;            /* node token, or "" */
	const char *ca_file;          /* CA of the other nodes; or "" */
	const char *certificate_file; /* of this node, or "" */
	const char *key_file;
	bool needs_certificate; /* other nodes need one, too */
};

/* One API request in progress, and the handlers of the route table. */

/* Message for ERR_TOO_LARGE when a site is added. */
#define API_TOO_MANY_SITES                                        \
	"the limit crawl.max_sites is reached; raise the limit, " \
	"or delete a site"

/*
 * Long tasks. Their number at the same time is limited for each kind; a task
 * may outlive its request.
 */
enum work_kind {
	WORK_TEXTS,      /* streams of texts */
	WORK_EXTRACTING, /* threads of a stream or a batch */
	WORK_VERIFYING,  /* verification reads the whole store */
	WORK_COPYING,    /* a backup or a compaction, which need disk space */
	WORK_BUNDLING,   /* a bundle needs memory and a worker */
	WORK_KINDS
};

/*
 * Owners (http_set_owner()) other than tokens. Clients of other nodes have
 * OWNER_BIT; tokens never have it.
 */
#define OWNER_STRANGERS UINT64_MAX
#define OWNER_READERS   (UINT64_MAX - 1) /* clients of socket.read_only_path */
#define OWNER_BIT       (1ULL << 63)

/* Who responded to a request for data of another node. */
enum forward_result {
	FORWARD_NO_RESPONSE,
	FORWARD_OWNER,
	FORWARD_REPLICA,
	FORWARD_RESULTS
};

struct api {
	struct store *store;
	struct pipeline *pipeline;
	struct worker_pool *pool; /* parses; NULL: the calling thread does */
	/* set these three before the first request; or NULL */
	struct worker_pool *unpackers; /* unpacks archives, like `pool` */
	struct process_table *roster;
	struct tokens *tokens; /* of TCP clients */
	struct site_thresholds *cuts;
	struct text_cache *answers;
	struct cache_warmer *teaching; /* cache warmer; or NULL */
	struct event_counters *tally;
	struct sessions *sessions;       /* browser sessions of these tokens */
	const struct node_client *peers; /* or NULL: one node only */
	uint64_t started_ms;
	uint64_t steady_ms; /* started_ms by the steady clock */
	struct lock lock;   /* guards the members below */
	struct http_server *servers[LISTENERS]; /* or NULL */
	const struct config *config;        /* shared; a reload replaces it */
	char config_path[MAX_CONFIG_TEXT];  /* "": the defaults */
	char config_error[MAX_CONFIG_TEXT]; /* of the last reload, or "" */
	uint64_t config_ms;
	struct quota works[WORK_KINDS]; /* running tasks */
	/* nodes with a forwarded request; "": a free slot */
	char passed[MAX_FORWARDED][NODE_NAME_BYTES];
	struct quota passing;    /* clients with a forwarded request */
	uint64_t random;         /* chosen at random at start */
	bool is_passing_awaited; /* some exchange is suspended until a slot is
				    free */
	size_t served;           /* running node requests and jobs */
	uint64_t pass_results[FORWARD_RESULTS];
	struct time_histogram pass_times;
	struct condition is_quiet; /* signalled when `served` is 0 */
};

/* Access of the client; the server notes it for admitted clients. */
enum access {
	ACCESS_NONE, /* no token; may log in */
	ACCESS_READ,
	ACCESS_WRITE, /* all routes except tokens */
	ACCESS_OWNER, /* the daemon's own socket */
};

struct call {
	struct api *api;
	struct http_exchange *exchange;
	const struct route *route;
	const struct config
		*config; /* current at the start of the call; a reference */
	char host[MAX_HOST_BYTES + 1]; /* HOST of the route */
	char name[TOKEN_NAME_BYTES];   /* NAME of the route */
	uint64_t event;                /* N of the route, at most 16 digits */
	uint32_t number;               /* N again; 0 if it does not fit */
	uint64_t version;              /* V of the route */
	bool is_reader;                /* may not fetch or change */
	bool is_passed;                /* comes from another node */
	bool is_over;                  /* its owner's quota was used up */
	/*
	 * Set for a page of daemon/ui: JSON responses go here instead of to the
	 * client, and `given` replaces the body. NULL: an ordinary request.
	 */
	json_t **answer_out;
	unsigned answer_status;
	json_t *given;
	uint64_t last_event; /* last event when the page was begun */
};

typedef enum http_verdict call_handler(struct call *call);

/* Required access of a route. The owner of the socket may use every route. */
enum route_access {
	ROUTE_WRITE,  /* clients with write access */
	ROUTE_READ,   /* clients with read or write access */
	ROUTE_OWNER,  /* the owner of the socket only */
	ROUTE_PUBLIC, /* everyone, also without a token */
};

enum route_flag {
	/* What the server must know. */
	ROUTE_UPLOAD = HTTP_UPLOAD,
	ROUTE_INLINE = HTTP_INLINE,
	ROUTE_SLOW = HTTP_SLOW, /* parses pages or reads much of the store */
	ROUTE_TRAITS = ROUTE_UPLOAD | ROUTE_INLINE | ROUTE_SLOW,
	/*
	 * The subject, whose owner handles the request. Without a flag: the
	 * site HOST of the pattern; without HOST: the node that gets the
	 * request.
	 */
	ROUTE_OF_EVENT = 1 << 3, /* the event N */
	ROUTE_OF_QUERY = 1 << 4, /* argument `url`, `host` or `site`, if any */
	ROUTE_OF_HOSTS = 1 << 5, /* argument `host`, if there is only one */
	ROUTE_OF_BODY = 1 << 6,  /* member `url` of the body */
	ROUTE_OF_ALL = 1 << 7,   /* all sites */
	ROUTE_SUBJECT = ROUTE_OF_EVENT | ROUTE_OF_QUERY | ROUTE_OF_HOSTS |
			ROUTE_OF_BODY | ROUTE_OF_ALL,
	/* Format of the body. */
	ROUTE_JSON = 1 << 8, /* an object */
	ROUTE_FORM = 1 << 9,
	/* How the request is forwarded. */
	ROUTE_STREAM = 1 << 10, /* the response may be endless */
	ROUTE_EVENTS = 1 << 11, /* it waits for events (`wait`), or streams */
	/*
	 * A POST that may be repeated although the first request may have been
	 * executed: a repetition stores the same data again.
	 */
	ROUTE_REPEATABLE = 1 << 12,
};

/* HOST, N, V and NAME in the pattern match one path segment each. */
struct route {
	const char *method;
	const char *pattern;
	call_handler *handle;
	enum route_access access;
	unsigned flags; /* enum route_flag */
};

call_handler api_delete_guard, api_delete_hook, api_delete_node,
	api_delete_page, api_delete_quarantine, api_delete_silence,
	api_delete_site, api_delete_token, api_drain_node, api_get_backup,
	api_get_bundle, api_get_cluster, api_get_clusters, api_get_diff,
	api_get_events, api_get_explain, api_get_feed, api_get_guard,
	api_get_guards, api_get_hook, api_get_hooks, api_get_login,
	api_get_methods, api_get_metrics, api_get_nodes, api_get_pages,
	api_get_patterns, api_get_quarantine, api_get_report, api_get_silences,
	api_get_site, api_get_sites, api_get_status, api_get_template,
	api_get_text, api_get_texts, api_get_thresholds, api_get_tokens,
	api_get_verify, api_get_version, api_post_ack, api_post_batch,
	api_post_compact, api_post_extract, api_post_guard, api_post_hook,
	api_post_ingest, api_post_jobs, api_post_login, api_post_logout,
	api_post_silence, api_post_site, api_post_token, api_resume_node,
	api_test_hook, api_ui_alert, api_ui_alerts, api_ui_cluster,
	api_ui_daemon, api_ui_element, api_ui_fetch, api_ui_guard, api_ui_home,
	api_ui_page, api_ui_post, api_ui_site, api_ui_template, api_ui_why;
/* Return at most UI_SITES_SHOWN sites; ignore `limit`. */
call_handler api_get_some_sites;

/*
 * Return a reference to the current configuration; release it with
 * config_release().
 */
const struct config *api_acquire_config(struct api *api);

/* Respond with `value` and release it. */
enum http_verdict call_reply_json(struct call *call, unsigned status,
				  json_t *value);

/*
 * Respond with a body and its ETag (daemon/http/exchange.h), or with 304 if
 * the client has this body already. A POST gets no ETag and no 304.
 * `media_type` must be static memory.
 */
enum http_verdict call_reply_tagged(struct call *call, const char *media_type,
				    struct buffer *body);

/* Like call_reply_tagged(), with `value`, which is released. */
enum http_verdict call_reply_tagged_json(struct call *call, json_t *value);

/*
 * Reject a read-only client's request with a body, without reading the body: no
 * route for these clients takes one. Return false. Call it on the server's
 * thread.
 */
bool api_refuse_body(struct call *call);

/* Return whether clients without a token may use the path. */
bool api_path_is_public(const char *path);

/* Return whether the path is one of a page of daemon/web. */
bool api_path_is_page(const char *path);

/* Respond with an error. */
enum http_verdict call_fail(struct call *call, unsigned status,
			    const char *code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Respond that the request is wrong (400), and return false. */
bool call_refuse(struct call *call, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Respond with an error page. */
enum http_verdict ui_fail(struct call *call, unsigned status,
			  const char *message);

/* Respond with the status and code of `error`; `detail` may be "". */
enum http_verdict call_fail_with(struct call *call, enum error error,
				 const char *detail);

/* The rows of a table, of one site or of all. */
struct call_rows {
	const struct call *call;
	struct txn txn;
	struct scan scan;     /* at the row */
	struct site_row site; /* of the route, if it has one */
};

/* Return a row as JSON; NULL to leave it out. */
typedef json_t *call_row(struct call_rows *rows);

/*
 * Respond with {`name`: rows of the table}, at most `max`; of the site of the
 * route, if it has one.
 */
enum http_verdict call_reply_rows(struct call *call, enum table table,
				  const char *name, size_t max, call_row *row);

/*
 * Parse argument `name` as a number; use `default_value` if it is missing. If
 * it is not a number of at most `max`, respond with the error and return false.
 */
bool call_number(struct call *call, const char *name, uint64_t default_value,
		 uint64_t max, uint64_t *number_out);

/*
 * Parse `text` (or NULL) as a URL; on failure respond with the error and return
 * false.
 */
bool call_read_url(struct call *call, const char *text, struct url *url_out);

/*
 * Parse the body as a JSON object, which you release; on failure respond with
 * the error and return false.
 */
bool call_read_object(struct call *call, json_t **object_out);

/* Like kind_set_parse(); on failure respond with the error and return false. */
bool call_read_kinds(struct call *call, struct slice list, kind_set *kinds_out);

/* Commit a change of hooks or silences (daemon/engine/commit_event.h). */
enum error call_alert(struct call *call, struct alert_change *alert);

/*
 * Return the owner of the call, whose quota it uses (daemon/runtime/quota.h):
 * QUOTA_UNLIMITED on the daemon's own socket.
 */
uint64_t call_owner(const struct call *call);

/*
 * Begin a task for this owner, unless too many tasks run already, in total or
 * for this owner. Any thread may end it.
 */
enum quota_result api_begin_work(struct api *api, enum work_kind kind,
				 uint64_t owner);
void api_end_work(struct api *api, enum work_kind kind, uint64_t owner);

/* Begin a task for this call. On failure return false; use call_fail_busy(). */
bool call_begin_work(struct call *call, enum work_kind kind);

/*
 * http_end_owner() at all servers. `owner` is a token or the ticket of a
 * session.
 */
void api_end_owner(struct api *api, uint64_t owner);

/*
 * Respond that the limit is reached: 429 if the owner's quota is used up,
 * otherwise 503.
 */
enum http_verdict call_fail_busy(struct call *call, const char *message);

/* Return the name of the state in responses and metrics. */
const char *partition_state_name(enum partition_state state);

/* Return how many pages the request may extract at the same time. */
size_t call_threads(const struct call *call);
/*
 * Evaluate a guard on a stored page; *found_out gets the result in the form of
 * daemon/privsep/analyse_task.h. It is NULL if the page has no stored body or
 * is not HTML, or after an error. Errors of worker_pool_run().
 */
enum error call_try_guard(struct call *call, const struct wanted_guard *wanted,
			  uint32_t site, uint64_t page, json_t **found_out);
/* Return false if this server does not exist. */
bool api_listener_stats(struct api *api, enum listener listener,
			struct http_stats *stats_out);

/* Return the extraction options of the current configuration. */
struct extraction_options call_rules(const struct call *call);

enum { MAX_WAIT_S = 3600 /* of a long poll */ };

/*
 * Respond with the event of the call, and with the number `made` as `rule`, or
 * NULL.
 */
enum http_verdict call_reply_event(struct call *call, const char *rule,
				   uint64_t made);

#endif
