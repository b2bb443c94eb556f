/*
 * Requests that are forwarded to the owner over a direct connection: streams,
 * streamed bodies, and messages that are too large for the broker.
 */
#include "daemon/api/api_passage.h"

#include "daemon/api/api_pass.h"
#include "daemon/http/pass.h"
#include "daemon/http/relay.h"

enum { PATIENCE_MS = 60000 };

static enum error forward_connect(struct forwarded_request *passage,
				  struct http_proxy **relay_out)
{
	const struct node_client *peers = passage->call->api->peers;
	struct buffer lines = {0};
	enum error error;

	forward_write_headers(passage, &lines);
	error = http_proxy_begin(
		relay_out, passage->call->exchange,
		&(struct http_proxy_options){
			.address = passage->where.address,
			.token = peers->token,
			.ca_file = peers->ca_file,
			.certificate_file = peers->certificate_file,
			.key_file = peers->key_file,
			.headers = lines.data,
			.patience_ms = PATIENCE_MS,
			.goes_on = forward_is_current,
			.context = passage,
		});
	buffer_free(&lines);
	return error;
}

static enum http_verdict
forward_reply_streamed(struct forwarded_request *passage,
		       struct http_proxy *relay)
{
	struct call *call = passage->call;
	int spool;
	enum error error;

	if (http_proxy_status(relay) == 401) {
		http_proxy_end(relay);
		return call_fail(call, 502, "unauthorized",
				 "node %s does not accept the token or the "
				 "certificate of this node (nodes.token_file, "
				 "nodes.certificate_file)",
				 passage->where.owner);
	}
	spool = http_is_upload(call->exchange)
			? store_spool_file(call->api->store)
			: -1;
	forward_add_owner(passage);
	error = http_proxy_reply(relay, call->exchange, spool);
	if (error == ERR_NONE)
		passage->result = FORWARD_OWNER;
	if (error == ERR_BUSY)
		return call_fail_busy(
			call,
			"too many event streams are open (socket.max_streams)");
	return error == ERR_NONE ? HTTP_ANSWERED
				 : forward_fail_cut_off(passage);
}

bool forward_send_direct(struct forwarded_request *passage,
			 enum http_verdict *verdict_out)
{
	bool is_upload = http_is_upload(passage->call->exchange);
	enum error error = ERR_NOT_FOUND;
	struct http_proxy *relay;

	do {
		if (passage->where.owner[0] == '\0')
			continue; /* this node or that one gets the partition */
		if (passage->where.address[0] == '\0') {
			*verdict_out = forward_fail_direct(passage);
			return false;
		}
		error = forward_connect(passage, &relay);
		if (error != ERR_NONE && error != ERR_STOPPED)
			break;
		if (error == ERR_NONE &&
		    !http_proxy_has_header(relay, FORWARD_HEADER_REJECTION,
					   "misdirected")) {
			*verdict_out = forward_reply_streamed(passage, relay);
			return false;
		}
		if (error == ERR_NONE) {
			http_proxy_end(relay);
			error = ERR_NOT_FOUND;
		}
		/* part of an upload was read */
	} while (!is_upload && forward_refind_owner(passage, error) &&
		 !passage->where.is_own);
	if (passage->where.is_own)
		return true;
	*verdict_out = error == ERR_NOT_FOUND
			       ? forward_fail_moved(passage)
			       : forward_fail_no_response(passage, error);
	return false;
}
