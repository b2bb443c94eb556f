#include "extract/auto/sequence.h"

#include <stddef.h>

#include "tests/unit/run.h"

static struct maximum_run run_of(const double *weights, size_t count)
{
	struct maximum_run run = {0};

	for (size_t i = 0; i < count; i++)
		maximum_run_add(&run, weights[i]);
	return run;
}

/* 2 - 1 + 2 = 3; with the last 3 it would be 3 - 5 + 3 = 1. */
TEST(a_small_loss_is_bridged_and_a_large_one_is_not)
{
	struct maximum_run run =
		run_of((const double[]){-1, 2, -1, 2, -5, 3}, 6);

	ck_assert_uint_eq(run.begin, 1);
	ck_assert_uint_eq(run.end, 4);
	ck_assert_double_eq(run.sum, 3);
}

/* 1 - 1 and 0 add nothing to 2, before or after it. */
TEST(of_equal_runs_the_shortest_is_taken)
{
	struct maximum_run run = run_of((const double[]){1, -1, 2, 0}, 4);

	ck_assert_uint_eq(run.begin, 2);
	ck_assert_uint_eq(run.end, 3);
}

TEST(without_a_positive_sum_there_is_none)
{
	struct maximum_run losses = run_of((const double[]){-2, 0, -1}, 3);
	struct maximum_run none = run_of(NULL, 0);

	ck_assert_uint_eq(losses.end, losses.begin);
	ck_assert_uint_eq(none.end, none.begin);
	ck_assert_double_eq(none.sum, 0);
}
