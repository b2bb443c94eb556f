#include "cluster/linkage.h"

#include "tests/unit/random.h"
#include "tests/unit/run.h"

/*
 * A small world: pages 1 .. PAGES with sets of the numbers 0 .. 15, written as
 * bits, and a model built from the reported changes.
 */
enum {
	PAGES = 24,
	BITS = 16,
	LABELS = 8192,
	NO_SHINGLE = BITS,
	NOT_STORED = 1 << BITS,
};

struct world {
	struct linkage *linkage;
	unsigned threshold;
	uint32_t next_label;
	bool is_there[PAGES + 1];
	uint64_t ages[PAGES + 1];
	uint64_t next_age;
	uint32_t sets[PAGES + 1];
	uint32_t labels[PAGES + 1]; /* replayed from moves */
	bool is_alive[LABELS];      /* replayed from events */
	/* As a store would have them: */
	uint32_t shingles_of_ids[BITS];  /* or NO_SHINGLE */
	uint32_t stored_sets[PAGES + 1]; /* of a set number, or NOT_STORED */
	uint32_t set_of_page[PAGES + 1];
	struct linkage_changes changes;
};

static struct world world;

static void begin(unsigned threshold)
{
	world = (struct world){.threshold = threshold, .next_label = 1};
	world.linkage = linkage_create(
		&(struct linkage_options){.threshold = threshold});
	for (size_t i = 0; i < BITS; i++)
		world.shingles_of_ids[i] = NO_SHINGLE;
	for (size_t i = 0; i <= PAGES; i++)
		world.stored_sets[i] = NOT_STORED;
}

static void end(void)
{
	linkage_destroy(world.linkage);
}

static struct signature signature_of(uint32_t set, uint64_t *shingles)
{
	size_t count = 0;

	for (uint64_t i = 0; i < BITS; i++) {
		if (set >> i & 1)
			shingles[count++] = i;
	}
	return (struct signature){shingles, count};
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
		    world.labels[move.page] != move.from || !is_first_move(i) ||
		    move.set != linkage_set(world.linkage, move.page))
			return false;
		world.labels[move.page] = move.to;
	}
	return true;
}

static bool replay_event(struct linkage_event event)
{
	bool is_birth =
		event.kind == LINKAGE_ADDED || event.kind == LINKAGE_SPLIT;
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

/* Are the living labels those of the pages? */
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

/* Whether only numbers that are free are added, only others dropped. */
static bool replay_shingles(void)
{
	for (size_t i = 0; i < world.changes.dropped_shingle_count; i++) {
		uint32_t shingle_id = world.changes.dropped_shingles[i];

		if (shingle_id >= BITS ||
		    world.shingles_of_ids[shingle_id] == NO_SHINGLE)
			return false;
		world.shingles_of_ids[shingle_id] = NO_SHINGLE;
	}
	for (size_t i = 0; i < world.changes.added_shingle_count; i++) {
		uint32_t shingle_id = world.changes.added_shingles[i];

		if (shingle_id >= BITS ||
		    world.shingles_of_ids[shingle_id] != NO_SHINGLE)
			return false;
		world.shingles_of_ids[shingle_id] =
			(uint32_t)linkage_shingle(world.linkage, shingle_id);
	}
	return true;
}

/* The numbers that a set of shingles stands for, by the shingles told;
 * NOT_STORED when they are not in order or unknown. */
static uint32_t read_set(struct linkage_set_view view)
{
	uint32_t set = 0;

	for (size_t i = 0; i < view.count; i++) {
		if (view.shingle_ids[i] >= BITS ||
		    world.shingles_of_ids[view.shingle_ids[i]] == NO_SHINGLE ||
		    (i > 0 && view.shingle_ids[i - 1] >= view.shingle_ids[i]))
			return NOT_STORED;
		set |= 1U << world.shingles_of_ids[view.shingle_ids[i]];
	}
	return set;
}

static bool replay_set(void)
{
	uint32_t dropped = world.changes.dropped_set;
	uint32_t added = world.changes.added_set;

	if (dropped != LINKAGE_NONE) {
		if (dropped > PAGES || world.stored_sets[dropped] == NOT_STORED)
			return false;
		world.stored_sets[dropped] = NOT_STORED;
	}
	if (added != LINKAGE_NONE) {
		if (added > PAGES || world.stored_sets[added] != NOT_STORED)
			return false;
		world.stored_sets[added] =
			read_set(linkage_set_at(world.linkage, added));
		return world.stored_sets[added] != NOT_STORED;
	}
	return true;
}

/* Are the stored sets exactly those of the pages? */
static bool sets_are_those_told(void)
{
	size_t pages[PAGES + 1] = {0};
	size_t sets = 0;

	for (uint64_t i = 1; i <= PAGES; i++) {
		uint32_t set = linkage_set(world.linkage, i);

		world.set_of_page[i] = set;
		if ((set != LINKAGE_NONE) != world.is_there[i])
			return false;
		if (set == LINKAGE_NONE)
			continue;
		if (set > PAGES || world.stored_sets[set] != world.sets[i])
			return false;
		pages[set]++;
	}
	for (uint32_t i = 0; i <= PAGES; i++) {
		struct linkage_set_view view = linkage_set_at(world.linkage, i);

		sets += pages[i] > 0;
		if (view.page_count != pages[i] ||
		    (pages[i] > 0) != (world.stored_sets[i] != NOT_STORED) ||
		    (pages[i] > 0 && (view.label == 0 ||
				      read_set(view) != world.stored_sets[i])))
			return false;
	}
	return sets == linkage_size(world.linkage).sets;
}

/* Are the stored shingles exactly those of the sets? */
static bool shingle_ids_are_those_told(void)
{
	uint32_t used = 0;
	uint32_t known = 0;
	size_t count = 0;

	for (size_t i = 1; i <= PAGES; i++)
		used |= world.is_there[i] ? world.sets[i] : 0;
	for (size_t i = 0; i < BITS; i++) {
		if (world.shingles_of_ids[i] != NO_SHINGLE)
			known |= 1U << world.shingles_of_ids[i];
		count += world.shingles_of_ids[i] != NO_SHINGLE;
	}
	return used == known &&
	       linkage_size(world.linkage).shingle_ids == count;
}

static void replay(void)
{
	ck_assert(replay_moves() && replay_events());
	ck_assert(replay_shingles() && replay_set());
	ck_assert(sets_are_those_told() && shingle_ids_are_those_told());
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
	uint64_t shingles[BITS];

	ASSERT_OK(linkage_put(world.linkage, page, signature_of(set, shingles),
			      &world.next_label, &world.changes));
	world.sets[page] = set;
	if (!world.is_there[page])
		world.ages[page] = world.next_age++;
	world.is_there[page] = true;
	replay();
}

static void take(uint64_t page)
{
	linkage_remove(world.linkage, page, &world.next_label, &world.changes);
	world.is_there[page] = false;
	replay();
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

FIXTURE(.setup = begin_chain, .teardown = end);

TEST(first_pages_are_new_clusters)
{
	put(1, SET_01);
	check_event(0, LINKAGE_ADDED, 1, 0);
	ck_assert_uint_eq(world.changes.move_count, 1);
	ck_assert_uint_eq(world.changes.moves[0].from, 0);
	put(2, SET_23);
	check_event(0, LINKAGE_ADDED, 2, 0);
	put(3, SET_01);
	ck_assert_uint_eq(world.changes.event_count, 0);
	ck_assert_uint_eq(linkage_label(world.linkage, 3), 1);
	ck_assert_uint_eq(linkage_label(world.linkage, 4), 0);
	ck_assert_uint_eq(world.next_label, 3);
	ck_assert_uint_eq(linkage_size(world.linkage).sets, 2);
	ck_assert_uint_eq(linkage_size(world.linkage).clusters, 2);
	ck_assert_uint_gt(linkage_size(world.linkage).bytes, 0);
}

TEST(the_larger_cluster_keeps_its_label_on_a_merge)
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

TEST(the_smaller_label_stays_when_equal_clusters_merge)
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

TEST(the_larger_part_keeps_the_label_on_a_split)
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

TEST(the_part_with_the_oldest_page_keeps_it_when_equal)
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

TEST(three_parts_get_two_new_labels)
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

TEST(a_hub_falls_into_all_its_parts)
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

TEST(a_collision_keeps_the_graph_together)
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

TEST(the_last_page_ends_its_cluster)
{
	put(1, SET_01);
	take(1);
	ck_assert_uint_eq(world.changes.event_count, 1);
	check_event(0, LINKAGE_REMOVED, 1, 0);
	ck_assert_uint_eq(linkage_size(world.linkage).sets, 0);
	put(1, SET_01);
	check_event(0, LINKAGE_ADDED, 2, 0);
}

TEST(a_page_that_is_not_there_cannot_leave)
{
	put(1, SET_01);
	take(2);
	check_quiet();
}

TEST(the_same_signature_again_changes_nothing)
{
	put(1, SET_01);
	put(2, SET_12);
	put(1, SET_01);
	check_quiet();
}

TEST(a_lone_page_takes_its_label_along)
{
	put(1, SET_01);
	put(2, SET_56);
	put(1, SET_89);
	check_quiet();
	ck_assert_uint_eq(linkage_label(world.linkage, 1), 1);
	ck_assert_uint_eq(world.next_label, 3);
}

TEST(a_lone_page_that_joins_others_ends_its_cluster)
{
	put(1, SET_01);
	put(2, SET_56);
	put(1, SET_45);
	ck_assert_uint_eq(world.changes.event_count, 1);
	check_event(0, LINKAGE_REMOVED, 1, 0);
	ck_assert_uint_eq(world.changes.move_count, 1);
	ck_assert_uint_eq(world.changes.moves[0].from, 1);
	ck_assert_uint_eq(world.changes.moves[0].to, 2);
	/* The same into an existing set. */
	put(3, SET_89);
	put(3, SET_45);
	check_event(0, LINKAGE_REMOVED, 3, 0);
}

TEST(a_page_that_leaves_others_is_a_new_cluster)
{
	put(1, SET_01);
	put(2, SET_12);
	put(1, SET_89);
	ck_assert_uint_eq(world.changes.event_count, 1);
	check_event(0, LINKAGE_ADDED, 2, 0);
	ck_assert_uint_eq(linkage_label(world.linkage, 2), 1);
	ck_assert_uint_eq(linkage_label(world.linkage, 1), 2);
}

TEST(a_bridge_that_stays_one_changes_nothing)
{
	put(1, SET_01);
	put(2, SET_12);
	put(3, SET_23);
	put(2, 1 << 0 | 1 << 3); /* shares one with each side, as before */
	check_quiet();
	ck_assert_uint_eq(world.next_label, 2);
	ck_assert_uint_eq(linkage_size(world.linkage).clusters, 1);
}

TEST(an_old_label_beats_one_made_in_the_call)
{
	/* 2 holds {1 4 5} and {3 6 7} together; 8 is single. */
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

TEST(empty_signatures_are_one_cluster)
{
	put(1, 0);
	put(2, 0);
	put(3, SET_01);
	ck_assert_uint_eq(linkage_size(world.linkage).clusters, 2);
	ck_assert_uint_eq(linkage_size(world.linkage).sets, 2);
	ck_assert_uint_eq(linkage_label(world.linkage, 2), 1);
}

TEST(what_goes_gives_its_memory_back)
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

TEST(limits_refuse_and_change_nothing)
{
	uint64_t shingles[BITS];
	uint32_t next = 1;
	struct linkage_changes changes;
	struct linkage *linkage = linkage_create(&(struct linkage_options){
		.threshold = 500,
		.max_shingles = 3,
		.max_pages = 2,
	});

	ck_assert_int_eq(linkage_put(linkage, 1, signature_of(0xf, shingles),
				     &next, &changes),
			 ERR_TOO_LARGE);
	ck_assert_uint_eq(changes.move_count + changes.event_count, 0);
	ck_assert_uint_eq(changes.added_set, LINKAGE_NONE);
	ck_assert_uint_eq(changes.dropped_set, LINKAGE_NONE);
	ASSERT_OK(linkage_put(linkage, 1, signature_of(0x7, shingles), &next,
			      &changes));
	ck_assert_int_eq(linkage_put(linkage, 1, signature_of(0xf, shingles),
				     &next, &changes),
			 ERR_TOO_LARGE);
	ck_assert_uint_eq(linkage_label(linkage, 1), 1);
	ASSERT_OK(linkage_put(linkage, 2, signature_of(0x8, shingles), &next,
			      &changes));
	ck_assert_int_eq(linkage_put(linkage, 3, signature_of(0x7, shingles),
				     &next, &changes),
			 ERR_TOO_LARGE);
	ck_assert_uint_eq(linkage_label(linkage, 3), 0);
	/* Existing pages may change. */
	ASSERT_OK(linkage_put(linkage, 2, signature_of(0x7, shingles), &next,
			      &changes));
	next = UINT32_MAX;
	ck_assert_int_eq(linkage_put(linkage, 2, signature_of(0x8, shingles),
				     &next, &changes),
			 ERR_TOO_LARGE);
	ck_assert_uint_eq(linkage_size(linkage).pages, 2);
	ck_assert_uint_eq(linkage_size(linkage).sets, 1);
	linkage_destroy(linkage);
	linkage_destroy(NULL);
}

TEST(sets_are_limited_apart_from_pages)
{
	uint64_t shingles[BITS];
	uint32_t next = 1;
	struct linkage_changes changes;
	struct linkage *linkage = linkage_create(
		&(struct linkage_options){.threshold = 500, .max_sets = 1});

	ASSERT_OK(linkage_put(linkage, 1, signature_of(SET_01, shingles), &next,
			      &changes));
	/* Another one instead. */
	ASSERT_OK(linkage_put(linkage, 1, signature_of(SET_12, shingles), &next,
			      &changes));
	ASSERT_OK(linkage_put(linkage, 2, signature_of(SET_12, shingles), &next,
			      &changes));
	ck_assert_int_eq(linkage_put(linkage, 1, signature_of(SET_01, shingles),
				     &next, &changes),
			 ERR_TOO_LARGE);
	ck_assert_int_eq(linkage_put(linkage, 3, signature_of(SET_01, shingles),
				     &next, &changes),
			 ERR_TOO_LARGE);
	ck_assert_uint_eq(linkage_size(linkage).pages, 2);
	linkage_destroy(linkage);
}

TEST(a_set_that_is_not_there_has_no_pages)
{
	put(1, SET_01);
	ck_assert_uint_eq(linkage_set_at(world.linkage, 0).page_count, 1);
	ck_assert_uint_eq(linkage_set_at(world.linkage, 1).page_count, 0);
	ck_assert_uint_eq(linkage_size(world.linkage).set_rows, 1);
	take(1);
	ck_assert_uint_eq(linkage_set_at(world.linkage, 0).page_count, 0);
	ck_assert_uint_eq(linkage_set(world.linkage, 1), LINKAGE_NONE);
	ck_assert_uint_eq(linkage_size(world.linkage).groups, 0);
}

static void recut(unsigned threshold)
{
	linkage_set_threshold(world.linkage, threshold, NULL, &world.next_label,
			      &world.changes);
	world.threshold = threshold;
	ck_assert_uint_eq(world.changes.added_set, LINKAGE_NONE);
	ck_assert_uint_eq(world.changes.dropped_set, LINKAGE_NONE);
	replay();
}

TEST(a_lower_cut_splits)
{
	put(1, SET_01);
	put(2, SET_12);
	put(3, SET_12);
	put(4, SET_23);
	put(5, SET_89);
	recut(499);
	/* 2 and 3 keep the label, 1 is older than 4. */
	ck_assert_uint_eq(world.changes.event_count, 2);
	check_event(0, LINKAGE_SPLIT, 3, 1);
	check_event(1, LINKAGE_SPLIT, 4, 1);
	ck_assert_uint_eq(linkage_label(world.linkage, 1), 3);
	ck_assert_uint_eq(linkage_label(world.linkage, 2), 1);
	ck_assert_uint_eq(linkage_label(world.linkage, 4), 4);
	ck_assert_uint_eq(linkage_label(world.linkage, 5), 2);
	ck_assert_uint_eq(world.changes.move_count, 2);
	ck_assert(partition_is_exact());
}

TEST(a_higher_cut_merges)
{
	put(1, SET_01);
	put(2, SET_23);
	put(3, SET_23);
	put(4, SET_56);
	recut(1000);
	ck_assert_uint_eq(world.changes.event_count, 2);
	check_event(0, LINKAGE_MERGED, 1, 2);
	check_event(1, LINKAGE_MERGED, 3, 2);
	ck_assert_uint_eq(world.changes.move_count, 2);
	recut(1000);
	check_quiet();
	/* Back again: what was merged has no claim to its old label. */
	recut(500);
	ck_assert_uint_eq(linkage_label(world.linkage, 2), 2);
	check_event(0, LINKAGE_SPLIT, 4, 2);
	check_event(1, LINKAGE_SPLIT, 5, 2);
	ck_assert_uint_eq(linkage_label(world.linkage, 1), 4);
}

static bool is_first_label(void *context, uint32_t label)
{
	(void)context;
	return label == 1;
}

TEST(a_preferred_label_remains_whichever_component_has_more_pages)
{
	put(1, SET_01);
	put(2, SET_23);
	put(3, SET_23);
	put(4, SET_56);
	linkage_prefer_labels(world.linkage, is_first_label, NULL);
	recut(1000);
	ck_assert_uint_eq(world.changes.event_count, 2);
	check_event(0, LINKAGE_MERGED, 2, 1);
	check_event(1, LINKAGE_MERGED, 3, 1);
	ck_assert_uint_eq(world.changes.move_count, 3);
	ck_assert(labels_are_those_told() && partition_is_exact());
	linkage_prefer_labels(world.linkage, NULL, NULL);
}

TEST(a_page_between_two_components_brings_them_to_the_preferred_label)
{
	put(1, SET_01);
	put(2, SET_23);
	put(3, SET_23);
	linkage_prefer_labels(world.linkage, is_first_label, NULL);
	put(4, SET_12);
	check_event(0, LINKAGE_MERGED, 2, 1);
	for (uint64_t page = 1; page <= 4; page++)
		ck_assert_uint_eq(linkage_label(world.linkage, page), 1);
	ck_assert(labels_are_those_told() && partition_is_exact());
	linkage_prefer_labels(world.linkage, NULL, NULL);
}

TEST(an_empty_linkage_accepts_a_new_threshold)
{
	recut(0);
	check_quiet();
}

static void swap(uint32_t a, uint32_t b)
{
	bool was_alive = world.is_alive[a];

	linkage_swap_labels(world.linkage, a, b, &world.changes);
	ck_assert_uint_eq(world.changes.added_set, LINKAGE_NONE);
	ck_assert_uint_eq(world.changes.dropped_set, LINKAGE_NONE);
	/* no event: no cluster begins or ends */
	ck_assert_uint_eq(world.changes.event_count, 0);
	world.is_alive[a] = world.is_alive[b];
	world.is_alive[b] = was_alive;
	replay();
}

TEST(two_clusters_exchange_their_labels)
{
	put(1, SET_01);
	put(2, SET_01);
	put(3, SET_56);
	swap(1, 2);
	ck_assert_uint_eq(world.labels[1], 2);
	ck_assert_uint_eq(world.labels[2], 2);
	ck_assert_uint_eq(world.labels[3], 1);
	ck_assert_uint_eq(world.changes.move_count, 3);
	ck_assert(labels_are_those_told() && partition_is_exact());
	/* the label moves on with its cluster */
	put(4, SET_01);
	ck_assert_uint_eq(world.labels[4], 2);
	swap(1, 2);
	ck_assert_uint_eq(world.labels[1], 1);
	swap(1, 1);
	check_quiet();
}

/* Its cluster has ended before. */
TEST(a_cluster_gets_an_unused_label)
{
	put(1, SET_01);
	put(2, SET_56);
	take(1);
	swap(1, 2);
	ck_assert_uint_eq(world.labels[2], 1);
	ck_assert(labels_are_those_told() && partition_is_exact());
	put(1, SET_01);
	ck_assert_uint_eq(world.labels[1], 3);
	swap(2, 7);
	check_quiet();
}

/* Of two labels that were assigned before; none, one or both are unused. */
static void swap_at_random(void)
{
	if (world.next_label > 1)
		swap(1 + random_below(world.next_label - 1),
		     1 + random_below(world.next_label - 1));
}

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
	else if (random_below(8) == 0)
		swap_at_random();
	else if (random_below(4) == 0)
		put(page, world.sets[1 + random_below(PAGES)]);
	else
		put(page, random_set());
}

static const unsigned thresholds[] = {0, 100, 250, 500, 700, 850, 999, 1000};
enum { THRESHOLDS = COUNT_OF(thresholds) };

FIXTURE(.timeout_s = 60);

static bool is_third_label(void *context, uint32_t label)
{
	(void)context;
	return label % 3 == 0;
}

/* Law 1. The seed makes another corpus in every round. */
TEST_LOOP(partition_is_that_of_brute_force, 0, THRESHOLDS)
{
	random_begin(20240920 + (unsigned)_i);
	for (uint32_t round = 0; round < random_rounds(200); round++) {
		begin(thresholds[_i]);
		if (round % 2 == 1)
			linkage_prefer_labels(world.linkage, is_third_label,
					      NULL);
		for (int i = 0; i < 60; i++) {
			step();
			ck_assert(labels_are_those_told());
			ck_assert(partition_is_exact());
		}
		end();
	}
}

/* Set the set of each page; pages come in random order, some of them with
 * another set first. */
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

TEST_LOOP(order_does_not_matter, 0, THRESHOLDS)
{
	random_begin(20240930 + (unsigned)_i);
	for (uint32_t round = 0; round < random_rounds(100); round++) {
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

/* The page that came next after `age`, or 0. */
static uint64_t page_after(uint64_t age)
{
	uint64_t next = 0;

	for (uint64_t i = 1; i <= PAGES; i++) {
		if (world.is_there[i] && world.ages[i] >= age &&
		    (next == 0 || world.ages[i] < world.ages[next]))
			next = i;
	}
	return next;
}

static bool restore_shingles(struct linkage *linkage)
{
	for (uint32_t i = 0; i < BITS; i++) {
		if (world.shingles_of_ids[i] != NO_SHINGLE &&
		    linkage_restore_shingle(
			    linkage, i, world.shingles_of_ids[i]) != ERR_NONE)
			return false;
	}
	return true;
}

static bool restore_sets(struct linkage *linkage)
{
	uint32_t shingle_ids[BITS];

	for (uint32_t i = 0; i <= PAGES; i++) {
		size_t count = 0;

		if (world.stored_sets[i] == NOT_STORED)
			continue;
		for (uint32_t j = 0; j < BITS; j++) {
			if (world.shingles_of_ids[j] != NO_SHINGLE &&
			    world.stored_sets[i] >> world.shingles_of_ids[j] &
				    1)
				shingle_ids[count++] = j;
		}
		if (linkage_restore_set(linkage, i, shingle_ids, count) !=
		    ERR_NONE)
			return false;
	}
	return true;
}

static bool restore_pages(struct linkage *linkage)
{
	for (uint64_t i = page_after(0); i != 0;
	     i = page_after(world.ages[i] + 1)) {
		if (linkage_restore_page(linkage, i, world.set_of_page[i],
					 world.labels[i]) != ERR_NONE)
			return false;
	}
	return true;
}

/* Build a linkage from the reported changes. */
static struct linkage *restored(void)
{
	struct linkage *linkage = linkage_create(
		&(struct linkage_options){.threshold = world.threshold});

	ck_assert(restore_shingles(linkage));
	ck_assert(restore_sets(linkage));
	ck_assert(restore_pages(linkage));
	ASSERT_OK(linkage_restore_end(linkage));
	return linkage;
}

static bool labels_are_those_of(const struct linkage *collision)
{
	for (uint64_t i = 1; i <= PAGES; i++) {
		if (linkage_label(collision, i) != world.labels[i])
			return false;
	}
	return linkage_size(collision).clusters ==
	       linkage_size(world.linkage).clusters;
}

/* Make the same call on a linkage and on its restored copy. */
static void step_collisions(void)
{
	uint64_t page = 1 + random_below(PAGES);
	uint32_t set = random_set();
	uint32_t next_label = world.next_label;
	struct linkage_changes changes;
	struct linkage *collision = world.linkage;
	uint64_t shingles[BITS];

	world.linkage = restored();
	if (random_below(2) == 0) {
		linkage_remove(collision, page, &next_label, &changes);
		take(page);
	} else {
		ASSERT_OK(linkage_put(collision, page,
				      signature_of(set, shingles), &next_label,
				      &changes));
		put(page, set);
	}
	ck_assert_uint_eq(next_label, world.next_label);
	ck_assert(labels_are_those_of(collision));
	linkage_destroy(collision);
}

/* The engines differ inside after opening; their reports do not. */
TEST_LOOP(a_restored_linkage_continues, 0, THRESHOLDS)
{
	random_begin(20240940 + (unsigned)_i);
	for (uint32_t round = 0; round < random_rounds(100); round++) {
		begin(thresholds[_i]);
		for (int i = 0; i < 60; i++) {
			if (i % 5 == 4)
				step_collisions();
			else
				step();
			ck_assert(labels_are_those_told());
			ck_assert(partition_is_exact());
		}
		end();
	}
}

/* Pages that had `label` and are in the component of `smallest` now. */
struct match {
	size_t pages;
	uint32_t label;
	size_t smallest;
	uint64_t oldest;
};

static bool is_before(struct match a, struct match b)
{
	if (a.pages != b.pages)
		return a.pages > b.pages;
	if (a.label != b.label)
		return a.label < b.label;
	return a.oldest < b.oldest;
}

static struct match match_at(size_t page, const uint32_t *labels,
			     const size_t *smallest)
{
	struct match match = {0, labels[page], smallest[page], UINT64_MAX};

	for (size_t i = 1; i <= PAGES; i++) {
		if (!world.is_there[i] || smallest[i] != match.smallest)
			continue;
		match.pages += labels[i] == match.label;
		if (world.ages[i] < match.oldest)
			match.oldest = world.ages[i];
	}
	return match;
}

/* Give its label to the best free match, until none remains. */
static void assign_labels(const uint32_t *labels, const size_t *smallest,
			  uint32_t *label_of)
{
	bool is_taken[LABELS] = {false};

	for (;;) {
		struct match best = {0};

		for (size_t i = 1; i <= PAGES; i++) {
			struct match match = match_at(i, labels, smallest);

			if (world.is_there[i] && !is_taken[match.label] &&
			    label_of[match.smallest] == 0 &&
			    (best.pages == 0 || is_before(match, best)))
				best = match;
		}
		if (best.pages == 0)
			return;
		is_taken[best.label] = true;
		label_of[best.smallest] = best.label;
	}
}

static bool recut_is_that_of_the_rules(unsigned threshold)
{
	uint32_t label_of[PAGES + 1] = {0};
	uint32_t before[PAGES + 1];
	size_t smallest[PAGES + 1];
	uint32_t next_label = world.next_label;

	memcpy(before, world.labels, sizeof(before));
	recut(threshold);
	find_components(smallest);
	assign_labels(before, smallest, label_of);
	for (size_t i = 1; i <= PAGES; i++) {
		uint32_t label = label_of[smallest[i]];

		if (world.is_there[i] &&
		    (label == 0 ? world.labels[i] < next_label
				: world.labels[i] != label))
			return false;
	}
	return true;
}

TEST(a_linkage_continues_after_a_threshold_change)
{
	random_begin(20240960);
	for (uint32_t round = 0; round < random_rounds(150); round++) {
		begin(thresholds[random_below(THRESHOLDS)]);
		for (int i = 0; i < 60; i++) {
			if (i % 6 == 5)
				ck_assert(recut_is_that_of_the_rules(
					thresholds[random_below(THRESHOLDS)]));
			step();
			ck_assert(labels_are_those_told());
			ck_assert(partition_is_exact());
		}
		end();
	}
}
