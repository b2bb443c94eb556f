/*
 * daemon/nodes/nats_bus.h - the shared state and functions of the NATS
 * implementation.
 */
#ifndef DAEMON_NODES_NATS_BUS_H
#define DAEMON_NODES_NATS_BUS_H

#include <nats/nats.h>

#include "daemon/nodes/bus.h"
#include "daemon/runtime/condition.h"
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
	/* For headers other than the subject and the id of an entry. */
	NATS_HEADER_BYTES = 1024,
};

struct batch;   /* nats_append.c: entries that wait for responses */
struct answers; /* nats_ask.c: handlers, and requests to this node */
struct inquiry; /* nats_question.c: a request that waits for its response */
struct copy;    /* nats_rows.c: the known rows of a bucket */

/* A subject that the servers do not allow us to publish to. */
struct refusal {
	char subject[BUS_SUBJECT_BYTES];
	uint64_t at_ms; /* clock_steady_ms() */
};

/* A stream whose leader does not acknowledge writes. */
struct mute {
	uint64_t since_ms; /* clock_steady_ms(); 0 = it acknowledges */
	char leader[NATS_NAME_BYTES]; /* leader at that time; "" = unknown */
};

struct listening {
	bus_listener *listener;
	void *context;
	natsSubscription *subscription;
	struct listening *next;
};

struct bus {
	natsConnection *connection;
	jsCtx *js;
	uint32_t timeout_ms;
	uint32_t lease_ms;
	char name[NATS_NAME_BYTES];     /* of this node, in the form of a key */
	char prefix[NATS_PREFIX_BYTES]; /* of all subjects that we receive on */
	char inbox[NATS_INBOX_BYTES]; /* subject prefix of responses to entries,
					 with '.' */
	natsSubscription *inbox_subscription;
	struct answers *answers;
	struct copy *copies[BUS_BUCKETS];
	/* While the bus is opened: errors, and notes to log on success. */
	char why[BUS_WHY_BYTES];
	char note[BUS_WHY_BYTES];

	struct lock lock;          /* guards all fields below */
	struct condition answered; /* a batch or a request has its responses */
	struct condition listed;   /* a copy is free */
	struct condition changed;  /* the connection has changed or is closed */
	struct batch *batches;
	struct inquiry *inquiries;
	uint64_t next_token;
	struct refusal refusals[NATS_REFUSALS];
	size_t refusal_count; /* total; the newest overwrite the oldest */
	struct listening *listenings;
	struct mute mutes[BUS_STREAMS + BUS_BUCKETS];
	uint64_t lost_ms;       /* clock_steady_ms(): last nats_is_lost() */
	unsigned subscriptions; /* that may still call us */
	uint64_t connections;   /* total number of connections */
	uint64_t flaps_ms;      /* clock_steady_ms(): since this time... */
	unsigned flaps;         /* ...this many connections ended */
	int64_t clock_ms;       /* how far the server's clock is ahead */
	uint64_t clock_at_ms;   /* clock_steady_ms(); 0 = unknown */
	bool is_connected;
	bool is_open;   /* the streams were checked */
	bool is_closed; /* permanently */
	bool is_ended;  /* by our own call */
};

/* A deadline for waiting. */
struct patience {
	struct bus *bus;
	uint64_t start_ms;
	uint64_t until_ms; /* by clock_steady_ms() */
};

/* bus_nats.c */

bool nats_is_connected(struct bus *bus, int64_t *clock_ms_out);
size_t nats_max_bytes(struct bus *bus);
bool nats_is_closed(struct bus *bus);
void nats_hang_up(struct bus *bus);
/* While the bus is opened: add an error, or a note, after the earlier ones. */
__attribute__((format(printf, 2, 3))) void
nats_complain(struct bus *bus, const char *format, ...);
__attribute__((format(printf, 2, 3))) void nats_note(struct bus *bus,
						     const char *format, ...);

/* nats_link.c */

enum error nats_link_open(struct bus *bus, const struct bus_options *wanted);
void nats_link_close(struct bus *bus);
struct patience nats_patience(struct bus *bus, uint32_t timeout_ms);
/* Return the remaining time, at most NATS_TRY_MS; 0 if the time is over. */
int64_t nats_try_ms(const struct patience *patience);
/*
 * Wait for a connection. Return false if the time is over or the connection is
 * closed permanently.
 */
bool nats_wait_connected(const struct patience *patience);
/* Wait a little; return false if the time is over. */
bool nats_pause(const struct patience *patience);
/*
 * Return whether the servers rejected publishing to a subject that contains
 * `part` since the wait began.
 */
bool nats_was_refused(const struct patience *patience, const char *part);
/* Register a subscription: nats_link_close() waits for its end. */
void nats_subscribed(struct bus *bus, natsSubscription *subscription);
/* nats_streams.c */

struct kept {
	const char *name;
	const char *subject; /* with wildcards */
};
extern const struct kept nats_streams[BUS_STREAMS];
extern const struct kept nats_buckets[BUS_BUCKETS];
enum error nats_streams_open(struct bus *bus,
			     const struct bus_options *options);

/* nats_append.c */

natsStatus nats_inbox_open(struct bus *bus);
/* With the lock held: fail all entries that wait for responses. */
void nats_batches_fail(struct bus *bus);
/* With the lock held: fail the waiting entries of this subject. */
void nats_batches_refuse(struct bus *bus, const char *subject);
/* As bus_ops.append(); `operation` for rows, or NULL. */
enum error nats_append_as(struct bus *bus, struct bus_entry *entries,
			  size_t count, const char *operation);
enum error nats_append(struct bus *bus, struct bus_entry *entries,
		       size_t count);

/* nats_mute.c */

/* Note that a write to the subject was acknowledged, or timed out. */
void nats_heard(struct bus *bus, const char *subject, bool is_acknowledged);
/*
 * Make the leader step down: it reports no last entry of a subject that has
 * entries.
 */
void nats_is_lost(struct bus *bus, const char *stream);

/* nats_read.c */

enum nats_reading {
	NATS_NEXT, /* first of the subject from the number on; any replica */
	NATS_NEXT_OF_LEADER,
	NATS_LAST, /* last of the subject; from the leader */
	NATS_AT,   /* with this number; from the leader */
};
struct reading {
	enum nats_reading kind;
	const char *stream;
	const char *subject; /* may have wildcards */
	uint64_t number;
};

/* The header of an entry that removes a row. */
#define NATS_OPERATION "KV-Operation"

struct nats_entry {
	struct bus_message message;
	bool is_removal; /* has NATS_OPERATION */
};

/* Read an entry. ERR_NOT_FOUND. */
enum error nats_read(struct bus *bus, const struct reading *reading,
		     struct nats_entry *out);
enum error nats_next(struct bus *bus, enum bus_stream stream,
		     const char *subject, uint64_t from,
		     struct bus_message *message_out);
enum error nats_next_of_leader(struct bus *bus, enum bus_stream stream,
			       const char *subject, uint64_t from,
			       struct bus_message *message_out);
enum error nats_last(struct bus *bus, enum bus_stream stream,
		     const char *subject, struct bus_message *message_out);
enum error nats_purge(struct bus *bus, enum bus_stream stream,
		      const char *subject, uint64_t before);

/* nats_rows.c */

struct copy *nats_copy_create(void);
void nats_copy_destroy(struct copy *copy);
enum error nats_clock(struct bus *bus);
enum error nats_put(struct bus *bus, enum bus_bucket bucket, const char *key,
		    struct slice value, uint64_t expected,
		    uint64_t *revision_out);
enum error nats_get(struct bus *bus, enum bus_bucket bucket, const char *key,
		    struct bus_row *row_out);
enum error nats_list(struct bus *bus, enum bus_bucket bucket,
		     struct bus_row **rows_out, size_t *count_out);
enum error nats_remove(struct bus *bus, enum bus_bucket bucket, const char *key,
		       uint64_t expected);

/* nats_question.c */

/* If the name is of a request, adopt the message and return true. */
bool nats_take_answer(struct bus *bus, const char *name, natsMsg *message);
/* With the lock held: fail all requests that wait for a response. */
void nats_inquiries_fail(struct bus *bus);
/*
 * Send a request to the servers' API, and retry until a response comes; free it
 * with natsMsg_Destroy(). Waits by the steady clock; libnats would use the wall
 * clock, which may be set back. ERR_NETWORK; ERR_REFUSED: our user has no
 * permission.
 */
enum error nats_request(const struct patience *patience, const char *subject,
			const char *question, natsMsg **answer_out);
enum error nats_ask(struct bus *bus, const char *subject, struct slice question,
		    const struct bus_patience *wanted, struct buffer *answer);

/* nats_ask.c */

/* An empty response with this header was too large. */
#define NATS_TOO_LARGE "Templated-Too-Large"

struct answers *nats_answers_create(struct bus *bus);
void nats_answers_destroy(struct answers *answers);
enum error nats_answer(struct bus *bus, const char *subject,
		       bus_answerer *answerer, void *context, unsigned threads);
enum error nats_tell(struct bus *bus, const char *subject, struct slice data);
enum error nats_listen(struct bus *bus, const char *subject,
		       bus_listener *listener, void *context);

#endif
