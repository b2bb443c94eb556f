#include "daemon/nodes/placement.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "crawl/domain.h"
#include "daemon/nodes/nodes.h"

unsigned nodes_partition_of(struct slice host)
{
	struct slice domain = domain_registrable(host);

	return (unsigned)(hash64(domain.data, domain.size, 0) % PARTITIONS);
}

enum { FRACTION_BITS = 25 };

/* A node that competes for a partition. */
struct runner {
	const struct placement_node *node;
	uint64_t draw; /* random number of the node for this partition; with
			  equal weights a greater number is an earlier time */
};

static uint64_t seed_of(const struct placement_node *node)
{
	return hash64(node->name, strlen(node->name), 0);
}

static uint64_t draw_of(uint64_t seed, uint32_t partition)
{
	return hash_chain(htole64(partition), seed);
}

/*
 * Return -log2(draw / 2^64) in units of 2^-FRACTION_BITS, 1 .. 2^31: the
 * exponentially distributed time for weight 1. The bits are computed one by
 * one: the first bit of log2(x) after the point, for x in [1, 2), is 1 if x * x
 * is at least 2.
 */
static uint64_t time_of(uint64_t draw)
{
	unsigned zeros = (unsigned)__builtin_clzll(draw | 1);
	uint64_t x = ((draw | 1) << zeros) >> 32; /* a number in [1, 2), in
						     units of 2^-31 */
	uint64_t fraction = 0;

	for (unsigned i = 0; i < FRACTION_BITS; i++) {
		x = (x * x) >> 31;
		fraction = (fraction << 1) | (x >> 32);
		x >>= x >> 32;
	}
	return ((uint64_t)(zeros + 1) << FRACTION_BITS) - fraction;
}

/* Return whether `a` has the smaller time / capacity. */
static bool placement_runner_is_before(struct runner a, struct runner b)
{
	uint64_t time_a;
	uint64_t time_b;

	if (a.draw <= b.draw && a.node->capacity < b.node->capacity)
		return false;
	if (a.node->capacity != b.node->capacity) {
		time_a = time_of(a.draw) * b.node->capacity;
		time_b = time_of(b.draw) * a.node->capacity;
		if (time_a != time_b)
			return time_a < time_b;
	}
	if (a.draw != b.draw)
		return a.draw > b.draw;
	return strcmp(a.node->name, b.node->name) < 0;
}

size_t placement_rank(const struct placement_node *nodes, size_t count,
		      size_t index, uint32_t partition)
{
	struct runner self = {&nodes[index],
			      draw_of(seed_of(&nodes[index]), partition)};
	size_t rank = 0;

	for (size_t i = 0; i < count; i++) {
		struct runner other = {&nodes[i],
				       draw_of(seed_of(&nodes[i]), partition)};

		rank += i != index && placement_runner_is_before(other, self);
	}
	return rank;
}

struct placement_seat {
	uint64_t seed;
	uint32_t load; /* partitions that the node has */
	uint32_t room; /* maximum number of partitions it should have */
};

struct placing {
	const struct placement_node *nodes; /* [count] */
	size_t count;
	struct placement_seat *seats; /* [count] */
	uint64_t capacity; /* sum of the capacities of the nodes that accept
			      partitions */
	bool are_all_draining;
};

static bool placement_node_accepts(const struct placing *placing, size_t index)
{
	return placing->are_all_draining || !placing->nodes[index].is_draining;
}

/*
 * Set the room of each node to its share of the `wanted` replicas plus the
 * slack, rounded up.
 */
static void placement_set_room(struct placing *placing, uint64_t wanted,
			       uint32_t slack)
{
	uint64_t whole = placing->capacity * 100;

	for (size_t i = 0; i < placing->count; i++) {
		uint64_t part =
			wanted * placing->nodes[i].capacity * (100 + slack);

		placing->seats[i].room =
			placement_node_accepts(placing, i)
				? (uint32_t)((part + whole - 1) / whole)
				: 0;
	}
}

/*
 * Return whether `a` should get the partition rather than `b`: first a node
 * with room; if both are full, first a node that accepts partitions, then the
 * node with less load for its capacity; otherwise the one that ranks first.
 */
static bool placement_runner_is_better(const struct placing *placing,
				       struct runner a, struct runner b)
{
	size_t at = (size_t)(a.node - placing->nodes);
	size_t bt = (size_t)(b.node - placing->nodes);
	const struct placement_seat *seats = placing->seats;
	bool has_room = seats[at].load < seats[at].room;
	uint64_t load_a = (uint64_t)seats[at].load * b.node->capacity;
	uint64_t load_b = (uint64_t)seats[bt].load * a.node->capacity;
	bool accepts = placement_node_accepts(placing, at);

	if (has_room != (seats[bt].load < seats[bt].room))
		return has_room;
	if (!has_room && accepts != placement_node_accepts(placing, bt))
		return accepts;
	if (!has_room && load_a != load_b)
		return load_a < load_b;
	return placement_runner_is_before(a, b);
}

/* Choose the next holder of a partition that has `copies` holders already. */
static uint32_t placement_choose(struct placing *placing, uint32_t partition,
				 const uint32_t *holders, uint32_t copies)
{
	struct runner best = {NULL, 0};
	size_t index;

	for (size_t i = 0; i < placing->count; i++) {
		struct runner runner = {
			&placing->nodes[i],
			draw_of(placing->seats[i].seed, partition)};

		bool has_one = false;

		for (uint32_t j = 0; j < copies; j++)
			has_one |= holders[j] == i;
		if (!has_one &&
		    (best.node == NULL ||
		     placement_runner_is_better(placing, runner, best)))
			best = runner;
	}
	if (best.node == NULL)
		return PLACEMENT_NOBODY;
	index = (size_t)(best.node - placing->nodes);
	placing->seats[index].load++;
	return (uint32_t)index;
}

/*
 * Return the node that ranks first among those that are present and accept
 * partitions; PLACEMENT_NOBODY if there is none.
 */
static uint32_t first_present(const struct placing *placing, uint32_t partition)
{
	struct runner best = {NULL, 0};

	for (size_t i = 0; i < placing->count; i++) {
		struct runner runner = {
			&placing->nodes[i],
			draw_of(placing->seats[i].seed, partition)};

		if (!runner.node->is_away &&
		    placement_node_accepts(placing, i) &&
		    (best.node == NULL ||
		     placement_runner_is_before(runner, best)))
			best = runner;
	}
	return best.node == NULL ? PLACEMENT_NOBODY
				 : (uint32_t)(best.node - placing->nodes);
}

/*
 * If the owner is missing, make the first present holder the owner, and move
 * the holders before it back by one. If all holders are missing, another
 * present node replaces the last one.
 */
static void stand_in(const struct placing *placing, uint32_t partition,
		     uint32_t *holders, uint32_t copies)
{
	uint32_t place = 0;
	uint32_t owner;

	while (place < copies && (holders[place] == PLACEMENT_NOBODY ||
				  placing->nodes[holders[place]].is_away))
		place++;
	owner = place < copies ? holders[place]
			       : first_present(placing, partition);
	if (owner == PLACEMENT_NOBODY)
		return;
	if (place == copies)
		place--;
	for (; place > 0; place--)
		holders[place] = holders[place - 1];
	holders[0] = owner;
}

/* All owners are placed first, so that no replica uses the room of an owner. */
void placement_compute(const struct placement_node *nodes, size_t count,
		       struct placement_terms terms, uint32_t *holders_out)
{
	struct placing placing = {
		.nodes = nodes, .count = count, .are_all_draining = true};

	assert(terms.partitions <= PLACEMENT_PARTITIONS);
	assert(terms.copies >= 1 && terms.copies <= PLACEMENT_COPIES);
	placing.seats = mem_alloc(count, sizeof(*placing.seats));
	for (size_t i = 0; i < count; i++)
		placing.are_all_draining &= nodes[i].is_draining;
	for (size_t i = 0; i < count; i++) {
		placing.seats[i].seed = seed_of(&nodes[i]);
		if (placement_node_accepts(&placing, i))
			placing.capacity += nodes[i].capacity;
	}
	for (uint32_t copy = 0; copy < terms.copies; copy++) {
		uint64_t wanted = (uint64_t)terms.partitions *
				  (copy == 0 ? 1 : terms.copies);

		placement_set_room(&placing, wanted, terms.slack);
		for (uint32_t p = 0; p < terms.partitions; p++) {
			uint32_t *holders =
				&holders_out[(size_t)p * terms.copies];

			holders[copy] =
				placement_choose(&placing, p, holders, copy);
		}
	}
	for (uint32_t p = 0; p < terms.partitions; p++)
		stand_in(&placing, p, &holders_out[(size_t)p * terms.copies],
			 terms.copies);
	free(placing.seats);
}
