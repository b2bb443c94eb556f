#include "template/change_detector.h"

#include "cluster/signature.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

enum { OWN = 7, OTHER = 8 };

static struct observed_page sample[MAX_TEMPLATE_SAMPLE];
static struct detection found;

static void setup(void)
{
	memset(sample, 0, sizeof(sample));
}

/* The paths, and as many fragments of the same hashes. */
static struct record record_of(const uint64_t *paths, uint32_t count)
{
	struct record_fragment *fragments =
		ARENA_NEW(test_arena, struct record_fragment, count);
	struct record record = {0};

	for (uint32_t i = 0; i < count; i++)
		fragments[i].hash = paths[i];
	record.signatures[MEASURE_CPC] = paths;
	record.signature_counts[MEASURE_CPC] = count;
	record.signatures[MEASURE_CP] = paths;
	record.signature_counts[MEASURE_CP] = count;
	record.fragments = fragments;
	record.fragment_count = count;
	return record;
}

/* `count` hashes from `first` on. */
static struct record items(uint64_t first, uint32_t count)
{
	uint64_t *paths = ARENA_NEW(test_arena, uint64_t, count);

	for (uint32_t i = 0; i < count; i++)
		paths[i] = first + i;
	return record_of(paths, count);
}

/* 1 to 10, and `count` from `first` on. */
static struct record with_own(uint64_t first, uint32_t count)
{
	uint64_t *paths = ARENA_NEW(test_arena, uint64_t, 10 + count);

	for (uint32_t i = 0; i < 10 + count; i++)
		paths[i] = i < 10 ? i + 1 : first + i - 10;
	return record_of(paths, 10 + count);
}

/* Pages of ten paths and texts, 1 to 10, all visited and unchanged. */
static void fill(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		sample[i] = (struct observed_page){
			.page = 100 + i,
			.observation = OBSERVED_PAGE,
			.before = items(1, 10),
			.after = items(1, 10),
			.cluster = OWN,
		};
}

/* Witnesses [from, to) now have `count` items from `first` on. */
static void become(uint32_t from, uint32_t to, uint64_t first, uint32_t count)
{
	for (uint32_t i = from; i < to; i++)
		sample[i].after = items(first, count);
}

static void move(uint32_t from, uint32_t to, uint32_t cluster)
{
	for (uint32_t i = from; i < to; i++)
		sample[i].cluster = cluster;
}

static void set_observation(uint32_t from, uint32_t to,
			    enum observation observation)
{
	for (uint32_t i = from; i < to; i++)
		sample[i].observation = observation;
}

static enum decision_kind detect_in_sample(uint32_t count)
{
	detect_change(test_arena, OWN, sample, count, &change_rules_default,
		      &found);
	return found.kind;
}

FIXTURE(.setup = setup);

TEST(nobody_says_nothing)
{
	ck_assert_int_eq(detect_in_sample(0), DECISION_SAME);
	fill(4);
	set_observation(0, 4, OBSERVED_UNSEEN);
	ck_assert_int_eq(detect_in_sample(4), DECISION_SAME);
	ck_assert_uint_eq(found.seen, 0);
}

TEST(pages_that_are_as_they_were_are_the_same)
{
	fill(16);
	ck_assert_int_eq(detect_in_sample(16), DECISION_SAME);
	ck_assert_uint_eq(found.seen, 16);
	ck_assert_uint_eq(found.disagreed, 0);
	ck_assert_uint_eq(found.gone_path_count, 0);
	ck_assert_uint_eq(found.destination_count, 0);
	ck_assert(found.has_classes);
}

TEST(paths_that_all_pages_lose_and_get_have_moved)
{
	/* 1..10 become 5..14: 1..4 are removed and 11..14 added, 8 of 14 */
	fill(8);
	become(0, 8, 5, 10);
	ck_assert_int_eq(detect_in_sample(8), DECISION_CHANGED);
	ck_assert_uint_eq(found.agreed, 8);
	ck_assert_uint_eq(found.disagreed, 8);
	ck_assert_uint_eq(found.gone_path_count, 4);
	ck_assert_uint_eq(found.gone_paths[0], 1);
	ck_assert_uint_eq(found.gone_paths[3], 4);
	ck_assert_uint_eq(found.come_path_count, 4);
	ck_assert_uint_eq(found.come_paths[0], 11);
	ck_assert_uint_eq(found.come_fragment_count, 4);
	ck_assert_double_eq_tol(found.paths_moved, 8.0 / 14, 1e-12);
	ck_assert_double_eq_tol(found.fragments_moved, 8.0 / 14, 1e-12);
	ck_assert_uint_eq(found.pages[7], 107);
}

TEST(a_few_new_paths_are_no_change)
{
	/* 11..15 come: 5 of 15 are less than 0.35; with a sixth, 6 of 16 are
	 * more */
	fill(8);
	become(0, 8, 1, 15);
	ck_assert_int_eq(detect_in_sample(8), DECISION_SAME);
	ck_assert_double_eq_tol(found.paths_moved, 5.0 / 15, 1e-12);
	become(0, 8, 1, 16);
	ck_assert_int_eq(detect_in_sample(8), DECISION_CHANGED);
	ck_assert_uint_eq(found.disagreed, 8);
}

TEST(two_paths_of_a_small_page_are_no_change)
{
	/* of 1..4 two are removed: a half, but fewer than three */
	fill(8);
	for (uint32_t i = 0; i < 8; i++)
		sample[i].before = items(1, 4);
	become(0, 8, 3, 2);
	ck_assert_int_eq(detect_in_sample(8), DECISION_SAME);
	ck_assert_double_eq_tol(found.paths_moved, 0.5, 1e-12);
}

TEST(content_that_differs_from_page_to_page_is_no_change)
{
	/* in addition to the common paths, each page had three unique ones, and
	 * has six others now */
	fill(8);
	for (uint32_t i = 0; i < 8; i++) {
		sample[i].before = with_own(1000 + 100 * i, 3);
		sample[i].after = with_own(2000 + 100 * i, 6);
	}
	ck_assert_int_eq(detect_in_sample(8), DECISION_SAME);
	ck_assert_uint_eq(found.gone_path_count, 0);
	ck_assert_uint_eq(found.come_path_count, 0);
	ck_assert_uint_eq(found.disagreed, 0);
}

/* Only texts: those of a list of new items, and all texts. */
TEST(texts_alone_must_nearly_all_move)
{
	fill(8);
	for (uint32_t i = 0; i < 8; i++) {
		struct record other = items(6, 10); /* 10 of 15 */

		sample[i].after.fragments = other.fragments;
	}
	ck_assert_int_eq(detect_in_sample(8), DECISION_SAME);
	ck_assert_double_eq_tol(found.fragments_moved, 10.0 / 15, 1e-12);
	ck_assert_double_eq(found.paths_moved, 0);
	for (uint32_t i = 0; i < 8; i++) {
		struct record other = items(7, 10); /* 12 of 16 */

		sample[i].after.fragments = other.fragments;
	}
	ck_assert_int_eq(detect_in_sample(8), DECISION_CHANGED);
	ck_assert_uint_eq(found.agreed, 8);
}

TEST(a_page_that_changes_alone_is_no_change)
{
	/* first it is a reason to ask, then it was one page */
	fill(8);
	become(0, 1, 50, 10);
	set_observation(3, 8, OBSERVED_UNSEEN);
	ck_assert_int_eq(detect_in_sample(8), DECISION_UNSURE);
	ck_assert_uint_eq(found.seen, 3);
	ck_assert_uint_eq(found.disagreed, 1);
	set_observation(3, 8, OBSERVED_PAGE);
	ck_assert_int_eq(detect_in_sample(8), DECISION_SAME);
	ck_assert_uint_eq(found.disagreed, 1);
	ck_assert_uint_eq(found.agreed, 0);
}

TEST(k_of_n_pages_must_agree)
{
	/* 0.85 of 16 are 13.6: 14 pages do, 13 do not */
	fill(16);
	become(0, 14, 50, 10);
	ck_assert_int_eq(detect_in_sample(16), DECISION_CHANGED);
	ck_assert_uint_eq(found.agreed, 14);
	sample[13].after = items(1, 10);
	ck_assert_int_eq(detect_in_sample(16), DECISION_SAME);
	ck_assert_uint_eq(found.disagreed, 13);
	/* of six, 5.1 are six */
	fill(6);
	become(0, 5, 50, 10);
	ck_assert_int_eq(detect_in_sample(6), DECISION_SAME);
}

TEST(those_who_were_not_asked_could_turn_it)
{
	/* 13 of 13 agree, and three were not fetched: of 16 14 must */
	fill(16);
	become(0, 16, 50, 10);
	set_observation(13, 16, OBSERVED_UNSEEN);
	ck_assert_int_eq(detect_in_sample(16), DECISION_UNSURE);
	set_observation(13, 14, OBSERVED_PAGE);
	ck_assert_int_eq(detect_in_sample(16), DECISION_CHANGED);
	ck_assert_uint_eq(found.seen, 14);
	/* removed or blocked pages cannot */
	set_observation(3, 4, OBSERVED_GONE);
	set_observation(4, 16, OBSERVED_BLOCKED);
	ck_assert_int_eq(detect_in_sample(16), DECISION_CHANGED);
	ck_assert_uint_eq(found.agreed, 3);
	/* where only two can decide, both must; one hides nothing */
	set_observation(2, 3, OBSERVED_BLOCKED);
	ck_assert_int_eq(detect_in_sample(16), DECISION_CHANGED);
	ck_assert_uint_eq(found.agreed, 2);
}

TEST(pages_that_changed_and_went_elsewhere_replace_it)
{
	fill(8);
	become(0, 8, 50, 10);
	move(0, 3, OTHER + 1);
	move(3, 8, OTHER);
	ck_assert_int_eq(detect_in_sample(8), DECISION_REPLACED);
	ck_assert_uint_eq(found.agreed, 8);
	ck_assert_uint_eq(found.destination_count, 2);
	ck_assert_uint_eq(found.destinations[0].cluster, OTHER);
	ck_assert_uint_eq(found.destinations[0].pages, 5);
	ck_assert_uint_eq(found.destinations[1].cluster, OTHER + 1);
	ck_assert_uint_eq(found.destinations[1].pages, 3);
	/* when half of them stay, it has changed */
	move(0, 4, OWN);
	ck_assert_int_eq(detect_in_sample(8), DECISION_CHANGED);
}

TEST(pages_that_went_as_they_were_are_merged)
{
	fill(8);
	move(0, 7, OTHER);
	ck_assert_int_eq(detect_in_sample(8), DECISION_MERGED);
	ck_assert_uint_eq(found.agreed, 7);
	ck_assert_uint_eq(found.destinations[0].cluster, OTHER);
}

TEST(some_that_go_and_some_that_stay_are_a_split)
{
	/* three of each, not two; and all have been asked */
	fill(8);
	move(0, 3, OTHER);
	ck_assert_int_eq(detect_in_sample(8), DECISION_SPLIT);
	ck_assert_uint_eq(found.agreed, 3);
	ck_assert_uint_eq(found.pages[2], 102);
	set_observation(7, 8, OBSERVED_UNSEEN);
	ck_assert_int_eq(detect_in_sample(8), DECISION_UNSURE);
	set_observation(7, 8, OBSERVED_PAGE);
	move(2, 3, OWN);
	ck_assert_int_eq(detect_in_sample(8), DECISION_SAME);
	ck_assert_uint_eq(found.disagreed, 2);
}

TEST(pages_that_are_all_deleted_have_vanished)
{
	fill(5);
	set_observation(0, 5, OBSERVED_GONE);
	ck_assert_int_eq(detect_in_sample(5), DECISION_VANISHED);
	ck_assert_uint_eq(found.agreed, 5);
	ck_assert_uint_eq(found.seen, 5);
	/* an unchanged one keeps it; another one does not */
	set_observation(4, 5, OBSERVED_PAGE);
	ck_assert_int_eq(detect_in_sample(5), DECISION_SAME);
	ck_assert_uint_eq(found.disagreed, 4);
	become(4, 5, 50, 10);
	ck_assert_int_eq(detect_in_sample(5), DECISION_VANISHED);
	set_observation(0, 1, OBSERVED_UNSEEN);
	ck_assert_int_eq(detect_in_sample(5), DECISION_UNSURE);
}

TEST(blocked_pages_tell_nothing_unless_all_are)
{
	fill(4);
	set_observation(0, 2, OBSERVED_BLOCKED);
	ck_assert_int_eq(detect_in_sample(4), DECISION_SAME);
	ck_assert_uint_eq(found.seen, 2);
	set_observation(2, 4, OBSERVED_UNSEEN);
	ck_assert_int_eq(detect_in_sample(4), DECISION_UNSURE);
	set_observation(2, 4, OBSERVED_BLOCKED);
	ck_assert_int_eq(detect_in_sample(4), DECISION_BLOCKED);
	ck_assert_uint_eq(found.agreed, 4);
}

TEST(a_small_sample_needs_more_to_move)
{
	/* 1..10 become 5..14, 8 of 14, then 7..16, 12 of 16: over 0.6 */
	fill(2);
	become(0, 2, 5, 10);
	ck_assert_int_eq(detect_in_sample(2), DECISION_SAME);
	become(0, 2, 7, 10);
	ck_assert_int_eq(detect_in_sample(2), DECISION_CHANGED);
	/* both of them */
	sample[1].after = items(1, 10);
	ck_assert_int_eq(detect_in_sample(2), DECISION_SAME);
	fill(1);
	become(0, 1, 7, 10);
	ck_assert_int_eq(detect_in_sample(1), DECISION_CHANGED);
}

TEST(paths_without_classes_count_where_others_have_nothing_in_common)
{
	/* cpc: each page has unique ones; cp: 1..10, with 1..9 becoming
	 * 20..28 */
	fill(8);
	for (uint32_t i = 0; i < 8; i++) {
		struct record own = items(1000 + 100 * i, 10);

		sample[i].before.signatures[MEASURE_CPC] =
			own.signatures[MEASURE_CPC];
		sample[i].after = items(20, 9);
	}
	ck_assert_int_eq(detect_in_sample(8), DECISION_CHANGED);
	ck_assert(!found.has_classes);
	ck_assert_uint_eq(found.gone_path_count, 10);
	ck_assert_uint_eq(found.come_path_count, 9);
	ck_assert_double_eq(found.paths_moved, 1);
}

TEST(pages_without_anything_are_the_same)
{
	fill(3);
	for (uint32_t i = 0; i < 3; i++)
		sample[i].before = sample[i].after = (struct record){0};
	ck_assert_int_eq(detect_in_sample(3), DECISION_SAME);
	ck_assert_double_eq(found.paths_moved, 0);
}

static void fill_at_random(uint32_t count)
{
	fill(count);
	for (uint32_t i = 0; i < count; i++) {
		sample[i].before = items(1 + random_bits() % 4, 10);
		sample[i].after = items(1 + random_bits() % 12, 9);
		sample[i].observation =
			(enum observation)(random_bits() % 8 % 5 % 4);
		sample[i].cluster = OWN + (uint32_t)(random_bits() % 2);
	}
}

static void reverse(uint32_t count)
{
	for (uint32_t i = 0; 2 * i < count; i++) {
		struct observed_page observed = sample[i];

		sample[i] = sample[count - 1 - i];
		sample[count - 1 - i] = observed;
	}
}

TEST(order_does_not_matter)
{
	random_begin(20261122);
	for (int round = 0; round < 300; round++) {
		uint32_t count =
			1 + (uint32_t)(random_bits() % MAX_TEMPLATE_SAMPLE);
		struct detection before;

		fill_at_random(count);
		detect_in_sample(count);
		before = found;
		reverse(count);
		ck_assert_int_eq(detect_in_sample(count), before.kind);
		ck_assert_uint_eq(found.agreed, before.agreed);
		ck_assert_uint_eq(found.disagreed, before.disagreed);
		ck_assert_double_eq(found.paths_moved, before.paths_moved);
		ck_assert(found.paths_moved >= 0 && found.paths_moved <= 1);
	}
}

/* A class of html is in all ten paths, and the names of the elements are what
 * they were: that is one change. */
TEST(a_class_of_html_is_one_change)
{
	static const uint64_t renamed[] = {21, 22, 23, 24, 25,
					   26, 27, 28, 29, 30};

	fill(8);
	for (unsigned i = 0; i < 8; i++)
		sample[i].after.signatures[MEASURE_CPC] = renamed;
	detect_in_sample(8);
	ck_assert_int_eq(found.kind, DECISION_CHANGED);
	ck_assert_uint_eq(found.agreed, 8);
	ck_assert(found.is_root_class && !found.has_classes);
	ck_assert_uint_eq(found.gone_path_count, 0);
	ck_assert_double_eq(found.paths_moved, 0);
}

/* The pages that remain tell where the template is. */
TEST(as_many_as_are_gone_are_a_change)
{
	fill(8);
	become(0, 4, 100, 10);
	set_observation(4, 8, OBSERVED_GONE);
	ck_assert_int_eq(detect_in_sample(8), DECISION_CHANGED);
	ck_assert_uint_eq(found.agreed, 4);
	move(0, 4, OTHER);
	ck_assert_int_eq(detect_in_sample(8), DECISION_REPLACED);
}

/* 2 of 8 have changed, and the other 6 are removed. */
TEST(fewer_than_are_gone_are_no_change)
{
	fill(8);
	become(0, 2, 100, 10);
	for (unsigned i = 0; i < 8; i++) {
		sample[i].cluster = OTHER;
		if (i >= 2)
			sample[i].observation = OBSERVED_GONE;
	}
	detect_in_sample(8);
	ck_assert_int_eq(found.kind, DECISION_VANISHED);
	ck_assert_uint_eq(found.agreed, 6);
}
