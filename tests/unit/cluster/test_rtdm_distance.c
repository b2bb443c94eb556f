#include "tests/bench/rtdm.h"

#include "base/memory.h"
#include "page/page.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

#define TOLERANCE 1e-12
#define NO_LIMIT  UINT64_MAX

/* A page of elements only. */
static struct page page_of(const struct node *nodes, size_t count)
{
	return (struct page){.nodes = nodes, .node_count = (uint32_t)count};
}

/* "a(b(c)d)": an element a with the children b and d; c is inside b. */
static struct page page_from(const char *text)
{
	struct node *nodes =
		ARENA_NEW(test_arena, struct node, strlen(text) + 1);
	uint32_t count = 0;
	uint32_t parent = NO_NODE;

	for (; *text != '\0'; text++) {
		if (*text == '(') {
			parent = count - 1;
		} else if (*text == ')') {
			nodes[parent].end = count;
			parent = nodes[parent].parent;
		} else {
			nodes[count].tag = (uint16_t)(*text - 'a');
			nodes[count].parent = parent;
			nodes[count].end = count + 1;
			count++;
		}
	}
	return page_of(nodes, count);
}

static struct rtdm_tree tree(const char *text)
{
	struct page page = page_from(text);

	return rtdm_tree_make(test_arena, &page);
}

static uint32_t cost_of(struct rtdm_tree a, struct rtdm_tree b)
{
	uint32_t cost;

	ASSERT_OK(rtdm_cost(a, b, NO_LIMIT, &cost));
	return cost;
}

static uint32_t cost(const char *a, const char *b)
{
	return cost_of(tree(a), tree(b));
}

/* b keeps c and loses d; e is replaced by f, and g is inserted: 3 of 5 + 5. */
#define WORKED_A "a(b(cd)e)"
#define WORKED_B "a(b(c)f(g))"

TEST(a_worked_example)
{
	struct rtdm_tree a = tree(WORKED_A);
	struct rtdm_tree b = tree(WORKED_B);

	ck_assert_uint_eq(a.count, 5);
	ck_assert_uint_eq(b.count, 5);
	ck_assert_uint_eq(cost_of(a, b), 3);
	ck_assert_uint_eq(cost_of(b, a), 3);
	ck_assert_double_eq_tol(rtdm_distance(a, b, 3), 0.3, TOLERANCE);
}

TEST(equal_trees_cost_nothing)
{
	ck_assert_uint_eq(cost("a", "a"), 0);
	ck_assert_uint_eq(cost("a(b(cd)e)", "a(b(cd)e)"), 0);
	ck_assert_uint_eq(cost("a(b(cd)e)", "a(b(c)de)"), 2); /* same names */
}

TEST(each_operation_costs_one)
{
	ck_assert_uint_eq(cost("a(bc)", "a(b)"), 1);
	ck_assert_uint_eq(cost("a(bc)", "a(bdc)"), 1);
	ck_assert_uint_eq(cost("a(bc)", "a(bd)"), 1);
	ck_assert_uint_eq(cost("a(bc)", "a(cb)"), 2); /* siblings keep order */
}

/* Without the restriction one replacement would do; with it b becomes x, and
 * what is below is deleted and inserted: 1 + 2 + 2. */
TEST(nothing_maps_below_a_replacement)
{
	ck_assert_uint_eq(cost("a(b(cd))", "a(x(cd))"), 5);
	ck_assert_uint_eq(cost("b(cd)", "x(cd)"), 5); /* also not at the root */
	ck_assert_uint_eq(cost("b(cd)", "x"), 3);
}

/* The edit distance would only insert x. Top-down, b maps to x at best: one
 * replacement, c is deleted, b and c are inserted. */
TEST(no_node_is_inserted_between_parent_and_child)
{
	ck_assert_uint_eq(cost("a(b(c))", "a(x(b(c)))"), 4);
}

TEST(empty_pages)
{
	struct rtdm_tree empty = tree("");
	struct rtdm_tree some = tree("a(bc)");

	ck_assert_uint_eq(cost_of(empty, empty), 0);
	ck_assert_uint_eq(cost_of(empty, some), 3);
	ck_assert_uint_eq(cost_of(some, empty), 3);
	ck_assert_double_eq(rtdm_distance(empty, empty, 0), 0);
	ck_assert_double_eq(rtdm_distance(empty, some, 3), 1);
}

/* 1 for the roots, 2 * 2 below a, 2 * 1 below b. */
TEST(cells_are_limited)
{
	uint32_t found = 0;

	ASSERT_OK(rtdm_cost(tree(WORKED_A), tree(WORKED_B), 7, &found));
	ck_assert_uint_eq(found, 3);
	ck_assert_int_eq(rtdm_cost(tree(WORKED_A), tree(WORKED_B), 6, &found),
			 ERR_TOO_LARGE);
	ck_assert_int_eq(rtdm_cost(tree(WORKED_A), tree(WORKED_B), 0, &found),
			 ERR_TOO_LARGE);
}

/* b(cd) is known to be equal by its class: 1 for the roots, 2 * 2 below a. */
TEST(equal_subtrees_are_not_aligned)
{
	uint32_t found = 1;

	ASSERT_OK(rtdm_cost(tree(WORKED_A), tree(WORKED_A), 0, &found));
	ck_assert_uint_eq(found, 0);
	ASSERT_OK(rtdm_cost(tree("a(b(cd)e)"), tree("a(b(cd)f)"), 5, &found));
	ck_assert_uint_eq(found, 1);
}

/* Nested elements; the innermost has a unique name. */
static struct rtdm_tree nested(uint32_t count, uint16_t innermost)
{
	struct node *nodes = mem_alloc(count, sizeof(*nodes));
	struct page page = page_of(nodes, count);
	struct rtdm_tree made;

	for (uint32_t i = 0; i < count; i++) {
		nodes[i].parent = i == 0 ? NO_NODE : i - 1;
		nodes[i].end = count;
	}
	nodes[count - 1].tag = innermost;
	made = rtdm_tree_make(test_arena, &page);
	free(nodes);
	return made;
}

TEST(depth_is_no_danger)
{
	struct rtdm_tree deep = nested(200000, 1);

	ck_assert_uint_eq(cost_of(deep, nested(200000, 2)), 1);
	/* the 199,000th is b there and a here: it is replaced, 1,000 go */
	ck_assert_uint_eq(cost_of(deep, nested(199000, 2)), 1001);
	ck_assert_uint_eq(cost_of(deep, deep), 0);
}

/* A list of `count` items; the last has another name. */
static struct rtdm_tree list_of(uint32_t count)
{
	struct node *nodes = mem_alloc(count + 1, sizeof(*nodes));
	struct page page = page_of(nodes, count + 1);
	struct rtdm_tree made;

	nodes[0] = (struct node){.parent = NO_NODE, .end = count + 1};
	for (uint32_t i = 1; i <= count; i++)
		nodes[i] = (struct node){.end = i + 1};
	nodes[count].tag = 1;
	made = rtdm_tree_make(test_arena, &page);
	free(nodes);
	return made;
}

TEST(width_costs_cells)
{
	uint32_t found;

	ASSERT_OK(rtdm_cost(list_of(2000), list_of(1000), 1 + 2000000, &found));
	ck_assert_uint_eq(found, 1000);
	ck_assert_int_eq(
		rtdm_cost(list_of(2000), list_of(1000), 2000000, &found),
		ERR_TOO_LARGE);
	ck_assert_int_eq(
		rtdm_cost(list_of(190000), list_of(199000), 1000000, &found),
		ERR_TOO_LARGE);
}

static struct rtdm_tree parse(const char *html)
{
	struct rtdm_tree made;
	AUTO_PAGE *page;

	ASSERT_OK(page_parse(&page, slice_of(html), slice_of("UTF-8"),
			     &page_limits_default));
	made = rtdm_tree_make(test_arena, page);
	return made;
}

#define PAGE(body) \
	"<html><head><title>t</title></head><body>" body "</body></html>"

/* Names that HTML does not know have numbers that differ from page to page. */
TEST(pages_compare_by_the_names_of_elements)
{
	struct rtdm_tree one = parse(PAGE("<p class=a>a</p><x-a></x-a>"));

	ck_assert_uint_eq(one.count, 6);
	ck_assert_uint_eq(
		cost_of(one, parse(PAGE("<p id=b>longer</p><x-a>b</x-a>"))), 0);
	ck_assert_uint_eq(cost_of(one, parse(PAGE("<p></p><x-b></x-b>"))), 1);
	ck_assert_uint_eq(
		cost_of(one, parse(PAGE("<p></p><x-b></x-b><x-a></x-a>"))), 1);
}

/* Random pages of at most `most` elements with `names` names; some empty, some
 * with more than one root. */
static struct page random_page(uint32_t most, uint32_t names)
{
	uint32_t count = random_below(most + 1);
	struct node *nodes = ARENA_NEW(test_arena, struct node, count + 1);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t parent = i == 0 ? NO_NODE : i - 1;

		while (parent != NO_NODE && random_below(2) == 0)
			parent = nodes[parent].parent;
		nodes[i].parent = parent;
		nodes[i].tag = (uint16_t)random_below(names);
		nodes[i].end = i + 1;
		for (; parent != NO_NODE; parent = nodes[parent].parent)
			nodes[parent].end = i + 1;
	}
	return page_of(nodes, count);
}

static bool stands_in(const struct page *page, uint32_t node, uint32_t other)
{
	return node > other && node < page->nodes[other].end;
}

/* Whether pairs i and j may both be in a restricted mapping. */
static bool agree(const struct page *a, const struct page *b,
		  const uint32_t *image, uint32_t i, uint32_t j)
{
	bool below_a = stands_in(a, j, i);
	bool below_b = stands_in(b, image[j], image[i]);

	if (image[j] <= image[i] || below_a != below_b)
		return false;
	return !below_a || a->nodes[i].tag == b->nodes[image[i]].tag;
}

/*
 * The definition: the cost of the mapping of each node i of `a` with image[i] <
 * b->node_count to that node of `b`; UINT32_MAX if it is not allowed.
 */
static uint32_t mapping_cost(const struct page *a, const struct page *b,
			     const uint32_t *image)
{
	uint32_t total = a->node_count + b->node_count;

	for (uint32_t j = 0; j < a->node_count; j++) {
		uint32_t parent_a = a->nodes[j].parent;
		uint32_t parent_b;

		if (image[j] == b->node_count)
			continue;
		parent_b = b->nodes[image[j]].parent;
		if ((parent_a == NO_NODE) != (parent_b == NO_NODE) ||
		    (parent_a != NO_NODE && image[parent_a] != parent_b))
			return UINT32_MAX;
		for (uint32_t i = 0; i < j; i++) {
			if (image[i] < b->node_count &&
			    !agree(a, b, image, i, j))
				return UINT32_MAX;
		}
		total -= a->nodes[j].tag == b->nodes[image[j]].tag ? 2 : 1;
	}
	return total;
}

enum { MOST = 5 };

static uint32_t least_cost(const struct page *a, const struct page *b)
{
	uint32_t image[MOST + 1] = {0};
	uint32_t least = UINT32_MAX;

	while (image[a->node_count] == 0) { /* a number of that many digits */
		uint32_t found = mapping_cost(a, b, image);
		uint32_t digit = 0;

		least = found < least ? found : least;
		while (digit < a->node_count && image[digit] == b->node_count)
			image[digit++] = 0;
		image[digit]++;
	}
	return least;
}

TEST(cost_is_the_least_of_all_mappings)
{
	random_begin(20040517);
	for (int round = 0; round < 1000; round++) {
		struct page a = random_page(MOST, 2);
		struct page b = random_page(MOST, 2);

		ck_assert_uint_eq(cost_of(rtdm_tree_make(test_arena, &a),
					  rtdm_tree_make(test_arena, &b)),
				  least_cost(&a, &b));
	}
}

TEST(cost_is_a_metric)
{
	random_begin(20040518);
	for (int round = 0; round < 1000; round++) {
		struct rtdm_tree trees[3];
		uint32_t ab;
		uint32_t bc;
		uint32_t ac;

		for (size_t i = 0; i < 3; i++) {
			struct page page = random_page(60, 3);

			trees[i] = rtdm_tree_make(test_arena, &page);
		}
		ab = cost_of(trees[0], trees[1]);
		bc = cost_of(trees[1], trees[2]);
		ac = cost_of(trees[0], trees[2]);
		ck_assert_uint_eq(ab, cost_of(trees[1], trees[0]));
		ck_assert_uint_eq(cost_of(trees[0], trees[0]), 0);
		ck_assert_uint_le(ac, ab + bc);
		ck_assert_double_le(rtdm_distance(trees[0], trees[1], ab), 1);
	}
}
