/*
 * tests/bench/cluster_outage.h - nodes that fail, in virtual time: the real
 * placement decides who has which partition; leases and copies are a model.
 */
#ifndef TESTS_BENCH_CLUSTER_OUTAGE_H
#define TESTS_BENCH_CLUSTER_OUTAGE_H

#include <stddef.h>
#include <stdint.h>

/* Times are in ms. */
struct outage_terms {
	uint32_t nodes;
	uint32_t partitions;
	uint32_t copies;
	uint64_t ttl;     /* of a lease */
	uint64_t renewal; /* how often it is renewed */
	uint64_t look;    /* how often a node lists the leases */
	uint64_t claim;   /* the log read to its end, the claim appended */
	uint64_t mtbf;    /* of a node; 0: only the rack fails */
	uint64_t repair;  /* until it is back, with its disk */
	uint64_t days;    /* how long */
	uint32_t rack; /* nodes that fail at the same time, in the middle; or 0
			*/
	double bytes;  /* of all partitions, one copy */
	double bandwidth; /* bytes a second that a node reads of a snapshot */
	uint64_t seed;
};

struct outage_result {
	size_t failures;  /* of nodes */
	size_t takeovers; /* of partitions by a node with a copy */
	size_t unowned;   /* times that a partition had no owner */
	size_t bereft;    /* of these, how often no node with a copy lived */
	uint64_t gaps[4]; /* without an owner: p50, p90, p99, worst */
	size_t most;      /* partitions without an owner at the same time */
	double share;     /* of the time, of all partitions, without one */
	size_t moves;     /* partitions handed to another node, both alive */
	size_t copied;    /* snapshots that a node began to read */
	uint64_t rebuild; /* longest time until all copies existed again */
};

struct outage_result outage_run(const struct outage_terms *terms);

#endif
