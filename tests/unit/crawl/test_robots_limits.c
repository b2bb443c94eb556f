/* Files and paths as large as they may be, and larger. */
#include "crawl/robots.h"

#include <time.h>

#include "crawl/url/url.h"

#include "tests/unit/run.h"

static const struct robots *parse(const char *file)
{
	return robots_parse(test_arena, slice_of(file), "templated");
}

static bool allows(const char *file, const char *path)
{
	return robots_allows(parse(file), slice_of(path));
}

#define ANY "User-agent: *\n"

/* A file of `size` bytes: "User-agent: *", empty lines, `line` at the end. */
static const struct robots *parse_sized(size_t size, const char *line)
{
	AUTO_BUFFER file = {0};
	const struct robots *robots;

	buffer_append_text(&file, ANY);
	while (file.size + strlen(line) < size)
		buffer_append_byte(&file, '\n');
	buffer_append_text(&file, line);
	robots = robots_parse(test_arena, buffer_slice(&file), "templated");
	return robots;
}

TEST(bytes_after_512_kib_are_ignored)
{
	struct slice path = slice_of("/a");
	const struct robots *robots;

	robots = parse_sized(MAX_ROBOTS_BYTES - 1, "Disallow: /a");
	ck_assert(!robots_allows(robots, path));
	robots = parse_sized(MAX_ROBOTS_BYTES, "Disallow: /a\n");
	ck_assert(!robots_allows(robots, path));
	robots = parse_sized(MAX_ROBOTS_BYTES + 13, "Disallow: /a\n");
	ck_assert(robots_allows(robots, path));
}

/* "Disallow: /abc" that is cut behind "/ab" must not forbid "/ab". */
TEST(a_line_cut_at_the_limit_is_no_rule)
{
	for (size_t cut = 1; cut < 14; cut++) {
		const struct robots *robots =
			parse_sized(MAX_ROBOTS_BYTES + cut, "Disallow: /abc\n");

		ck_assert(robots_allows(robots, slice_of("/abc")));
		ck_assert(robots_allows(robots, slice_of("/")));
	}
	ck_assert(robots_allows(parse_sized(MAX_ROBOTS_BYTES, "Disallow: /"),
				slice_of("/")));
}

/* RFC 9309, 2.5: everything in the first 500 KiB counts. */
TEST(no_rule_is_one_too_many)
{
	AUTO_BUFFER file = {0};
	const struct robots *robots;
	unsigned last = 0;

	buffer_append_text(&file, ANY);
	while (file.size < MAX_ROBOTS_BYTES - 20)
		buffer_printf(&file, "Disallow: /a%u$\n", ++last);
	robots = robots_parse(test_arena, buffer_slice(&file), "templated");
	buffer_clear(&file);
	buffer_printf(&file, "/a%u", last);
	ck_assert_uint_gt(last, 25000);
	ck_assert(!robots_allows(robots, buffer_slice(&file)));
	ck_assert_uint_eq(robots_explain(robots, buffer_slice(&file)).line,
			  last + 1);
	ck_assert(!robots_allows(robots, slice_of("/a1")));
	ck_assert(robots_allows(robots, slice_of("/a0")));
}

TEST(an_endless_path_is_not_allowed)
{
	static char path[4 * MAX_URL_BYTES];

	memset(path, 'a', sizeof(path));
	path[0] = '/';
	ck_assert(
		!robots_allows(parse(""), (struct slice){path, sizeof(path)}));
	ck_assert(!robots_allows(parse(""),
				 (struct slice){path, MAX_URL_BYTES + 1}));
	ck_assert(
		robots_allows(parse(""), (struct slice){path, MAX_URL_BYTES}));
}

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static const struct robots *many_wildcards(size_t count)
{
	AUTO_BUFFER file = {0};
	const struct robots *robots;

	buffer_append_text(&file, ANY);
	for (size_t i = 0; i < count; i++)
		buffer_printf(&file, "Disallow: /*a*a*a*a*a*a*ab%zu\n", i);
	robots = robots_parse(test_arena, buffer_slice(&file), "templated");
	return robots;
}

/*
 * "/aaa..." of 2083 bytes has every piece of every rule but the last: each rule
 * searches it all, 2,082 + 18 to 22 bytes. 4 MiB are some 1,990 of them.
 */
TEST(wildcards_search_no_more_than_4_mib)
{
	static char text[MAX_URL_BYTES];
	struct slice path = {text, sizeof(text)};
	const struct robots *robots = many_wildcards(10000);
	struct robots_reason reason;
	double begin;

	memset(text, 'a', sizeof(text));
	text[0] = '/';
	begin = cpu_ms();
	reason = robots_explain(robots, path);
	printf("robots: %.2f ms\n", cpu_ms() - begin);
	ck_assert_double_lt(cpu_ms() - begin, 1000);
	ck_assert(!reason.is_allowed);
	ck_assert_uint_eq(reason.line, 0);
	ck_assert(robots_allows(many_wildcards(1900), path));
	ck_assert(robots_allows(robots, (struct slice){text, 200}));
}

/* A star each byte, and runs of stars longer than any path. */
TEST(a_rule_of_stars_counts_whatever_its_length)
{
	AUTO_BUFFER file = {0};

	buffer_append_text(&file, ANY "Allow: /a\nDisallow: /");
	for (size_t i = 0; i < 100000; i++)
		buffer_append_byte(&file, '*');
	buffer_append_text(&file, "b$\n");
	ck_assert(!allows(file.data, "/ab"));
	ck_assert(allows(file.data, "/abc"));
	/* octets are counted as written: 4 above 3 */
	ck_assert(!allows(ANY "Allow: /ab\nDisallow: /a**\n", "/ab"));
	ck_assert(allows(ANY "Allow: /ab\nDisallow: /a*\n", "/ab"));
	buffer_clear(&file);
	buffer_append_text(&file, ANY "Disallow: /");
	for (size_t i = 0; i < 2000; i++)
		buffer_append_text(&file, "*a");
	ck_assert(allows(file.data, "/aaaa"));
	buffer_printf(&file, "\nDisallow: /%0*d\n", 3 * MAX_URL_BYTES, 0);
	ck_assert(allows(file.data, "/0000"));
}

TEST(a_hundred_sitemaps_that_may_be_fetched)
{
	AUTO_BUFFER file = {0};
	const struct robots *robots;

	buffer_printf(&file, "Sitemap: /%0*d\n", MAX_URL_BYTES, 0);
	for (int i = 0; i < 101; i++)
		buffer_printf(&file, "Sitemap: /%d\nSitemap: /0\n", i);
	robots = parse(file.data);
	ck_assert_uint_eq(robots_sitemap_count(robots), MAX_ROBOTS_SITEMAPS);
	ck_assert(slice_equal(robots_sitemap(robots, 0), slice_of("/0")));
	ck_assert(slice_equal(robots_sitemap(robots, 99), slice_of("/99")));
}
