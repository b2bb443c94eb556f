#include "cluster/threshold.h"

#include "cluster/dendrogram.h"
#include "cluster/quality.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

enum { PAGES = 12 };

static void check_labels(const uint32_t *found, const uint32_t *expected,
			 uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		ck_assert_msg(found[i] == expected[i], "page %u: %u", i,
			      found[i]);
}

TEST(the_commonest_path_of_the_links_to_a_page_is_its_label)
{
	/* Of page 0: 7 twice, 9 once. Of page 3: 9 twice, 7 once. */
	struct label_link links[] = {
		{0, 9}, {3, 9}, {2, 7}, {1, 7}, {0, 7},
		{3, 7}, {0, 7}, {5, 9}, {3, 9}, {4, 9},
	};
	uint32_t labels[7];

	ck_assert_uint_eq(link_labels_compute(links, 10, labels, 7), 2);
	check_labels(labels, (uint32_t[]){1, 1, 1, 2, 2, 2, 0}, 7);
}

TEST(of_equally_common_paths_that_to_most_pages_is_the_label)
{
	/* 8 leads to pages 0 to 4, 7 to 0 to 2, and there are more links at 7:
	 * page 9 has most of them. */
	struct label_link links[] = {
		{0, 7}, {1, 7}, {2, 7}, {0, 8}, {1, 8}, {2, 8},
		{3, 8}, {4, 8}, {9, 7}, {9, 7}, {9, 7},
	};
	/* both lead to three */
	struct label_link equal[] = {
		{0, 8}, {1, 8}, {2, 8}, {0, 7}, {1, 7}, {2, 7},
	};
	uint32_t labels[10];

	ck_assert_uint_eq(link_labels_compute(links, 11, labels, 10), 1);
	check_labels(labels, (uint32_t[]){1, 1, 1, 1, 1, 0, 0, 0, 0, 0}, 10);
	ck_assert_uint_eq(link_labels_compute(equal, 6, labels, 3), 1);
	check_labels(labels, (uint32_t[]){1, 1, 1}, 3);
	ck_assert_uint_eq(equal[0].path, 7);
}

TEST(a_path_of_fewer_than_three_pages_is_no_label)
{
	struct label_link links[] = {
		{0, 7}, {1, 7}, {2, 8}, {3, 8}, {4, 8}, {5, 9},
	};
	uint32_t labels[6];

	ck_assert_uint_eq(link_labels_compute(links, 6, labels, 6), 1);
	check_labels(labels, (uint32_t[]){0, 0, 1, 1, 1, 0}, 6);
}

TEST(without_links_there_are_no_labels)
{
	uint32_t labels[2] = {5, 5};

	ck_assert_uint_eq(link_labels_compute(NULL, 0, labels, 2), 0);
	check_labels(labels, (uint32_t[]){0, 0}, 2);
	ck_assert_uint_eq(link_labels_compute(NULL, 0, NULL, 0), 0);
}

/* The order of links does not change the labels. */
TEST(the_order_of_links_does_not_matter)
{
	struct label_link links[300];
	struct label_link reversed[300];
	uint32_t first[PAGES];
	uint32_t again[PAGES];

	random_begin(20261121);
	for (size_t i = 0; i < 300; i++) {
		links[i].target = random_below(PAGES);
		links[i].path = random_below(4) + 1;
		reversed[299 - i] = links[i];
	}
	ck_assert_uint_gt(link_labels_compute(links, 300, first, PAGES), 0);
	link_labels_compute(reversed, 300, again, PAGES);
	check_labels(again, first, PAGES);
}

/* A page a leaf; edge i joins leaf i + 1 to leaf i. */
struct world {
	struct dendrogram_edge edges[PAGES - 1];
	uint32_t pages[PAGES];
	uint32_t leaves[10 * PAGES];
	uint32_t labels[10 * PAGES];
	struct dendrogram dendrogram;
};

static void world_begin(struct world *world, const uint32_t *heights,
			const uint32_t *labels)
{
	memset(world, 0, sizeof(*world));
	for (uint32_t i = 0; i < PAGES; i++) {
		world->pages[i] = 1;
		world->leaves[i] = i;
		world->labels[i] = labels[i];
	}
	for (uint32_t i = 0; i + 1 < PAGES; i++)
		world->edges[i] =
			(struct dendrogram_edge){i, i + 1, heights[i]};
	world->dendrogram = (struct dendrogram){
		.edges = world->edges,
		.pages = world->pages,
		.count = PAGES,
		.page_count = PAGES,
	};
}

/* The first `count` pages; those from PAGES on are at leaf 0 without a
 * label. */
static struct label_choice choose(const struct world *world, size_t count,
				  unsigned default_value)
{
	struct label_pages pages = {world->leaves, world->labels, count};
	struct label_choice choice;

	link_labels_choose(&pages, &world->dendrogram, default_value, &choice);
	return choice;
}

/*
 * Six pages of one label are together from 100 on, six of another from 300 on,
 * and all from 500 on. Pairs: 66 in all, 30 of one label.
 */
static const uint32_t steps[PAGES - 1] = {100, 100, 100, 100, 100, 500,
					  300, 300, 300, 300, 300};
static const uint32_t halves[PAGES] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2};

static double curve_at(const struct label_choice *choice, unsigned threshold)
{
	return choice->curve[(threshold - LINK_LABEL_FIRST) / LINK_LABEL_STEP];
}

TEST(the_curve_is_the_agreement_of_each_cut)
{
	struct label_choice choice;
	struct world world;

	world_begin(&world, steps, halves);
	choice = choose(&world, PAGES, 200);
	/* single pages agree by chance */
	ck_assert_double_eq_tol(curve_at(&choice, 25), 0, 1e-12);
	ck_assert_double_eq_tol(curve_at(&choice, 95), 0, 1e-12);
	/* 15 pairs found, all right; 15 * 30 / 66 = 75 / 11 by chance:
	 * (15 - 75/11) / ((15 + 30) / 2 - 75/11) = 180 / 345 */
	ck_assert_double_eq_tol(curve_at(&choice, 100), 12.0 / 23, 1e-12);
	ck_assert_double_eq_tol(curve_at(&choice, 295), 12.0 / 23, 1e-12);
	ck_assert_double_eq_tol(curve_at(&choice, 300), 1, 1e-12);
	ck_assert_double_eq_tol(curve_at(&choice, 495), 1, 1e-12);
	ck_assert_double_eq_tol(curve_at(&choice, 500), 0, 1e-12);
	ck_assert_double_eq_tol(curve_at(&choice, 600), 0, 1e-12);
}

TEST(the_best_cut_nearest_to_the_default_value_is_chosen)
{
	struct label_choice choice;
	struct world world;

	world_begin(&world, steps, halves);
	/* 1 - 0.1 at 300, 12/23 at 200 */
	choice = choose(&world, PAGES, 200);
	ck_assert_uint_eq(choice.threshold, 300);
	ck_assert_double_eq_tol(choice.agreement, 1, 1e-12);
	ck_assert_double_eq_tol(choice.ratio, 1, 1e-12);
	ck_assert_uint_eq(choose(&world, PAGES, 600).threshold, 495);
	ck_assert_uint_eq(choose(&world, PAGES, 400).threshold, 400);
	ck_assert_uint_eq(choose(&world, PAGES, 402).threshold, 400);
	ck_assert_uint_eq(choose(&world, PAGES, 403).threshold, 405);
}

TEST(few_labels_pull_less)
{
	struct label_choice choice;
	struct world world;

	world_begin(&world, steps, halves);
	/* half of 24: 0.5 * 12/23 at 200, 0.5 - 0.1 at 300 */
	choice = choose(&world, 2 * (size_t)PAGES, 200);
	ck_assert_uint_eq(choice.threshold, 300);
	ck_assert_double_eq_tol(choice.ratio, 0.5, 1e-12);
	/* a tenth of 120: 0.1 * 12/23 at 200, 0.1 - 0.1 at 300 */
	choice = choose(&world, 10 * (size_t)PAGES, 200);
	ck_assert_uint_eq(choice.threshold, 200);
	ck_assert_double_eq_tol(choice.agreement, 12.0 / 23, 1e-12);
}

TEST(the_smaller_of_two_equals_is_chosen)
{
	/*
	 * From 180 on pairs of a page of each label, from 225 on all: 0 at 175
	 * and at 225, and in between 6 pairs of which none is right:
	 * -(6 * 30 / 66) / (18 - 6 * 30 / 66) = -5/28.
	 */
	static const uint32_t heights[PAGES - 1] = {
		180, 225, 180, 225, 180, 225, 180, 225, 180, 225, 180};
	static const uint32_t labels[PAGES] = {1, 2, 1, 2, 1, 2,
					       1, 2, 1, 2, 1, 2};
	struct label_choice choice;
	struct world world;

	world_begin(&world, heights, labels);
	choice = choose(&world, PAGES, 200);
	ck_assert_double_eq_tol(curve_at(&choice, 200), -5.0 / 28, 1e-12);
	ck_assert_uint_eq(choice.threshold, 175);
	ck_assert_uint_eq(choose(&world, PAGES, 201).threshold, 225);
}

TEST(fewer_than_eleven_labels_leave_the_default_value)
{
	struct label_choice choice;
	struct world world;

	world_begin(&world, steps, halves);
	world.labels[0] = 0;
	/* 11 labels */
	ck_assert_uint_eq(choose(&world, PAGES, 200).threshold, 300);
	world.labels[1] = 0;
	choice = choose(&world, PAGES, 203);
	ck_assert_uint_eq(choice.threshold, 203);
	ck_assert_double_eq(choice.agreement, 0);
	ck_assert_double_eq_tol(choice.ratio, 10.0 / 12, 1e-12);
	for (int i = 0; i < LINK_LABEL_STEPS; i++)
		ck_assert_double_eq(choice.curve[i], 0);
}

TEST(no_pages_leave_the_default_value)
{
	const struct dendrogram empty = {0};
	struct label_pages pages = {0};
	struct label_choice choice;

	link_labels_choose(&pages, &empty, 200, &choice);
	ck_assert_uint_eq(choice.threshold, 200);
	ck_assert_double_eq(choice.ratio, 0);
}

TEST(random_curves_are_those_of_the_index)
{
	uint32_t heights[PAGES - 1];
	uint32_t labels[PAGES];
	uint32_t cut[PAGES];
	struct world world;

	random_begin(8);
	for (int round = 0; round < 200; round++) {
		struct label_choice choice;

		for (int i = 0; i < PAGES; i++)
			labels[i] = random_below(3) + 1;
		for (int i = 0; i + 1 < PAGES; i++)
			heights[i] = random_below(700) + 1;
		world_begin(&world, heights, labels);
		choice = choose(&world, PAGES, 200);
		for (unsigned at = 25; at <= 600; at += 5) {
			dendrogram_cut(&world.dendrogram, at, cut);
			ck_assert_double_eq_tol(
				curve_at(&choice, at),
				quality_agreement(cut, labels, PAGES)
					.adjusted_rand,
				1e-12);
		}
	}
}
