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
	 * If a leader has just failed, it never responds: repeat the request
	 * after this time.
	 */
	NATS_TRY_MS = 1000,
	/* If no server responds, try again after this time. */
	NATS_PAUSE_MS = 50,
	NATS_REFUSALS = 16,
	NATS_NAME_BYTES = 64,
	NATS_PREFIX_BYTES = 80, /* "_INBOX." and a name */
	NATS_INBOX_BYTES = 160,
	NATS_NUMBER_BYTES = 24,
	NATS_STREAMS = (int)BROKER_STREAMS + (int)BROKER_BUCKETS,
	/* Space for the headers of an entry, except its subject and id. */
	NATS_HEADER_BYTES = 1024,
};

struct nats_handlers; /* nats_request.c: handlers of requests that come to
			 this node */
struct nats_kv_copy;  /* nats_kv.c: a copy of the rows of a bucket */

/* A request or an entry that waits for its response. */
struct nats_reply {
	const char *subject; /* of the request or the entry */
	natsMsg *message;    /* the response, in state REPLY_HERE */
	enum error error;    /* the result, in state REPLY_DONE */
	enum {
		REPLY_NEW, /* to be sent, or to be sent again because no
			      server got it */
		REPLY_WAITING,
		REPLY_HERE,
		REPLY_DONE
	} state;
};

/*
 * Requests whose responses one caller awaits together. broker.lock guards this
 * struct.
 */
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

/* A subject that the servers do not allow this node to publish to. */
struct nats_rejection {
	char subject[BROKER_SUBJECT_BYTES];
	uint64_t at_ms; /* time of the rejection, clock_steady_ms() */
};

/* A stream whose leader does not acknowledge writes. */
struct nats_leader_watch {
	uint64_t since_ms; /* clock_steady_ms(); 0 = it acknowledges writes */
	char leader[NATS_NAME_BYTES]; /* leader at that time; "" = unknown */
};

struct broker {
	natsConnection *connection;
	jsCtx *js;
	uint32_t timeout_ms;
	uint32_t lease_ms;
	char name[NATS_NAME_BYTES];     /* name of this node, in the form of
					   a key */
	char prefix[NATS_PREFIX_BYTES]; /* begin of all subjects on which
					   this node gets responses */
	char inbox[NATS_INBOX_BYTES];   /* subject prefix of responses */
	natsSubscription *inbox_subscription;
	struct nats_handlers *answers;
	struct nats_kv_copy *copies[BROKER_BUCKETS];
	/*
	 * Only while the connection is opened: errors, and notes to log on
	 * success.
	 */
	char why[BROKER_WHY_BYTES];
	char note[BROKER_WHY_BYTES];

	struct lock lock;          /* guards all fields below */
	struct condition answered; /* all responses of an exchange have come */
	struct condition listed;   /* no thread uses a certain copy any
				      longer */
	struct condition changed;  /* the connection has changed or is closed */
	struct nats_exchange *exchanges;
	uint64_t next_token;
	struct nats_rejection refusals[NATS_REFUSALS];
	size_t refusal_count; /* total number; a new one overwrites the
				 oldest */
	struct nats_leader_watch mutes[NATS_STREAMS];
	uint64_t lost_ms; /* clock_steady_ms(): last nats_leader_step_down() */
	bool has_inbox;   /* libnats may still call on_answer() */
	uint64_t connections; /* total number of connections */
	uint64_t flaps_ms;    /* begin of the time in which `flaps` counts,
				 clock_steady_ms() */
	unsigned flaps;       /* number of connections that were lost since
				 flaps_ms */
	int64_t clock_ms;     /* how many ms the server's clock is ahead of
				 the local one */
	uint64_t clock_at_ms; /* clock_steady_ms() when clock_ms was
				 measured; 0 = never */
	bool is_connected;
	/* The lock does not guard these: */
	atomic_bool is_open;   /* all streams were checked */
	atomic_bool is_closed; /* the connection is closed permanently */
	atomic_bool is_ended;  /* nats_close_bus() was called */
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
/*
 * Append an error to bus.why or a note to bus.note, unless `out` contains it
 * already.
 */
__attribute__((format(printf, 2, 3))) void
nats_add_reason(char out[BROKER_WHY_BYTES], const char *format, ...);

struct nats_deadline nats_deadline_of(struct broker *bus, uint32_t timeout_ms);
/*
 * Return the remaining time in ms, at most NATS_TRY_MS; 0 if the time is over.
 */
int64_t nats_try_ms(const struct nats_deadline *patience);
/*
 * Wait for a connection. Return false if the time is over or the connection is
 * closed permanently.
 */
bool nats_wait_connected(const struct nats_deadline *patience);
/* Wait NATS_PAUSE_MS; return false if the time is over. */
bool nats_pause(const struct nats_deadline *patience);
/*
 * Return whether, since the wait began, the servers have rejected to publish to
 * a subject that contains `part`.
 */
bool nats_was_rejected(const struct nats_deadline *patience, const char *part);
/* nats_stream.c */

struct nats_stored_stream {
	const char *name;
	const char *subject; /* with wildcards */
};
/*
 * The streams in the order of enum broker_stream, then the streams of the
 * buckets.
 */
extern const struct nats_stored_stream nats_streams[NATS_STREAMS];
static inline const struct nats_stored_stream *
nats_bucket(enum broker_bucket bucket)
{
	return &nats_streams[BROKER_STREAMS + (unsigned)bucket];
}
enum error nats_streams_open(struct broker *bus,
			     const struct broker_options *options);

/* nats_stream.c */

/*
 * Append entries as broker_ops.append() does. `operation` is the value of the
 * header NATS_OPERATION, or NULL.
 */
enum error nats_append_as(struct broker *bus, struct broker_entry *entries,
			  size_t count, const char *operation);
enum error nats_append(struct broker *bus, struct broker_entry *entries,
		       size_t count);

/* nats.c */

/*
 * Note whether the servers acknowledged a write to the subject or it timed out.
 */
void nats_leader_note_write(struct broker *bus, const char *subject,
			    bool is_acknowledged);
/*
 * Request another leader of the stream, because this one reports no last entry
 * of a subject that has entries.
 */
void nats_leader_step_down(struct broker *bus, const char *stream);

/* nats_stream.c */

enum nats_read_kind {
	NATS_NEXT, /* first entry of the subject from the number on; from any
		      replica */
	NATS_NEXT_OF_LEADER,
	NATS_LAST, /* last entry of the subject; from the leader */
	NATS_AT,   /* entry with this number; from the leader */
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
	bool is_removal; /* it has the header NATS_OPERATION */
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

/* Subscribe to the subject of responses. */
natsStatus nats_inbox_open(struct broker *bus);
/*
 * With the lock held: let all requests and entries fail with ERR_NETWORK if
 * `subject` is NULL; otherwise let those with this subject fail with
 * ERR_ADDRESS_FORBIDDEN.
 */
void nats_exchanges_fail(struct broker *bus, const char *subject);
void nats_exchange_begin(struct broker *bus, struct nats_exchange *exchange);
/* End the exchange; then the caller frees the messages of its replies. */
void nats_exchange_end(struct broker *bus, struct nats_exchange *exchange);
/* Send request `i` of the exchange if its state is REPLY_NEW. */
void nats_exchange_send(struct broker *bus, struct nats_exchange *exchange,
			size_t i, struct slice data,
			const struct nats_header *headers);
/*
 * Wait until no reply is in state REPLY_WAITING, at most until `until_ms`.
 * Return whether this is so.
 */
bool nats_exchange_wait(struct broker *bus,
			const struct nats_exchange *exchange,
			uint64_t until_ms);
/* Parse a response as JSON; return NULL if it is not JSON. */
json_t *nats_message_json(natsMsg *message);
/*
 * Send a request to the servers' API and repeat it until a response comes; the
 * caller frees the response with natsMsg_Destroy(). This waits by the steady
 * clock, because the wall clock, which libnats would use, may be set back.
 * ERR_NETWORK; ERR_ADDRESS_FORBIDDEN: the user of this node has no permission.
 */
enum error nats_api_request(const struct nats_deadline *patience,
			    const char *subject, const char *question,
			    natsMsg **answer_out);
enum error nats_request_node(struct broker *bus, const char *subject,
			     struct slice question,
			     const struct broker_wait *wanted,
			     struct buffer *answer);

/* nats_request.c */

/* A response with this header is empty, because it was too large. */
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
