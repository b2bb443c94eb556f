/*
 * daemon/api/api_gather.h - what all nodes of a cluster have to say: each gives
 * what it owns, so that nothing is there twice. Internal to api*.c.
 */
#ifndef DAEMON_API_API_GATHER_H
#define DAEMON_API_API_GATHER_H

#include <jansson.h>
#include <stdbool.h>

#include "daemon/api/api_call.h"
#include "store/buffer.h"

/* Which partitions a list of this node has. */
struct listed {
	bool partitions[ALL_PARTITIONS];
	bool is_stale; /* all that is here, as there is no lease */
};

void call_listed(const struct call *call, struct listed *out);

/* Is a site of this host in the list? */
bool listed_has(const struct call *call, const struct listed *listed,
		struct slice host);

/* The others that own something, if this request is to ask them. */
struct others {
	struct cluster_facts facts;
	size_t next;
	struct buffer missing; /* names, with commas, of those that do not
				  answer */
};

/* End with others_end(), which says on the answer who is missing, and whether
 * the list is stale. */
void others_begin(struct call *call, struct others *others);
void others_end(struct call *call, struct others *others,
		const struct listed *listed);

/* The name of the next one; NULL: there is none. */
const char *others_next(struct others *others);

/*
 * The answer of a node to GET `target`, to be released. NULL: it does not
 * answer; it is noted, unless it is only that the answer is too large
 * (*is_too_large_out).
 */
json_t *others_ask(struct call *call, struct others *others, const char *node,
		   const char *target, bool *is_too_large_out);

#endif
