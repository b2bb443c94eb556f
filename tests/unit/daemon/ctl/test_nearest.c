#include "daemon/ctl/ctl.h"

#include "tests/unit/run.h"

/* Of some options of `watch`. */
static const char *meant_by(const char *word)
{
	struct name_suggestion nearest = {.word = word};

	suggest_name(&nearest, "max-pages");
	suggest_name(&nearest, "max-depth");
	suggest_name(&nearest, "threshold");
	suggest_name(&nearest, "wait");
	suggest_name(&nearest, "for");
	return nearest.name == NULL ? "none" : nearest.name;
}

TEST(slips_of_the_finger_are_near)
{
	ck_assert_str_eq(meant_by("max-page"), "max-pages");
	ck_assert_str_eq(meant_by("max_depth"), "max-depth");
	ck_assert_str_eq(meant_by("wiat"), "wait"); /* exchanged */
	ck_assert_str_eq(meant_by("wwait"), "wait");
	ck_assert_str_eq(meant_by("foo"), "for");
	ck_assert_str_eq(meant_by("wait"), "wait");
}

TEST(the_beginning_of_a_name_is_near)
{
	ck_assert_str_eq(meant_by("th"), "threshold");
	ck_assert_str_eq(meant_by("max"), "max-pages"); /* the first */
}

TEST(other_words_are_not)
{
	ck_assert_str_eq(meant_by("verbose"), "none");
	ck_assert_str_eq(meant_by("wtia"), "none"); /* 2 slips in 4 letters */
	ck_assert_str_eq(meant_by(""), "none");
	ck_assert_str_eq(meant_by("threshold-threshold-threshold-th"), "none");
}
