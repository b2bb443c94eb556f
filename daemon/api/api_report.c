/* The report of a site. */
#include "daemon/api/api_call.h"

#include "daemon/runtime/clock.h"
#include "daemon/web/site_report.h"

enum http_verdict api_get_report(struct call *call)
{
	struct extraction_options rules = call_rules(call);
	const struct site_report_source source = {
		.store = call->api->store,
		.pool = call->api->pool,
		.cuts = call->api->cuts,
		.limits = rules.limits,
		.min_cluster_pages = rules.min_cluster_pages,
		.now_ms = clock_wall_ms(),
	};
	struct buffer body = {0};
	enum error error = site_report(&source, call->host, &body);

	if (error != ERR_NONE) {
		buffer_free(&body);
		return call_fail_with(call, error, call->host);
	}
	http_reply(call->exchange, 200, "text/html; charset=utf-8", &body);
	return HTTP_ANSWERED;
}
