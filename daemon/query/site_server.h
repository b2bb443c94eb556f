/*
 * daemon/query/site_server.h - respond to a worker's requests for data of a
 * site in the store. Internal to page_answer.c.
 */
#ifndef DAEMON_QUERY_SITE_SERVER_H
#define DAEMON_QUERY_SITE_SERVER_H

#include "daemon/privsep/task.h"
#include "daemon/query/stored_site.h"

struct site_service {
	struct stored_site
		*site; /* the only site that the worker may request; or NULL */
	const struct extraction_options *rules;
	const struct text_request *request;
	bool is_ahead; /* no client waits for the text */
};

/* An request_handler, whose context is a struct site_service. */
bool site_service_respond(void *context, const struct task_request *inquiry,
			  struct message *answer);

#endif
