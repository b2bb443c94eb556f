/*
 * daemon/nodes/broker.h - the interface of the node group to the broker: stored
 * logs, rows that expire, requests, and hints. The other files of the node
 * group use only this interface. Its only implementation is nats.c, for NATS
 * JetStream; it is loaded if the configuration names servers.
 *
 * The broker decides only the order of the entries of a log: a writer states
 * the number of the entry that it believes to be the last one, and the broker
 * rejects the new entry if another one is the last.
 *
 * Any thread may call any function. Functions that need the servers wait at
 * most broker_options.timeout_ms for the response. ERR_NETWORK: no response
 * came in that time; the servers may have executed the operation or not.
 */
#ifndef DAEMON_NODES_BROKER_H
#define DAEMON_NODES_BROKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/log.h"

struct broker;

struct broker_options {
	const char *servers; /* "nats://a:4222,tls://b:4222" */
	const char *name;    /* name of this node; the servers show it */
	const char
		*credentials; /* path of a file with user JWT and seed, or "" */
	const char *user;     /* user name; "" = no user */
	const char *password_file;
	const char *ca_file; /* PEM, or "" */
	const char *certificate_file;
	const char *key_file;
	uint32_t timeout_ms;
	unsigned replicas;  /* of each stream of the broker: 1, 3 or 5 */
	uint32_t lease_ms;  /* lifetime of a row of BROKER_NODES */
	uint64_t log_bytes; /* maximum size of BROKER_LOG; a full stream
			       rejects entries */
	uint32_t log_age_s; /* entries of the log that are older are deleted,
			       even the last one of a subject (see purge());
			       0 = never */
	uint32_t event_age_s;
	bool creates; /* create missing streams and buckets; false = return
			 ERR_NOT_FOUND */
};

/*
 * Streams. A stream stores entries until they are purged or too old (in NATS:
 * Limits retention, file storage).
 */
enum broker_stream {
	BROKER_LOG,    /* tpl.log.<P>: the commits of partition P */
	BROKER_EVENTS, /* tpl.evt.<P>.<site>: events, for consumers of users */
	BROKER_JOBS,   /* tpl.job.<P>.<verb>: jobs of users */
	BROKER_STREAMS
};

/*
 * Buckets of rows. Each write gives a row a new revision, a number that grows
 * over the whole bucket.
 */
enum broker_bucket {
	BROKER_NODES, /* leases of nodes; a row expires after lease_ms */
	BROKER_FACTS, /* the agreed state of the node group; never expires */
	BROKER_BUCKETS
};

enum {
	BROKER_SUBJECT_BYTES = 256,
	BROKER_KEY_BYTES = 128,
	BROKER_WHY_BYTES = 512
};

/* As broker_entry.expected: append the entry whatever the last number is. */
#define BROKER_ANY UINT64_MAX

struct broker_entry {
	const char *subject; /* without wildcards */
	const char *id;      /* the broker ignores a second entry with this id
				within two minutes; or NULL */
	struct slice data;
	uint64_t expected; /* number of the last entry of this subject; 0 =
			      there is none; or BROKER_ANY */
	uint64_t epoch; /* epoch of the owner, sent for readers of the stream; 0
			   = none */
	uint64_t number;  /* out: number of the entry in its stream, >= 1 */
	bool is_known;    /* out: the broker had an entry with this id
			     already; its number is `number` */
	enum error error; /* out */
};

/* An entry that was read. Initialize with {0}; free with buffer_free(&data). */
struct broker_message {
	struct buffer subject;
	struct buffer data;
	uint64_t number;
	uint64_t time_ms; /* time when the server received it */
};

void broker_message_free(struct broker_message *message);

struct broker_row {
	char key[BROKER_KEY_BYTES];
	struct buffer value; /* freed by the caller */
	uint64_t revision;
	uint64_t time_ms; /* time of the write, by the server's clock */
};

/* Free an array of rows with their values. */
void broker_rows_free(struct broker_row *rows, size_t count);

/* A subject, or the key of a row. */
struct broker_subject {
	char text[BROKER_SUBJECT_BYTES];
};
__attribute__((format(printf, 1, 2))) struct broker_subject
broker_subject(const char *format, ...);

/*
 * How long to wait for a response: at most timeout_ms, and only while
 * `goes_on`, which is called several times per second, returns true. NULL = it
 * always returns true.
 */
struct broker_wait {
	uint32_t timeout_ms;
	bool (*goes_on)(const void *context);
	const void *context;
};

/*
 * Handle a request of another node: append the response to `answer` (at most
 * max_bytes()). Runs in a thread of the broker client and may take long.
 */
typedef void broker_request_handler(void *context, struct slice question,
				    struct buffer *answer);

/*
 * Handle a message. Runs in a thread of the broker client and must not block.
 */
typedef void broker_listener(void *context, const char *subject,
			     struct slice data);

struct broker_ops {
	/*
	 * Connect, and create or check streams and buckets. ERR_VERSION: a
	 * stream that was just created does not have the features of server
	 * 2.9; ERR_ADDRESS_FORBIDDEN: no permission, or a wrong password;
	 * ERR_MALFORMED: a stream has other settings; ERR_NOT_FOUND,
	 * ERR_NETWORK. On an error why_out gets a human-readable text: what
	 * failed, why, and what to do. The function logs nothing, so that
	 * callers can retry.
	 */
	enum error (*open)(struct broker **bus_out,
			   const struct broker_options *options,
			   char why_out[BROKER_WHY_BYTES]);
	void (*close)(struct broker *bus);

	/*
	 * Return whether there is a connection. *clock_ms_out gets the
	 * estimated number of milliseconds by which the server's clock is ahead
	 * of the local clock.
	 */
	bool (*is_connected)(struct broker *bus, int64_t *clock_ms_out);

	/*
	 * Return whether the connection was closed permanently, by hang_up() or
	 * because the servers have rejected the configured user more than once
	 * after they had accepted it. Then all functions fail, and the caller
	 * may open another connection.
	 */
	bool (*is_closed)(struct broker *bus);
	void (*hang_up)(struct broker *bus);

	/* Return the maximum size of an entry, a request or a response. */
	size_t (*max_bytes)(struct broker *bus);

	/*
	 * Append entries [count] together and wait for all. No two entries may
	 * have the same subject, unless they expect any number (BROKER_ANY).
	 * ERR_NONE: all are stored on a majority of the replicas. Otherwise
	 * each entry has its own error: ERR_BUSY: the last entry of the subject
	 * has another number than the expected one; ERR_STORE_FULL;
	 * ERR_ADDRESS_FORBIDDEN; ERR_NETWORK: the entry may be stored or not.
	 */
	enum error (*append)(struct broker *bus, struct broker_entry *entries,
			     size_t count);

	/*
	 * Read the first entry of the subject (which may have wildcards) whose
	 * number is at least `from`. next() reads it from any replica;
	 * ERR_NOT_FOUND: this replica has no such entry yet. next_of_leader()
	 * costs more and reads it from the leader of the stream: after servers
	 * were killed, replicas may number the same entries differently.
	 */
	enum error (*next)(struct broker *bus, enum broker_stream stream,
			   const char *subject, uint64_t from,
			   struct broker_message *message_out);
	enum error (*next_of_leader)(struct broker *bus,
				     enum broker_stream stream,
				     const char *subject, uint64_t from,
				     struct broker_message *message_out);

	/*
	 * Read the last entry of the subject from the leader of the stream;
	 * every entry that was acknowledged before the call is visible.
	 * ERR_NOT_FOUND: there is no entry.
	 */
	enum error (*last)(struct broker *bus, enum broker_stream stream,
			   const char *subject,
			   struct broker_message *message_out);

	/*
	 * Delete the entries of the subject whose number is below `before`. Do
	 * not delete the last one, because the broker then rejects a writer
	 * that expects its number.
	 */
	enum error (*purge)(struct broker *bus, enum broker_stream stream,
			    const char *subject, uint64_t before);

	/*
	 * put(): write the row if its current revision is `expected` (0 = the
	 * row does not exist). remove(): delete the row on the same condition.
	 * ERR_BUSY: the row has another revision.
	 */
	enum error (*put)(struct broker *bus, enum broker_bucket bucket,
			  const char *key, struct slice value,
			  uint64_t expected, uint64_t *revision_out);
	enum error (*remove)(struct broker *bus, enum broker_bucket bucket,
			     const char *key, uint64_t expected);

	/*
	 * Read a row. ERR_NOT_FOUND: there is no row. If row_out has a revision
	 * then, the row was removed; otherwise it never existed or has expired.
	 */
	enum error (*get)(struct broker *bus, enum broker_bucket bucket,
			  const char *key, struct broker_row *row_out);

	/*
	 * Read all rows of the bucket, sorted by key, into *rows_out
	 * [*count_out]; free them with broker_rows_free(). Earlier writes are
	 * visible; an expired row may be listed for another quarter of
	 * lease_ms. Costs one request, and one more for each row that has
	 * changed since the last call. Keys that begin with '_' are reserved
	 * for the implementation.
	 */
	enum error (*list)(struct broker *bus, enum broker_bucket bucket,
			   struct broker_row **rows_out, size_t *count_out);

	/*
	 * Send a request to `subject` and append the response. ERR_NOT_FOUND:
	 * no node handles the subject, or there is no connection; ERR_TIMEOUT;
	 * ERR_STOPPED: `goes_on` returned false; ERR_NETWORK: the connection
	 * was lost. After the last three the request may have been handled.
	 */
	enum error (*ask)(struct broker *bus, const char *subject,
			  struct slice question,
			  const struct broker_wait *patience,
			  struct buffer *answer);

	/*
	 * Call `answerer` for each request on `subject`, in at most `threads`
	 * threads; NULL = stop handling these requests. When the function
	 * returns, no earlier handler of the subject runs.
	 */
	enum error (*answer)(struct broker *bus, const char *subject,
			     broker_request_handler *answerer, void *context,
			     unsigned threads);

	/*
	 * Publish a message to the clients that listen to the subject now; the
	 * broker does not store it.
	 */
	enum error (*tell)(struct broker *bus, const char *subject,
			   struct slice data);

	/*
	 * Listen to a subject, which may have wildcards, until the connection
	 * is closed. The listener gets entries of streams before they are
	 * stored: treat them as hints only.
	 */
	enum error (*listen)(struct broker *bus, const char *subject,
			     broker_listener *listener, void *context);

	/* Call log_flush() of the loaded module, which has a separate log. */
	void (*flush_log)(bool is_end);
};

/*
 * Return the implementation for these servers, in static memory; NULL, with a
 * line in the log, if it is not installed. The first call loads it; make this
 * call before the process starts other threads.
 */
const struct broker_ops *broker_load(const char *servers);

/*
 * Flush the log of the daemon and the log of the loaded implementation; see
 * log_flush().
 */
void broker_flush_log(bool is_end);

/*
 * broker_load() finds an implementation in a module (dlopen), so that a daemon
 * without a node group needs no broker library, or in the program itself (macro
 * BUS_BUILTIN).
 */

/*
 * Return the implementation, in static memory. A module has a separate log and
 * passes its lines to `sink`; NULL = the implementation is part of the program
 * and uses its log.
 */
typedef const struct broker_ops *broker_module(log_sink *sink);

/* nats.c: NATS JetStream, server 2.9 or later. */
broker_module broker_nats_load;

/* The name of broker_nats_load(), for dlsym(). */
#define BROKER_NATS_SYMBOL "broker_nats_load"
#define BROKER_NATS_FILE   "templated-nats.so"

#endif
