/*
 * daemon/api/api_call.h - one request on its way through the API, and the
 * handlers of the route table. Internal to api*.c.
 */
#ifndef DAEMON_API_API_CALL_H
#define DAEMON_API_API_CALL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/access/sessions.h"
#include "daemon/access/tokens.h"
#include "daemon/answer/answer.h"
#include "daemon/answer/event_kinds.h"
#include "daemon/api/api.h"
#include "daemon/api/peers.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/lock.h"
#include "daemon/runtime/quota.h"

/* What ERR_TOO_LARGE of a new site stands for. */
#define API_TOO_MANY_SITES                                              \
	"there are as many sites as crawl.max_sites allows; raise it, " \
	"or delete some"

/* What takes long, of which there may be so many at a time; it may outlive its
 * request. */
enum work_kind {
	WORK_TEXTS,      /* streams of texts */
	WORK_EXTRACTING, /* threads of a stream or a batch */
	WORK_VERIFYING,  /* it reads everything */
	WORK_COPYING,    /* a backup or a compaction, which need room */
	WORK_BUNDLING,   /* takes memory and a worker */
	WORK_KINDS
};

/* Owners (http_set_owner()) that are no tokens; those of other nodes' clients
 * have the bit, and no token has. */
#define OWNER_STRANGERS UINT64_MAX
#define OWNER_READERS   (UINT64_MAX - 1) /* of socket.read */
#define OWNER_BIT       (1ULL << 63)

/* Who has answered what another node owns. */
enum pass_result { PASSED_NOBODY, PASSED_OWNER, PASSED_COPY, PASS_RESULTS };

struct api {
	struct store *store;
	struct pipeline *pipeline;
	struct pool *pool;      /* of those who parse; NULL: we do it */
	struct pool *unpackers; /* of those who unpack archives; the same */
	struct cuts *cuts;
	struct answer_cache *answers;
	struct teaching *teaching; /* NULL: there is none */
	struct roster *roster;     /* or NULL */
	struct event_tally *tally;
	struct tokens *tokens;     /* or NULL */
	struct sessions *sessions; /* of these tokens */
	const struct peers *peers; /* or NULL: there is no cluster */
	uint64_t started_ms;
	uint64_t steady_ms; /* the same by the steady clock */
	struct lock lock;   /* guards what follows */
	struct http_server *servers[LISTENERS]; /* or NULL */
	const struct config *config; /* shared; a reload makes another one */
	char config_path[MAX_CONFIG_TEXT];  /* "": the defaults */
	char config_error[MAX_CONFIG_TEXT]; /* of the last reload, or "" */
	uint64_t config_ms;
	struct quota works[WORK_KINDS]; /* that run or end */
	/* who is being asked; "": a free place */
	char passed[MAX_PASSED][NODE_NAME_BYTES];
	struct quota passing;    /* who asks them */
	uint64_t random;         /* of this process */
	bool is_passing_awaited; /* some exchange is parked for a place */
	size_t served;           /* questions and jobs that are under way */
	uint64_t pass_results[PASS_RESULTS];
	struct time_histogram pass_times;
	struct condition is_quiet; /* there is none any more */
};

/* Who asks; what the server has noted of one who was admitted. */
enum access {
	ACCESS_NONE, /* a stranger, who may log in */
	ACCESS_READ,
	ACCESS_WRITE, /* everything but tokens */
	ACCESS_OWNER, /* of the daemon's own socket */
};

struct call {
	struct api *api;
	struct http_exchange *exchange;
	const struct config *config;   /* of the moment; a reference */
	char host[MAX_HOST_BYTES + 1]; /* HOST of the route */
	char name[TOKEN_NAME_BYTES];   /* NAME of the route */
	uint64_t event;                /* N of the route, which has 16 digits
					  at most */
	uint32_t number;               /* the same; 0: it is larger */
	bool is_reader;                /* nothing may be fetched or changed */
	bool is_passed;                /* another node asks */
	bool is_over;                  /* its owner's share had no room */
	/*
	 * For a page of daemon/ui: an answer in JSON goes here instead of to
	 * the client, and `given` stands for the body. NULL: a plain request.
	 */
	json_t **answer_out;
	unsigned answer_status;
	json_t *given;
	uint64_t last_event; /* when its page was begun */
};

typedef enum http_verdict call_handler(struct call *call);

call_handler api_get_status;
call_handler api_get_metrics;
call_handler api_get_methods;
call_handler api_get_verify;
call_handler api_get_poison;
call_handler api_delete_poison;
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
/* Some of them, UI_SITES_SHOWN at most, whatever `limit` is. */
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
call_handler api_get_cuts;
call_handler api_get_patterns;
call_handler api_get_report;
call_handler api_get_explain;
call_handler api_delete_page;
call_handler api_get_cluster_facts;
call_handler api_post_drain;
call_handler api_post_jobs;
call_handler api_delete_node;
call_handler api_get_cluster;
call_handler api_get_pages;
call_handler api_get_template;
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
call_handler api_ui_forget;
call_handler api_ui_why;
call_handler api_ui_element;

/* A reference to the current configuration, for config_release(). */
const struct config *api_acquire_config(struct api *api);

/* Answer with `value`, which is released. */
enum http_verdict call_reply_json(struct call *call, unsigned status,
				  json_t *value);

/*
 * Answer with a body that has a tag (daemon/http/entity_tag.h), or by 304 when
 * the client has it already; the answer to a POST has neither. `media_type` is
 * static memory.
 */
enum http_verdict call_reply_tagged(struct call *call, const char *media_type,
				    struct buffer *body);

/* The same with `value`, which is released. */
enum http_verdict call_reply_tagged_json(struct call *call, json_t *value);

/*
 * Refuse a request with a body, which is not read, of who may only read: no
 * route that is open to them takes one. Returns false. The server's thread.
 */
bool api_refuse_body(struct call *call);

/* Answer with an error. */
enum http_verdict call_fail(struct call *call, unsigned status,
			    const char *code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Answer with an error of the project; `detail` may be "". */
enum http_verdict call_fail_with(struct call *call, enum error error,
				 const char *detail);

/*
 * The number in argument `name`, `default` when it is not given. False, with
 * the error answered, when it is no number of at most `max`.
 */
bool call_number(struct call *call, const char *name, uint64_t default_value,
		 uint64_t max, uint64_t *number_out);

/* The URL that `text` (or NULL) is; false, with the error answered, when it is
 * none. */
bool call_read_url(struct call *call, const char *text, struct url *url_out);

/* The body as a JSON object, to be released; false, answered, when it is none.
 */
bool call_read_object(struct call *call, json_t **object_out);

/* As kinds_read(); false, with the error answered. */
bool call_read_kinds(struct call *call, struct slice list, kind_set *kinds_out);

/* Commit a change of hooks or silences (daemon/engine/alert_change.h). */
struct alert_change;
enum error call_alert(struct call *call, struct alert_change *alert);

/* Commit a new or deleted guard (daemon/engine/guard_change.h). */
struct guard_change;
enum error call_guard(struct call *call, struct guard_change *guard);

/*
 * A guard of the site HOST with the evidence of its pages; NULL when there is
 * none.
 */
json_t *call_read_guard(struct call *call, uint32_t number);

/* Nobody but the owner of its host can do a job: ERR_REFUSED when that is of
 * another partition, and `why` says of which. */
enum error api_check_partition(const struct api *api, unsigned partition,
			       const char *verb, const char *host,
			       struct buffer *why);

/*
 * Who asks, for what owners share (daemon/runtime/quota.h): QUOTA_UNLIMITED on
 * the daemon's own socket.
 */
uint64_t call_owner(const struct call *call);

/* A work of this owner begins, unless there are too many already, or too many
 * of its. It ends, by any thread. */
enum quota_answer api_begin_work(struct api *api, enum work_kind kind,
				 uint64_t owner);
void api_end_work(struct api *api, enum work_kind kind, uint64_t owner);

/* One of who asks; false: call_fail_busy(). */
bool call_begin_work(struct call *call, enum work_kind kind);

/* http_end_owner() at all listeners: of a token, or the ticket of a session. */
void api_end_owner(struct api *api, uint64_t owner);

/* Answer that there was no room: by 429 when it was the owner's share that was
 * used up, else 503. */
enum http_verdict call_fail_busy(struct call *call, const char *message);

/* The word for it in answers and metrics. */
const char *partition_state_name(enum partition_state state);

/* How many pages a request may have extracted at a time. */
size_t call_threads(const struct call *call);
/*
 * What a guard finds on a stored page, as of daemon/worker/guarded_page.h, to
 * *found_out; NULL when the page is not kept or is none, or after an error:
 * those of pool_run().
 */
struct wanted_guard;
enum error call_try_guard(struct call *call, const struct wanted_guard *wanted,
			  uint32_t site, uint64_t page, json_t **found_out);
/* False: there is none. */
bool api_listener_stats(struct api *api, enum listener listener,
			struct http_stats *stats_out);

/* The rules of extraction by the current configuration. */
struct answer_rules call_rules(const struct call *call);

enum { MAX_WAIT_S = 3600 /* of a long poll */ };

/* Reply with the event of the call, and the number `made` as `rule`, or NULL.
 */
enum http_verdict call_reply_event(struct call *call, const char *rule,
				   uint64_t made);

/* Make a call that waits a listener, once; false: there are too many. */
bool call_listen(struct call *call);

#endif
