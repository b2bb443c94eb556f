#include "tests/bench/cluster_outage.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "daemon/nodes/placement.h"

enum { HELD = 8, NAME_BYTES = 32 };

#define NEVER UINT64_MAX

/* What happens to a node next. */
enum fate { FAILS, GONE, RETURNS };

struct machine {
	char name[NAME_BYTES];
	uint64_t at; /* when `fate` comes */
	uint64_t back;
	uint64_t reads_until; /* snapshots, one after the other */
	enum fate fate;
	bool is_up;
	bool is_listed; /* it has a lease, as far as others see */
};

struct copy {
	uint32_t node;
	uint64_t whole_at;
};

struct part {
	uint32_t owner; /* PLACEMENT_NOBODY: none */
	uint64_t lost_at;
	uint64_t taken_at; /* in the future: who will own it reads the log */
	bool is_bereft;
	struct copy held[HELD];
	uint32_t held_count;
};

struct gap {
	uint64_t begin;
	uint64_t end;
};

struct outage {
	const struct outage_terms *terms;
	struct outage_result *result;
	struct machine *machines;     /* [nodes] */
	struct part *parts;           /* [partitions] */
	struct placement_node *alive; /* [nodes], those listed */
	uint32_t *alive_index;        /* [nodes], their machines */
	uint32_t *wanted;             /* [partitions * copies] */
	struct gap *gaps;
	size_t gap_count;
	size_t gap_room;
	uint64_t random;
	uint64_t now;
	bool has_rack_failed;
};

static uint64_t next(struct outage *outage)
{
	outage->random += UINT64_C(0x9e3779b97f4a7c15);
	return hash_chain(outage->random, 0);
}

static uint64_t below(struct outage *outage, uint64_t limit)
{
	return limit == 0 ? 0 : next(outage) % limit;
}

static uint64_t life(struct outage *outage)
{
	double u = ((double)(next(outage) >> 11) + 0.5) / 9007199254740992.0;

	if (outage->terms->mtbf == 0)
		return NEVER;
	return outage->now + (uint64_t)(-log(u) * (double)outage->terms->mtbf);
}

static bool has_whole(const struct outage *outage, const struct part *part,
		      uint32_t node)
{
	for (uint32_t i = 0; i < part->held_count; i++)
		if (part->held[i].node == node)
			return part->held[i].whole_at <= outage->now;
	return false;
}

static bool holds(const struct part *part, uint32_t node)
{
	for (uint32_t i = 0; i < part->held_count; i++)
		if (part->held[i].node == node)
			return true;
	return false;
}

static void close_gap(struct outage *outage, struct part *part, uint64_t end)
{
	if (outage->gap_count == outage->gap_room) {
		outage->gap_room = outage->gap_room * 2 + 1024;
		outage->gaps = realloc(outage->gaps,
				       outage->gap_room * sizeof(struct gap));
		if (outage->gaps == NULL)
			abort();
	}
	outage->gaps[outage->gap_count++] = (struct gap){part->lost_at, end};
	outage->result->bereft += part->is_bereft;
	part->is_bereft = false;
}

/* Return the first node in the race among the listed ones with a complete copy;
 * NOBODY if none has one. */
static uint32_t successor(const struct outage *outage, uint32_t partition)
{
	const struct part *part = &outage->parts[partition];
	struct placement_node nodes[HELD];
	uint32_t machines[HELD];
	size_t count = 0;

	for (uint32_t i = 0; i < part->held_count; i++) {
		const struct machine *machine =
			&outage->machines[part->held[i].node];

		if (machine->is_listed &&
		    part->held[i].whole_at <= outage->now) {
			machines[count] = part->held[i].node;
			nodes[count++] = (struct placement_node){
				machine->name, 1, false, false};
		}
	}
	for (size_t i = 0; i < count; i++)
		if (placement_rank(nodes, count, i, partition) == 0)
			return machines[i];
	return PLACEMENT_NOBODY;
}

/* The successor adopts partitions with an expired lease at its next look. A
 * dead successor is detected later. */
static void take_over(struct outage *outage)
{
	for (uint32_t p = 0; p < outage->terms->partitions; p++) {
		struct part *part = &outage->parts[p];
		uint32_t by;

		if (part->owner != PLACEMENT_NOBODY &&
		    outage->machines[part->owner].is_listed)
			continue;
		by = successor(outage, p);
		part->is_bereft |= by == PLACEMENT_NOBODY;
		if (by == PLACEMENT_NOBODY || !outage->machines[by].is_up)
			continue;
		part->owner = by;
		part->taken_at = outage->now +
				 below(outage, outage->terms->look) +
				 outage->terms->claim;
		close_gap(outage, part, part->taken_at);
		outage->result->takeovers++;
	}
}

static void drop_copy(struct part *part, uint32_t index)
{
	part->held[index] = part->held[--part->held_count];
}

/* The node reads this snapshot after those that it reads already. */
static void begin_copy(struct outage *outage, struct part *part, uint32_t node)
{
	struct machine *machine = &outage->machines[node];
	double seconds = outage->terms->bytes / outage->terms->partitions /
			 outage->terms->bandwidth;

	if (part->held_count == HELD)
		return;
	if (machine->reads_until < outage->now)
		machine->reads_until = outage->now;
	machine->reads_until += (uint64_t)(seconds * 1000);
	if (machine->reads_until - outage->now > outage->result->rebuild)
		outage->result->rebuild = machine->reads_until - outage->now;
	part->held[part->held_count++] =
		(struct copy){node, machine->reads_until};
	outage->result->copied++;
}

/* An unwanted node drops its copy once all wanted nodes have theirs. */
static void settle(struct outage *outage, uint32_t partition)
{
	struct part *part = &outage->parts[partition];
	uint32_t copies = outage->terms->copies;
	const uint32_t *wanted = &outage->wanted[(size_t)partition * copies];
	uint32_t whole = 0;

	for (uint32_t i = 0; i < copies; i++) {
		if (wanted[i] == PLACEMENT_NOBODY)
			continue;
		if (!holds(part, wanted[i]))
			begin_copy(outage, part, wanted[i]);
		whole += has_whole(outage, part, wanted[i]);
	}
	if (part->owner != wanted[0] && part->owner != PLACEMENT_NOBODY &&
	    outage->machines[part->owner].is_up &&
	    part->taken_at <= outage->now &&
	    has_whole(outage, part, wanted[0]) &&
	    outage->machines[wanted[0]].is_up) {
		part->owner = wanted[0];
		outage->result->moves++;
	}
	if (whole < copies)
		return;
	for (uint32_t i = part->held_count; i-- > 0;) {
		bool is_wanted = part->held[i].node == part->owner;

		for (uint32_t c = 0; c < copies; c++)
			is_wanted |= wanted[c] == part->held[i].node;
		if (!is_wanted)
			drop_copy(part, i);
	}
}

static void place(struct outage *outage)
{
	const struct outage_terms *terms = outage->terms;
	size_t count = 0;

	for (uint32_t i = 0; i < terms->nodes; i++)
		if (outage->machines[i].is_listed) {
			outage->alive_index[count] = i;
			outage->alive[count++] = (struct placement_node){
				outage->machines[i].name, 1, false, false};
		}
	placement_compute(outage->alive, count,
			  (struct placement_terms){terms->partitions,
						   terms->copies,
						   PLACEMENT_SLACK},
			  outage->wanted);
	for (size_t i = 0; i < (size_t)terms->partitions * terms->copies; i++)
		if (outage->wanted[i] != PLACEMENT_NOBODY)
			outage->wanted[i] =
				outage->alive_index[outage->wanted[i]];
}

static void settle_all(struct outage *outage)
{
	place(outage);
	for (uint32_t p = 0; p < outage->terms->partitions; p++)
		settle(outage, p);
}

/* What it owns has no owner from now on; its lease ends later. */
static void fail(struct outage *outage, uint32_t node)
{
	struct machine *machine = &outage->machines[node];
	uint64_t left =
		outage->terms->ttl - below(outage, outage->terms->renewal);

	outage->result->failures++;
	machine->is_up = false;
	machine->fate = GONE;
	machine->at = outage->now + left;
	machine->back = outage->now + outage->terms->repair;
	for (uint32_t p = 0; p < outage->terms->partitions; p++) {
		struct part *part = &outage->parts[p];

		if (part->owner != node)
			continue;
		/* a node that dies while it adopts a partition has not adopted
		 * it */
		part->lost_at = outage->now;
	}
}

static void fail_rack(struct outage *outage)
{
	outage->has_rack_failed = true;
	for (uint32_t i = 0; i < outage->terms->rack; i++)
		if (outage->machines[i].is_up)
			fail(outage, i);
}

static void come(struct outage *outage, uint32_t node)
{
	struct machine *machine = &outage->machines[node];

	switch (machine->fate) {
	case FAILS:
		fail(outage, node);
		return;
	case GONE:
		machine->is_listed = false;
		machine->fate = RETURNS;
		machine->at = machine->back;
		break;
	case RETURNS:
		/* its disk is intact, so it only reads the log */
		machine->is_up = true;
		machine->is_listed = true;
		machine->fate = FAILS;
		machine->at = life(outage);
		break;
	}
	take_over(outage);
	settle_all(outage);
}

static void build(struct outage *outage)
{
	const struct outage_terms *terms = outage->terms;

	for (uint32_t i = 0; i < terms->nodes; i++) {
		struct machine *machine = &outage->machines[i];

		snprintf(machine->name, NAME_BYTES, "node-%u", i);
		machine->is_up = true;
		machine->is_listed = true;
		machine->fate = FAILS;
		machine->at = life(outage);
	}
	place(outage);
	for (uint32_t p = 0; p < terms->partitions; p++) {
		struct part *part = &outage->parts[p];

		for (uint32_t i = 0; i < terms->copies; i++)
			part->held[part->held_count++] = (struct copy){
				outage->wanted[p * terms->copies + i], 0};
		part->owner = part->held[0].node;
	}
}

static int compare_lengths(const void *a, const void *b)
{
	const struct gap *x = a;
	const struct gap *y = b;
	uint64_t i = x->end - x->begin;
	uint64_t j = y->end - y->begin;

	return (i > j) - (i < j);
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;

	return (*x > *y) - (*x < *y);
}

/* Of intervals, how many there were at the same time. */
static size_t overlap(const struct gap *gaps, size_t count)
{
	uint64_t *begins = mem_alloc(count, sizeof(*begins));
	uint64_t *ends = mem_alloc(count, sizeof(*ends));
	size_t most = 0;
	size_t over = 0;

	for (size_t i = 0; i < count; i++) {
		begins[i] = gaps[i].begin;
		ends[i] = gaps[i].end;
	}
	qsort(begins, count, sizeof(*begins), compare_numbers);
	qsort(ends, count, sizeof(*ends), compare_numbers);
	for (size_t i = 0; i < count; i++) {
		while (ends[over] <= begins[i])
			over++;
		if (i + 1 - over > most)
			most = i + 1 - over;
	}
	free(begins);
	free(ends);
	return most;
}

static void sum_up(struct outage *outage, uint64_t end)
{
	static const double at[4] = {0.5, 0.9, 0.99, 1};
	struct outage_result *result = outage->result;
	struct gap *gaps = outage->gaps;
	size_t count = outage->gap_count;
	double sum = 0;

	result->unowned = count;
	if (count == 0)
		return;
	result->most = overlap(gaps, count);
	qsort(gaps, count, sizeof(*gaps), compare_lengths);
	for (size_t i = 0; i < 4; i++) {
		const struct gap *gap =
			&gaps[(size_t)(at[i] * (double)(count - 1))];

		result->gaps[i] = gap->end - gap->begin;
	}
	for (size_t i = 0; i < count; i++)
		sum += (double)(gaps[i].end - gaps[i].begin);
	result->share = sum / (double)end / outage->terms->partitions;
}

static void run(struct outage *outage)
{
	uint64_t end = outage->terms->days * 86400000;

	for (;;) {
		uint32_t first = 0;
		bool is_rack;

		for (uint32_t i = 1; i < outage->terms->nodes; i++)
			if (outage->machines[i].at < outage->machines[first].at)
				first = i;
		is_rack = outage->terms->rack > 0 && !outage->has_rack_failed &&
			  outage->machines[first].at > end / 2;
		if (!is_rack && outage->machines[first].at > end)
			break;
		outage->now = is_rack ? end / 2 : outage->machines[first].at;
		if (is_rack)
			fail_rack(outage);
		else
			come(outage, first);
	}
	sum_up(outage, end);
}

struct outage_result outage_run(const struct outage_terms *terms)
{
	struct outage_result result = {0};
	struct outage outage = {
		.terms = terms, .result = &result, .random = terms->seed};

	outage.machines = mem_alloc(terms->nodes, sizeof(struct machine));
	outage.parts = mem_alloc(terms->partitions, sizeof(struct part));
	outage.alive = mem_alloc(terms->nodes, sizeof(*outage.alive));
	outage.alive_index = mem_alloc(terms->nodes, sizeof(uint32_t));
	outage.wanted = mem_alloc((size_t)terms->partitions * terms->copies,
				  sizeof(uint32_t));
	build(&outage);
	run(&outage);
	free(outage.machines);
	free(outage.parts);
	free(outage.alive);
	free(outage.alive_index);
	free(outage.wanted);
	free(outage.gaps);
	return result;
}
