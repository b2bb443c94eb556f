#include "cluster/threshold.h"

#include "tests/unit/run.h"

/* A dendrogram of four leaves with the heights of their edges. */
static struct threshold_suggestion suggest_for(const uint32_t pages[4],
					       const uint32_t heights[3],
					       enum measure measure)
{
	struct dendrogram_edge edges[] = {
		{0, 1, heights[0]}, {1, 2, heights[1]}, {2, 3, heights[2]}};
	uint32_t copy[] = {pages[0], pages[1], pages[2], pages[3]};
	struct dendrogram dendrogram = {
		.edges = edges,
		.pages = copy,
		.count = 4,
		.page_count = pages[0] + pages[1] + pages[2] + pages[3],
	};

	return threshold_suggest_plateau(&dendrogram, measure);
}

/*
 * Four clusters of 10 up to 99, two from 100 (0+1) and 120 (2+3), one from 400.
 * Up to 475 the ranges are 0..99, 100..119, 120..399.
 */
TEST(the_longest_plateau_is_taken_in_its_middle)
{
	uint32_t pages[] = {10, 10, 10, 10};
	struct threshold_suggestion s = suggest_for(
		pages, (const uint32_t[]){100, 400, 120}, MEASURE_CPC);

	ck_assert_uint_eq(s.begin, 120);
	ck_assert_uint_eq(s.end, 399);
	ck_assert_uint_eq(s.threshold, 259);
	ck_assert_uint_eq(s.sizable, 2);
	ck_assert_uint_eq(s.clusters, 2);
	ck_assert_str_eq(s.reason, "2 sizable clusters from 0.120 to 0.399, "
				   "the longest plateau up to 0.475");
}

/* Between 700 and 250 for cpc lies 475: a plateau is cut there. */
TEST(nothing_is_searched_beyond_the_limit)
{
	uint32_t pages[] = {10, 10, 10, 10};
	struct threshold_suggestion s = suggest_for(
		pages, (const uint32_t[]){260, 900, 270}, MEASURE_CPC);

	ck_assert_uint_eq(threshold_suggestion_limit(MEASURE_CPC), 475);
	ck_assert_uint_eq(threshold_suggestion_limit(MEASURE_CP), 450);
	/* 0..259 are 260 thresholds, 270..475 are 206 */
	ck_assert_uint_eq(s.begin, 0);
	ck_assert_uint_eq(s.end, 259);
	s = suggest_for(pages, (const uint32_t[]){200, 900, 210}, MEASURE_CPC);
	ck_assert_uint_eq(s.begin, 210);
	ck_assert_uint_eq(s.end, 475);
}

/* 0..99 four clusters, 100..149 three, 150..249 two: one from 250. */
TEST(of_equal_plateaus_the_lowest)
{
	uint32_t pages[] = {10, 10, 10, 10};
	struct threshold_suggestion s = suggest_for(
		pages, (const uint32_t[]){100, 250, 150}, MEASURE_CPC);

	ck_assert_uint_eq(s.begin, 0);
	ck_assert_uint_eq(s.end, 99);
	ck_assert_uint_eq(s.sizable, 4);
}

TEST(one_sizable_cluster_is_no_plateau)
{
	uint32_t pages[] = {10, 10, 1, 1};
	struct threshold_suggestion s =
		suggest_for(pages, (const uint32_t[]){20, 30, 40}, MEASURE_CPC);

	/* 20 thresholds of two clusters, then one */
	ck_assert_uint_eq(s.begin, 0);
	ck_assert_uint_eq(s.end, 19);
	ck_assert_uint_eq(s.sizable, 2);
	ck_assert_uint_eq(s.clusters, 4);
}

TEST(without_a_plateau_the_default_and_a_reason)
{
	uint32_t pages[] = {10, 1, 1, 1};
	struct threshold_suggestion s = suggest_for(
		pages, (const uint32_t[]){20, 300, 40}, MEASURE_CPS);

	ck_assert_uint_eq(s.threshold, 150);
	ck_assert_uint_eq(s.begin, 0);
	ck_assert_uint_eq(s.end, 0);
	ck_assert_uint_eq(s.sizable, 1);
	/* {0, 1} and {2, 3} */
	ck_assert_uint_eq(s.clusters, 2);
	ck_assert_str_eq(s.reason,
			 "no threshold up to 0.375 gives two sizable clusters "
			 "with half of the pages: the default of cps");
	s = threshold_suggest_plateau(&(struct dendrogram){0}, MEASURE_CP);
	ck_assert_uint_eq(s.threshold, 200);
	ck_assert_uint_eq(s.clusters, 0);
}

/*
 * Of 1,000 pages 5 are sizable. Two clusters of 6 and 988 single pages are no
 * grouping of the site. They join at 10.
 */
TEST(half_of_the_pages_are_in_the_sizable_clusters)
{
	struct dendrogram_edge edges[989];
	uint32_t pages[990];
	struct dendrogram dendrogram = {.edges = edges,
					.pages = pages,
					.count = 990,
					.page_count = 1000};
	struct threshold_suggestion s;

	for (uint32_t i = 0; i < 989; i++) {
		edges[i] = (struct dendrogram_edge){i, i + 1, 460};
		pages[i] = 1;
	}
	pages[0] = 6;
	pages[1] = 6;
	pages[989] = 1;
	s = threshold_suggest_plateau(&dendrogram, MEASURE_CPC);
	ck_assert_uint_eq(s.threshold, 250);
	ck_assert_uint_eq(s.end, 0);
	/* 494 of the others in one cluster: 6 + 494 are half */
	for (uint32_t i = 494; i < 988; i++)
		edges[i].height = 100;
	s = threshold_suggest_plateau(&dendrogram, MEASURE_CPC);
	ck_assert_uint_eq(s.begin, 100);
	ck_assert_uint_eq(s.end, 459);
	ck_assert_uint_eq(s.sizable, 3);
}

TEST(the_gap_is_the_longest_stretch_without_a_join)
{
	uint32_t alone[] = {1, 1, 1, 1};
	uint32_t shared[] = {1, 2, 1, 1};
	const uint32_t heights[] = {400, 1000, 430};
	struct threshold_suggestion s = suggest_for(alone, heights, MEASURE_CP);

	ck_assert_uint_eq(s.gap_begin, 430);
	ck_assert_uint_eq(s.gap_end, 1000);
	/* pages with equal signatures join at 0 */
	s = suggest_for(shared, (const uint32_t[]){400, 700, 430}, MEASURE_CP);
	ck_assert_uint_eq(s.gap_begin, 0);
	ck_assert_uint_eq(s.gap_end, 400);
	/* one height is no gap */
	s = suggest_for(alone, (const uint32_t[]){400, 400, 400}, MEASURE_CP);
	ck_assert_uint_eq(s.gap_begin, 0);
	ck_assert_uint_eq(s.gap_end, 0);
}
