#include "extract/extractors.h"

#include "tests/unit/run.h"

TEST(parts_of_the_method_are_set)
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

TEST_ROWS(what_is_wrong_is_said, wrong)
{
	char error[256] = "";

	ck_assert(!settings_apply(wrong[_i].settings, NULL, NULL, error));
	ck_assert_msg(strstr(error, wrong[_i].complaint) != NULL, "%s", error);
}

TEST(an_endless_setting_is_refused)
{
	char settings[4096];
	char error[256];

	memset(settings, 'a', sizeof(settings) - 1);
	settings[sizeof(settings) - 1] = '\0';
	ck_assert(!settings_apply(settings, NULL, NULL, error));
	settings[100] = '\0';
	ck_assert(!settings_apply(settings, NULL, NULL, error));
}
