#include "cluster/dendrogram.h"

#include "base/memory.h"
#include "cluster/signature.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

enum { MAX_LEAVES = 40, MAX_SHINGLES = 24 };

static const struct dendrogram_options plain = {.max_leaves = MAX_LEAVES};

#define LEAF(count, ...)                                    \
	{                                                   \
		(const uint32_t[]){__VA_ARGS__}, 4, (count) \
	}

/*
 * {0 1 2 3} and {0 1 2 4} are 250 apart, {5 6 7 8} and {5 6 7 9} too, and
 * {5 6 8 9} 250 from either; the two families 1000.
 */
static const struct dendrogram_leaf families[] = {
	LEAF(7, 0, 1, 2, 3), LEAF(1, 5, 6, 7, 8), LEAF(1, 0, 1, 2, 4),
	LEAF(1, 5, 6, 7, 9), LEAF(2, 5, 6, 8, 9),
};

TEST(nothing_and_one)
{
	struct dendrogram_point curve[DENDROGRAM_POINTS];
	struct dendrogram dendrogram;
	uint32_t label = 7;

	ASSERT_OK(dendrogram_build(NULL, 0, &plain, &dendrogram));
	ck_assert_uint_eq(dendrogram_cut(&dendrogram, 500, &label), 0);
	dendrogram_curve(&dendrogram, curve);
	ck_assert_uint_eq(curve[1000].clusters, 0);
	dendrogram_free(&dendrogram);
	ASSERT_OK(dendrogram_build(families, 1, &plain, &dendrogram));
	ck_assert_uint_eq(dendrogram_cut(&dendrogram, 0, &label), 1);
	ck_assert_uint_eq(label, 0);
	dendrogram_curve(&dendrogram, curve);
	ck_assert_uint_eq(curve[0].sizable, 1);
	ck_assert_uint_eq(curve[0].largest_pages, 7);
	dendrogram_free(&dendrogram);
}

TEST(a_worked_example)
{
	struct dendrogram dendrogram;
	uint32_t labels[5];

	ASSERT_OK(dendrogram_build(families, 5, &plain, &dendrogram));
	ck_assert_uint_eq(dendrogram.page_count, 12);
	ck_assert_uint_eq(dendrogram_cut(&dendrogram, 249, labels), 5);
	ck_assert_uint_eq(dendrogram_cut(&dendrogram, 250, labels), 2);
	ck_assert_uint_eq(labels[0], labels[2]);
	ck_assert_uint_eq(labels[1], labels[3]);
	ck_assert_uint_eq(labels[1], labels[4]);
	ck_assert_uint_ne(labels[0], labels[1]);
	ck_assert_uint_eq(dendrogram_cut(&dendrogram, 999, labels), 2);
	ck_assert_uint_eq(dendrogram_cut(&dendrogram, 1000, labels), 1);
	dendrogram_free(&dendrogram);
}

TEST(the_curve_counts_clusters_and_pages)
{
	struct dendrogram_point curve[DENDROGRAM_POINTS];
	uint64_t joins[DENDROGRAM_POINTS];
	struct dendrogram dendrogram;

	ASSERT_OK(dendrogram_build(families, 5, &plain, &dendrogram));
	dendrogram_curve(&dendrogram, curve);
	ck_assert_uint_eq(curve[249].clusters, 5);
	ck_assert_uint_eq(curve[249].sizable, 1);
	ck_assert_uint_eq(curve[249].sizable_pages, 7);
	ck_assert_uint_eq(curve[249].largest_pages, 7);
	ck_assert_uint_eq(curve[250].clusters, 2);
	ck_assert_uint_eq(curve[250].sizable, 2);
	ck_assert_uint_eq(curve[250].sizable_pages, 12);
	ck_assert_uint_eq(curve[250].largest_pages, 8);
	ck_assert_uint_eq(curve[1000].largest_pages, 12);
	dendrogram_joins(&dendrogram, joins);
	ck_assert_uint_eq(joins[0], 6 + 1);
	ck_assert_uint_eq(joins[249], 0);
	ck_assert_uint_eq(joins[250], 3);
	ck_assert_uint_eq(joins[1000], 1);
	dendrogram_free(&dendrogram);
}

TEST(sizable_is_three_or_half_a_percent)
{
	struct dendrogram dendrogram = {.page_count = 0};

	ck_assert_uint_eq(dendrogram_sizable(&dendrogram), 3);
	dendrogram.page_count = 600;
	ck_assert_uint_eq(dendrogram_sizable(&dendrogram), 3);
	dendrogram.page_count = 601;
	ck_assert_uint_eq(dendrogram_sizable(&dendrogram), 4);
	dendrogram.page_count = 100000;
	ck_assert_uint_eq(dendrogram_sizable(&dendrogram), 500);
}

TEST(too_many_leaves_are_refused)
{
	struct dendrogram_options options = {.max_leaves = 4};
	struct dendrogram dendrogram;

	ck_assert_int_eq(dendrogram_build(families, 5, &options, &dendrogram),
			 ERR_TOO_LARGE);
	ck_assert_uint_eq(dendrogram.count, 0);
	ASSERT_OK(dendrogram_build(families, 4, &options, &dendrogram));
	ck_assert_uint_eq(dendrogram.count, 4);
	dendrogram_free(&dendrogram);
}

/* Stop after `left` calls; add up the arguments. */
struct watcher {
	uint64_t left;
	uint64_t done;
	uint64_t total;
};

static bool watch(void *context, uint64_t done, uint64_t total)
{
	struct watcher *watcher = context;

	watcher->done = done;
	watcher->total = total;
	return watcher->left-- > 0;
}

TEST(it_reports_progress_and_can_be_stopped)
{
	struct watcher watcher = {.left = 100};
	struct dendrogram_options options = {
		.max_leaves = 5, .goes_on = watch, .context = &watcher};
	struct dendrogram dendrogram;

	ASSERT_OK(dendrogram_build(families, 5, &options, &dendrogram));
	dendrogram_free(&dendrogram);
	/* 4 calls; before the last leaf 4 + 3 + 2 of the 10 are done */
	ck_assert_uint_eq(watcher.left, 96);
	ck_assert_uint_eq(watcher.done, 9);
	ck_assert_uint_eq(watcher.total, 10);
	watcher.left = 2;
	ck_assert_int_eq(dendrogram_build(families, 5, &options, &dendrogram),
			 ERR_STOPPED);
	ck_assert_uint_eq(watcher.done, 7);
	ck_assert_uint_eq(dendrogram.count, 0);
	ck_assert_ptr_null(dendrogram.edges);
}

/* Distinct random sets, near each other in families, with pages. */
struct spanning_forest {
	uint32_t shingle_ids[MAX_LEAVES][MAX_SHINGLES];
	uint64_t shingles[MAX_LEAVES][MAX_SHINGLES];
	struct dendrogram_leaf leaves[MAX_LEAVES];
	struct signature signatures[MAX_LEAVES];
	size_t count;
};

static bool is_new(const struct spanning_forest *forest, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (forest->signatures[i].count ==
			    forest->signatures[index].count &&
		    signature_common(forest->signatures[i],
				     forest->signatures[index]) ==
			    forest->signatures[i].count)
			return false;
	return true;
}

static void plant(struct spanning_forest *forest, size_t index)
{
	uint32_t family = random_below(4);
	uint32_t ratio = 2 + random_below(8); /* of ten */
	uint32_t count = 0;

	for (uint32_t shingle_id = 0; shingle_id < MAX_SHINGLES; shingle_id++) {
		bool is_typical = shingle_id / 6 == family;

		if (random_below(10) >= (is_typical ? ratio : 10 - ratio))
			continue;
		forest->shingles[index][count] = shingle_id;
		forest->shingle_ids[index][count++] = shingle_id;
	}
	forest->signatures[index] =
		(struct signature){forest->shingles[index], count};
	forest->leaves[index] = (struct dendrogram_leaf){
		forest->shingle_ids[index], count, 1 + random_below(9)};
}

static struct spanning_forest *make_forest(size_t count)
{
	struct spanning_forest *forest = mem_alloc(1, sizeof(*forest));

	while (forest->count < count) {
		plant(forest, forest->count);
		forest->count += is_new(forest, forest->count);
	}
	return forest;
}

/* The definition: components of the graph of the pairs that are linked. */
static uint32_t label_by_pairs(const struct spanning_forest *forest,
			       unsigned threshold, uint32_t *labels)
{
	uint32_t count = (uint32_t)forest->count;
	uint32_t clusters = count;

	for (uint32_t i = 0; i < count; i++)
		labels[i] = i;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < i; j++) {
			uint32_t from = labels[i];

			if (from == labels[j] ||
			    !signature_linked(forest->signatures[i],
					      forest->signatures[j], threshold))
				continue;
			clusters--;
			for (uint32_t k = 0; k < count; k++)
				if (labels[k] == from)
					labels[k] = labels[j];
		}
	return clusters;
}

static void check_cut(const struct spanning_forest *forest,
		      const struct dendrogram *dendrogram, unsigned threshold)
{
	uint32_t found[MAX_LEAVES];
	uint32_t truth[MAX_LEAVES];
	uint32_t clusters = label_by_pairs(forest, threshold, truth);

	ck_assert_uint_eq(dendrogram_cut(dendrogram, threshold, found),
			  clusters);
	for (size_t i = 0; i < forest->count; i++)
		for (size_t j = 0; j < i; j++)
			ck_assert_int_eq(found[i] == found[j],
					 truth[i] == truth[j]);
}

TEST(every_cut_is_that_of_the_threshold_graph)
{
	random_begin(20241121);
	for (uint32_t round = 0; round < random_rounds(60); round++) {
		struct spanning_forest *forest =
			make_forest(2 + random_below(38));
		struct distance_histogram histogram = {0};
		struct dendrogram_options options = plain;
		struct dendrogram dendrogram;

		options.histogram = round % 2 == 0 ? &histogram : NULL;
		ASSERT_OK(dendrogram_build(forest->leaves, forest->count,
					   &options, &dendrogram));
		for (unsigned t = 0; t <= 1000; t += 1 + random_below(40))
			check_cut(forest, &dendrogram, t);
		check_cut(forest, &dendrogram, 1000);
		dendrogram_free(&dendrogram);
		free(forest);
	}
}

static void count_pairs(const struct spanning_forest *forest,
			struct distance_histogram *histogram)
{
	for (size_t i = 0; i < forest->count; i++) {
		struct signature a = forest->signatures[i];
		uint64_t pages = forest->leaves[i].pages;

		histogram_add(histogram, 0, pages * (pages - 1) / 2);
		for (size_t j = 0; j < i; j++) {
			struct signature b = forest->signatures[j];
			size_t larger = a.count > b.count ? a.count : b.count;

			histogram_add(histogram,
				      signature_height(larger,
						       signature_common(a, b)),
				      pages * forest->leaves[j].pages);
		}
	}
}

TEST(the_histogram_has_all_pairs_of_pages)
{
	random_begin(7);
	for (uint32_t round = 0; round < random_rounds(20); round++) {
		struct spanning_forest *forest = make_forest(30);
		struct distance_histogram expected = {0};
		struct distance_histogram found = {0};
		struct dendrogram_options options = {.max_leaves = 30,
						     .histogram = &found};
		struct dendrogram dendrogram;
		uint64_t pages;

		count_pairs(forest, &expected);
		ASSERT_OK(dendrogram_build(forest->leaves, 30, &options,
					   &dendrogram));
		pages = dendrogram.page_count;
		ck_assert_uint_eq(found.total, pages * (pages - 1) / 2);
		ck_assert_mem_eq(&found, &expected, sizeof(found));
		dendrogram_free(&dendrogram);
		free(forest);
	}
}

static void shuffle(struct spanning_forest *forest)
{
	for (uint32_t i = (uint32_t)forest->count; i > 1; i--) {
		uint32_t j = random_below(i);
		struct dendrogram_leaf leaf = forest->leaves[j];

		forest->leaves[j] = forest->leaves[i - 1];
		forest->leaves[i - 1] = leaf;
	}
}

/* What is shown of a dendrogram. */
struct view {
	struct dendrogram_point curve[DENDROGRAM_POINTS];
	uint64_t joins[DENDROGRAM_POINTS];
};

static void look(const struct spanning_forest *forest, struct view *view)
{
	struct dendrogram dendrogram;

	ASSERT_OK(dendrogram_build(forest->leaves, forest->count, &plain,
				   &dendrogram));
	dendrogram_curve(&dendrogram, view->curve);
	dendrogram_joins(&dendrogram, view->joins);
	dendrogram_free(&dendrogram);
}

TEST(the_order_of_the_leaves_does_not_matter)
{
	struct spanning_forest *forest;
	struct view first;
	struct view view;

	random_begin(99);
	forest = make_forest(MAX_LEAVES);
	look(forest, &first);
	for (uint32_t round = 0; round < random_rounds(20); round++) {
		shuffle(forest);
		look(forest, &view);
		ck_assert_mem_eq(&view, &first, sizeof(view));
	}
	free(forest);
}
