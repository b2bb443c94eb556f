/*
 * daemon/api/peers.h - the API's interface to the other nodes: the functions of
 * daemon/nodes/cluster.h, so that the API runs without a node group, and its
 * tests without a broker.
 */
#ifndef DAEMON_API_PEERS_H
#define DAEMON_API_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"
#include "daemon/nodes/cluster.h"

/*
 * Requests that wait for other nodes at the same time; each holds a server
 * thread.
 */
enum { MAX_FORWARDED = 16, RESERVED_FORWARDED = 2 };

struct node_client {
	struct node_group *cluster;
	unsigned (*partition)(struct slice host);
	void (*facts)(struct node_group *cluster, struct cluster_facts *out);
	void (*find)(struct node_group *cluster, unsigned partition,
		     struct partition_route *out);
	enum error (*ask)(struct node_group *cluster, unsigned partition,
			  const char *node, struct slice question,
			  uint32_t timeout_ms, struct buffer *answer);
	void (*drain)(struct node_group *cluster, bool drains);
	enum error (*remove)(struct node_group *cluster, const char *node);
	enum error (*submit)(struct node_group *cluster,
			     struct import_job *jobs, size_t count);
	size_t (*max_bytes)(struct node_group *cluster); /* of a message */
	/* For direct connections. */
	const char *token;            /* node token, or "" */
	const char *ca_file;          /* CA of the other nodes; or "" */
	const char *certificate_file; /* of this node, or "" */
	const char *key_file;
	bool needs_certificate; /* other nodes need one, too */
};

#endif
