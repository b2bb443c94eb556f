/*
 * daemon/api/peers.h - the other nodes of a cluster, as far as the API asks
 * them: the functions of daemon/cluster/cluster.h, so that the API can do
 * without a cluster, and its tests without a broker.
 */
#ifndef DAEMON_API_PEERS_H
#define DAEMON_API_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/cluster/cluster.h"
#include "store/buffer.h"
#include "store/error.h"
#include "store/slice.h"

/* Requests that wait for other nodes at a time: each has a worker of a server.
 */
enum { MAX_PASSED = 16, RESERVED_PASSED = 2 };

struct peers {
	struct cluster *cluster;
	unsigned (*partition)(struct slice host);
	void (*facts)(struct cluster *cluster, struct cluster_facts *out);
	void (*find)(struct cluster *cluster, unsigned partition,
		     struct whereabouts *out);
	enum error (*ask)(struct cluster *cluster, unsigned partition,
			  const char *node, struct slice question,
			  uint32_t timeout_ms, struct buffer *answer);
	void (*drain)(struct cluster *cluster, bool drains);
	enum error (*remove)(struct cluster *cluster, const char *node);
	enum error (*submit)(struct cluster *cluster, struct cluster_job *jobs,
			     size_t count);
	size_t (*max_bytes)(struct cluster *cluster); /* of a question or an
							 answer */
	/* Of direct connections. */
	const char *token;            /* of the cluster, or "" */
	const char *ca_file;          /* who vouches for the others; or "" */
	const char *certificate_file; /* of this node, or "" */
	const char *key_file;
	bool needs_certificate; /* of the others, too */
};

#endif
