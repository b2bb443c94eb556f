#include "crawl/url/host.h"

#include <time.h>

#include "tests/unit/run.h"

static bool adds(struct host_globs *globs, const char *text)
{
	return host_globs_add(globs, slice_of(text));
}

/* Does `glob` match `host`? */
static bool matches(const char *glob, const char *host)
{
	struct host_globs globs = {0};
	bool does;

	ck_assert_msg(adds(&globs, glob), "%s", glob);
	does = host_globs_match(&globs, slice_of(host));
	host_globs_free(&globs);
	return does;
}

TEST(only_a_star_matches_any_characters)
{
	ck_assert(matches("a.example", "a.example"));
	ck_assert(!matches("a.example", "a.example.org"));
	ck_assert(!matches("a.example", "b.a.example"));
	ck_assert(!matches("a.example", "aXexample"));
	ck_assert(matches("*", "a.example:8080"));
	ck_assert(matches("*.example", "b.a.example"));
	ck_assert(!matches("*.example", "example"));
	ck_assert(!matches("*.example", "a.example:8080"));
	ck_assert(matches("*example*", "a.example:8080"));
	ck_assert(matches("a*b*c", "axbxbxc"));
	ck_assert(!matches("a*b*c", "axcxcxb"));
	ck_assert(!matches("a.*.a", "a.a"));
	ck_assert(matches("a**", "a"));
}

TEST(hosts_have_their_canonical_form)
{
	ck_assert(matches("A.Example", "a.example"));
	ck_assert(matches("*.Example", "a.example"));
	ck_assert(matches("a.example:80", "a.example"));
	ck_assert(matches("a.example:8080", "a.example:8080"));
	ck_assert(matches("b\xc3\xbc.example", "xn--b-eha.example"));
	ck_assert(matches("[::1]:81", "[::1]:81"));
	ck_assert(matches("[*]:81", "[::1]:81"));
}

TEST(a_malformed_host_is_refused)
{
	static const char *const bad[] = {
		"",     "a/b", "http://a.example",
		"a@b",  "a b", "a.example?x",
		"a#b",  "*/b", "* *",
		"a\\b", "*$",  "*%41",
	};
	struct host_globs globs = {0};
	char longest[MAX_HOST_BYTES + 2];

	for (size_t i = 0; i < COUNT_OF(bad); i++)
		ck_assert_msg(!adds(&globs, bad[i]), "%s", bad[i]);
	memset(longest, '*', sizeof(longest));
	longest[MAX_HOST_BYTES + 1] = '\0';
	ck_assert(!adds(&globs, longest));
	longest[MAX_HOST_BYTES] = '\0';
	ck_assert(adds(&globs, longest));
	host_globs_free(&globs);
}

TEST(the_list_has_a_limit)
{
	struct host_globs globs = {0};

	for (size_t i = 0; i < MAX_HOST_GLOBS; i++)
		ck_assert(adds(&globs, "a.example"));
	ck_assert(!adds(&globs, "b.example"));
	ck_assert(!host_globs_match(&globs, slice_of("b.example")));
	host_globs_free(&globs);
}

/* 64 globs of 262 bytes against the longest host, a thousand times: a matcher
 * that tries each place of each star would need years. */
TEST(stars_cost_no_more_than_characters)
{
	struct host_globs globs = {0};
	char glob[MAX_HOST_BYTES + 1] = "";
	char host[MAX_HOST_BYTES + 1];
	clock_t begin;

	for (size_t i = 0; i < 130; i++)
		memcpy(glob + 2 * i, "*a", 3);
	memcpy(glob + 260, "*b", 3);
	memset(host, 'a', MAX_HOST_BYTES);
	host[MAX_HOST_BYTES] = '\0';
	for (size_t i = 0; i < MAX_HOST_GLOBS; i++)
		ck_assert(adds(&globs, glob));
	begin = clock();
	for (size_t i = 0; i < 1000; i++)
		ck_assert(!host_globs_match(&globs, slice_of(host)));
	ck_assert_int_lt(clock() - begin, 20 * CLOCKS_PER_SEC);
	host_globs_free(&globs);
}
