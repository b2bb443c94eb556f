/*
 * daemon/relay/relay.h - a request is sent on to another daemon, over TCP, and
 * its answer comes back, both as they come and with bounded memory: for what
 * has no end, or is too large for a broker.
 */
#ifndef DAEMON_RELAY_RELAY_H
#define DAEMON_RELAY_RELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/http/http.h"
#include "store/error.h"

struct relay;

/* Before the first relay and behind the last one, by one thread. */
bool relay_open(void);
void relay_close(void);

/* As long as the call. */
struct relay_options {
	const char *address; /* "https://host:port" */
	const char *token;   /* sent as Authorization: Bearer; or "" */
	const char *ca_file; /* who vouches for it; "": those of the system */
	const char *certificate_file; /* ours, that it may ask for; or "" */
	const char *key_file;
	const char *headers;  /* further lines, each with its end */
	uint32_t patience_ms; /* so long nothing may come: of the head, and of
				 an answer that does not stream */
	/* Looked at until the head comes; NULL: it is waited for. */
	bool (*goes_on)(const void *context);
	const void *context;
};

/*
 * Send the request of the exchange, and wait for the head of the answer; a body
 * that streams (http_options.is_stream) is read meanwhile, and no more may be
 * read of the exchange then but what is in the answer. By a thread that may
 * wait. ERR_NETWORK: it cannot be reached; ERR_TIMEOUT; ERR_STOPPED: goes_on()
 * said no; ERR_TOO_LARGE: the head; what http_body_read() says of the client.
 */
enum error relay_begin(struct relay **relay_out, struct http_exchange *exchange,
		       const struct relay_options *options);

/* The status of the answer, and whether it has this header with this value. */
unsigned relay_status(const struct relay *relay);
bool relay_says(const struct relay *relay, const char *name, const char *value);

/*
 * Reply with the answer; the relay is gone then. `spool` is an open file
 * without a name for the answer to a body that streamed, which is taken over,
 * or -1. Without a reply: ERR_BUSY: there are too many streams; ERR_IO: it was
 * cut off; ERR_TIMEOUT.
 */
enum error relay_reply(struct relay *relay, struct http_exchange *exchange,
		       int spool);

/* NULL is a no-op. */
void relay_end(struct relay *relay);

#endif
