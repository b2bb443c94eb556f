#include "extract/extractors.h"

#include <string.h>

#include "tests/unit/run.h"

START_TEST(parts_of_the_method_are_set)
{
	const struct extractor *accb = extractor_find("accb");
	double parameters[MAX_PARAMETERS];
	char error[256];

	extractor_defaults(accb, parameters);
	ck_assert(settings_apply("accb.radius=30,\tdf.max_ratio=0.5, "
				 "accb.threshold=0.25",
				 accb, parameters, error));
	ck_assert_double_eq(parameters[0], 30);
	ck_assert_double_eq(parameters[1], 1);
	ck_assert_double_eq(parameters[2], 0.25);
	ck_assert(settings_apply("", accb, parameters, error));
	ck_assert_double_eq(parameters[0], 30);
}
END_TEST

static const struct {
	const char *settings;
	const char *complaint; /* is in the error */
} wrong[] = {
	{"radius=30", "METHOD.NAME=VALUE"},
	{"nosuch.radius=30", "METHOD.NAME=VALUE"},
	{"accb.size=30", "no such parameter"},
	{"accb.radius", "NAME=VALUE"},
	{"accb.radius=0", "below"},
	{"df.max_ratio=0.2 accb.radius=1e9", "above"},
};

START_TEST(what_is_wrong_is_said)
{
	char error[256] = "";

	ck_assert(!settings_apply(wrong[_i].settings, NULL, NULL, error));
	ck_assert_msg(strstr(error, wrong[_i].complaint) != NULL, "%s", error);
}
END_TEST

START_TEST(an_endless_setting_is_refused)
{
	char settings[4096];
	char error[256];

	memset(settings, 'a', sizeof(settings) - 1);
	settings[sizeof(settings) - 1] = '\0';
	ck_assert(!settings_apply(settings, NULL, NULL, error));
	settings[100] = '\0';
	ck_assert(!settings_apply(settings, NULL, NULL, error));
}
END_TEST

SUITE(settings)
{
	Suite *suite = suite_create("settings");
	TCase *tests = tcase_create("settings");

	tcase_add_test(tests, parts_of_the_method_are_set);
	tcase_add_loop_test(tests, what_is_wrong_is_said, 0,
			    sizeof(wrong) / sizeof(wrong[0]));
	tcase_add_test(tests, an_endless_setting_is_refused);
	suite_add_tcase(suite, tests);
	return suite;
}
