/*
 * tests/unit/daemon/joined.h - some daemons without processes (served.h) that
 * are nodes of one cluster, whose broker is a table: who owns what is as the
 * test says, and a question is a call. The partition of a host is the number of
 * its first letter, "a" being 1.
 */
#ifndef TESTS_UNIT_DAEMON_JOINED_H
#define TESTS_UNIT_DAEMON_JOINED_H

#include <stdatomic.h>
#include <stdbool.h>

#include "daemon/api/api.h"
#include "tests/unit/daemon/served.h"
#include "tests/unit/daemon/world.h"

#define JOINED_TOKEN "the-token-of-this-cluster"

enum { JOINED_MAX = 3, NO_TABLE_ROW = JOINED_MAX };

struct node_group {
	struct joined *joined;
	unsigned self;
	size_t max_bytes;
};

struct joined_node {
	struct node_group cluster;
	struct node_client peers;
	struct world world;
	struct served served;
	struct tcp_listener *listener;
	char address[64]; /* "http://127.0.0.1:PORT" */
};

struct joined {
	struct joined_node nodes[JOINED_MAX]; /* "n0", "n1", "n2" */
	unsigned count;
	/* The test's, at any time. */
	atomic_uint owners[ALL_PARTITIONS]; /* or NOBODY */
	atomic_uint epoch;                  /* of all */
	atomic_uint last;                   /* entry of each log */
	atomic_bool has_addresses;          /* as whereabouts says */
	atomic_bool has_copies;             /* each node of everything */
	atomic_bool has_no_broker;          /* according to the facts */
	atomic_int failure; /* an enum error that each question gets */
	/* The next question is not answered: by then it has this owner. */
	atomic_uint heir;
	atomic_bool dies;
	/* This many looks of node 0 still find `old_owner`, which then gets the
	 * request. */
	atomic_int old_looks;
	atomic_uint old_owner;
	atomic_bool was_old;    /* the last look */
	atomic_uint questions;  /* requested nodes */
	atomic_bool drains;     /* node 0 */
	atomic_uint jobs;       /* that were kept */
	unsigned job_partition; /* of the last one */
	char job_id[64];
};

/* All partitions are of node 0. */
void joined_open(struct joined *joined, unsigned count);

/* To be filled by the test before: joined_open() has made the worlds. */
void joined_start(struct joined *joined);

void joined_close(struct joined *joined);

/* The socket of a node. */
const char *joined_path(const struct joined *joined, unsigned node);

#endif
