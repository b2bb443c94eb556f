#include "daemon/nodes/placement.h"

#include <endian.h>

#include "base/hash.h"
#include "daemon/nodes/nodes.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

enum { MOST_NODES = 40, NAME_BYTES = 32 };

static uint32_t holders[PARTITIONS * PLACEMENT_COPIES];
static uint32_t others[PARTITIONS * PLACEMENT_COPIES];
static char names[MOST_NODES][NAME_BYTES];

/* n0, n1, ... of capacity 1 */
static void make_nodes(struct placement_node *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		snprintf(names[i], NAME_BYTES, "n%zu", i);
		nodes[i] = (struct placement_node){names[i], 1, false, false};
	}
}

static struct placement_terms terms(uint32_t copies)
{
	return (struct placement_terms){PARTITIONS, copies, PLACEMENT_SLACK};
}

static uint32_t owned_by(const uint32_t *placed, uint32_t copies,
			 uint32_t index)
{
	uint32_t count = 0;

	for (size_t p = 0; p < PARTITIONS; p++)
		count += placed[p * copies] == index;
	return count;
}

static uint32_t held_by(const uint32_t *placed, uint32_t copies, uint32_t index)
{
	uint32_t count = 0;

	for (size_t i = 0; i < (size_t)PARTITIONS * copies; i++)
		count += placed[i] == index;
	return count;
}

/* What a store and a log have written they find again: these never change. */
TEST(partitions_of_hosts_are_for_ever)
{
	static const struct {
		const char *host;
		unsigned partition;
	} known[] = {
		{"example.org", 69},
		{"www.example.org", 69},
		{"www.example.org:8080", 69},
		{"example.com", 115},
		{"example.co.uk", 107},
		{"a.b.example.co.uk", 107},
		{"wikipedia.org", 215},
		{"de.wikipedia.org", 215},
		{"debian.org", 178},
		{"xn--bcher-kva.de", 111},
		{"me.github.io", 63},
		{"you.blogspot.com", 60},
		{"localhost", 99},
		{"localhost:8080", 99},
		{"127.0.0.1", 140},
		{"127.0.0.1:81", 140},
		{"192.0.2.7", 61},
		{"[2001:db8::1]", 30},
		{"[::1]:8080", 28},
		{"a.test", 170},
	};

	for (size_t i = 0; i < COUNT_OF(known); i++) {
		unsigned found = nodes_partition_of(slice_of(known[i].host));

		ck_assert_msg(found == known[i].partition, "%s: %u and not %u",
			      known[i].host, found, known[i].partition);
	}
}

TEST(hosts_of_a_domain_are_together)
{
	ck_assert_uint_eq(nodes_partition_of(slice_of("a.b.example.org:81")),
			  nodes_partition_of(slice_of("example.org")));
	/* two owners of a hosting service are two domains */
	ck_assert_uint_ne(nodes_partition_of(slice_of("me.github.io")),
			  nodes_partition_of(slice_of("you.github.io")));
}

/* Nodes of two versions, on two kinds of processors, place equally. */
TEST(placement_is_for_ever)
{
	struct placement_node nodes[10];

	make_nodes(nodes, 10);
	for (uint32_t i = 0; i < 10; i++)
		nodes[i].capacity = 1 + i % 4;
	nodes[7].is_draining = true;
	placement_compute(nodes, 10, terms(2), holders);
	for (size_t i = 0; i < (size_t)PARTITIONS * 2; i++)
		holders[i] = htole32(holders[i]);
	ck_assert_uint_eq(hash64(holders, sizeof(*holders) * PARTITIONS * 2, 0),
			  UINT64_C(18318413639395826335));
}

TEST(one_node_has_all)
{
	struct placement_node node = {"a", 7, false, false};

	placement_compute(&node, 1, terms(2), holders);
	for (size_t p = 0; p < PARTITIONS; p++) {
		ck_assert_uint_eq(holders[p * 2], 0);
		ck_assert_uint_eq(holders[p * 2 + 1], PLACEMENT_NOBODY);
	}
}

TEST(no_node_has_nothing_to_place)
{
	placement_compute(NULL, 0, terms(1), holders);
	ck_assert_uint_eq(owned_by(holders, 1, PLACEMENT_NOBODY), PARTITIONS);
}

/* ceil(256 / 3 * 1.1) = 94, and 188 of the 512 copies */
TEST(no_node_has_more_than_its_share_and_a_tenth)
{
	struct placement_node nodes[3];

	make_nodes(nodes, 3);
	placement_compute(nodes, 3, terms(2), holders);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_uint_le(owned_by(holders, 2, i), 94);
		ck_assert_uint_le(held_by(holders, 2, i), 188);
	}
}

/* Both hold each partition; the large one owns three quarters: 192 +- 10 %. */
TEST(copies_are_of_different_nodes)
{
	struct placement_node nodes[2] = {{"small", 1, false, false},
					  {"large", 3, false, false}};

	placement_compute(nodes, 2, terms(2), holders);
	ck_assert_uint_eq(held_by(holders, 2, 0), PARTITIONS);
	ck_assert_uint_eq(held_by(holders, 2, 1), PARTITIONS);
	ck_assert_uint_le(owned_by(holders, 2, 0), 71);
	ck_assert_uint_le(owned_by(holders, 2, 1), 212);
}

/* Without bounds the race gives each its share. 65,536 partitions with 10, 20,
 * 30 and 40 %: the deviation is 125 at most. */
TEST(the_race_is_won_in_proportion_to_capacity)
{
	enum { MANY = 65536 };
	struct placement_node nodes[4];
	size_t wins[4] = {0};

	make_nodes(nodes, 4);
	for (uint32_t i = 0; i < 4; i++)
		nodes[i].capacity = 1000 * (i + 1);
	for (uint32_t p = 0; p < MANY; p++)
		for (size_t i = 0; i < 4; i++)
			wins[i] += placement_rank(nodes, 4, i, p) == 0;
	for (size_t i = 0; i < 4; i++)
		ck_assert_double_eq_tol((double)wins[i],
					(double)(i + 1) * MANY / 10, 500);
}

TEST(ranks_are_an_order_of_all)
{
	struct placement_node nodes[MOST_NODES];

	make_nodes(nodes, MOST_NODES);
	for (uint32_t i = 0; i < MOST_NODES; i++)
		nodes[i].capacity = 1 + i / 10;
	for (uint32_t p = 0; p < PARTITIONS; p++) {
		uint64_t seen = 0;

		for (size_t i = 0; i < MOST_NODES; i++)
			seen |= UINT64_C(1)
				<< placement_rank(nodes, MOST_NODES, i, p);
		ck_assert_uint_eq(seen, (UINT64_C(1) << MOST_NODES) - 1);
	}
}

TEST(who_drains_has_what_no_other_can)
{
	struct placement_node nodes[3];

	make_nodes(nodes, 3);
	nodes[1].is_draining = true;
	placement_compute(nodes, 3, terms(2), holders);
	ck_assert_uint_eq(held_by(holders, 2, 1), 0);
	/* the third copy */
	placement_compute(nodes, 3, terms(3), holders);
	ck_assert_uint_eq(owned_by(holders, 3, 1), 0);
	ck_assert_uint_eq(held_by(holders, 3, 1), PARTITIONS);
	/* all drain: which one gets it? */
	nodes[0].is_draining = true;
	nodes[2].is_draining = true;
	placement_compute(nodes, 3, terms(2), holders);
	ck_assert_uint_gt(owned_by(holders, 2, 1), 60);
	ck_assert_uint_eq(held_by(holders, 2, PLACEMENT_NOBODY), 0);
}

/* 1,000 nodes and 256 partitions: one each. */
TEST(of_many_nodes_none_has_two)
{
	static struct placement_node nodes[1000];
	static char many[1000][NAME_BYTES];

	for (size_t i = 0; i < 1000; i++) {
		snprintf(many[i], NAME_BYTES, "m%zu", i);
		nodes[i] = (struct placement_node){many[i], 1, false, false};
	}
	placement_compute(nodes, 1000, terms(1), holders);
	for (uint32_t i = 0; i < 1000; i++)
		ck_assert_uint_le(owned_by(holders, 1, i), 1);
}

static size_t moved_owners(const uint32_t *a, const uint32_t *b,
			   uint32_t copies)
{
	size_t count = 0;

	for (size_t i = 0; i < PARTITIONS; i++)
		count += a[i * copies] != b[i * copies];
	return count;
}

/* Of ten nodes the last one leaves: what it owned goes to others (at most 29),
 * and little else moves: the room of each has changed from 29 to 32. */
TEST(when_a_node_leaves_about_its_share_moves)
{
	struct placement_node nodes[10];
	size_t share;

	make_nodes(nodes, 10);
	placement_compute(nodes, 10, terms(1), holders);
	placement_compute(nodes, 9, terms(1), others);
	share = owned_by(holders, 1, 9);
	ck_assert_uint_ge(share, 15);
	ck_assert_uint_ge(moved_owners(holders, others, 1), share);
	ck_assert_uint_le(moved_owners(holders, others, 1), 2 * share);
	/* as when it drains */
	nodes[9].is_draining = true;
	placement_compute(nodes, 10, terms(1), holders);
	ck_assert_uint_eq(moved_owners(holders, others, 1), 0);
}

/* The next random number: of splitmix64, so that a seed repeats a run. */
static uint32_t next(uint64_t *state, uint32_t below)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(hash_chain(*state, 0) % below);
}

struct trial {
	struct placement_node nodes[MOST_NODES];
	uint32_t count;
	uint32_t copies;
	uint64_t capacity; /* of the nodes that do not drain, or of all */
	uint32_t takers;   /* how many they are */
};

static void make_trial(struct trial *trial, uint64_t *state)
{
	bool drains = next(state, 2) == 0;

	trial->count = 1 + next(state, MOST_NODES);
	trial->copies = 1 + next(state, PLACEMENT_COPIES);
	make_nodes(trial->nodes, trial->count);
	for (uint32_t i = 0; i < trial->count; i++) {
		trial->nodes[i].capacity = 1 + next(state, 1 + next(state, 20));
		trial->nodes[i].is_draining = drains && next(state, 4) == 0;
	}
	trial->capacity = 0;
	trial->takers = 0;
	for (uint32_t i = 0; i < trial->count; i++)
		if (!trial->nodes[i].is_draining) {
			trial->capacity += trial->nodes[i].capacity;
			trial->takers++;
		}
}

static void check_whole(const struct trial *trial)
{
	for (size_t p = 0; p < PARTITIONS; p++) {
		const uint32_t *of = &holders[p * trial->copies];
		uint64_t seen = 0;

		for (uint32_t i = 0; i < trial->copies; i++) {
			if (i >= trial->count) {
				ck_assert_uint_eq(of[i], PLACEMENT_NOBODY);
				continue;
			}
			ck_assert_uint_lt(of[i], trial->count);
			ck_assert(!(seen >> of[i] & 1));
			seen |= UINT64_C(1) << of[i];
		}
	}
}

TEST(who_is_away_keeps_its_copies_and_owns_nothing)
{
	struct placement_node nodes[4];

	make_nodes(nodes, 4);
	placement_compute(nodes, 4, terms(2), holders);
	nodes[1].is_away = true;
	placement_compute(nodes, 4, terms(2), others);
	ck_assert_uint_gt(owned_by(holders, 2, 1), 50);
	ck_assert_uint_eq(owned_by(others, 2, 1), 0);
	for (size_t p = 0; p < PARTITIONS; p++) {
		bool moves = holders[2 * p] == 1;

		ck_assert_uint_eq(others[2 * p], holders[2 * p + moves]);
		ck_assert_uint_eq(others[2 * p + 1], holders[2 * p + !moves]);
	}
}

TEST(who_is_there_owns_what_only_those_away_had)
{
	struct placement_node nodes[3];

	make_nodes(nodes, 3);
	nodes[0].is_away = true;
	nodes[1].is_away = true;
	placement_compute(nodes, 3, terms(1), holders);
	ck_assert_uint_eq(owned_by(holders, 1, 2), PARTITIONS);
	placement_compute(nodes, 3, terms(2), holders);
	ck_assert_uint_eq(owned_by(holders, 2, 2), PARTITIONS);
	nodes[2].is_away = true;
	placement_compute(nodes, 3, terms(1), holders);
	ck_assert_uint_gt(owned_by(holders, 1, 0), 50);
}

/* Of owners there is always room; of draining ones there is need only when
 * others are too few. */
static void check_bounds(const struct trial *trial)
{
	for (uint32_t i = 0; i < trial->count; i++) {
		uint64_t part =
			(uint64_t)PARTITIONS * trial->nodes[i].capacity * 110;
		uint64_t bound = (part + trial->capacity * 100 - 1) /
				 (trial->capacity * 100);

		if (!trial->nodes[i].is_draining) {
			ck_assert_uint_le(owned_by(holders, trial->copies, i),
					  bound);
			continue;
		}
		ck_assert_uint_eq(owned_by(holders, trial->copies, i), 0);
		if (trial->takers >= trial->copies)
			ck_assert_uint_eq(held_by(holders, trial->copies, i),
					  0);
	}
}

static void reverse(struct placement_node *nodes, uint32_t count)
{
	for (uint32_t i = 0; i < count / 2; i++) {
		struct placement_node node = nodes[i];

		nodes[i] = nodes[count - 1 - i];
		nodes[count - 1 - i] = node;
	}
}

static void check_order_is_of_no_matter(struct trial *trial)
{
	reverse(trial->nodes, trial->count);
	placement_compute(trial->nodes, trial->count, terms(trial->copies),
			  others);
	for (size_t i = 0; i < (size_t)PARTITIONS * trial->copies; i++)
		if (holders[i] != PLACEMENT_NOBODY)
			ck_assert_uint_eq(holders[i],
					  trial->count - 1 - others[i]);
}

TEST_LOOP(whatever_the_nodes_the_rules_hold, 0, 8)
{
	uint64_t state = (uint64_t)_i;

	for (uint32_t run = 0; run < random_rounds(40); run++) {
		struct trial trial;

		make_trial(&trial, &state);
		placement_compute(trial.nodes, trial.count, terms(trial.copies),
				  holders);
		check_whole(&trial);
		if (trial.takers > 0)
			check_bounds(&trial);
		check_order_is_of_no_matter(&trial);
	}
}
