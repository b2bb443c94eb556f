#include "page/page_class.h"
#include "tests/unit/run.h"

static const struct {
	const char *text;
	unsigned kinds;
} rows[] = {
	{"gokuProps", MARKER_CHALLENGE},
	{"acw_sc__v2", MARKER_CHALLENGE},
	{"/cdn-cgi/l/chk_captcha", MARKER_CHALLENGE},
	{"id=\"captcha-form\"", MARKER_CHALLENGE},
	{"privacywall", MARKER_CONSENT},
	{"/copyConsent?sessionId=", MARKER_CONSENT},
	{"<title>IIS ", MARKER_ERROR},
	{"id=\"cf-error-details\"", MARKER_ERROR},
	{"gokuPropsprivacywall", MARKER_CHALLENGE | MARKER_CONSENT},
	{"id=\"captcha-form\"<title>IIS ", MARKER_CHALLENGE | MARKER_ERROR},
};

TEST_ROWS(a_marker_is_found_anywhere, rows)
{
	char source[128];

	for (int before = 0; before < 20; before++)
		for (int behind = 0; behind < 12; behind++) {
			int size = snprintf(
				source, sizeof(source), "%.*s%s%.*s", before,
				"gokuPropgokuPropgokuProp", rows[_i].text,
				behind, "<title>IIS<title>IIS");

			ck_assert_uint_eq(page_markers_find((struct slice){
						  source, (size_t)size}),
					  rows[_i].kinds);
		}
}

TEST(the_begin_of_a_sign_is_none)
{
	for (size_t size = 0; size < 9; size++)
		ck_assert_uint_eq(
			page_markers_find((struct slice){"gokuProps", size}),
			0);
	ck_assert_uint_eq(page_markers_find(slice_of("id=\"cf-error-details")),
			  0);
	ck_assert_uint_eq(page_markers_find((struct slice){NULL, 0}), 0);
}
