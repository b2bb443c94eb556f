#include "cluster/dendrogram.h"

#include "tests/unit/run.h"

static void check_node(const struct condensed *condensed, size_t index,
		       struct condensed_node expected)
{
	const struct condensed_node *node = &condensed->nodes[index];

	ck_assert_uint_lt(index, condensed->count);
	ck_assert_uint_eq(node->parent, expected.parent);
	ck_assert_uint_eq(node->depth, expected.depth);
	ck_assert_uint_eq(node->children, expected.children);
	ck_assert_uint_eq(node->height, expected.height);
	ck_assert_uint_eq(node->end, expected.end);
	ck_assert_uint_eq(node->pages, expected.pages);
	ck_assert_uint_eq(node->leaf, expected.leaf);
}

/*
 * Leaves of 5, 1, 4, 1, 1, 1 pages; minimum 3.
 * Leaf 1 joins 0 at 100: nothing that counts. {0, 1} and 2 join at 300. Leaves
 * 3, 4, 5 become one of 3 at 200. All join at 800.
 */
TEST(small_clusters_are_lost_in_what_they_join)
{
	struct dendrogram_edge edges[] = {{0, 1, 100},
					  {1, 2, 300},
					  {2, 3, 800},
					  {3, 4, 150},
					  {4, 5, 200}};
	uint32_t pages[] = {5, 1, 4, 1, 1, 1};
	struct dendrogram dendrogram = {edges, pages, 6, 13};
	struct condensed condensed;

	condensed_build(&dendrogram, 3, 10, &condensed);
	ck_assert_uint_eq(condensed.minimum, 3);
	ck_assert_uint_eq(condensed.count, 5);
	check_node(&condensed, 0,
		   (struct condensed_node){CONDENSED_NONE, 0, 2, 800, 1000, 13,
					   0});
	check_node(&condensed, 1,
		   (struct condensed_node){0, 1, 2, 300, 800, 10, 0});
	check_node(&condensed, 2,
		   (struct condensed_node){1, 2, 0, 0, 300, 6, 0});
	check_node(&condensed, 3,
		   (struct condensed_node){1, 2, 0, 0, 300, 4, 2});
	check_node(&condensed, 4,
		   (struct condensed_node){0, 1, 0, 200, 800, 3, 3});
	condensed_free(&condensed);
}

/* Three that join at one height are one join, in any order of the edges; a
 * cluster that would reach the minimum only at that height is none. */
TEST(joins_at_one_height_are_one_join)
{
	struct dendrogram_edge edges[] = {
		{0, 1, 400}, {1, 2, 400}, {2, 3, 400}, {3, 4, 400}};
	uint32_t pages[] = {3, 2, 5, 2, 4};
	struct dendrogram dendrogram = {edges, pages, 5, 16};
	struct condensed condensed;

	condensed_build(&dendrogram, 3, 10, &condensed);
	ck_assert_uint_eq(condensed.count, 4);
	check_node(&condensed, 0,
		   (struct condensed_node){CONDENSED_NONE, 0, 3, 400, 1000, 16,
					   2});
	check_node(&condensed, 1,
		   (struct condensed_node){0, 1, 0, 0, 400, 5, 2});
	check_node(&condensed, 2,
		   (struct condensed_node){0, 1, 0, 0, 400, 4, 4});
	check_node(&condensed, 3,
		   (struct condensed_node){0, 1, 0, 0, 400, 3, 0});
	condensed_free(&condensed);
}

TEST(the_minimum_is_raised_until_there_are_few)
{
	struct dendrogram_edge edges[] = {
		{0, 1, 10}, {1, 2, 20}, {2, 3, 30}, {3, 4, 40}};
	uint32_t pages[] = {9, 8, 5, 4, 3};
	struct dendrogram dendrogram = {edges, pages, 5, 29};
	struct condensed condensed;

	/* 3 -> 5: three of the pages; 5 -> 8: two */
	condensed_build(&dendrogram, 3, 5, &condensed);
	ck_assert_uint_eq(condensed.minimum, 3);
	ck_assert_uint_eq(condensed.count, 5 + 4);
	condensed_free(&condensed);
	condensed_build(&dendrogram, 3, 4, &condensed);
	ck_assert_uint_eq(condensed.minimum, 5);
	ck_assert_uint_eq(condensed.count, 3 + 2);
	condensed_free(&condensed);
	condensed_build(&dendrogram, 3, 2, &condensed);
	ck_assert_uint_eq(condensed.minimum, 8);
	ck_assert_uint_eq(condensed.count, 2 + 1);
	ck_assert_uint_eq(condensed.nodes[0].pages, 29);
	condensed_free(&condensed);
}

TEST(fewer_pages_than_the_minimum_give_nothing)
{
	uint32_t pages[] = {2};
	struct dendrogram dendrogram = {NULL, pages, 1, 2};
	struct condensed condensed;

	condensed_build(&dendrogram, 3, 10, &condensed);
	ck_assert_uint_eq(condensed.count, 0);
	condensed_free(&condensed);
	condensed_build(&(struct dendrogram){0}, 3, 10, &condensed);
	ck_assert_uint_eq(condensed.count, 0);
	condensed_free(&condensed);
	condensed_build(&dendrogram, 2, 10, &condensed);
	ck_assert_uint_eq(condensed.count, 1);
	check_node(
		&condensed, 0,
		(struct condensed_node){CONDENSED_NONE, 0, 0, 0, 1000, 2, 0});
	condensed_free(&condensed);
}
