/* The node group: its nodes and their partitions, drain and remove. */
#include "daemon/api/api_call.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/api/api_pass.h"
#include "daemon/http/pass.h"
#include "template/json_value.h"

enum { ASK_NODE_MS = 10000 };

static const char *const states[] = {
	[PARTITION_NOT_HERE] = "elsewhere", [PARTITION_COPYING] = "copying",
	[PARTITION_FOLLOWED] = "followed",  [PARTITION_ADOPTING] = "taken",
	[PARTITION_OWNED] = "own",          [PARTITION_LEAVING] = "left",
};

const char *partition_state_name(enum partition_state state)
{
	return states[state];
}

static json_t *node_text_or_null(const char *text)
{
	return *text == '\0' ? json_null() : json_text(slice_of(text));
}

static json_t *api_node_json(const struct node_facts *node)
{
	return json_pack(
		"{s:s, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:o, "
		"s:b, s:I}",
		"name", node->name, "address", node_text_or_null(node->address),
		"version", node->version, "weight", (json_int_t)node->capacity,
		"owned", (json_int_t)node->owned, "replicas",
		(json_int_t)node->copies, "lag", (json_int_t)node->lag,
		"silent_ms", (json_int_t)node->silent_ms, "clock_ms",
		(json_int_t)node->clock_ms, "is_self", (int)node->is_self,
		"is_draining", (int)node->is_draining, "key",
		node_text_or_null(node->key), "has_strange_key",
		(int)node->has_strange_key, "reseals",
		(json_int_t)node->reseals);
}

static json_t *partition_json(unsigned number,
			      const struct partition_facts *row)
{
	return json_pack(
		"{s:I, s:s, s:o, s:o, s:I, s:I, s:I, s:I, s:b}", "partition",
		(json_int_t)number, "state", states[row->state], "owner",
		node_text_or_null(row->owner), "wanted",
		node_text_or_null(row->wanted), "epoch", (json_int_t)row->epoch,
		"applied", (json_int_t)row->applied, "last",
		(json_int_t)row->last, "lag",
		(json_int_t)partition_lag(row->state, row->applied, row->last),
		"is_undecryptable", (int)row->is_locked);
}

static json_t *facts_json(const struct cluster_facts *facts)
{
	json_t *nodes = json_array();
	json_t *partitions = json_array();
	json_t *away = json_array();

	for (size_t i = 0; i < facts->away_count; i++)
		json_array_append_new(
			away, json_pack("{s:s, s:I, s:I}", "name",
					facts->away[i].name, "weight",
					(json_int_t)facts->away[i].capacity,
					"silent_ms",
					(json_int_t)facts->away[i].silent_ms));
	for (size_t i = 0; i < facts->node_count; i++)
		json_array_append_new(nodes, api_node_json(&facts->nodes[i]));
	for (unsigned i = 0; i < ALL_PARTITIONS; i++)
		json_array_append_new(partitions,
				      partition_json(i, &facts->partitions[i]));
	return json_pack(
		"{s:s, s:b, s:b, s:b, s:o, s:I, s:I, s:I, s:o, s:o, s:o}",
		"name", facts->name, "has_joined", (int)facts->has_joined,
		"is_connected", (int)facts->is_connected, "has_lease",
		(int)facts->has_lease, "trouble",
		node_text_or_null(facts->trouble), "failovers",
		(json_int_t)facts->failovers, "handovers",
		(json_int_t)facts->moves, "divergences",
		(json_int_t)facts->divergences, "nodes", nodes, "away", away,
		"partitions", partitions);
}

/* If there is no node group, respond with the error and return false. */
static bool api_nodes_find_group(struct call *call,
				 struct cluster_facts *facts_out)
{
	const struct node_client *peers = call->api->peers;

	if (peers == NULL) {
		call_fail(call, 404, "no_node_group",
			  "this daemon does not belong to a node group "
			  "(nodes.broker_urls)");
		return false;
	}
	peers->facts(peers->cluster, facts_out);
	return true;
}

enum http_verdict api_get_nodes(struct call *call)
{
	struct cluster_facts facts;
	json_t *value;

	if (!api_nodes_find_group(call, &facts))
		return HTTP_ANSWERED;
	value = facts_json(&facts);
	free(facts.nodes);
	return call_reply_json(call, 200, value);
}

static bool is_node(const struct cluster_facts *facts, const char *name)
{
	for (size_t i = 0; i < facts->node_count; i++)
		if (strcmp(facts->nodes[i].name, name) == 0)
			return true;
	return false;
}

/* Forward the request to the named node. */
static enum http_verdict ask_node(struct call *call, const char *name)
{
	const struct node_client *peers = call->api->peers;
	struct buffer question = {0};
	struct buffer answer = {0};
	enum http_verdict verdict = HTTP_ANSWERED;
	enum error error;

	http_write_request(call->exchange, FORWARD_HEADER_ACCESS ": write\r\n",
			   &question);
	error = peers->ask(peers->cluster, ALL_PARTITIONS, name,
			   buffer_slice(&question), ASK_NODE_MS, &answer);
	if (error != ERR_NONE ||
	    !http_reply_raw(call->exchange, buffer_slice(&answer)))
		verdict = call_fail(call, 503, "no_response",
				    "node %s does not respond: %s", name,
				    error_text(error));
	buffer_free(&question);
	buffer_free(&answer);
	return verdict;
}

/* Drain or resume the node that the route names. */
static enum http_verdict change_node(struct call *call, bool drains)
{
	const struct node_client *peers = call->api->peers;
	struct cluster_facts facts;
	enum http_verdict verdict;
	bool is_self;

	if (!api_nodes_find_group(call, &facts))
		return HTTP_ANSWERED;
	is_self = strcmp(call->name, facts.name) == 0;
	if (!is_self && !is_node(&facts, call->name)) {
		verdict = call_fail(call, 404, "not_found", "node %s: unknown",
				    call->name);
	} else if (!is_self && !call->is_passed) {
		verdict = ask_node(call, call->name);
	} else {
		peers->drain(peers->cluster, drains);
		verdict = call_reply_json(call, 200,
					  json_pack("{s:s, s:b}", "name",
						    call->name, "is_draining",
						    (int)drains));
	}
	free(facts.nodes);
	return verdict;
}

enum http_verdict api_drain_node(struct call *call)
{
	return change_node(call, true);
}

enum http_verdict api_resume_node(struct call *call)
{
	return change_node(call, false);
}

enum http_verdict api_delete_node(struct call *call)
{
	const struct node_client *peers = call->api->peers;
	struct cluster_facts facts;
	enum error error;

	if (!api_nodes_find_group(call, &facts))
		return HTTP_ANSWERED;
	free(facts.nodes);
	error = peers->remove(peers->cluster, call->name);
	if (error == ERR_BUSY)
		return call_fail(call, 409, "busy",
				 "node %s is running; stop it first",
				 call->name);
	if (error == ERR_NETWORK || error == ERR_TIMEOUT)
		return call_fail(call, 503, "no_broker",
				 "the broker does not respond; try again");
	if (error != ERR_NONE)
		return call_fail_with(call, error, call->name);
	return call_reply_json(call, 200,
			       json_pack("{s:s}", "deleted", call->name));
}
