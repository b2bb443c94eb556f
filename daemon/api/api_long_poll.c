/*
 * Long polls for a site of another node (GET /v1/events?site=HOST&wait=S). The
 * owner responds to a node immediately, so the node that the client called
 * waits: it suspends the exchange, and repeats the request when the log of the
 * partition has grown, which the broker reports to every node.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/api/api_passage.h"
#include "daemon/http/pass.h"
#include "daemon/runtime/clock.h"

/*
 * Word of http_handler_state(): the last log entry at the time of the request,
 * plus 1.
 */
enum { MEMORY_ASKED = 2 };

static bool long_poll_is_over(const struct http_exchange *exchange)
{
	const char *wait = http_argument(exchange, "wait");
	uint64_t wait_s = strtoull(wait, NULL, 10);

	return wait_s > MAX_WAIT_S ||
	       clock_steady_ms() >= http_arrival_ms(exchange) + wait_s * 1000U;
}

bool forward_is_long_poll(const struct forwarded_request *passage)
{
	const struct http_exchange *exchange = passage->call->exchange;

	return strcmp(http_path(exchange), "/v1/events") == 0 &&
	       http_argument(exchange, "wait") != NULL;
}

bool forward_has_no_event(const struct forwarded_request *passage)
{
	struct http_exchange *exchange = passage->call->exchange;

	return forward_is_long_poll(passage) && !long_poll_is_over(exchange) &&
	       http_handler_state(exchange)[MEMORY_ASKED] ==
		       passage->where.last + 1;
}

bool forward_suspend_poll(struct forwarded_request *passage,
			  struct slice answer)
{
	struct call *call = passage->call;
	struct http_head head;

	if (!forward_is_long_poll(passage) ||
	    long_poll_is_over(call->exchange) ||
	    !http_read_head(answer, &head) || head.status != 200 ||
	    answer.size > head.size || !call_listen(call))
		return false;
	http_handler_state(call->exchange)[MEMORY_ASKED] =
		passage->where.last + 1;
	return true;
}
