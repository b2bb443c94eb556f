/*
 * daemon/query/hook_form.h - the forms of hooks: how an event becomes a request
 * of Slack, Discord, Telegram and so on, or a mail. A form is a row of a table
 * with payloads (daemon/query/payload.h).
 *
 * The target of a hook is a URL, a command "exec:/command argument...", or,
 * with another form than "json", an object of settings: {"form":"ntfy",
 * "target":"https://ntfy.sh", "topic":"shop"}. Pure.
 */
#ifndef DAEMON_QUERY_HOOK_FORM_H
#define DAEMON_QUERY_HOOK_FORM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/limit.h"
#include "crawl/url/url.h"
#include "daemon/query/payload.h"

enum {
	MAX_TARGET_BYTES = 2048,              /* of a URL or a command */
	MAX_SETTING_BYTES = LIMIT(16384, 64), /* of a field */
	MAX_SETTINGS_BYTES = 32768,           /* of a target with settings */
};

#define HOOK_COMMAND "exec:"

/* Return the forms and their fields as a list, for GET /v1/hook-forms. */
json_t *hook_forms_json(void);

/*
 * Append the target of a hook with the members `form`, `target` and so on of
 * the request, an object. *kinds_out are the events that the form needs if the
 * request names none; "" = alerts. If a member is invalid, write the error text
 * to `why` and return false.
 */
bool hook_target_make(const json_t *request, struct buffer *out,
		      const char **kinds_out, const struct failure_text *why);

/* Return the name of the form: "json" for a URL, "command" for a command. */
const char *hook_target_form(const json_t *settings, struct slice target);

/*
 * Return the settings of the target as an object; NULL if it is a URL or a
 * command, or damaged.
 */
json_t *hook_target_settings(struct slice target);

/*
 * Append the target without its secrets (a `redaction`): the settings without
 * tokens, and only scheme, host and port of a URL.
 */
void hook_target_redact(struct slice target, struct buffer *out);

/*
 * Parse the server of the target as the URL of HTTP with the same host and
 * port. Return false if the target is a command, or invalid.
 */
bool hook_target_server(struct slice target, struct url *url_out);

/* A request that delivers an event. Initialise with {0}. */
struct hook_request {
	const char *method; /* "POST" or "PUT"; NULL = a mail */
	bool is_mail;
	bool is_unencrypted;   /* a mail, without STARTTLS */
	struct buffer url;     /* the buffers have a NUL after their text */
	struct buffer headers; /* lines "Name: value\n" */
	struct buffer body;
	struct buffer from;       /* the sender of a mail */
	struct buffer recipients; /* of a mail, a line for each */
	struct url server;
};

void hook_request_free(struct hook_request *request);

/*
 * Make the request for the event, the text of its JSON. `daemon_url` as in
 * event_links(). On failure write the reason to `why` and return
 * false; the request must be freed in any case.
 */
bool hook_request_make(struct slice target, struct slice event,
		       const char *daemon_url, struct hook_request *request,
		       const struct failure_text *why);

#endif
