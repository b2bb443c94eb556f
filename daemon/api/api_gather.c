#include "daemon/api/api_gather.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/api/api_pass.h"
#include "daemon/http/pass.h"

enum { GATHER_MS = 3000 };

void call_listed(const struct call *call, struct listed *out)
{
	const struct peers *peers = call->api->peers;
	struct cluster_facts facts;

	*out = (struct listed){0};
	if (peers == NULL)
		return;
	peers->facts(peers->cluster, &facts);
	free(facts.nodes);
	out->is_stale = !facts.has_lease;
	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		enum partition_state state = facts.partitions[i].state;

		out->partitions[i] =
			state == PARTITION_OWN || state == PARTITION_LEFT ||
			(out->is_stale && state != PARTITION_ELSEWHERE);
	}
}

bool listed_has(const struct call *call, const struct listed *listed,
		struct slice host)
{
	const struct peers *peers = call->api->peers;

	return peers == NULL || listed->partitions[peers->partition(host)];
}

void others_begin(struct call *call, struct others *others)
{
	const struct peers *peers = call->api->peers;

	*others = (struct others){0};
	if (peers != NULL && !call->is_passed)
		peers->facts(peers->cluster, &others->facts);
}

void others_end(struct call *call, struct others *others,
		const struct listed *listed)
{
	if (others->missing.size > 0)
		http_add_header(call->exchange, PASS_MISSING,
				others->missing.data);
	if (listed->is_stale && !call->is_passed)
		http_add_header(call->exchange, PASS_STALE, "true");
	free(others->facts.nodes);
	buffer_free(&others->missing);
}

const char *others_next(struct others *others)
{
	while (others->next < others->facts.node_count) {
		const struct node_facts *node =
			&others->facts.nodes[others->next++];

		if (!node->is_self && node->owned > 0)
			return node->name;
	}
	return NULL;
}

static void note_missing(struct others *others, const char *node)
{
	if (others->missing.size > 0)
		buffer_append_text(&others->missing, ", ");
	buffer_append_text(&others->missing, node);
}

static json_t *read_answer(const struct buffer *answer, bool *is_too_large_out)
{
	struct slice refusal =
		http_head_value(buffer_slice(answer), PASS_REFUSAL);
	struct http_head head;

	*is_too_large_out = slice_equal(refusal, slice_of("too_large"));
	if (!http_read_head(buffer_slice(answer), &head) || head.status != 200)
		return NULL;
	return json_loadb(answer->data + head.size, answer->size - head.size, 0,
			  NULL);
}

json_t *others_ask(struct call *call, struct others *others, const char *node,
		   const char *target, bool *is_too_large_out)
{
	const struct peers *peers = call->api->peers;
	struct buffer question = {0};
	struct buffer answer = {0};
	json_t *value = NULL;

	*is_too_large_out = false;
	buffer_printf(&question,
		      "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: "
		      "close\r\n" PASS_RIGHT ": write\r\n\r\n",
		      target, node);
	if (peers->ask(peers->cluster, ALL_PARTITIONS, node,
		       buffer_slice(&question), GATHER_MS, &answer) == ERR_NONE)
		value = read_answer(&answer, is_too_large_out);
	if (value == NULL && !*is_too_large_out)
		note_missing(others, node);
	buffer_free(&question);
	buffer_free(&answer);
	return value;
}
