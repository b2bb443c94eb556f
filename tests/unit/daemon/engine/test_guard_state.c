#include "daemon/engine/commit_guard.h"

#include "tests/unit/run.h"

/* A guard that holds on this many pages; the last three have reported so. */
static struct guard_row guard_of(uint32_t pages)
{
	struct guard_row guard = {.checked = pages, .maximum = 1};

	for (uint64_t i = 1; i <= pages; i++)
		guard_add_visit(&guard, &(struct guard_visit){.page = i});
	guard.state = guard_state_of(&guard);
	return guard;
}

/* As the commit does it; the state after it. */
static uint16_t visit(struct guard_row *guard, uint64_t page, bool did_fail,
		      bool fails)
{
	const struct guard_visit visited = {
		.page = page,
		.is_known = true,
		.did_fail = did_fail,
		.fails = fails,
	};

	if (guard_visit_is_news(guard, &visited)) {
		guard_add_visit(guard, &visited);
		if (guard->state != guard_state_of(guard)) {
			guard->state = guard_state_of(guard);
			guard_begin_state(guard);
		}
	}
	return guard->state;
}

TEST(a_guard_holds_within_its_limits)
{
	const struct guard_row guard = {.minimum = 2, .maximum = 4};

	ck_assert(!guard_holds(&guard, 1));
	ck_assert(guard_holds(&guard, 2));
	ck_assert(guard_holds(&guard, 4));
	ck_assert(!guard_holds(&guard, 5));
	ck_assert(guard_fails(&guard, 5));
	/* what could not be evaluated does neither */
	ck_assert(!guard_holds(&guard, UINT32_MAX));
	ck_assert(!guard_fails(&guard, UINT32_MAX));
}

TEST(a_guard_that_never_held_is_unknown)
{
	struct guard_row guard = guard_of(0);

	ck_assert_uint_eq(guard.state, GUARD_UNKNOWN);
	guard = guard_of(1);
	ck_assert_uint_eq(guard.state, GUARD_OK);
}

TEST(two_of_the_last_three_break_it_and_heal_it)
{
	struct guard_row guard = guard_of(5);

	ck_assert_uint_eq(visit(&guard, 1, false, true), GUARD_OK);
	ck_assert_uint_eq(guard_recent_bad(&guard), 1);
	ck_assert_uint_eq(visit(&guard, 2, false, true), GUARD_BROKEN);
	ck_assert_uint_eq(visit(&guard, 1, true, false), GUARD_BROKEN);
	ck_assert_uint_eq(visit(&guard, 2, true, false), GUARD_OK);
}

TEST(a_page_that_fails_again_and_again_is_one_page)
{
	struct guard_row guard = guard_of(5);

	visit(&guard, 1, false, true);
	for (int i = 0; i < 5; i++)
		ck_assert_uint_eq(visit(&guard, 1, true, true), GUARD_OK);
	/* three that hold push it out; it does not come back */
	visit(&guard, 2, false, false);
	visit(&guard, 3, false, false);
	visit(&guard, 4, false, false);
	visit(&guard, 1, true, true);
	ck_assert_uint_eq(guard_recent_bad(&guard), 0);
	ck_assert_uint_eq(visit(&guard, 5, false, true), GUARD_OK);
}

/* half of the site has the new design, and the other half is visited, too */
TEST(what_held_all_along_heals_nothing)
{
	struct guard_row guard = guard_of(6);

	visit(&guard, 1, false, true);
	ck_assert_uint_eq(visit(&guard, 2, false, true), GUARD_BROKEN);
	visit(&guard, 3, false, false);
	visit(&guard, 4, false, false);
	ck_assert_uint_eq(visit(&guard, 5, false, false), GUARD_BROKEN);
	ck_assert_uint_eq(guard_recent_bad(&guard), 2);
}

TEST(of_fewer_pages_all_must_agree)
{
	struct guard_row one = guard_of(1);
	struct guard_row two = guard_of(2);

	ck_assert_uint_eq(visit(&one, 1, false, true), GUARD_BROKEN);
	ck_assert_uint_eq(visit(&one, 1, true, false), GUARD_OK);
	ck_assert_uint_eq(visit(&two, 2, false, true), GUARD_OK);
	ck_assert_uint_eq(visit(&two, 1, false, true), GUARD_BROKEN);
	ck_assert_uint_eq(visit(&two, 2, true, false), GUARD_BROKEN);
	ck_assert_uint_eq(visit(&two, 1, true, false), GUARD_OK);
}

TEST(a_page_that_is_gone_is_forgotten)
{
	struct guard_row guard = guard_of(3);

	/* recent: 3, 2, 1 */
	visit(&guard, 1, false, true);
	ck_assert_uint_eq(guard.recent[0], 1);
	ck_assert_uint_eq(guard.recent_bad, 1);
	guard_remove_visit(&guard, 3);
	ck_assert_uint_eq(guard.recent_count, 2);
	ck_assert_uint_eq(guard.recent[1], 2);
	ck_assert_uint_eq(guard.recent_bad, 1);
	guard_remove_visit(&guard, 1);
	ck_assert_uint_eq(guard.recent_bad, 0);
	guard_remove_visit(&guard, 99);
	ck_assert_uint_eq(guard.recent_count, 1);
	guard_remove_visit(&guard, 2);
	ck_assert_uint_eq(guard.recent_count, 0);
}

static const struct sample_case {
	const char *what;
	uint16_t state;
	struct guard_sample sample;
	uint16_t next;
} samples[] = {
	/* checked, seen, failing, pending, late */
	{"too few are there",
	 GUARD_SUSPECTED,
	 {50, 7, 7, 0, false},
	 GUARD_SUSPECTED},
	{"all of eight fail",
	 GUARD_SUSPECTED,
	 {50, 8, 8, 0, false},
	 GUARD_BROKEN},
	{"one of them holds",
	 GUARD_SUSPECTED,
	 {50, 8, 7, 0, false},
	 GUARD_SUSPECTED},
	{"few of eight fail", GUARD_SUSPECTED, {50, 8, 3, 0, false}, GUARD_OK},
	{"half of eight fail",
	 GUARD_SUSPECTED,
	 {50, 8, 4, 0, false},
	 GUARD_SUSPECTED},
	{"30 % fail", GUARD_SUSPECTED, {50, 16, 5, 0, false}, GUARD_OK},
	{"half of them fail", GUARD_SUSPECTED, {50, 16, 9, 0, false}, GUARD_OK},
	{"most of them fail",
	 GUARD_SUSPECTED,
	 {50, 16, 10, 0, false},
	 GUARD_RECHECKED},
	{"all pages fail", GUARD_SUSPECTED, {3, 3, 3, 0, false}, GUARD_BROKEN},
	{"two of three fail",
	 GUARD_SUSPECTED,
	 {3, 3, 2, 0, false},
	 GUARD_RECHECKED},
	{"the others did not come",
	 GUARD_SUSPECTED,
	 {50, 2, 2, 0, true},
	 GUARD_BROKEN},
	{"only one came", GUARD_SUSPECTED, {50, 1, 1, 0, true}, GUARD_OK},
	{"not all came again",
	 GUARD_RECHECKED,
	 {50, 9, 9, 1, false},
	 GUARD_RECHECKED},
	{"they fail again",
	 GUARD_RECHECKED,
	 {50, 10, 10, 0, false},
	 GUARD_BROKEN},
	{"half of them hold",
	 GUARD_RECHECKED,
	 {50, 10, 5, 0, false},
	 GUARD_ALTERNATING},
	{"all hold again", GUARD_RECHECKED, {50, 10, 0, 0, false}, GUARD_OK},
};

TEST_ROWS(the_sample_of_a_suspected_guard_decides, samples)
{
	const struct sample_case *row = &samples[_i];

	ck_assert_msg(guard_state_of_sample(row->state, &row->sample) ==
			      row->next,
		      "%s", row->what);
}
