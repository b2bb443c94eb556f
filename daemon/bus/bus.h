/*
 * daemon/bus/bus.h - what the nodes of a cluster need of a broker: logs
 * that are kept, rows that expire, questions, and hints. All else of the
 * cluster is written against this; the one implementation, of NATS JetStream,
 * is bus_nats.c, which is loaded when the configuration names servers.
 *
 * The broker is no source of truth but for the order of a log: whoever writes
 * says which number it takes to be the last one, and is refused when it is not.
 *
 * Any thread may call any function. Those that ask the servers wait for their
 * answer, at most as long as bus_options.timeout_ms; ERR_NETWORK: no answer
 * came in that time, and what was asked for may have happened or not.
 */
#ifndef DAEMON_BUS_BUS_H
#define DAEMON_BUS_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/error.h"
#include "store/slice.h"

struct bus;

struct bus_options {
	const char *servers;     /* "nats://a:4222,tls://b:4222" */
	const char *name;        /* of this node, shown by the servers */
	const char *credentials; /* file of user JWT and seed, or "" */
	const char *user;        /* and password, or "" */
	const char *password_file;
	const char *ca_file; /* PEM, or "" */
	const char *certificate_file;
	const char *key_file;
	uint32_t timeout_ms;
	unsigned replicas;  /* of the broker's own copies: 1, 3 or 5 */
	uint32_t lease_ms;  /* how long a row of BUS_NODES stays */
	uint64_t log_bytes; /* at most, of BUS_LOG; then it refuses more */
	uint32_t log_age_s; /* entries that are older go, the last one of a
			       subject, too (see purge()); 0: none does */
	uint32_t event_age_s;
	bool creates; /* streams and buckets that are missing are made; else
			 that is ERR_NOT_FOUND */
};

/* Streams that keep what is appended until it is purged or too old (Limits
 * retention, file storage). */
enum bus_stream {
	BUS_LOG,    /* tpl.log.<P>: what partition P has committed */
	BUS_EVENTS, /* tpl.evt.<P>.<site>: events, for users' own consumers */
	BUS_JOBS,   /* tpl.job.<P>.<verb>: what users ask for */
	BUS_STREAMS
};

/* Buckets of rows with revisions, which grow over the whole bucket. */
enum bus_bucket {
	BUS_NODES, /* who is there; a row, a lease, goes when it was not written
		      for lease_ms */
	BUS_FACTS, /* rows stay: what the cluster is agreed on */
	BUS_BUCKETS
};

enum { BUS_SUBJECT_BYTES = 256, BUS_KEY_BYTES = 128, BUS_WHY_BYTES = 512 };

/* "No number is expected." */
#define BUS_ANY UINT64_MAX

struct bus_entry {
	const char *subject; /* without wildcards */
	const char *id; /* one that was there in the last two minutes is not
			   appended again; or NULL */
	struct slice data;
	uint64_t expected; /* the last number of this subject; 0: it has none;
			      or BUS_ANY */
	uint64_t epoch;    /* of who owns what it is about, for its readers; 0:
			      it is told no other way than by its data */
	uint64_t number;   /* out: of the entry in its stream, 1 and up */
	bool is_known;     /* out: the id was there; `number` is that one's */
	enum error error;  /* out */
};

/* An entry that is read. Begin with {0}; end with buffer_free(&data). */
struct bus_message {
	struct buffer subject;
	struct buffer data;
	uint64_t number;
	uint64_t time_ms; /* when the server got it */
};

struct bus_row {
	char key[BUS_KEY_BYTES];
	struct buffer value; /* freed by who gets it */
	uint64_t revision;
	uint64_t time_ms; /* by the server's clock, when it was written */
};

/* How long an answer is waited for: at most timeout_ms, and as long as
 * `goes_on` says so, which is asked some times a second by who waits; NULL: it
 * does. */
struct bus_patience {
	uint32_t timeout_ms;
	bool (*goes_on)(const void *context);
	const void *context;
};

/*
 * A question from another node: append the answer to `answer` (at most
 * max_payload of the servers). By a thread of the bus; may take long, others
 * come meanwhile by other threads, at most so many as bus_answer() was told.
 */
typedef void bus_answerer(void *context, struct slice question,
			  struct buffer *answer);

/* Something was published on a subject that we listen to. By a thread of the
 * bus, which must not wait. */
typedef void bus_listener(void *context, const char *subject,
			  struct slice data);

struct bus_ops {
	/*
	 * Connect, and make or check streams and buckets: ERR_VERSION (one that
	 * was just made lacks what servers have since 2.9), ERR_REFUSED (no
	 * permission, or a wrong password), ERR_MALFORMED (one has other
	 * settings), ERR_NOT_FOUND, ERR_NETWORK. What is wrong, where and what
	 * to do is in why_out then, for people; the log has none of it, so that
	 * it can be tried again and again.
	 */
	enum error (*open)(struct bus **bus_out,
			   const struct bus_options *options,
			   char why_out[BUS_WHY_BYTES]);
	void (*close)(struct bus *bus);

	/* Is there a connection? And how far the server's clock is ahead of
	 * ours, in ms, as far as that is known. */
	bool (*is_connected)(struct bus *bus, int64_t *clock_ms_out);

	/*
	 * Has the connection ended for good? The servers have refused our user
	 * more than once, after they had let it in: all else fails then, and
	 * another bus may be opened.
	 */
	bool (*is_closed)(struct bus *bus);

	/* End the connection, so that is_closed() becomes true. */
	void (*hang_up)(struct bus *bus);

	/* Bytes that an entry, question or answer may have at most. */
	size_t (*max_bytes)(struct bus *bus);

	/*
	 * Append entries [count], of different subjects unless any number is
	 * expected (BUS_ANY), at once, and wait for all. ERR_NONE: each is
	 * there, on most of the replicas. Else each has its own error:
	 * ERR_BUSY: another number is the last one of its subject;
	 * ERR_STORE_FULL; ERR_REFUSED; ERR_NETWORK: it is there or not.
	 */
	enum error (*append)(struct bus *bus, struct bus_entry *entries,
			     size_t count);

	/*
	 * Read the first entry of the subject (which may have wildcards) whose
	 * number is at least `from`, from any replica. ERR_NOT_FOUND: this
	 * replica has none (yet).
	 */
	enum error (*next)(struct bus *bus, enum bus_stream stream,
			   const char *subject, uint64_t from,
			   struct bus_message *message_out);

	/* The same, by the leader of the stream, which is dearer: replicas of
	 * servers that were killed may number the same entries each in its own
	 * way. ERR_NOT_FOUND: there is none. */
	enum error (*next_of_leader)(struct bus *bus, enum bus_stream stream,
				     const char *subject, uint64_t from,
				     struct bus_message *message_out);

	/* The last entry of the subject, by the leader of the stream: what was
	 * acknowledged before is seen. ERR_NOT_FOUND: there is none. */
	enum error (*last)(struct bus *bus, enum bus_stream stream,
			   const char *subject,
			   struct bus_message *message_out);

	/* Drop the entries of the subject whose number is below `before`,
	 * which should leave the last one: without it the subject "has none",
	 * and who then expects its number is refused. */
	enum error (*purge)(struct bus *bus, enum bus_stream stream,
			    const char *subject, uint64_t before);

	/*
	 * Write a row whose revision is `expected` (0: there is none).
	 * ERR_BUSY: it has another one.
	 */
	enum error (*put)(struct bus *bus, enum bus_bucket bucket,
			  const char *key, struct slice value,
			  uint64_t expected, uint64_t *revision_out);

	/* ERR_NOT_FOUND: it is not there; with a revision it was removed, and
	 * else it may have gone for its age. */
	enum error (*get)(struct bus *bus, enum bus_bucket bucket,
			  const char *key, struct bus_row *row_out);

	/*
	 * All rows of the bucket, by keys, [*count_out], to be freed with
	 * free() after the value of each. What was written before is seen; a
	 * row that has gone for its age may stand there for a quarter of
	 * lease_ms more. One request when nothing has changed, and one for each
	 * row that has. Keys that begin with '_' are the bus's own.
	 */
	enum error (*list)(struct bus *bus, enum bus_bucket bucket,
			   struct bus_row **rows_out, size_t *count_out);

	/* Remove a row whose revision is `expected`; as put(). */
	enum error (*remove)(struct bus *bus, enum bus_bucket bucket,
			     const char *key, uint64_t expected);

	/*
	 * Ask on `subject` and append the answer. ERR_NOT_FOUND: nobody answers
	 * there, or there is no connection; ERR_TIMEOUT: not in time;
	 * ERR_STOPPED: it was waited for no longer; ERR_NETWORK: the connection
	 * was lost. After the last three it may have been answered.
	 */
	enum error (*ask)(struct bus *bus, const char *subject,
			  struct slice question,
			  const struct bus_patience *patience,
			  struct buffer *answer);

	/* Answer what is asked on `subject`, by at most `threads`; NULL: no
	 * more. Returns when no answerer of the subject runs any longer. */
	enum error (*answer)(struct bus *bus, const char *subject,
			     bus_answerer *answerer, void *context,
			     unsigned threads);

	/* Tell whoever listens now; nothing is kept. */
	enum error (*tell)(struct bus *bus, const char *subject,
			   struct slice data);

	/* Listen to a subject, which may have wildcards, until the bus is
	 * closed. What is appended to a stream is heard, too, before it is
	 * kept: a hint and no more. */
	enum error (*listen)(struct bus *bus, const char *subject,
			     bus_listener *listener, void *context);

	/* log_flush() of the module, which has a log of its own. */
	void (*flush_log)(bool is_end);
};

/*
 * Return the implementation for these servers, in static memory; NULL, with a
 * line in the log, if it is not installed. The first call loads it: make that
 * call while the process has one thread.
 */
const struct bus_ops *bus_load(const char *servers);

/* log_flush(), also for the lines of the implementation that is loaded. */
void bus_flush_log(bool is_end);

#endif
