#include "daemon/api/redaction.h"

#include "tests/unit/run.h"

static void check_url(const char *url, const char *shown)
{
	json_t *value = redacted_url(slice_of(url));

	ck_assert_str_eq(json_string_value(value), shown);
	json_decref(value);
}

START_TEST(passwords_and_queries_of_urls_are_hidden)
{
	check_url("https://user:secret@a.test/hook?token=secret",
		  "https://***@a.test/hook?***");
	check_url("http://token@a.test:3128", "http://***@a.test:3128");
	check_url("https://a:b@c@a.test/", "https://***@a.test/");
	check_url("https://a.test/@hook", "https://a.test/@hook");
	check_url("https://a.test?x=@b", "https://a.test?***");
	check_url("exec:/bin/tell me?", "exec:/bin/tell me?");
	ck_assert(json_is_null(redacted_url(slice_of(""))));
}
END_TEST

START_TEST(of_headers_the_names_are_shown)
{
	json_t *value = redacted_headers(
		slice_of("Authorization: Basic c2VjcmV0\nX-Key: a: b\n"));

	ck_assert_str_eq(json_string_value(value),
			 "Authorization: ***\nX-Key: ***\n");
	json_decref(value);
	ck_assert(json_is_null(redacted_headers(slice_of(""))));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("redaction");
	TCase *tcase = tcase_create("redaction");

	tcase_add_test(tcase, passwords_and_queries_of_urls_are_hidden);
	tcase_add_test(tcase, of_headers_the_names_are_shown);
	suite_add_tcase(suite, tcase);
	return suite;
}
