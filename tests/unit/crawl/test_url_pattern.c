#include "crawl/url/url_pattern.h"

#include <time.h>

#include "tests/unit/random.h"
#include "tests/unit/run.h"

static struct url_pattern pattern_of(const char *path)
{
	static char text[3000];
	struct url url;
	struct url_pattern pattern;

	snprintf(text, sizeof(text), "http://a.example%s", path);
	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	memset(&pattern, 0x55, sizeof(pattern));
	url_pattern_of(&url, &pattern);
	return pattern;
}

struct row {
	const char *path;
	const char *fine;
	const char *coarse;
};

static void check(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct url_pattern pattern = pattern_of(rows[i].path);

		ck_assert_msg(strcmp(pattern.fine_text, rows[i].fine) == 0 &&
				      strcmp(pattern.coarse_text,
					     rows[i].coarse) == 0,
			      "%s: %s, %s", rows[i].path, pattern.fine_text,
			      pattern.coarse_text);
	}
}

#define CHECK(rows) check(rows, COUNT_OF(rows))

TEST(the_parts_of_a_path)
{
	static const struct row rows[] = {
		{"/", "/", "/+0"},
		{"/a", "/{w}", "/+1"},
		{"/a/", "/{w}/", "/+1"},
		{"/a/b", "/a/{w}", "/a/+2"},
		{"/a/b/c.html", "/a/b/{w}.html", "/a/+3.html"},
		{"/a/b/c/d.PHP", "/a/b/{w}/{w}.php", "/a/+4.php"},
		{"/a/b/c/d/e/f", "/a/b/{w}/{w}", "/a/+4"},
		{"//a//b", "/a/{w}", "/a/+2"},
		{"/a/7", "/a/{n}", "/a/+2"},
		{"/a.b", "/{w}", "/+1"}, /* no ending of pages */
		{"/.html", "/{w}", "/+1"},
	};

	CHECK(rows);
}

TEST(what_is_no_word)
{
	static const struct row rows[] = {
		{"/x/007", "/x/{n}", "/x/+2"},
		{"/x/1.22.333", "/x/{n}", "/x/+2"},
		{"/x/1-2-3-4", "/x/{n}", "/x/+2"},
		{"/x/2024-05-14", "/x/{date}", "/x/+2"},
		{"/x/14.5.2024", "/x/{date}", "/x/+2"},
		{"/x/2024_05", "/x/{date}", "/x/+2"},
		{"/x/20240514", "/x/{date}", "/x/+2"},
		{"/x/20249914", "/x/{n}", "/x/+2"},
		{"/x/2024-555", "/x/{n}", "/x/+2"},
		{"/x/1-", "/x/{w}", "/x/+2"},
		{"/x/-1", "/x/{w}", "/x/+2"},
		{"/x/1--2", "/x/{w}", "/x/+2"},
		{"/x/deadbeef", "/x/{w}", "/x/+2"},
		{"/x/deadbee7", "/x/{id}", "/x/+2"},
		{"/x/de4dbee", "/x/{w}", "/x/+2"},
		{"/x/123e4567-e89b-12d3-a456-426614174000", "/x/{id}", "/x/+2"},
		{"/x/k3J9xQ2z", "/x/{id}", "/x/+2"},
		{"/x/utf8-to-mp3", "/x/{w}", "/x/+2"},
		{"/x/-", "/x/{w}", "/x/+2"},
	};

	CHECK(rows);
}

TEST(folders_that_are_names)
{
	static const struct row rows[] = {
		{"/v1.2/x", "/v{n}.{n}/{w}", "/v{n}.{n}/+2"},
		{"/release-notes/x", "/release-notes/{w}", "/release-notes/+2"},
		{"/this-is-a-sentence/x", "/{w}/{w}", "/+2"},
		{"/abcdefghijklmnopqrstuvwxyzabcdefg/x", "/{w}/{w}", "/+2"},
		{"/%E3%81%82/x", "/{w}/{w}", "/+2"},
		/* names end at the first segment that is none */
		{"/2024/may/x", "/{n}/{w}/{w}", "/+3"},
		{"/a/2024/may/x", "/a/{n}/{w}/{w}", "/a/+4"},
		{"/0123456789abcdef/x", "/{id}/{w}", "/+2"},
	};

	CHECK(rows);
}

TEST(queries_have_kinds)
{
	static const struct row rows[] = {
		{"/?p=12", "/?p={n}", "/+0?"},
		{"/x?b=2&a=one", "/{w}?a={w}&b={n}", "/+1?"},
		{"/x?a=one&b=2", "/{w}?a={w}&b={n}", "/+1?"},
		{"/x?a=1&a=2&a=b", "/{w}?a={n}&a={w}", "/+1?"},
		{"/x?a&b=", "/{w}?a=&b=", "/+1?"},
		{"/x?k1=1&k2=2&k3=3", "/{w}?k{n}={n}", "/+1?"},
		{"/x?&&a=1&", "/{w}?a={n}", "/+1?"},
		{"/x?2024=1", "/{w}?{n}={n}", "/+1?"},
		{"/x?d=2024-05-14&s=0123abcd", "/{w}?d={date}&s={id}", "/+1?"},
		{"/x?=1", "/{w}?={n}", "/+1?"},
	};

	CHECK(rows);
}

TEST(a_page_is_seen_in_other_ways)
{
	static const struct row rows[] = {
		{"/index.html", "/index.html", "/+0.html"},
		{"/a/index.html", "/{w}/index.html", "/+1.html"},
		{"/a/b/index.php", "/a/{w}/index.php", "/a/+2.php"},
		{"/a/default.aspx", "/{w}/default.aspx", "/+1.aspx"},
		{"/index", "/{w}", "/+1"},
		{"/feed/", "/feed/", "/+0"},
		{"/a/feed/", "/{w}/feed/", "/+1"},
		{"/a/feed", "/{w}/feed", "/+1"},
		{"/page/2/", "/page/{n}/", "/+0"},
		{"/a/b/page/2/", "/a/{w}/page/{n}/", "/a/+2"},
		{"/a/page/2/feed/", "/a/page/{n}/feed/", "/a/+3"},
		{"/page/b/", "/page/{w}/", "/page/+2"},
	};

	CHECK(rows);
}

TEST(real_sites)
{
	static const struct row rows[] = {
		/* WordPress */
		{"/2019/05/12/some-news-of-the-day/", "/{n}/{n}/{n}/{w}/",
		 "/+4"},
		{"/2019/05/12/news/amp/", "/{n}/{n}/{n}/{w}/amp/", "/+4"},
		{"/category/foo/page/3/", "/category/{w}/page/{n}/",
		 "/category/+2"},
		{"/cali/a-b-c-d-10-05-2024/index.html", "/cali/{w}/index.html",
		 "/cali/+2.html"},
		/* Hexo */
		{"/2015/01/04/additive-equations/", "/{n}/{n}/{n}/{w}/", "/+4"},
		{"/archives/2015/page/2/", "/archives/{n}/page/{n}/",
		 "/archives/+2"},
		/* Docusaurus, Hugo */
		{"/en/docs/types/casting/", "/en/docs/{w}/{w}/", "/en/+4"},
		{"/blog/2015/02/18/Import-Types/", "/blog/{n}/{n}/{n}/{w}/",
		 "/blog/+4"},
		/* javadoc */
		{"/api/org/apache/jmeter/gui/JMeterFileFilter.html",
		 "/api/org/{w}/{w}.html", "/api/+4.html"},
		{"/api/org/apache/jmeter/package-summary.html",
		 "/api/org/{w}/{w}-summary.html", "/api/+4.html"},
		/* doxygen */
		{"/classrapidjson_1_1_generic_array.html", "/class{w}.html",
		 "/+1.html"},
		{"/classrapidjson_1_1_generic_array-members.html",
		 "/class{w}-members.html", "/+1.html"},
		{"/zh-cn/allocators_8h_source.html", "/zh-cn/{w}_source.html",
		 "/zh-cn/+2.html"},
		/* other scripts */
		{"/blog/2025/08/"
		 "%E6%96%B0%E9%81%93%E5%A0%B4.html",
		 "/blog/{n}/{n}/{w}.html", "/blog/+4.html"},
		/* a slug is no name of a generator */
		{"/class-of-2024/", "/{w}/", "/+1"},
	};

	CHECK(rows);
}

/* The classes of traps have few coarse patterns, or one wide one. */
TEST(traps_have_common_patterns)
{
	ck_assert_uint_eq(pattern_of("/c/2024/05/14").fine,
			  pattern_of("/c/1999/12/31").fine);
	ck_assert_uint_eq(pattern_of("/x?k1=1").coarse,
			  pattern_of("/y?zz=3&q=w").coarse);
	ck_assert_uint_eq(pattern_of("/d/new1/x").coarse,
			  pattern_of("/d/other/y").coarse);
	ck_assert_uint_ne(pattern_of("/a/x").coarse, pattern_of("/b/x").coarse);
	ck_assert_uint_eq(pattern_of("/a/x").wide, pattern_of("/b/x").wide);
	ck_assert_str_eq(pattern_of("/a/x.html?y").wide_text, "/+2.html?");
	ck_assert_uint_eq(pattern_of("/2024/x").wide,
			  pattern_of("/2024/x").coarse);
}

TEST(fine_and_coarse_are_never_one)
{
	ck_assert_uint_ne(pattern_of("/").fine, pattern_of("/").coarse);
	ck_assert_uint_ne(pattern_of("/+1").fine, pattern_of("/x").coarse);
}

/* The text is truncated, and the time is bounded. */
TEST(anything_has_a_pattern)
{
	static const char bytes[] = "/?&=.-_%ab01/index.html/page/feed";

	random_begin((uint64_t)time(NULL));
	for (int i = 0; i < 2000; i++) {
		char path[600] = "/";
		size_t length = 1 + random_below(sizeof(path) - 2);
		struct url_pattern pattern;

		for (size_t k = 1; k < length; k++)
			path[k] = bytes[random_below(sizeof(bytes) - 1)];
		path[length] = '\0';
		pattern = pattern_of(path);
		ck_assert_ptr_nonnull(
			memchr(pattern.fine_text, '\0', MAX_PATTERN_TEXT));
		ck_assert_ptr_nonnull(
			memchr(pattern.coarse_text, '\0', MAX_PATTERN_TEXT));
		ck_assert_uint_eq(pattern.fine, pattern_of(path).fine);
		ck_assert_int_eq(pattern.fine_text[0], '/');
	}
}
