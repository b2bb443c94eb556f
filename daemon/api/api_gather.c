#include "daemon/api/api_gather.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/api/api_pass.h"
#include "daemon/http/pass.h"

enum { GATHER_MS = 3000 };

void call_listed(const struct call *call, struct listed_partitions *out)
{
	const struct node_client *peers = call->api->peers;
	struct cluster_facts facts;

	*out = (struct listed_partitions){0};
	if (peers == NULL)
		return;
	peers->facts(peers->cluster, &facts);
	free(facts.nodes);
	out->is_stale = !facts.has_lease;
	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		enum partition_state state = facts.partitions[i].state;

		out->partitions[i] =
			state == PARTITION_OWNED ||
			state == PARTITION_LEAVING ||
			(out->is_stale && state != PARTITION_NOT_HERE);
	}
}

bool listed_partitions_have(const struct call *call,
			    const struct listed_partitions *listed,
			    struct slice host)
{
	const struct node_client *peers = call->api->peers;

	return peers == NULL || listed->partitions[peers->partition(host)];
}

void fan_out_begin(struct call *call, struct fan_out *others)
{
	const struct node_client *peers = call->api->peers;

	*others = (struct fan_out){0};
	if (peers != NULL && !call->is_passed)
		peers->facts(peers->cluster, &others->facts);
}

void fan_out_end(struct call *call, struct fan_out *others,
		 const struct listed_partitions *listed)
{
	if (others->missing.size > 0)
		http_add_header(call->exchange, FORWARD_HEADER_MISSING,
				others->missing.data);
	if (listed->is_stale && !call->is_passed)
		http_add_header(call->exchange, FORWARD_HEADER_STALE, "true");
	free(others->facts.nodes);
	buffer_free(&others->missing);
}

const char *fan_out_next(struct fan_out *others)
{
	while (others->next < others->facts.node_count) {
		const struct node_facts *node =
			&others->facts.nodes[others->next++];

		if (!node->is_self && node->owned > 0)
			return node->name;
	}
	return NULL;
}

static void note_missing(struct fan_out *others, const char *node)
{
	if (others->missing.size > 0)
		buffer_append_text(&others->missing, ", ");
	buffer_append_text(&others->missing, node);
}

static json_t *fan_out_parse_response(const struct buffer *answer,
				      bool *is_too_large_out)
{
	struct slice refusal =
		http_head_value(buffer_slice(answer), FORWARD_HEADER_REJECTION);
	struct http_head head;

	*is_too_large_out = slice_equal(refusal, slice_of("too_large"));
	if (!http_read_head(buffer_slice(answer), &head) || head.status != 200)
		return NULL;
	return json_loadb(answer->data + head.size, answer->size - head.size, 0,
			  NULL);
}

json_t *fan_out_request(struct call *call, struct fan_out *others,
			const char *node, const char *target,
			bool *is_too_large_out)
{
	const struct node_client *peers = call->api->peers;
	struct buffer question = {0};
	struct buffer answer = {0};
	json_t *value = NULL;

	*is_too_large_out = false;
	buffer_printf(&question,
		      "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: "
		      "close\r\n" FORWARD_HEADER_ACCESS ": write\r\n\r\n",
		      target, node);
	if (peers->ask(peers->cluster, ALL_PARTITIONS, node,
		       buffer_slice(&question), GATHER_MS, &answer) == ERR_NONE)
		value = fan_out_parse_response(&answer, is_too_large_out);
	if (value == NULL && !*is_too_large_out)
		note_missing(others, node);
	buffer_free(&question);
	buffer_free(&answer);
	return value;
}
