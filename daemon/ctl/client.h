/*
 * daemon/ctl/client.h - requests over a Unix socket (libcurl), and how
 * templatectl uses them.
 */
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
	struct buffer body; /* the caller frees it with buffer_free() */
	char reason[256];   /* human-readable reason of an error */
	/*
	 * From a node group: names of the nodes that did not respond, or "",
	 * and whether the response may be out of date.
	 */
	char missing[256];
	bool is_stale;
	uint64_t failed; /* pages of a stream that have no text although the
			    page is not the reason; 0 if the daemon does not
			    report it */
};

/*
 * Write the next bytes of an upload, up to `capacity`, to `out`, and their
 * number to *size_out; 0 = the end.
 */
typedef enum error socket_source(void *context, char *out, size_t capacity,
				 size_t *size_out);

/*
 * Use the next bytes of a response. The response has `total` bytes; 0 =
 * unknown.
 */
typedef enum error socket_sink(void *context, struct slice bytes,
			       uint64_t total);

struct socket_request {
	const char *method; /* NULL = GET or, if there is a source, POST */
	const char *target; /* begins with '/' */
	struct slice body;
	socket_source *source;  /* writes a body of any length; NULL = send
				   `body` */
	const char *media_type; /* media type of the body */
	socket_sink *sink;      /* gets the body of a response with a status
				   below 300; or NULL */
	void *context;          /* argument of the source or the sink */
	uint32_t timeout_ms;    /* limit of the time in which no byte is
				   received, in whole seconds; 0 = unlimited */
};

/*
 * Send a request and receive the response. ERR_NOT_FOUND: no process listens on
 * `socket`. ERR_TIMEOUT, ERR_NETWORK; errors of the source or the sink, for
 * which answer_out->reason is empty.
 */
enum error socket_ask(const char *socket, const struct socket_request *request,
		      struct socket_answer *answer_out);

/* Requests of templatectl to its daemon. */

enum { ASK_TIMEOUT_MS = DEFAULT_TIMEOUT_S * 1000 };

#define DIGITS "0123456789"

/* A request to the daemon. */
struct client_request {
	const char *method; /* NULL = GET */
	const char *target;
	const json_t *body;  /* sent as JSON; or NULL */
	uint32_t timeout_ms; /* limit of the time in which no byte is
				received; 0 = unlimited */
	bool is_patient;     /* if the daemon does not respond or is too busy,
				return CTL_NO_DAEMON without a message, because
				it may recover */
};

/*
 * Send a request. If the status is 300 or more, or there is no response, print
 * the error and return CTL_FAILED or CTL_NO_DAEMON. `answer_out` is an empty
 * buffer that gets the body of the response.
 */
enum ctl_status client_ask(const struct ctl *ctl,
			   const struct client_request *ask,
			   struct buffer *answer_out);

/*
 * Do the same as client_ask(), and parse the body as JSON; the caller frees
 * *answer_out with json_decref().
 */
enum ctl_status client_ask_json(const struct ctl *ctl,
				const struct client_request *ask,
				json_t **answer_out);

/*
 * Do the same as client_ask_json(), with the timeout ASK_TIMEOUT_MS. `method`
 * and `body` may be NULL.
 */
enum ctl_status client_ask_value(const struct ctl *ctl, const char *method,
				 const char *target, const json_t *body,
				 json_t **answer_out);

/*
 * Return {"sites": [...]} with all sites, which takes several requests GET
 * /v1/sites.
 */
enum ctl_status client_ask_sites(const struct ctl *ctl, json_t **answer_out);

/*
 * Parse a response as JSON, and free its text. If it is not JSON, print an
 * error.
 */
enum ctl_status client_read_json(const struct ctl *ctl, struct buffer *answer,
				 json_t **answer_out);

/*
 * Running an action: the request of its row in the table, and the result
 * (struct verb_action).
 */

/*
 * Send the request of the action and print the result; repeat this for each
 * operand if the usage ends in "...".
 */
enum ctl_status action_run(const struct ctl *ctl);

/*
 * Append the target of the request, with the options as query. Members of the
 * body are added to `body`. On failure print an error.
 */
enum ctl_status action_target(const struct ctl *ctl, json_t *body,
			      struct buffer *target);

/*
 * Send the request, with the members of `more` (or NULL) in its body, and
 * return the response as JSON, or as bytes.
 */
enum ctl_status action_ask(const struct ctl *ctl, json_t *more,
			   json_t **answer_out);
enum ctl_status action_ask_bytes(const struct ctl *ctl, json_t *more,
				 struct buffer *answer_out);

/*
 * Print the result as JSON or human-readable, and then its member "warning", if
 * there is one.
 */
void action_print(const struct ctl *ctl, json_t *answer);

/*
 * Print a table with a row for each object in `rows`.
 *
 * `columns` is a list of "TITLE=CELL", separated by ", ". A "#" at the end of a
 * title means that the column has numbers, a "~" that its width may shrink. The
 * title "-" means no title.
 *
 * A cell is a list of alternatives, separated by "|". The first one whose value
 * the object has is printed; "-" if there is none. An alternative is one of
 * these:
 *
 * - MEMBER: the member of the object; "a.0.b" is a path of members and array
 *   indices;
 * - MEMBER?WORD: the word, if the member is true;
 * - 'WORD: the word;
 * - MEMBER:FORMAT: a number. The formats are "s" and "+s" (milliseconds,
 *   printed as seconds, "+s" with a sign), ".2" (two decimal places), "-" (only
 *   if positive), and "auto" (followed by "auto" if the member "auto" is true).
 */
void table_print_rows(const char *columns, const json_t *rows);

/*
 * POST an upload and parse the response as JSON. Errors are printed as by
 * client_ask(), except errors of the source, which the caller must print.
 */
enum ctl_status client_send(const struct ctl *ctl,
			    const struct socket_request *upload,
			    json_t **answer_out);

/*
 * GET a body of any length. Errors are printed as by client_ask(), except
 * errors of the sink, which the caller must print.
 */
enum ctl_status client_receive(const struct ctl *ctl,
			       const struct socket_request *download);

/* Print one line of JSON. */
void client_print_json(const json_t *value);

/*
 * Print the value as JSON if the user wants JSON, otherwise as
 * client_print_object() does; then free it.
 */
void client_print(const struct ctl *ctl, json_t *value);

/* Append `text`, percent-encoded, to a target of a request. */
void client_append_escaped(struct buffer *target, const char *text);

/*
 * Append an argument to the query of a target. If `value` is NULL, append
 * nothing.
 */
void client_append_query(struct buffer *target, const char *name,
			 const char *value);

/*
 * Write the canonical host name of an operand to `host_out` [MAX_HOST_BYTES +
 * 1]. If the operand is not a host, print an error and return false.
 */
bool client_host(const struct ctl *ctl, const char *operand, char *host_out);

/*
 * Return the member as text for a table; "-" if it is missing or not a string.
 */
const char *field_text(const json_t *object, const char *name);
uint64_t field_whole(const json_t *object, const char *name);
/* Return an integer; 0 if the value is not an integer, or negative. */
uint64_t whole_of(const json_t *value);

/*
 * Print an object, one line "name value" for each member; the members of a
 * nested object as "name.name value".
 */
void client_print_object(const json_t *object);

/* Return whether `ending` is the end of `text`. */
bool ends_with(const char *text, const char *ending);

/* Append a number of bytes such as "1.5 MiB". */
void append_bytes(double bytes, struct buffer *out);

/*
 * Read or write a file that may be a pipe; continue after signals. On ERR_IO,
 * *failure_out gets errno.
 */
enum error client_read(int file, char *out, size_t capacity, size_t *size_out,
		       int *failure_out);
enum error client_write(int file, struct slice bytes, int *failure_out);

#endif
