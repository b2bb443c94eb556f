/* daemon/ctl/client.h - one HTTP request over a Unix socket (libcurl). */
#ifndef DAEMON_CTL_CLIENT_H
#define DAEMON_CTL_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "crawl/url/url.h"
#include "daemon/ctl/ctl.h"
#include "daemon/runtime/terminal.h"

struct socket_answer {
	unsigned status;    /* HTTP status */
	struct buffer body; /* release it with buffer_free() */
	char reason[256];   /* English, set with an error */
	/*
	 * From a node group: the nodes without a response, or "", and whether
	 * the response may be stale.
	 */
	char missing[256];
	bool is_stale;
	uint64_t failed; /* pages of a stream that have no text for a reason
			    other than the page itself; 0 if the daemon does not
			    report it */
};

/*
 * Write the next bytes of an upload, up to `capacity`, to `out`; 0 at the end.
 */
typedef enum error socket_source(void *context, char *out, size_t capacity,
				 size_t *size_out);

/* Receive the next bytes of a response of `total` bytes; 0 = unknown. */
typedef enum error socket_sink(void *context, struct slice bytes,
			       uint64_t total);

struct socket_request {
	const char *method; /* NULL: GET; POST with a source */
	const char *target; /* begins with '/' */
	struct slice body;
	socket_source *source;  /* of a body of any length; or NULL */
	const char *media_type; /* of the body */
	socket_sink *sink;      /* gets the body of a response below 300 */
	void *context;          /* of the source or the sink */
	uint32_t timeout_ms;    /* without any byte received; whole seconds, 0 =
				   unlimited */
};

/*
 * ERR_NOT_FOUND: no process listens on `socket`. ERR_TIMEOUT. ERR_NETWORK. An
 * error of the source or the sink is returned without a reason.
 */
enum error socket_ask(const char *socket, const struct socket_request *request,
		      struct socket_answer *answer_out);

/* Requests of templatectl to the daemon. */

enum { ASK_TIMEOUT_MS = DEFAULT_TIMEOUT_S * 1000 };

#define DIGITS "0123456789"

/* A request to the daemon. */
struct client_request {
	const char *method; /* NULL: GET */
	const char *target;
	const json_t *body;  /* sent as JSON; or NULL */
	uint32_t timeout_ms; /* without any received byte; 0 = unlimited */
	bool is_patient; /* a daemon that does not respond, or is too busy, is
			    CTL_NO_DAEMON without a message, because it may
			    recover */
};

/*
 * Send a request. For a status of 300 or more, print the error on standard
 * error and return CTL_FAILED or CTL_NO_DAEMON. `answer_out`, an empty buffer,
 * gets the body.
 */
enum ctl_status client_ask(const struct ctl *ctl,
			   const struct client_request *ask,
			   struct buffer *answer_out);

/* Like client_ask(), with the body parsed as JSON; json_decref() it. */
enum ctl_status client_ask_json(const struct ctl *ctl,
				const struct client_request *ask,
				json_t **answer_out);

/*
 * Like client_ask_json(), with ASK_TIMEOUT_MS; `method` and `body` may be NULL.
 */
enum ctl_status client_ask_value(const struct ctl *ctl, const char *method,
				 const char *target, const json_t *body,
				 json_t **answer_out);

/*
 * Return {"sites": [...]}: request GET /v1/sites in parts until it is complete.
 */
enum ctl_status client_ask_sites(const struct ctl *ctl, json_t **answer_out);

/* Parse a response, which is freed; if it is not JSON, print a message. */
enum ctl_status client_read_json(const struct ctl *ctl, struct buffer *answer,
				 json_t **answer_out);

/* Actions: the request of their row, and the result (struct verb_action). */

/* Send the request for each operand, and print the results. */
enum ctl_status action_run(const struct ctl *ctl);

/*
 * Append the target of the request, with the options that belong to a query;
 * other members are added to `body`. On failure print a message.
 */
enum ctl_status action_target(const struct ctl *ctl, json_t *body,
			      struct buffer *target);

/* Send the request, with the members of `more` (or NULL) in its body. */
enum ctl_status action_ask(const struct ctl *ctl, json_t *more,
			   json_t **answer_out);
enum ctl_status action_ask_bytes(const struct ctl *ctl, json_t *more,
				 struct buffer *answer_out);

/* Print the result as JSON or for people; then its "warning", if any. */
void action_print(const struct ctl *ctl, json_t *answer);

/*
 * Print a row for each object in `rows`. `columns` is "TITLE=CELL, ...": a
 * title that ends with "#" is a number, with "~" elastic; "-" is none. A cell
 * is the first of its choices, divided by "|", that a row has, or "-": a
 * member, also "a.0.b" in arrays; MEMBER?WORD, the word if the member is true;
 * 'WORD. MEMBER:FORMAT is a number: "s" and "+s" milliseconds as seconds, ".2"
 * two digits, "-" not zero, "auto" with the member of this name.
 */
void table_print_rows(const char *columns, const json_t *rows);

/*
 * POST an upload and parse the response as JSON. Errors are printed as above,
 * except errors of the source, which the caller prints.
 */
enum ctl_status client_send(const struct ctl *ctl,
			    const struct socket_request *upload,
			    json_t **answer_out);

/*
 * GET a body of any length. Errors are printed as above, except errors of the
 * sink.
 */
enum ctl_status client_receive(const struct ctl *ctl,
			       const struct socket_request *download);

/* Print one line of JSON. */
void client_print_json(const json_t *value);

/* Print the value as JSON, or like client_print_object(), and free it. */
void client_print(const struct ctl *ctl, json_t *value);

/* Append `text`, percent-encoded, to a target. */
void client_append_escaped(struct buffer *target, const char *text);

/* Append an argument to the query of a target; nothing if it is NULL. */
void client_append_query(struct buffer *target, const char *name,
			 const char *value);

/*
 * Write the canonical HOST of an operand to `host_out` [MAX_HOST_BYTES + 1]. If
 * it is not a host, print a message and return false.
 */
bool client_host(const struct ctl *ctl, const char *operand, char *host_out);

/* Return a member of an object as text for a table; "-" if it is missing. */
const char *field_text(const json_t *object, const char *name);
uint64_t field_whole(const json_t *object, const char *name);
/* Return an integer; 0 if it is none, or negative. */
uint64_t whole_of(const json_t *value);

/*
 * Print an object as lines "name value"; nested objects as "name.name value".
 */
void client_print_object(const json_t *object);

/* Return whether `text` ends with `ending`, or is equal. */
bool ends_with(const char *text, const char *ending);

/*
 * Read or write a file that is a stream, also if signals interrupt. On ERR_IO,
 * *failure_out is the errno.
 */
enum error client_read(int file, char *out, size_t capacity, size_t *size_out,
		       int *failure_out);
enum error client_write(int file, struct slice bytes, int *failure_out);

/* A progress line on standard error, if that is a terminal. */

struct progress {
	bool is_shown;
	const char *label;   /* the current work: "read", "extract" */
	uint64_t started_ms; /* monotonic */
	uint64_t drawn_ms;
};

struct progress progress_begin(const char *label);

/*
 * Show `done` of `total` items; `note` (or NULL) is at the end. Draws at most
 * ten times a second, so it may be called for each item.
 */
void progress_show(struct progress *progress, uint64_t done, uint64_t total,
		   const char *note);

/* Show progress (`context`) of a long computation; return true. */
bool progress_goes_on(void *context, uint64_t done, uint64_t total);

/* Show progress in KiB, for a transfer; `total` may be too small. */
void progress_show_bytes(struct progress *progress, uint64_t done,
			 uint64_t total);

/* Remove the line before a message. The next progress_show() draws it again. */
void progress_clear(struct progress *progress);

/* The contents of the line. */
struct progress_state {
	const char *label;
	uint64_t done;
	uint64_t total;
	uint64_t elapsed_ms;
	const char *note; /* or NULL */
};

/*
 * Append the line, `width` columns at most, such as
 * "extract [#####     ]  50%  500/1000  120/s  0:04 left  note". Pure.
 */
void progress_line(const struct progress_state *state, size_t width,
		   struct buffer *out);

#endif
