/* Paths of two versions as one tree. */
#include "template/page_tree.h"

#include "tests/unit/run.h"

static struct path_tree tree;

static void setup(void)
{
	tree = path_tree_make(test_arena);
}

static void tell(const char *path, enum path_side side, bool is_told)
{
	path_tree_add(&tree, &(struct shown_path){slice_of(path), 0.5F, side,
						  is_told});
}

static const struct path_tree_node *node(uint32_t index)
{
	return path_tree_node(&tree, index);
}

FIXTURE(.setup = setup);

TEST(a_step_in_common_is_one_node)
{
	tell("html>body>div", PATH_BEFORE, true);
	tell("html>body>p", PATH_AFTER, true);
	/* html body div p */
	ck_assert_uint_eq(step_tree_count(&tree.steps), 4);
	ck_assert(slice_equal(node(1)->step.label, slice_of("body")));
	ck_assert(node(1)->is_there[PATH_BEFORE] &&
		  node(1)->is_there[PATH_AFTER]);
	ck_assert(node(2)->is_there[PATH_BEFORE] &&
		  !node(2)->is_there[PATH_AFTER]);
	ck_assert(!node(1)->is_end[PATH_BEFORE] &&
		  node(2)->is_end[PATH_BEFORE]);
	ck_assert_float_eq(node(2)->ratios[PATH_BEFORE], 0.5F);
	ck_assert(node(3)->is_end[PATH_AFTER]);
}

TEST(a_path_that_is_not_told_says_only_what_is_there)
{
	tell("html>body", PATH_AFTER, false);
	tell("html>body>div", PATH_BEFORE, true);
	ck_assert(node(1)->is_there[PATH_AFTER]);
	ck_assert(!node(1)->is_told[PATH_AFTER]);
	ck_assert(!node(1)->is_end[PATH_AFTER]);
	ck_assert(node(1)->is_told[PATH_BEFORE]);
}

TEST(the_same_step_elsewhere_is_another_node)
{
	tell("a>x", PATH_BEFORE, true);
	tell("b>x", PATH_BEFORE, true);
	tell("x", PATH_BEFORE, true);
	ck_assert_uint_eq(step_tree_count(&tree.steps), 5);
}

TEST(strange_paths_are_taken_as_they_are)
{
	tell("", PATH_BEFORE, true);
	ck_assert_uint_eq(step_tree_count(&tree.steps), 0);
	/* an empty step, twice */
	tell(">>", PATH_BEFORE, true);
	ck_assert_uint_eq(step_tree_count(&tree.steps), 2);
	tell("...>li>a", PATH_BEFORE, true);
	ck_assert_uint_eq(step_tree_count(&tree.steps), 5);
}

TEST(a_deep_path_ends_with_the_rest_of_it)
{
	AUTO_BUFFER path = {0};
	uint32_t last = PATH_TREE_MAX_STEPS;

	for (unsigned i = 0; i < 2 * PATH_TREE_MAX_STEPS; i++)
		buffer_append_text(&path, "i>");
	tell(path.data, PATH_BEFORE, true);
	ck_assert_uint_eq(step_tree_count(&tree.steps), last + 1);
	ck_assert(node(last)->is_end[PATH_BEFORE]);
	ck_assert_uint_eq(node(last)->step.label.size,
			  2UL * PATH_TREE_MAX_STEPS);
}

TEST(there_is_an_end_to_its_room)
{
	for (unsigned i = 0; i < PATH_TREE_MAX_NODES + 5; i++) {
		char path[8] = {'x', '>', (char)('a' + i % 20),
				(char)('a' + i / 20 % 20),
				(char)('a' + i / 400 % 20)};

		tell(path, PATH_BEFORE, true);
	}
	ck_assert_uint_eq(step_tree_count(&tree.steps), PATH_TREE_MAX_NODES);
	tell("x>aaa", PATH_AFTER, true);
	ck_assert(node(1)->is_end[PATH_AFTER]);
}
