/*
 * daemon/nodes/nats.h - the shared state and functions of the NATS
 * implementation.
 */
#ifndef DAEMON_NODES_NATS_H
#define DAEMON_NODES_NATS_H

#include <jansson.h>
#include <nats/nats.h>
#include <stdatomic.h>

#include "daemon/nodes/broker.h"
#include "daemon/runtime/lock.h"

enum {
	/*
	 * A request to a leader that has just failed is never answered: retry
	 * after this time.
	 */
	NATS_TRY_MS = 1000,
	/* No server responded: retry after this time. */
	NATS_PAUSE_MS = 50,
	NATS_REFUSALS = 16,
	NATS_NAME_BYTES = 64,
	NATS_PREFIX_BYTES = 80, /* "_INBOX." and a name */
	NATS_INBOX_BYTES = 160,
	NATS_NUMBER_BYTES = 24,
	NATS_STREAMS = (int)BROKER_STREAMS + (int)BROKER_BUCKETS,
	/* For headers other than the subject and the id of an entry. */
	NATS_HEADER_BYTES = 1024,
};

struct nats_handlers; /* nats_request.c: of requests to this node */
struct nats_kv_copy;  /* nats_kv.c: the known rows of a bucket */

/* The response to a request or an entry. */
struct nats_reply {
	const char *subject; /* of the request */
	natsMsg *message;    /* in REPLY_HERE */
	enum error error;    /* in REPLY_DONE */
	enum {
		REPLY_NEW, /* to be requested; or again: no server got it */
		REPLY_WAITING,
		REPLY_HERE,
		REPLY_DONE
	} state;
};

/* Requests whose responses are awaited together. The bus's lock guards it. */
struct nats_exchange {
	struct nats_reply *replies; /* [count] */
	size_t count;
	size_t waiting; /* replies in REPLY_WAITING */
	uint64_t token;
	struct nats_exchange *next;
};

struct nats_header {
	const char *name; /* NULL = the end of an array */
	const char *value;
};

/* A subject that the servers do not allow us to publish to. */
struct nats_rejection {
	char subject[BROKER_SUBJECT_BYTES];
	uint64_t at_ms; /* clock_steady_ms() */
};

/* A stream whose leader does not acknowledge writes. */
struct nats_leader_watch {
	uint64_t since_ms; /* clock_steady_ms(); 0 = it acknowledges */
	char leader[NATS_NAME_BYTES]; /* leader at that time; "" = unknown */
};

struct broker {
	natsConnection *connection;
	jsCtx *js;
	uint32_t timeout_ms;
	uint32_t lease_ms;
	char name[NATS_NAME_BYTES];     /* of this node, in the form of a key */
	char prefix[NATS_PREFIX_BYTES]; /* of all subjects that we receive on */
	char inbox[NATS_INBOX_BYTES];   /* subject prefix of responses */
	natsSubscription *inbox_subscription;
	struct nats_handlers *answers;
	struct nats_kv_copy *copies[BROKER_BUCKETS];
	/* While the bus is opened: errors, and notes to log on success. */
	char why[BROKER_WHY_BYTES];
	char note[BROKER_WHY_BYTES];

	struct lock lock;          /* guards all fields below */
	struct condition answered; /* an exchange has its responses */
	struct condition listed;   /* a copy is free */
	struct condition changed;  /* the connection has changed or is closed */
	struct nats_exchange *exchanges;
	uint64_t next_token;
	struct nats_rejection refusals[NATS_REFUSALS];
	size_t refusal_count; /* total; the newest overwrite the oldest */
	struct nats_leader_watch mutes[NATS_STREAMS];
	uint64_t lost_ms; /* clock_steady_ms(): last nats_leader_step_down() */
	bool has_inbox;   /* libnats may still call us for responses */
	uint64_t connections; /* total number of connections */
	uint64_t flaps_ms;    /* clock_steady_ms(): since this time... */
	unsigned flaps;       /* ...this many connections ended */
	int64_t clock_ms;     /* how far the server's clock is ahead */
	uint64_t clock_at_ms; /* clock_steady_ms(); 0 = unknown */
	bool is_connected;
	/* Not guarded: */
	atomic_bool is_open;   /* the streams were checked */
	atomic_bool is_closed; /* permanently */
	atomic_bool is_ended;  /* by our own call */
};

/* A deadline for waiting. */
struct nats_deadline {
	struct broker *bus;
	uint64_t start_ms;
	uint64_t until_ms; /* by clock_steady_ms() */
};

/* nats.c */

bool nats_is_connected(struct broker *bus, int64_t *clock_ms_out);
size_t nats_max_bytes(struct broker *bus);
/* Add an error or a note to bus.why or bus.note; once, as retries repeat it. */
__attribute__((format(printf, 2, 3))) void
nats_add_reason(char out[BROKER_WHY_BYTES], const char *format, ...);

struct nats_deadline nats_deadline_of(struct broker *bus, uint32_t timeout_ms);
/* Return the remaining time, at most NATS_TRY_MS; 0 if the time is over. */
int64_t nats_try_ms(const struct nats_deadline *patience);
/*
 * Wait for a connection. Return false if the time is over or the connection is
 * closed permanently.
 */
bool nats_wait_connected(const struct nats_deadline *patience);
/* Wait a little; return false if the time is over. */
bool nats_pause(const struct nats_deadline *patience);
/*
 * Return whether the servers rejected publishing to a subject that contains
 * `part` since the wait began.
 */
bool nats_was_rejected(const struct nats_deadline *patience, const char *part);
/* nats_stream.c */

struct nats_stored_stream {
	const char *name;
	const char *subject; /* with wildcards */
};
/* The streams of enum broker_stream, then those of the buckets. */
extern const struct nats_stored_stream nats_streams[NATS_STREAMS];
static inline const struct nats_stored_stream *
nats_bucket(enum broker_bucket bucket)
{
	return &nats_streams[BROKER_STREAMS + (unsigned)bucket];
}
enum error nats_streams_open(struct broker *bus,
			     const struct broker_options *options);

/* nats_stream.c */

/* As broker_ops.append(); `operation` for rows, or NULL. */
enum error nats_append_as(struct broker *bus, struct broker_entry *entries,
			  size_t count, const char *operation);
enum error nats_append(struct broker *bus, struct broker_entry *entries,
		       size_t count);

/* nats.c */

/* Note that a write to the subject was acknowledged, or timed out. */
void nats_leader_note_write(struct broker *bus, const char *subject,
			    bool is_acknowledged);
/*
 * Make the leader step down: it reports no last entry of a subject that has
 * entries.
 */
void nats_leader_step_down(struct broker *bus, const char *stream);

/* nats_stream.c */

enum nats_read_kind {
	NATS_NEXT, /* first of the subject from the number on; any replica */
	NATS_NEXT_OF_LEADER,
	NATS_LAST, /* last of the subject; from the leader */
	NATS_AT,   /* with this number; from the leader */
};
struct nats_read_args {
	enum nats_read_kind kind;
	const char *stream;
	const char *subject; /* may have wildcards */
	uint64_t number;
};

/* The header of an entry that removes a row. */
#define NATS_OPERATION "KV-Operation"

struct nats_entry {
	struct broker_message message;
	bool is_removal; /* has NATS_OPERATION */
};

/* Read an entry. ERR_NOT_FOUND. */
enum error nats_read(struct broker *bus, const struct nats_read_args *reading,
		     struct nats_entry *out);
enum error nats_next(struct broker *bus, enum broker_stream stream,
		     const char *subject, uint64_t from,
		     struct broker_message *message_out);
enum error nats_next_of_leader(struct broker *bus, enum broker_stream stream,
			       const char *subject, uint64_t from,
			       struct broker_message *message_out);
enum error nats_last(struct broker *bus, enum broker_stream stream,
		     const char *subject, struct broker_message *message_out);
enum error nats_purge(struct broker *bus, enum broker_stream stream,
		      const char *subject, uint64_t before);

/* nats_kv.c */

struct nats_kv_copy *nats_kv_copy_create(void);
void nats_kv_copy_destroy(struct nats_kv_copy *copy);
enum error nats_kv_write_clock(struct broker *bus);
enum error nats_kv_put(struct broker *bus, enum broker_bucket bucket,
		       const char *key, struct slice value, uint64_t expected,
		       uint64_t *revision_out);
enum error nats_kv_get(struct broker *bus, enum broker_bucket bucket,
		       const char *key, struct broker_row *row_out);
enum error nats_kv_list(struct broker *bus, enum broker_bucket bucket,
			struct broker_row **rows_out, size_t *count_out);
enum error nats_kv_remove_row(struct broker *bus, enum broker_bucket bucket,
			      const char *key, uint64_t expected);

/* nats_request.c */

/* Subscribe to responses. */
natsStatus nats_inbox_open(struct broker *bus);
/*
 * With the lock held: fail what waits for a response, all with ERR_NETWORK, or
 * the requests to a subject with ERR_ADDRESS_FORBIDDEN.
 */
void nats_exchanges_fail(struct broker *bus, const char *subject);
void nats_exchange_begin(struct broker *bus, struct nats_exchange *exchange);
/* Afterwards the caller frees the messages. */
void nats_exchange_end(struct broker *bus, struct nats_exchange *exchange);
/* Send request `i` if it is new. */
void nats_exchange_send(struct broker *bus, struct nats_exchange *exchange,
			size_t i, struct slice data,
			const struct nats_header *headers);
/* Wait until `until_ms`; return whether no reply is awaited. */
bool nats_exchange_wait(struct broker *bus,
			const struct nats_exchange *exchange,
			uint64_t until_ms);
/* Parse a response; NULL if it is not JSON. */
json_t *nats_message_json(natsMsg *message);
/*
 * Send a request to the servers' API, and retry until a response comes; free it
 * with natsMsg_Destroy(). Waits by the steady clock; libnats would use the wall
 * clock, which may be set back. ERR_NETWORK; ERR_ADDRESS_FORBIDDEN: our user
 * has no permission.
 */
enum error nats_api_request(const struct nats_deadline *patience,
			    const char *subject, const char *question,
			    natsMsg **answer_out);
enum error nats_request_node(struct broker *bus, const char *subject,
			     struct slice question,
			     const struct broker_wait *wanted,
			     struct buffer *answer);

/* nats_request.c */

/* An empty response with this header was too large. */
#define NATS_TOO_LARGE "Templated-Too-Large"

struct nats_handlers *nats_handlers_create(struct broker *bus);
void nats_handlers_destroy(struct nats_handlers *answers);
enum error nats_handle(struct broker *bus, const char *subject,
		       broker_request_handler *answerer, void *context,
		       unsigned threads);
enum error nats_publish(struct broker *bus, const char *subject,
			struct slice data);
enum error nats_listen(struct broker *bus, const char *subject,
		       broker_listener *listener, void *context);

#endif
