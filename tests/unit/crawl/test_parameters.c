#include "crawl/url/url.h"

#include <time.h>

#include "tests/unit/random.h"
#include "tests/unit/run.h"

static struct url parse(const char *text)
{
	struct url url = {0};

	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	ck_assert_str_eq(url.text, text);
	return url;
}

/* `from` loses the parameters of `names` and is `to`. */
static void check(const char *names, const char *from, const char *to)
{
	struct url url = parse(from);
	bool is_new = parameters_drop(&url, slice_of(names));

	ck_assert_msg(strcmp(url.text, to) == 0, "'%s' is '%s' and not '%s'",
		      from, url.text, to);
	ck_assert_int_eq(is_new, strcmp(from, to) != 0);
	ck_assert(!parameters_drop(&url, slice_of(names)));
}

TEST(named_parameters_are_dropped)
{
	const char *names = "x, y_*\tZ";

	check(names, "http://a/?x=1", "http://a/");
	check(names, "http://a/?x", "http://a/");
	check(names, "http://a/?x=1&b=2", "http://a/?b=2");
	check(names, "http://a/?b=2&x=1", "http://a/?b=2");
	check(names, "http://a/?b=2&x=1&c", "http://a/?b=2&c");
	check(names, "http://a/?x=1&x=2&y_=3&y_b=4&z=5", "http://a/");
	check(names, "http://a/p/?X=1&Y_B=2&c=3", "http://a/p/?c=3");
}

TEST(other_parameters_stay_as_they_are)
{
	const char *names = "x y_*";

	check(names, "http://a/", "http://a/");
	check(names, "http://a/?b=x", "http://a/?b=x");
	check(names, "http://a/?xx=1&y=2&ay_=3", "http://a/?xx=1&y=2&ay_=3");
	check(names, "http://a/?b&&c=&=d&B%20", "http://a/?b&&c=&=d&B%20");
	check(names, "http://a/?b?x=1", "http://a/?b?x=1");
	check(names, "http://a/x=1/x?b=x=1", "http://a/x=1/x?b=x=1");
	check(names, "http://x/;b=x", "http://x/;b=x");
}

/* The rest is canonical: no '?' at the end. */
TEST(a_query_of_nothing_goes)
{
	check("x", "http://a/?x=1&", "http://a/");
	check("x", "http://a/?&x=1", "http://a/");
	check("x", "http://a/?x=1&&b", "http://a/?&b");
}

TEST(parameters_of_the_path_are_dropped)
{
	check("x", "http://a/b;x=1", "http://a/b");
	check("x", "http://a/b;x=1?c", "http://a/b?c");
	check("x", "http://a/b;x=1/c;X=2/d", "http://a/b/c/d");
	check("x", "http://a/b;x=1;y=2;x=3", "http://a/b;y=2");
	check("x", "http://a/;x=1/b", "http://a//b");
	check("x", "http://a/b;x", "http://a/b;x");
	check("x", "http://a/b;x=1?x=2", "http://a/b");
}

TEST(no_dot_segment_is_made)
{
	check("x", "http://a/b/..;x=1/c", "http://a/b/..;x=1/c");
	check("x", "http://a/b/.;x=1", "http://a/b/.;x=1");
	check("x", "http://a/b/..;x=1;x=2", "http://a/b/..;x=2");
	check("x", "http://a/b/..;x=1;y=2", "http://a/b/..;y=2");
	check("x", "http://a/b/...;x=1/c", "http://a/b/.../c");
	check("x", "http://a/b../..b;x=1", "http://a/b../..b");
}

TEST(no_names_drop_nothing)
{
	check("", "http://a/?utm_source=x", "http://a/?utm_source=x");
	check(NULL, "http://a/?utm_source=x", "http://a/?utm_source=x");
	check(" ,, ", "http://a/?=x&;y", "http://a/?=x&;y");
}

TEST(the_default_value_knows_trackers_and_sessions)
{
	check(parameters_default,
	      "https://a/p?utm_source=x&utm_medium=y&id=7&fbclid=z&gclid=q",
	      "https://a/p?id=7");
	check(parameters_default, "https://a/?mc_cid=1&mc_eid=2&_ga=3&_gl=4",
	      "https://a/");
	check(parameters_default,
	      "https://a/?PHPSESSID=0123456789abcdef&p=3&ASPSESSIONIDQQ=A",
	      "https://a/?p=3");
	check(parameters_default, "https://a/b;jsessionid=0AF.node1?c=1",
	      "https://a/b?c=1");
	check(parameters_default, "https://a/?zenid=1", "https://a/");
	check(parameters_default, "https://a/?utm_=1", "https://a/");
}

/* Each names a page somewhere. */
TEST(the_default_value_leaves_what_sites_use)
{
	const char *url = "https://a/?id=1&ref=2&source=3&sid=4&s=5&page=6&"
			  "session=7&token=8&lang=9&q=10&cid=11&pk_id=12&p=13&"
			  "ns_id=14&at=15&utm=16&session_id=17&sessionid=18";

	check(parameters_default, url, url);
}

static void check_expansion(const char *text, const char *expected)
{
	AUTO_BUFFER out = {0};

	parameters_expand(slice_of(text), &out);
	ck_assert(slice_equal(buffer_slice(&out), slice_of(expected)));
}

TEST(common_stands_for_the_default_value)
{
	char expected[8192];

	check_expansion("", "");
	check_expansion(NULL, "");
	check_expansion(" , ", "");
	check_expansion("common", parameters_default);
	check_expansion("a, b*\tcommons", "a b* commons");
	(void)snprintf(expected, sizeof(expected), "a %s b",
		       parameters_default);
	check_expansion("a,common,b", expected);
}

static void check_stays_canonical(struct slice text)
{
	struct slice names = slice_of("x a*");
	struct url url;
	struct url again;

	ASSERT_OK(url_parse(&url, text, NULL));
	parameters_drop(&url, names);
	ASSERT_OK(url_parse(&again, slice_of(url.text), NULL));
	ck_assert_str_eq(url.text, again.text);
	ck_assert(!parameters_drop(&again, names));
}

/* Dropping twice is dropping once, and canonical stays canonical. */
TEST(random_urls_stay_canonical)
{
	static const char alphabet[] = "x/;=.?&ab";

	random_begin((uint64_t)time(NULL));
	for (int i = 0; i < 20000; i++) {
		char text[32] = "http://a/";

		for (size_t j = 9; j < sizeof(text); j++)
			text[j] = alphabet[random_below(sizeof(alphabet) - 1)];
		check_stays_canonical((struct slice){text, sizeof(text)});
	}
}
