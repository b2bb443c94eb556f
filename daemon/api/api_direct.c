/*
 * Requests that are forwarded to the owner over a direct connection: streams,
 * streamed bodies, and messages that are too large for the broker.
 */
#include "daemon/api/api_passage.h"

#include "daemon/api/api_pass.h"
#include "daemon/http/pass.h"
#include "daemon/http/relay.h"

enum { PATIENCE_MS = 60000 };

static enum error reach(struct passage *passage, struct relay **relay_out)
{
	const struct peers *peers = passage->call->api->peers;
	struct buffer lines = {0};
	enum error error;

	passage_write_lines(passage, &lines);
	error = relay_begin(relay_out, passage->call->exchange,
			    &(struct relay_options){
				    .address = passage->where.address,
				    .token = peers->token,
				    .ca_file = peers->ca_file,
				    .certificate_file = peers->certificate_file,
				    .key_file = peers->key_file,
				    .headers = lines.data,
				    .patience_ms = PATIENCE_MS,
				    .goes_on = passage_is_current,
				    .context = passage,
			    });
	buffer_free(&lines);
	return error;
}

static enum http_verdict reply(struct passage *passage, struct relay *relay)
{
	struct call *call = passage->call;
	int spool;
	enum error error;

	if (relay_status(relay) == 401) {
		relay_end(relay);
		return call_fail(call, 502, "unauthorized",
				 "node %s does not accept the token or the "
				 "certificate of this node (nodes.token_file, "
				 "nodes.certificate_file)",
				 passage->where.owner);
	}
	spool = http_is_upload(call->exchange)
			? store_spool_file(call->api->store)
			: -1;
	passage_add_owner(passage);
	error = relay_reply(relay, call->exchange, spool);
	if (error == ERR_NONE)
		passage->result = PASSED_OWNER;
	if (error == ERR_BUSY)
		return call_fail_busy(
			call,
			"too many event streams are open (socket.max_streams)");
	return error == ERR_NONE ? HTTP_ANSWERED : passage_fail_cut(passage);
}

bool passage_direct(struct passage *passage, enum http_verdict *verdict_out)
{
	bool is_upload = http_is_upload(passage->call->exchange);
	enum error error = ERR_NOT_FOUND;
	struct relay *relay;

	do {
		if (passage->where.owner[0] == '\0')
			continue; /* this node or that one gets the partition */
		if (passage->where.address[0] == '\0') {
			*verdict_out = passage_fail_direct(passage);
			return false;
		}
		error = reach(passage, &relay);
		if (error != ERR_NONE && error != ERR_STOPPED)
			break;
		if (error == ERR_NONE &&
		    !relay_says(relay, PASS_REFUSAL, "misdirected")) {
			*verdict_out = reply(passage, relay);
			return false;
		}
		if (error == ERR_NONE) {
			relay_end(relay);
			error = ERR_NOT_FOUND;
		}
		/* part of an upload was read */
	} while (!is_upload && passage_look(passage, error) &&
		 !passage->where.is_own);
	if (passage->where.is_own)
		return true;
	*verdict_out = error == ERR_NOT_FOUND
			       ? passage_fail_moved(passage)
			       : passage_fail_asking(passage, error);
	return false;
}
