/*
 * tests/bench/cluster_simulation.c - a cluster of up to 1,000 nodes in virtual
 * time, with the placement that the daemon has: how even it is, what moves when
 * nodes come and go, and what failing nodes cost.
 *
 *	cluster_simulation [NODES [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "daemon/nodes/placement.h"
#include "tests/bench/cluster_outage.h"

enum { NAME_BYTES = 32, COPIES = 2 };

static const uint32_t partition_counts[] = {256, 4096, 65536};

enum { COUNTS = sizeof(partition_counts) / sizeof(partition_counts[0]) };

struct nodes {
	struct placement_node *node; /* [count] */
	char (*name)[NAME_BYTES];
	uint32_t count;
};

/* Capacities are 1, 2, 3, 4, 1, ... or all 1. */
static struct nodes make_nodes(uint32_t count, bool are_mixed)
{
	struct nodes nodes = {mem_alloc(count, sizeof(*nodes.node)),
			      mem_alloc(count, NAME_BYTES), count};

	for (uint32_t i = 0; i < count; i++) {
		snprintf(nodes.name[i], NAME_BYTES, "node-%u", i);
		nodes.node[i] = (struct placement_node){
			nodes.name[i], are_mixed ? 1 + i % 4 : 1, false, false};
	}
	return nodes;
}

static void free_nodes(struct nodes nodes)
{
	free(nodes.node);
	free(nodes.name);
}

/* For each copy the node that holds it, among `count` nodes. */
static uint32_t *place(struct nodes nodes, uint32_t count, uint32_t partitions)
{
	uint32_t *holders =
		mem_alloc((size_t)partitions * COPIES, sizeof(*holders));

	placement_compute(
		nodes.node, count,
		(struct placement_terms){partitions, COPIES, PLACEMENT_SLACK},
		holders);
	return holders;
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void print_balance(struct nodes nodes, uint32_t partitions,
			  const char *capacities)
{
	double begin = now_ms();
	uint32_t *holders = place(nodes, nodes.count, partitions);
	double took = now_ms() - begin;
	uint32_t *owned = mem_alloc(nodes.count, sizeof(*owned));
	uint64_t capacity = 0;
	double most = 0;
	uint32_t idle = 0;

	for (size_t p = 0; p < partitions; p++)
		owned[holders[p * COPIES]]++;
	for (uint32_t i = 0; i < nodes.count; i++)
		capacity += nodes.node[i].capacity;
	for (uint32_t i = 0; i < nodes.count; i++) {
		double share = (double)partitions * nodes.node[i].capacity /
			       (double)capacity;

		if (owned[i] / share > most)
			most = owned[i] / share;
		idle += owned[i] == 0;
	}
	printf("| %u | %u | %s | %.2f | %.2f | %u | %.0f |\n", nodes.count,
	       partitions, capacities, (double)partitions / nodes.count, most,
	       idle, took);
	free(holders);
	free(owned);
}

static void print_balances(uint32_t most)
{
	static const uint32_t sizes[] = {3, 10, 0};

	printf("\n| nodes | partitions | capacities | mean owned | most / "
	       "share "
	       "| own none | ms |\n|-:|-:|-|-:|-:|-:|-:|\n");
	for (size_t s = 0; s < 3; s++)
		for (size_t i = 0; i < COUNTS; i++)
			for (int mixed = 0; mixed < 2; mixed++) {
				struct nodes nodes = make_nodes(
					sizes[s] == 0 ? most : sizes[s],
					mixed == 1);

				print_balance(nodes, partition_counts[i],
					      mixed == 1 ? "1 to 4" : "equal");
				free_nodes(nodes);
			}
}

/* Partitions that have another owner, and copies that a node has to read. */
static void print_change(const char *what, uint32_t partitions,
			 const uint32_t *before, const uint32_t *after,
			 const uint32_t ideal[2])
{
	uint32_t moved = 0;
	uint32_t copied = 0;

	for (size_t p = 0; p < partitions; p++) {
		const uint32_t *a = &before[p * COPIES];
		const uint32_t *b = &after[p * COPIES];

		moved += a[0] != b[0];
		for (size_t i = 0; i < COPIES; i++)
			copied += b[i] != a[0] && b[i] != a[1];
	}
	printf("| %s | %u | %u | %u | %u | %u |\n", what, partitions, moved,
	       ideal[0], copied, ideal[1]);
}

/* The last `count` of the nodes: what they own, and hold. */
static void count_of(const uint32_t *holders, uint32_t partitions,
		     uint32_t from, uint32_t out[2])
{
	out[0] = 0;
	out[1] = 0;
	for (size_t p = 0; p < partitions; p++) {
		out[0] += holders[p * COPIES] >= from;
		for (size_t i = 0; i < COPIES; i++)
			out[1] += holders[p * COPIES + i] >= from;
	}
}

/* To join is to leave, backwards; to drain is to leave, in advance. */
static void print_movement(uint32_t most, uint32_t partitions, uint32_t leave)
{
	struct nodes nodes = make_nodes(most, false);
	uint32_t *all = place(nodes, most, partitions);
	uint32_t *less = place(nodes, most - leave, partitions);
	uint32_t *drained;
	uint32_t ideal[2];
	char what[64];

	count_of(all, partitions, most - leave, ideal);
	snprintf(what, sizeof(what), "%u leave", leave);
	print_change(what, partitions, all, less, ideal);
	snprintf(what, sizeof(what), "%u join", leave);
	print_change(what, partitions, less, all, ideal);
	for (uint32_t i = most - leave; i < most; i++)
		nodes.node[i].is_draining = true;
	drained = place(nodes, most, partitions);
	snprintf(what, sizeof(what), "%u drain", leave);
	print_change(what, partitions, all, drained, ideal);
	free(all);
	free(less);
	free(drained);
	free_nodes(nodes);
}

static void print_movements(uint32_t most)
{
	static const uint32_t leaving[] = {1, 10, 100};

	printf("\n| of %u nodes | partitions | owners changed | ideal | copies "
	       "read | ideal |\n|-|-:|-:|-:|-:|-:|\n",
	       most);
	for (size_t i = 0; i < COUNTS; i++)
		for (size_t l = 0; l < 3; l++)
			if (leaving[l] + COPIES <= most)
				print_movement(most, partition_counts[i],
					       leaving[l]);
}

static void print_outage(const char *what, const struct outage_terms *terms)
{
	struct outage_result r = outage_run(terms);

	printf("| %s | %u | %u | %zu | %zu | %.1f | %.1f | %.1f | %.1f | %zu | "
	       "%zu | %.2g | %zu | %zu | %.0f |\n",
	       what, terms->partitions, terms->copies, r.failures, r.unowned,
	       (double)r.gaps[0] / 1e3, (double)r.gaps[1] / 1e3,
	       (double)r.gaps[2] / 1e3, (double)r.gaps[3] / 1e3, r.bereft,
	       r.most, r.share, r.moves, r.copied, (double)r.rebuild / 1e3);
	(void)fflush(stdout);
}

static void print_outages(uint32_t nodes, uint64_t seed)
{
	struct outage_terms terms = {.nodes = nodes,
				     .ttl = 8000,
				     .renewal = 800,
				     .look = 800,
				     .claim = 500,
				     .repair = 600000,
				     .bytes = 6e12,
				     .bandwidth = 100e6,
				     .seed = seed};

	printf("\nlease %.1f s, renewed and looked at each %.1f s, claim %.1f "
	       "s, "
	       "back after %.0f s; %.0f GB in all, %.0f MB/s a node; seed "
	       "%llu\n",
	       (double)terms.ttl / 1e3, (double)terms.renewal / 1e3,
	       (double)terms.claim / 1e3, (double)terms.repair / 1e3,
	       terms.bytes / 1e9, terms.bandwidth / 1e6,
	       (unsigned long long)seed);
	printf("\n| %u nodes | partitions | copies | failures | without owner "
	       "| p50 s | p90 s | p99 s | worst s | no copy alive | most at "
	       "once "
	       "| share of time | moves | copies read | longest read s |\n"
	       "|-|-:|-:|-:|-:|-:|-:|-:|-:|-:|-:|-:|-:|-:|-:|\n",
	       nodes);
	for (size_t i = 0; i < 2; i++)
		for (uint32_t copies = 2; copies <= 3; copies++) {
			terms.partitions = partition_counts[i];
			terms.copies = copies;
			terms.rack = 0;
			terms.days = 6;
			terms.mtbf = UINT64_C(30) * 86400000;
			print_outage("each fails once in 30 days", &terms);
			terms.days = 1;
			terms.mtbf = 0;
			terms.rack = nodes / 20;
			print_outage("a 20th of them at once", &terms);
		}
}

/* Each node writes its lease and reads the other nodes' leases. */
static void print_broker(void)
{
	static const uint32_t sizes[] = {3, 10, 30, 100, 300, 1000};

	printf("\n| nodes | leases written/s | read/s |\n|-:|-:|-:|\n");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		double writes = sizes[i] / 0.8;

		printf("| %u | %.0f | %.0f |\n", sizes[i], writes,
		       writes * sizes[i]);
	}
}

int main(int argc, char **argv)
{
	uint32_t nodes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

	if (nodes < 2 || nodes > 100000) {
		fprintf(stderr, "usage: cluster_simulation [NODES [SEED]]\n");
		return 2;
	}
	print_balances(nodes);
	print_movements(3);
	print_movements(10);
	print_movements(nodes);
	print_outages(nodes, seed);
	print_broker();
	return 0;
}
