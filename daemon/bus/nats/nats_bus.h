/* daemon/bus/nats/nats_bus.h - what the files of this room share. */
#ifndef DAEMON_BUS_NATS_NATS_BUS_H
#define DAEMON_BUS_NATS_NATS_BUS_H

#include <nats/nats.h>

#include "daemon/bus/bus.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/lock.h"

enum {
	/* A question to a leader that has just gone is never answered: ask
	 * again after so long. */
	NATS_TRY_MS = 1000,
	/* Nobody was there to answer: ask again after so long. */
	NATS_PAUSE_MS = 50,
	NATS_REFUSALS = 16,
	NATS_NAME_BYTES = 64,
	NATS_PREFIX_BYTES = 80, /* "_INBOX." and a name */
	NATS_INBOX_BYTES = 160,
	/* Headers, beside the subject and the id of an entry. */
	NATS_HEADER_BYTES = 1024,
};

struct batch;   /* nats_append.c: entries whose answers are awaited */
struct answers; /* nats_ask.c: who answers, and what is asked of us */
struct inquiry; /* nats_question.c: a question whose answer is awaited */
struct copy;    /* nats_rows.c: a bucket's rows, as far as they are known */

/* A subject that the servers did not let us publish to. */
struct refusal {
	char subject[BUS_SUBJECT_BYTES];
	uint64_t at_ms; /* clock_steady_ms() */
};

/* A stream that does not acknowledge what is written. */
struct mute {
	uint64_t since_ms;            /* clock_steady_ms(); 0: it does */
	char leader[NATS_NAME_BYTES]; /* then; "": none */
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
	char name[NATS_NAME_BYTES];     /* of this node, as part of a key */
	char prefix[NATS_PREFIX_BYTES]; /* of all that is sent to us */
	char inbox[NATS_INBOX_BYTES];   /* of answers to entries, with '.' */
	natsSubscription *inbox_subscription;
	struct answers *answers;
	struct copy *copies[BUS_BUCKETS];
	/* While it is opened: what is wrong, and what is to be told if not. */
	char why[BUS_WHY_BYTES];
	char note[BUS_WHY_BYTES];

	struct lock lock;          /* of all below */
	struct condition answered; /* a batch or a question is */
	struct condition listed;   /* a copy is free */
	struct condition changed;  /* the connection is another, or ends */
	struct batch *batches;
	struct inquiry *inquiries;
	uint64_t next_token;
	struct refusal refusals[NATS_REFUSALS];
	size_t refusal_count; /* of all; the newest overwrite the oldest */
	struct listening *listenings;
	struct mute mutes[BUS_STREAMS + BUS_BUCKETS];
	uint64_t lost_ms; /* clock_steady_ms(): of the last nats_is_lost() */
	unsigned subscriptions; /* that may still call us */
	uint64_t connections;   /* so many there were */
	uint64_t flaps_ms;      /* clock_steady_ms(): since then... */
	unsigned flaps;         /* ...so many ended */
	int64_t clock_ms;       /* the server's is ahead */
	uint64_t clock_at_ms;   /* clock_steady_ms(); 0: not known */
	bool is_connected;
	bool is_open;   /* the streams were looked at */
	bool is_closed; /* for good */
	bool is_ended;  /* by us */
};

/* One who waits, and until when. */
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
/* While it is opened: what is wrong, or to be told, behind what was already. */
__attribute__((format(printf, 2, 3))) void
nats_complain(struct bus *bus, const char *format, ...);
__attribute__((format(printf, 2, 3))) void nats_note(struct bus *bus,
						     const char *format, ...);

/* nats_link.c */

enum error nats_link_open(struct bus *bus, const struct bus_options *wanted);
void nats_link_close(struct bus *bus);
struct patience nats_patience(struct bus *bus, uint32_t timeout_ms);
/* What is left, at most NATS_TRY_MS; 0: nothing is. */
int64_t nats_try_ms(const struct patience *patience);
/* Wait until there is a connection; false: the time is over, or it is closed
 * for good. */
bool nats_wait_connected(const struct patience *patience);
/* Wait a little; false: the time is over. */
bool nats_pause(const struct patience *patience);
/* Was it refused to publish to a subject that has this part? */
bool nats_was_refused(const struct patience *patience, const char *part);
/* It will call us until nats_link_close() has seen its end. */
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
/* Under the lock: nobody will answer any more. */
void nats_batches_fail(struct bus *bus);
/* Under the lock: entries of this subject are not let through. */
void nats_batches_refuse(struct bus *bus, const char *subject);
/* As bus_ops.append(); `operation` of rows, or NULL. */
enum error nats_append_as(struct bus *bus, struct bus_entry *entries,
			  size_t count, const char *operation);
enum error nats_append(struct bus *bus, struct bus_entry *entries,
		       size_t count);

/* nats_mute.c */

/* What was written to the subject was acknowledged, or not answered in time. */
void nats_heard(struct bus *bus, const char *subject, bool is_acknowledged);
/* Its leader says that a subject has no last entry, and has one: it is to be
 * another one. */
void nats_is_lost(struct bus *bus, const char *stream);

/* nats_read.c */

enum nats_reading {
	NATS_NEXT, /* of the subject, from the number on; any replica */
	NATS_NEXT_OF_LEADER,
	NATS_LAST, /* of the subject; the leader */
	NATS_AT,   /* the number; the leader */
};
struct reading {
	enum nats_reading kind;
	const char *stream;
	const char *subject; /* may have wildcards */
	uint64_t number;
};

/* A header of a row's entry: the row is removed by it. */
#define NATS_OPERATION "KV-Operation"

struct nats_entry {
	struct bus_message message;
	bool is_removal; /* has NATS_OPERATION */
};

/* ERR_NOT_FOUND. */
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

/* What came to the inbox under this name, if that is one of ours: then it is
 * taken over. */
bool nats_take_answer(struct bus *bus, const char *name, natsMsg *message);
/* Under the lock: nobody will answer any more. */
void nats_inquiries_fail(struct bus *bus);
/*
 * Ask the servers' API, again and again until somebody answers; end the answer
 * with natsMsg_Destroy(). libnats waits by the clock of the day, which may be
 * set back by an hour: so this does not. ERR_NETWORK; ERR_REFUSED: our user may
 * not.
 */
enum error nats_request(const struct patience *patience, const char *subject,
			const char *question, natsMsg **answer_out);
enum error nats_ask(struct bus *bus, const char *subject, struct slice question,
		    const struct bus_patience *wanted, struct buffer *answer);

/* nats_ask.c */

/* An answer that was too large is empty and has this header. */
#define NATS_TOO_LARGE "Templated-Too-Large"

struct answers *nats_answers_create(struct bus *bus);
void nats_answers_destroy(struct answers *answers);
enum error nats_answer(struct bus *bus, const char *subject,
		       bus_answerer *answerer, void *context, unsigned threads);
enum error nats_tell(struct bus *bus, const char *subject, struct slice data);
enum error nats_listen(struct bus *bus, const char *subject,
		       bus_listener *listener, void *context);

#endif
