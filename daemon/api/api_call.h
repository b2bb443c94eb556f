/*
 * daemon/api/api_call.h - one API request in progress, and the handlers of the
 * route table. Internal to api*.c.
 */
#ifndef DAEMON_API_API_CALL_H
#define DAEMON_API_API_CALL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/api/api.h"
#include "daemon/api/peers.h"
#include "daemon/http/sessions.h"
#include "daemon/http/tokens.h"
#include "daemon/query/answer.h"
#include "daemon/query/event_kinds.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/lock.h"
#include "daemon/runtime/quota.h"

/* Message for ERR_TOO_LARGE when a site is added. */
#define API_TOO_MANY_SITES                                       \
	"crawl.max_sites sites exist already; raise the limit, " \
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
	struct worker_pool
		*unpackers; /* unpacks archives; or NULL, like `pool` */
	struct site_thresholds *cuts;
	struct text_cache *answers;
	struct cache_warmer *teaching; /* cache warmer; or NULL */
	struct process_table *roster;  /* or NULL */
	struct event_counters *tally;
	struct tokens *tokens;           /* or NULL */
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

call_handler api_get_status;
call_handler api_get_metrics;
call_handler api_get_methods;
call_handler api_get_verify;
call_handler api_get_quarantine;
call_handler api_delete_quarantine;
call_handler api_get_backup;
call_handler api_post_compact;
call_handler api_get_events;
call_handler api_post_ack;
call_handler api_post_silence;
call_handler api_get_hooks;
call_handler api_post_hook;
call_handler api_get_hook;
call_handler api_delete_hook;
call_handler api_test_hook;
call_handler api_get_silences;
call_handler api_delete_silence;
call_handler api_get_feed;
call_handler api_get_sites;
/* Return at most UI_SITES_SHOWN sites; ignore `limit`. */
call_handler api_get_some_sites;
call_handler api_post_site;
call_handler api_get_site;
call_handler api_delete_site;
call_handler api_get_bundle;
call_handler api_get_clusters;
call_handler api_get_guards;
call_handler api_post_guard;
call_handler api_get_guard;
call_handler api_delete_guard;
call_handler api_get_thresholds;
call_handler api_get_patterns;
call_handler api_get_report;
call_handler api_get_explain;
call_handler api_delete_page;
call_handler api_get_nodes;
call_handler api_drain_node;
call_handler api_resume_node;
call_handler api_post_jobs;
call_handler api_delete_node;
call_handler api_get_cluster;
call_handler api_get_pages;
call_handler api_get_template;
call_handler api_get_version;
call_handler api_get_diff;
call_handler api_get_text;
call_handler api_get_texts;
call_handler api_post_extract;
call_handler api_post_batch;
call_handler api_post_ingest;
call_handler api_ui_home;
call_handler api_ui_post_site;
call_handler api_ui_site;
call_handler api_ui_post_settings;
call_handler api_ui_delete_site;
call_handler api_get_tokens;
call_handler api_post_token;
call_handler api_delete_token;
call_handler api_get_login;
call_handler api_post_login;
call_handler api_post_logout;
call_handler api_ui_daemon;
call_handler api_ui_cluster;
call_handler api_ui_template;
call_handler api_ui_alerts;
call_handler api_ui_alert;
call_handler api_ui_ack;
call_handler api_ui_silence;
call_handler api_ui_unsilence;
call_handler api_ui_guard;
call_handler api_ui_post_guard;
call_handler api_ui_delete_guard;
call_handler api_ui_page;
call_handler api_ui_fetch;
call_handler api_ui_delete_page;
call_handler api_ui_why;
call_handler api_ui_element;

/*
 * Return a reference to the current configuration; release it with
 * config_release().
 */
const struct config *api_acquire_config(struct api *api);

/* Respond with `value` and release it. */
enum http_verdict call_reply_json(struct call *call, unsigned status,
				  json_t *value);

/*
 * Respond with a body and its ETag (daemon/http/entity_tag.h), or with 304 if
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

/* Respond with an error. */
enum http_verdict call_fail(struct call *call, unsigned status,
			    const char *code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Respond with the status and code of `error`; `detail` may be "". */
enum http_verdict call_fail_with(struct call *call, enum error error,
				 const char *detail);

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

/* Commit a change of hooks or silences (daemon/engine/alert_change.h). */
struct alert_change;
enum error call_alert(struct call *call, struct alert_change *alert);

/* Commit a new or deleted guard (daemon/engine/guard_change.h). */
struct guard_change;
enum error call_guard(struct call *call, struct guard_change *guard);

/*
 * Return a guard of the site HOST with the evidence of its pages; NULL if it
 * does not exist.
 */
json_t *call_read_guard(struct call *call, uint32_t number);

/*
 * Check that `host` belongs to this partition, because only the owner of a host
 * can run a job for it. ERR_ADDRESS_FORBIDDEN if not; `why` then names the
 * partition.
 */
enum error api_check_partition(const struct api *api, unsigned partition,
			       const char *verb, const char *host,
			       struct buffer *why);

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
 * daemon/privsep/guarded_page.h. It is NULL if the page has no stored body or
 * is not HTML, or after an error. Errors of worker_pool_run().
 */
struct wanted_guard;
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

/* Count the call once as an open event stream; false if there are too many. */
bool call_listen(struct call *call);

#endif
