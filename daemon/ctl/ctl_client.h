/* daemon/ctl/ctl_client.h - requests of templatectl to the daemon. */
#ifndef DAEMON_CTL_CTL_CLIENT_H
#define DAEMON_CTL_CTL_CLIENT_H

#include <stdint.h>

#include <jansson.h>

#include "base/buffer.h"
#include "crawl/url.h"
#include "daemon/ctl/ctl.h"
#include "daemon/ctl/socket_client.h"
#include "daemon/runtime/table.h"

enum { ASK_TIMEOUT_MS = 30000 };

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

/* A list of the API: the rows are the items of the response's `member`. */
struct client_list {
	const char *member;
	const struct table_column *columns;
	size_t column_count;
	void (*add)(struct text_table *table, const json_t *row);
};

/* Print a response as JSON or as a table. */
void client_print_rows(const struct ctl *ctl, const json_t *answer,
		       const struct client_list *list);

/* GET `target` and print it in this way. */
enum ctl_status client_print_list(const struct ctl *ctl, const char *target,
				  const struct client_list *list);

/*
 * POST an upload and parse the response as JSON. Errors are printed as above,
 * except errors of the source, which the caller prints.
 */
enum ctl_status client_send(const struct ctl *ctl,
			    const struct socket_upload *upload,
			    json_t **answer_out);

/*
 * GET a body of any length. Errors are printed as above, except errors of the
 * sink.
 */
enum ctl_status client_receive(const struct ctl *ctl,
			       const struct socket_download *download);

/* Print one line of JSON. */
void client_print_json(const json_t *value);

/* Print the value as JSON, or like client_print_object(). */
void client_print(const struct ctl *ctl, const json_t *value);

/* Append `text`, percent-encoded, to a target. */
void client_append_escaped(struct buffer *target, const char *text);

/*
 * Write the canonical HOST of an operand to `host_out` [MAX_HOST_BYTES + 1]. If
 * it is not a host, print a message and return false.
 */
bool client_host(const struct ctl *ctl, const char *operand, char *host_out);

/*
 * Set `target` to "/v1/sites/HOST/templates/N" + `ending` for the operand
 * HOST/N. If the operand is invalid, print a message and return false.
 */
bool client_cluster_target(const struct ctl *ctl, const char *operand,
			   const char *ending, struct buffer *target);

/*
 * Set `target` to `path`NUMBER`ending`. If the operand is not a number, print a
 * message and return false.
 */
bool client_number_target(const struct ctl *ctl, const char *path,
			  const char *operand, const char *ending,
			  struct buffer *target);

/* Return a member of an object as text for a table; "-" if it is missing. */
const char *field_text(const json_t *object, const char *name);
uint64_t field_whole(const json_t *object, const char *name);

/*
 * Print an object as lines "name value"; nested objects as "name.name value".
 */
void client_print_object(const json_t *object);

#endif
