/*
 * daemon/api/api_gather.h - lists over all nodes: each node returns the sites
 * that it owns, so that the list has no duplicate. Internal to api*.c.
 */
#ifndef DAEMON_API_API_GATHER_H
#define DAEMON_API_API_GATHER_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "daemon/api/api_call.h"

/* The partitions that a list of this node includes. */
struct listed_partitions {
	bool partitions[ALL_PARTITIONS];
	bool is_stale; /* includes all local data, because the node has no lease
			*/
};

void call_listed(const struct call *call, struct listed_partitions *out);

/* Return whether the list includes the site of this host. */
bool listed_partitions_have(const struct call *call,
			    const struct listed_partitions *listed,
			    struct slice host);

/* The other nodes that own a partition, if this request must query them. */
struct fan_out {
	struct cluster_facts facts;
	size_t next;
	struct buffer missing; /* names of nodes without a response, separated
				  by commas */
};

/*
 * Begin. Call fan_out_end() at the end: it adds headers to the response that
 * name the missing nodes and state whether the list is stale.
 */
void fan_out_begin(struct call *call, struct fan_out *others);
void fan_out_end(struct call *call, struct fan_out *others,
		 const struct listed_partitions *listed);

/* Return the name of the next node; NULL after the last one. */
const char *fan_out_next(struct fan_out *others);

/*
 * Send GET `target` to a node and return its response, which you release.
 * Return NULL if the node does not respond: it is added to the missing nodes,
 * unless only its response is too large (*is_too_large_out).
 */
json_t *fan_out_request(struct call *call, struct fan_out *others,
			const char *node, const char *target,
			bool *is_too_large_out);

#endif
