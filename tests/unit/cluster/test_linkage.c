#include "cluster/linkage.h"

#include <string.h>

#include "tests/unit/cluster/random.h"
#include "tests/unit/run.h"

/*
 * A small world: pages 1 .. PAGES with sets of the numbers 0 .. 15, written as
 * bits, beside what the changes told about them.
 */
enum {
	PAGES = 24,
	BITS = 16,
	LABELS = 4096,
};

struct world {
	struct linkage *linkage;
	unsigned threshold;
	uint32_t next_label;
	bool is_there[PAGES + 1];
	uint32_t sets[PAGES + 1];
	uint32_t labels[PAGES + 1]; /* replayed from moves */
	bool is_alive[LABELS];      /* replayed from events */
	struct linkage_changes changes;
};

static struct world world;

static void begin(unsigned threshold)
{
	world = (struct world){.threshold = threshold, .next_label = 1};
	world.linkage = linkage_create(
		&(struct linkage_options){.threshold = threshold});
}

static void end(void)
{
	linkage_destroy(world.linkage);
}

static struct signature signature_of(uint32_t set, uint64_t *members)
{
	size_t count = 0;

	for (uint64_t i = 0; i < BITS; i++) {
		if (set >> i & 1)
			members[count++] = i;
	}
	return (struct signature){members, count};
}

static bool is_first_move(size_t index)
{
	const struct linkage_move *moves = world.changes.moves;

	for (size_t i = 0; i < index; i++) {
		if (moves[i].page == moves[index].page)
			return false;
	}
	return true;
}

/* Whether every move starts where its page was, once. */
static bool replay_moves(void)
{
	for (size_t i = 0; i < world.changes.move_count; i++) {
		struct linkage_move move = world.changes.moves[i];

		if (move.page > PAGES || move.from == move.to ||
		    world.labels[move.page] != move.from || !is_first_move(i))
			return false;
		world.labels[move.page] = move.to;
	}
	return true;
}

static bool replay_event(struct linkage_event event)
{
	bool is_birth =
		event.kind == LINKAGE_NEW || event.kind == LINKAGE_SPLIT;
	bool has_other =
		event.kind == LINKAGE_MERGED || event.kind == LINKAGE_SPLIT;

	if (event.cluster == 0 || event.cluster >= LABELS ||
	    event.other >= LABELS || event.cluster == event.other ||
	    world.is_alive[event.cluster] == is_birth ||
	    (has_other && !world.is_alive[event.other]) ||
	    (!has_other && event.other != 0))
		return false;
	world.is_alive[event.cluster] = is_birth;
	return true;
}

/* Whether the living labels are those that pages have. */
static bool replay_events(void)
{
	bool is_used[LABELS] = {false};

	for (size_t i = 0; i < world.changes.event_count; i++) {
		if (!replay_event(world.changes.events[i]))
			return false;
	}
	for (size_t i = 1; i <= PAGES; i++)
		is_used[world.labels[i]] = true;
	is_used[0] = false;
	return memcmp(is_used, world.is_alive, sizeof(is_used)) == 0;
}

static bool labels_are_those_told(void)
{
	for (uint64_t i = 1; i <= PAGES; i++) {
		if (linkage_label(world.linkage, i) != world.labels[i] ||
		    world.is_there[i] != (world.labels[i] != 0))
			return false;
	}
	return true;
}

/* Distance <= threshold, as fractions. */
static bool is_linked(size_t a, size_t b)
{
	unsigned x = world.sets[a];
	unsigned y = world.sets[b];
	int left = __builtin_popcount(x);
	int right = __builtin_popcount(y);
	int larger = left > right ? left : right;

	return (larger - __builtin_popcount(x & y)) * 1000 <=
	       larger * (int)world.threshold;
}

/* The components by brute force: the smallest page of each page's. */
static void find_components(size_t *smallest)
{
	bool is_changed = true;

	for (size_t i = 0; i <= PAGES; i++)
		smallest[i] = i;
	while (is_changed) {
		is_changed = false;
		for (size_t i = 1; i <= PAGES; i++) {
			for (size_t j = 1; j <= PAGES; j++) {
				if (world.is_there[i] && world.is_there[j] &&
				    smallest[j] < smallest[i] &&
				    is_linked(i, j)) {
					smallest[i] = smallest[j];
					is_changed = true;
				}
			}
		}
	}
}

static bool partition_is_exact(void)
{
	size_t smallest[PAGES + 1];
	size_t pages = 0;
	size_t clusters = 0;

	find_components(smallest);
	for (size_t i = 1; i <= PAGES; i++) {
		if (!world.is_there[i])
			continue;
		pages++;
		clusters += smallest[i] == i;
		for (size_t j = 1; j < i; j++) {
			if (world.is_there[j] &&
			    (smallest[i] == smallest[j]) !=
				    (world.labels[i] == world.labels[j]))
				return false;
		}
	}
	return linkage_size(world.linkage).pages == pages &&
	       linkage_size(world.linkage).clusters == clusters;
}

static void put(uint64_t page, uint32_t set)
{
	uint64_t members[BITS];

	ck_assert_int_eq(linkage_put(world.linkage, page,
				     signature_of(set, members),
				     &world.next_label, &world.changes),
			 ERR_NONE);
	world.sets[page] = set;
	world.is_there[page] = true;
	ck_assert(replay_moves());
	ck_assert(replay_events());
}

static void take(uint64_t page)
{
	linkage_remove(world.linkage, page, &world.next_label, &world.changes);
	world.is_there[page] = false;
	ck_assert(replay_moves());
	ck_assert(replay_events());
}

static void check_event(size_t index, enum linkage_event_kind kind,
			uint32_t cluster, uint32_t other)
{
	ck_assert_uint_lt(index, world.changes.event_count);
	ck_assert_int_eq(world.changes.events[index].kind, kind);
	ck_assert_uint_eq(world.changes.events[index].cluster, cluster);
	ck_assert_uint_eq(world.changes.events[index].other, other);
}

static void check_quiet(void)
{
	ck_assert_uint_eq(world.changes.move_count, 0);
	ck_assert_uint_eq(world.changes.event_count, 0);
}

/*
 * At 500 two sets of two link when they share one number: {0,1} {1,2} {2,3}
 * ... is a chain.
 */
enum {
	SET_01 = 1 << 0 | 1 << 1,
	SET_12 = 1 << 1 | 1 << 2,
	SET_23 = 1 << 2 | 1 << 3,
	SET_34 = 1 << 3 | 1 << 4,
	SET_45 = 1 << 4 | 1 << 5,
	SET_56 = 1 << 5 | 1 << 6,
	SET_89 = 1 << 8 | 1 << 9,
};

static void begin_chain(void)
{
	begin(500);
}

START_TEST(first_pages_are_new_clusters)
{
	put(1, SET_01);
	check_event(0, LINKAGE_NEW, 1, 0);
	ck_assert_uint_eq(world.changes.move_count, 1);
	ck_assert_uint_eq(world.changes.moves[0].from, 0);
	put(2, SET_23);
	check_event(0, LINKAGE_NEW, 2, 0);
	put(3, SET_01);
	ck_assert_uint_eq(world.changes.event_count, 0);
	ck_assert_uint_eq(linkage_label(world.linkage, 3), 1);
	ck_assert_uint_eq(linkage_label(world.linkage, 4), 0);
	ck_assert_uint_eq(world.next_label, 3);
	ck_assert_uint_eq(linkage_size(world.linkage).signatures, 2);
	ck_assert_uint_eq(linkage_size(world.linkage).clusters, 2);
	ck_assert_uint_gt(linkage_size(world.linkage).bytes, 0);
}
END_TEST

START_TEST(the_larger_cluster_keeps_its_label_on_a_merge)
{
	put(1, SET_01);
	put(2, SET_23);
	put(3, SET_23);
	put(4, SET_12);
	ck_assert_uint_eq(world.changes.event_count, 1);
	check_event(0, LINKAGE_MERGED, 1, 2);
	ck_assert_uint_eq(world.changes.move_count, 2); /* 1 and 4 */
	ck_assert_uint_eq(linkage_label(world.linkage, 1), 2);
}
END_TEST

START_TEST(the_smaller_label_stays_when_equal_clusters_merge)
{
	put(1, SET_01);
	put(2, SET_34);
	put(3, SET_23);
	put(4, SET_01);
	put(5, SET_12);
	check_event(0, LINKAGE_MERGED, 2, 1);
	ck_assert_uint_eq(world.changes.move_count, 3); /* 2, 3 and 5 */
	ck_assert_uint_eq(linkage_label(world.linkage, 3), 1);
}
END_TEST

START_TEST(the_larger_part_keeps_the_label_on_a_split)
{
	put(1, SET_01);
	put(2, SET_12);
	put(3, SET_23);
	put(4, SET_23);
	take(2);
	ck_assert_uint_eq(world.changes.event_count, 1);
	check_event(0, LINKAGE_SPLIT, 2, 1);
	ck_assert_uint_eq(world.changes.move_count, 2); /* 1 and 2 */
	ck_assert_uint_eq(linkage_label(world.linkage, 1), 2);
	ck_assert_uint_eq(linkage_label(world.linkage, 3), 1);
}
END_TEST

START_TEST(the_part_with_the_oldest_page_keeps_it_when_equal)
{
	put(1, SET_12);
	put(2, SET_23);
	put(3, SET_01);
	put(4, SET_23);
	put(5, SET_01);
	take(1);
	check_event(0, LINKAGE_SPLIT, 2, 1);
	ck_assert_uint_eq(linkage_label(world.linkage, 2), 1);
	ck_assert_uint_eq(linkage_label(world.linkage, 3), 2);
}
END_TEST

START_TEST(three_parts_get_two_new_labels)
{
	put(1, SET_01);
	put(2, SET_23);
	put(3, SET_45);
	put(4, SET_12);                            /* joins 1 and 2 */
	put(5, SET_34);                            /* joins 2 and 3 */
	put(6, 1 << 0 | 1 << 2 | 1 << 4 | 1 << 6); /* 1 of 4: no link */
	ck_assert_uint_eq(linkage_size(world.linkage).clusters, 2);
	take(4);
	take(5);
	ck_assert_uint_eq(linkage_size(world.linkage).clusters, 4);
	ck_assert(partition_is_exact());
}
END_TEST

START_TEST(a_hub_falls_into_all_its_parts)
{
	/* At 750 one of four is enough: the hub links all three. */
	end();
	begin(750);
	put(1, 0x000f);
	put(2, 0x00f0);
	put(3, 0x0f00);
	put(4, 0x1111);
	ck_assert_uint_eq(linkage_size(world.linkage).clusters, 1);
	take(4);
	ck_assert_uint_eq(world.changes.event_count, 2);
	ck_assert_int_eq(world.changes.events[0].kind, LINKAGE_SPLIT);
	ck_assert_int_eq(world.changes.events[1].kind, LINKAGE_SPLIT);
	ck_assert_uint_eq(linkage_label(world.linkage, 1), 1);
	ck_assert(partition_is_exact());
}
END_TEST

START_TEST(a_twin_keeps_the_graph_together)
{
	put(1, SET_01);
	put(2, SET_12);
	put(3, SET_12);
	put(4, SET_23);
	take(2);
	ck_assert_uint_eq(world.changes.event_count, 0);
	ck_assert_uint_eq(world.changes.move_count, 1);
	ck_assert_uint_eq(world.changes.moves[0].to, 0);
	ck_assert_uint_eq(linkage_size(world.linkage).clusters, 1);
}
END_TEST

START_TEST(the_last_page_ends_its_cluster)
{
	put(1, SET_01);
	take(1);
	ck_assert_uint_eq(world.changes.event_count, 1);
	check_event(0, LINKAGE_GONE, 1, 0);
	ck_assert_uint_eq(linkage_size(world.linkage).signatures, 0);
	put(1, SET_01);
	check_event(0, LINKAGE_NEW, 2, 0);
}
END_TEST

START_TEST(a_page_that_is_not_there_cannot_leave)
{
	put(1, SET_01);
	take(2);
	check_quiet();
}
END_TEST

START_TEST(the_same_signature_again_changes_nothing)
{
	put(1, SET_01);
	put(2, SET_12);
	put(1, SET_01);
	check_quiet();
}
END_TEST

START_TEST(a_lone_page_takes_its_label_along)
{
	put(1, SET_01);
	put(2, SET_56);
	put(1, SET_89);
	check_quiet();
	ck_assert_uint_eq(linkage_label(world.linkage, 1), 1);
	ck_assert_uint_eq(world.next_label, 3);
}
END_TEST

START_TEST(a_lone_page_that_joins_others_ends_its_cluster)
{
	put(1, SET_01);
	put(2, SET_56);
	put(1, SET_45);
	ck_assert_uint_eq(world.changes.event_count, 1);
	check_event(0, LINKAGE_GONE, 1, 0);
	ck_assert_uint_eq(world.changes.move_count, 1);
	ck_assert_uint_eq(world.changes.moves[0].from, 1);
	ck_assert_uint_eq(world.changes.moves[0].to, 2);
	/* The same into a set that is there already. */
	put(3, SET_89);
	put(3, SET_45);
	check_event(0, LINKAGE_GONE, 3, 0);
}
END_TEST

START_TEST(a_page_that_leaves_others_is_a_new_cluster)
{
	put(1, SET_01);
	put(2, SET_12);
	put(1, SET_89);
	ck_assert_uint_eq(world.changes.event_count, 1);
	check_event(0, LINKAGE_NEW, 2, 0);
	ck_assert_uint_eq(linkage_label(world.linkage, 2), 1);
	ck_assert_uint_eq(linkage_label(world.linkage, 1), 2);
}
END_TEST

START_TEST(a_bridge_that_stays_one_changes_nothing)
{
	put(1, SET_01);
	put(2, SET_12);
	put(3, SET_23);
	put(2, 1 << 0 | 1 << 3); /* shares one with each side, as before */
	check_quiet();
	ck_assert_uint_eq(world.next_label, 2);
	ck_assert_uint_eq(linkage_size(world.linkage).clusters, 1);
}
END_TEST

START_TEST(an_old_label_beats_one_made_in_the_call)
{
	/* 2 holds {1 4 5} and {3 6 7} together; 8 stands alone. */
	put(1, SET_01);
	put(2, SET_12);
	put(3, SET_23);
	put(4, SET_01);
	put(5, SET_01);
	put(6, SET_23);
	put(7, SET_23);
	put(8, SET_45);
	/* Now 2 holds {3 6 7}, which had lost the label to {1 4 5}, and 8. */
	put(2, SET_34);
	ck_assert_uint_eq(world.changes.event_count, 0);
	ck_assert_uint_eq(linkage_label(world.linkage, 1), 1);
	ck_assert_uint_eq(linkage_label(world.linkage, 3), 2);
	ck_assert_uint_eq(linkage_label(world.linkage, 8), 2);
	ck_assert_uint_eq(world.changes.move_count, 4); /* 2, 3, 6, 7 */
	ck_assert_uint_eq(world.next_label, 3);
}
END_TEST

START_TEST(empty_signatures_are_one_cluster)
{
	put(1, 0);
	put(2, 0);
	put(3, SET_01);
	ck_assert_uint_eq(linkage_size(world.linkage).clusters, 2);
	ck_assert_uint_eq(linkage_size(world.linkage).signatures, 2);
	ck_assert_uint_eq(linkage_label(world.linkage, 2), 1);
}
END_TEST

START_TEST(what_goes_gives_its_memory_back)
{
	size_t bytes;

	put(1, SET_01);
	for (uint32_t i = 0; i < 16; i++)
		put(2 + i % 4, 1U << i % 8 | 1U << (i * 5 + 1) % 8);
	bytes = linkage_size(world.linkage).bytes;
	for (uint32_t i = 0; i < 2000; i++) {
		put(2 + i % 4, 1U << i % 8 | 1U << (i * 5 + 1) % 8);
		if (i % 3 == 0)
			take(2 + i % 4);
	}
	ck_assert_uint_le(linkage_size(world.linkage).bytes, bytes * 2);
}
END_TEST

START_TEST(limits_refuse_and_change_nothing)
{
	uint64_t members[BITS];
	uint32_t next = 1;
	struct linkage_changes changes;
	struct linkage *linkage = linkage_create(&(struct linkage_options){
		.threshold = 500, .max_members = 3, .max_pages = 2});

	ck_assert_int_eq(linkage_put(linkage, 1, signature_of(0xf, members),
				     &next, &changes),
			 ERR_TOO_LARGE);
	ck_assert_uint_eq(changes.move_count + changes.event_count, 0);
	ck_assert_int_eq(linkage_put(linkage, 1, signature_of(0x7, members),
				     &next, &changes),
			 ERR_NONE);
	ck_assert_int_eq(linkage_put(linkage, 1, signature_of(0xf, members),
				     &next, &changes),
			 ERR_TOO_LARGE);
	ck_assert_uint_eq(linkage_label(linkage, 1), 1);
	ck_assert_int_eq(
		linkage_restore(linkage, 2, signature_of(0x8, members), 7),
		ERR_NONE);
	next = 8;
	ck_assert_int_eq(linkage_put(linkage, 3, signature_of(0x7, members),
				     &next, &changes),
			 ERR_TOO_LARGE);
	ck_assert_int_eq(
		linkage_restore(linkage, 3, signature_of(0x7, members), 1),
		ERR_TOO_LARGE);
	ck_assert_uint_eq(linkage_label(linkage, 3), 0);
	/* Those who are there may change. */
	ck_assert_int_eq(linkage_put(linkage, 2, signature_of(0x7, members),
				     &next, &changes),
			 ERR_NONE);
	next = UINT32_MAX;
	ck_assert_int_eq(linkage_put(linkage, 2, signature_of(0x8, members),
				     &next, &changes),
			 ERR_TOO_LARGE);
	ck_assert_uint_eq(linkage_size(linkage).pages, 2);
	ck_assert_uint_eq(linkage_size(linkage).signatures, 1);
	linkage_destroy(linkage);
	linkage_destroy(NULL);
}
END_TEST

START_TEST(restoring_refuses_what_cannot_have_been)
{
	uint64_t members[BITS];
	struct signature a = signature_of(SET_01, members);

	ck_assert_int_eq(linkage_restore(world.linkage, 1, a, 0), ERR_CORRUPT);
	ck_assert_int_eq(linkage_restore(world.linkage, 1, a, 5), ERR_NONE);
	ck_assert_int_eq(linkage_restore(world.linkage, 1, a, 5), ERR_CORRUPT);
	ck_assert_int_eq(linkage_restore(world.linkage, 2, a, 6), ERR_CORRUPT);
	ck_assert_int_eq(linkage_restore(world.linkage, 2, a, 5), ERR_NONE);
	ck_assert_uint_eq(linkage_size(world.linkage).pages, 2);
	ck_assert_uint_eq(linkage_size(world.linkage).clusters, 1);
	ck_assert_uint_eq(linkage_label(world.linkage, 2), 5);
}
END_TEST

/* One of three templates with some bits changed, or anything. */
static uint32_t random_set(void)
{
	static const uint32_t templates[] = {0x00ff, 0x0ff0, 0xf00f};
	unsigned pick = random_below(5);
	uint32_t noise = random_below(1 << BITS);

	noise &= random_below(1 << BITS);
	if (pick < 3)
		return templates[pick] ^ (noise & random_below(1 << BITS));
	return pick == 3 ? noise : noise & random_below(1 << BITS);
}

static void step(void)
{
	uint64_t page = 1 + random_below(PAGES);

	if (random_below(4) == 0)
		take(page);
	else if (random_below(4) == 0)
		put(page, world.sets[1 + random_below(PAGES)]);
	else
		put(page, random_set());
}

static const unsigned thresholds[] = {0, 250, 500, 700, 999, 1000};

/* Law 1. The seed makes another corpus in every round. */
START_TEST(partition_is_that_of_brute_force)
{
	random_begin(20240920 + (unsigned)_i);
	for (int round = 0; round < 400; round++) {
		begin(thresholds[_i]);
		for (int i = 0; i < 60; i++) {
			step();
			ck_assert(labels_are_those_told());
			ck_assert(partition_is_exact());
		}
		end();
	}
}
END_TEST

/* The set of each page is given; pages come in random order, some of them
 * with another set first. */
static void put_shuffled(const uint32_t *sets)
{
	uint64_t order[PAGES] = {0};

	for (uint64_t i = 0; i < PAGES; i++) {
		size_t j = random_below((uint32_t)i + 1);

		order[i] = order[j];
		order[j] = i + 1;
	}
	for (size_t i = 0; i < PAGES / 2; i++)
		put(order[i], random_set());
	for (size_t i = PAGES; i > 0; i--)
		put(order[i - 1], sets[order[i - 1]]);
}

START_TEST(order_does_not_matter)
{
	random_begin(20240930 + (unsigned)_i);
	for (int round = 0; round < 200; round++) {
		uint32_t sets[PAGES + 1];
		uint32_t first[PAGES + 1];

		for (size_t i = 0; i <= PAGES; i++)
			sets[i] = random_set();
		begin(thresholds[_i]);
		put_shuffled(sets);
		memcpy(first, world.labels, sizeof(first));
		end();
		begin(thresholds[_i]);
		put_shuffled(sets);
		for (size_t i = 1; i <= PAGES; i++) {
			for (size_t j = 1; j < i; j++) {
				if ((first[i] == first[j]) !=
				    (world.labels[i] == world.labels[j]))
					ck_abort_msg("%zu and %zu", i, j);
			}
		}
		end();
	}
}
END_TEST

/* Another linkage with the same pages and labels takes the place. */
static void reopen(void)
{
	uint64_t members[BITS];

	linkage_destroy(world.linkage);
	world.linkage = linkage_create(
		&(struct linkage_options){.threshold = world.threshold});
	for (uint64_t i = 1; i <= PAGES; i++) {
		if (world.is_there[i])
			ck_assert_int_eq(
				linkage_restore(
					world.linkage, i,
					signature_of(world.sets[i], members),
					world.labels[i]),
				ERR_NONE);
	}
}

START_TEST(a_restored_linkage_goes_on)
{
	random_begin(20240940 + (unsigned)_i);
	for (int round = 0; round < 100; round++) {
		begin(thresholds[_i]);
		for (int i = 0; i < 60; i++) {
			if (i % 15 == 14)
				reopen();
			step();
			ck_assert(labels_are_those_told());
			ck_assert(partition_is_exact());
		}
		end();
	}
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("linkage");
	TCase *tcase = tcase_create("labels");
	TCase *laws = tcase_create("laws");
	int count = sizeof(thresholds) / sizeof(*thresholds);

	tcase_add_checked_fixture(tcase, begin_chain, end);
	tcase_add_test(tcase, first_pages_are_new_clusters);
	tcase_add_test(tcase, the_larger_cluster_keeps_its_label_on_a_merge);
	tcase_add_test(tcase,
		       the_smaller_label_stays_when_equal_clusters_merge);
	tcase_add_test(tcase, the_larger_part_keeps_the_label_on_a_split);
	tcase_add_test(tcase,
		       the_part_with_the_oldest_page_keeps_it_when_equal);
	tcase_add_test(tcase, three_parts_get_two_new_labels);
	tcase_add_test(tcase, a_hub_falls_into_all_its_parts);
	tcase_add_test(tcase, a_twin_keeps_the_graph_together);
	tcase_add_test(tcase, the_last_page_ends_its_cluster);
	tcase_add_test(tcase, a_page_that_is_not_there_cannot_leave);
	tcase_add_test(tcase, the_same_signature_again_changes_nothing);
	tcase_add_test(tcase, a_lone_page_takes_its_label_along);
	tcase_add_test(tcase, a_lone_page_that_joins_others_ends_its_cluster);
	tcase_add_test(tcase, a_page_that_leaves_others_is_a_new_cluster);
	tcase_add_test(tcase, a_bridge_that_stays_one_changes_nothing);
	tcase_add_test(tcase, an_old_label_beats_one_made_in_the_call);
	tcase_add_test(tcase, empty_signatures_are_one_cluster);
	tcase_add_test(tcase, what_goes_gives_its_memory_back);
	tcase_add_test(tcase, limits_refuse_and_change_nothing);
	tcase_add_test(tcase, restoring_refuses_what_cannot_have_been);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(laws, partition_is_that_of_brute_force, 0, count);
	tcase_add_loop_test(laws, order_does_not_matter, 0, count);
	tcase_add_loop_test(laws, a_restored_linkage_goes_on, 0, count);
	tcase_set_timeout(laws, 60);
	suite_add_tcase(suite, laws);
	return suite;
}
