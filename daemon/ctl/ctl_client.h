/* daemon/ctl/ctl_client.h - requests of templatectl to the daemon. */
#ifndef DAEMON_CTL_CTL_CLIENT_H
#define DAEMON_CTL_CTL_CLIENT_H

#include <stdint.h>

#include <jansson.h>

#include "crawl/url/url.h"
#include "daemon/ctl/ctl.h"
#include "daemon/ctl/socket_client.h"
#include "daemon/runtime/table.h"
#include "store/buffer.h"

enum { ASK_TIMEOUT_MS = 30000 };

/* A request. */
struct ask {
	const char *method; /* NULL: GET */
	const char *target;
	const json_t *body;  /* sent as JSON; or NULL */
	uint32_t timeout_ms; /* in which something comes; 0: for ever */
	bool is_patient;     /* a daemon that does not answer, or is too busy,
				is CTL_NO_DAEMON without a message, because it
				may come back */
};

/*
 * Send a request. A status from 300 on is reported on standard error, and
 * CTL_FAILED or CTL_NO_DAEMON returned. The answer's bytes go to `answer_out`,
 * an empty buffer.
 */
enum ctl_status client_ask(const struct ctl *ctl, const struct ask *ask,
			   struct buffer *answer_out);

/* The same, with the answer read as JSON; json_decref() it. */
enum ctl_status client_ask_json(const struct ctl *ctl, const struct ask *ask,
				json_t **answer_out);

/* The same of a request that may take ASK_TIMEOUT_MS; `method` and `body` may
 * be NULL. */
enum ctl_status client_ask_value(const struct ctl *ctl, const char *method,
				 const char *target, const json_t *body,
				 json_t **answer_out);

/* {"sites": [...]}: GET /v1/sites, some at a time, till all are there. */
enum ctl_status client_ask_sites(const struct ctl *ctl, json_t **answer_out);

/* What is listed, and how: rows are the items of the answer's `member`. */
struct client_list {
	const char *member;
	const struct column *columns;
	size_t column_count;
	void (*add)(struct text_table *table, const json_t *row);
};

/* Print an answer: as JSON, or as a table. */
void client_print_rows(const struct ctl *ctl, const json_t *answer,
		       const struct client_list *list);

/* GET `target` and print it in this way. */
enum ctl_status client_print_list(const struct ctl *ctl, const char *target,
				  const struct client_list *list);

/*
 * POST an upload; the answer is read as JSON. Errors are reported in the same
 * way, except those of the source, which the caller reports.
 */
enum ctl_status client_send(const struct ctl *ctl,
			    const struct socket_upload *upload,
			    json_t **answer_out);

/*
 * GET a body of any length. Errors are reported in the same way, except those
 * of the sink.
 */
enum ctl_status client_receive(const struct ctl *ctl,
			       const struct socket_download *download);

/* Print one line of JSON. */
void client_print_json(const json_t *value);

/* Print it: as JSON, or as client_print_object() does. */
void client_print(const struct ctl *ctl, const json_t *value);

/* Append `text`, percent-encoded, to a target. */
void client_append_escaped(struct buffer *target, const char *text);

/*
 * The canonical HOST of an operand; false, with a complaint, when it is none.
 * `host_out` has MAX_HOST_BYTES + 1 bytes.
 */
bool client_host(const struct ctl *ctl, const char *operand, char *host_out);

/*
 * Make `target` "/v1/clusters/HOST/N" + `ending` from the operand HOST/N;
 * false, with a complaint, when it is none.
 */
bool client_cluster_target(const struct ctl *ctl, const char *operand,
			   const char *ending, struct buffer *target);

/* Make `target` `path`NUMBER`ending`; false, with a complaint, when the operand
 * is no number. */
bool client_number_target(const struct ctl *ctl, const char *path,
			  const char *operand, const char *ending,
			  struct buffer *target);

/* A member of an object, as text for a table; "-" when it is not there. */
const char *field_text(const json_t *object, const char *name);
uint64_t field_whole(const json_t *object, const char *name);

/* An object as lines "name value"; objects inside are "name.name value". */
void client_print_object(const json_t *object);

#endif
