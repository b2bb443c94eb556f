/*
 * daemon/query/site_server.h - respond to a worker's requests for data of a
 * site in the store. Internal to page_answer.c.
 */
#ifndef DAEMON_QUERY_SITE_SERVER_H
#define DAEMON_QUERY_SITE_SERVER_H

#include "daemon/privsep/task.h"
#include "daemon/query/stored_site.h"

struct site_server {
	struct stored_site
		*site; /* the only site that the worker may request; or NULL */
	const struct answer_rules *rules;
	const struct text_request *request;
	bool is_ahead; /* no client waits for the text */
};

/* An ask_server, whose context is a struct site_server. */
bool site_server_answer(void *context, const struct inquiry *inquiry,
			struct message *answer);

#endif
