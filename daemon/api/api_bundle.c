/* GET bundle: the templates of a site as one file. */
#include "daemon/api/api_call.h"

#include <stdio.h>

#include "daemon/query/bundling.h"
#include "daemon/runtime/clock.h"

#define PROGRAM "templated " TEMPLATED_VERSION

static enum http_verdict reply_bundle(struct call *call, struct buffer *bundle)
{
	char disposition[MAX_HOST_BYTES + 64];

	snprintf(disposition, sizeof(disposition),
		 "attachment; filename=\"%s.tpl\"", call->host);
	http_add_header(call->exchange, "Content-Disposition", disposition);
	http_reply(call->exchange, 200, "application/octet-stream", bundle);
	return HTTP_ANSWERED;
}

enum http_verdict api_get_bundle(struct call *call)
{
	const struct extraction_options rules = call_rules(call);
	const struct bundle_export_options bundling = {
		.host = call->host,
		.rules = &rules,
		.program = PROGRAM,
		.now_ms = clock_wall_ms(),
		.max_bytes = call->config->max_bundle_bytes,
	};
	struct buffer bundle = {0};
	char reason[256];
	enum error error;

	if (!call_begin_work(call, WORK_BUNDLING))
		return call_fail_busy(call, "another bundle is being created");
	error = bundle_export(call->api->store, &bundling, &bundle, reason);
	api_end_work(call->api, WORK_BUNDLING, call_owner(call));
	if (error == ERR_NONE)
		return reply_bundle(call, &bundle);
	buffer_free(&bundle);
	return call_fail_with(call, error,
			      error == ERR_NOT_FOUND ? call->host : reason);
}
