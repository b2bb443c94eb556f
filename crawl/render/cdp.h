/*
 * crawl/render/cdp.h - the DevTools protocol of Chromium, as it goes through a
 * pipe: JSON messages, each followed by a NUL. Pure: the caller moves the
 * bytes. The browser is hostile, because a page may have taken it over: every
 * message is limited in bytes and values before it is parsed.
 */
#ifndef CRAWL_RENDER_CDP_H
#define CRAWL_RENDER_CDP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/limit.h"

enum {
	MAX_CDP_BYTES = LIMIT(8 << 20, 1024), /* bytes of a message */
	MAX_CDP_VALUES = LIMIT(1 << 16, 32),  /* values of a message, about */
	MAX_CDP_ID = LIMIT(128, 40), /* bytes of an id of the browser */
};

/* The end of a connection. Initialise with {0}; free with cdp_free(). */
struct cdp {
	struct buffer in;  /* received bytes; those before `taken` are read */
	size_t taken;      /* bytes of `in` */
	size_t searched;   /* bytes of `in` before it that have no NUL */
	struct buffer out; /* bytes to send to the browser */
	uint64_t last_id;  /* id of the last command; 0 = none */
};

void cdp_free(struct cdp *cdp);

/* Add received bytes. */
void cdp_feed(struct cdp *cdp, struct slice bytes);

/* A response or an event. The pointers point into `root`. */
struct cdp_message {
	json_t *root;
	size_t bytes;        /* of the text */
	uint64_t id;         /* the command it responds to; 0 = an event */
	const char *method;  /* of an event; "" in a response */
	const char *session; /* "" = none */
	const json_t *value; /* parameters or result; an object, or NULL */
	const char *error;   /* NULL, or why the command failed */
};

/*
 * Take the next message. Return false if it is not complete yet, or after an
 * error, which ends the connection: ERR_TOO_LARGE, ERR_MALFORMED. The caller
 * frees message_out->root with json_decref().
 */
bool cdp_next(struct cdp *cdp, struct cdp_message *message_out,
	      enum error *error_out);

/*
 * Append a command to `out` and return its id. `session` "" is the browser
 * itself. Steals the reference to `parameters`; NULL = none.
 */
uint64_t cdp_send(struct cdp *cdp, const char *session, const char *method,
		  json_t *parameters);

/*
 * Return the text `name` of an object; NULL if it is missing, is no text, or
 * has over `max_bytes`. `object` may be NULL.
 */
const char *cdp_text(const json_t *object, const char *name, size_t max_bytes);

/* Return the number `name` of an object; UINT64_MAX if it is missing. */
uint64_t cdp_whole(const json_t *object, const char *name);

#endif
