#include "crawl/robots.h"

#include <time.h>

#include "tests/unit/random.h"
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

TEST(a_file_that_says_nothing_allows_everything)
{
	ck_assert(allows("", "/"));
	ck_assert(allows("\xef\xbb\xbf", "/"));
	ck_assert(allows("<html><body>Not found</body></html>", "/a"));
	ck_assert(allows("Disallow: /\n", "/a"));
	ck_assert(allows(ANY "Disallow:\n", "/a"));
	ck_assert(allows("User-agent: other\nDisallow: /\n", "/a"));
	ck_assert(robots_allows(
		robots_parse(test_arena, (struct slice){0}, "templated"),
		slice_of("/")));
}

TEST(a_rule_is_a_prefix)
{
	static const char file[] = ANY "Disallow: /a\n";

	ck_assert(!allows(file, "/a"));
	ck_assert(!allows(file, "/ab/c?d"));
	ck_assert(allows(file, "/"));
	ck_assert(allows(file, "/A"));
	ck_assert(allows(file, "/b/a"));
	ck_assert(!allows(ANY "Disallow: /\n", ""));
}

/* RFC 9309, 2.2.2 and the examples of section 5 */
TEST(the_longest_rule_wins_and_allow_a_tie)
{
	static const char file[] = ANY "Disallow: /page\nAllow: /page/ok\n"
				       "Disallow: /page/ok/no\n";

	ck_assert(!allows(file, "/page"));
	ck_assert(allows(file, "/page/ok"));
	ck_assert(!allows(file, "/page/ok/no"));
	ck_assert(allows(ANY "Disallow: /a\nAllow: /a\n", "/a"));
	ck_assert(allows(ANY "Allow: /a\nDisallow: /a\n", "/a"));
	ck_assert(allows(ANY "Allow: /$\nDisallow: /\n", "/"));
	ck_assert(!allows(ANY "Allow: /$\nDisallow: /\n", "/a"));
	ck_assert(!allows(ANY "Allow: /page\nDisallow: /*.htm\n", "/page.htm"));
	ck_assert(!allows(ANY "Allow: /example/page/\n"
			      "Disallow: /example/page/disallowed.gif\n",
			  "/example/page/disallowed.gif"));
}

TEST(wildcards_and_anchors)
{
	ck_assert(!allows(ANY "Disallow: *.gif$\n", "/a/b.gif"));
	ck_assert(allows(ANY "Disallow: *.gif$\n", "/a/b.gif?x"));
	ck_assert(!allows(ANY "Disallow: /a*b*c\n", "/a1b2c3"));
	ck_assert(allows(ANY "Disallow: /a*b*c\n", "/a1c2b3"));
	ck_assert(!allows(ANY "Disallow: /a**b\n", "/ab"));
	ck_assert(!allows(ANY "Disallow: /a*$\n", "/abc"));
	ck_assert(!allows(ANY "Disallow: /a*bc$\n", "/abcabc"));
	ck_assert(allows(ANY "Disallow: /a*bc$\n", "/abcab"));
	ck_assert(allows(ANY "Disallow: /ab*b$\n", "/ab"));
	ck_assert(!allows(ANY "Disallow: /a$\n", "/a"));
	ck_assert(allows(ANY "Disallow: /a$\n", "/ab"));
	ck_assert(!allows(ANY "Disallow: *\n", "/"));
	ck_assert(!allows(ANY "Disallow: /a$b\n", "/a$bc"));
	ck_assert(!allows(ANY "Disallow: /*?\n", "/a?b"));
	ck_assert(allows(ANY "Disallow: /*?\n", "/a"));
}

TEST(both_sides_are_percent_encoded_alike)
{
	ck_assert(!allows(ANY "Disallow: /\xe3\x83\x84\n", "/%E3%83%84"));
	ck_assert(!allows(ANY "Disallow: /%e3%83%84\n", "/%E3%83%84"));
	ck_assert(!allows(ANY "Disallow: /%7Ea/%62\n", "/~a/b"));
	ck_assert(!allows(ANY "Disallow: /a%2Ab\n", "/a*b"));
	ck_assert(allows(ANY "Disallow: /a%2Ab\n", "/axb"));
	ck_assert(!allows(ANY "Disallow: /a%24\n", "/a$b"));
	ck_assert(allows(ANY "Disallow: /a%2Fb\n", "/a/b"));
}

TEST(lines_end_in_any_way)
{
	ck_assert(!allows("User-agent: *\rDisallow: /a\r", "/a"));
	ck_assert(!allows("User-agent: *\r\nDisallow: /a\r\n", "/a"));
	ck_assert(!allows("User-agent: *\n\n\nDisallow: /a", "/a"));
	ck_assert(!allows("\xef\xbb\xbfUser-agent: *\nDisallow: /a", "/a"));
}

TEST(blanks_comments_and_letter_case)
{
	ck_assert(!allows(" \tuSER-aGENT :  * # all\n disallow\t: /a # x\n",
			  "/a"));
	ck_assert(!allows(ANY "Disallow /a\n", "/a"));
	ck_assert(allows(ANY "Disallow /a /b\n", "/a"));
	ck_assert(allows(ANY "# Disallow: /a\n", "/a"));
	ck_assert(allows(ANY "Disallow: a\nDisallow: http://h/a\n", "/a"));
}

TEST(the_named_group_replaces_that_of_all)
{
	static const char file[] = ANY "Disallow: /\n"
				       "User-agent: TEMPLATED/2.0 (x)\n"
				       "Disallow: /a\n";

	ck_assert(allows(file, "/b"));
	ck_assert(!allows(file, "/a"));
	ck_assert(allows(ANY "Disallow: /\nUser-agent: templated\n", "/b"));
	ck_assert(!allows(ANY "Disallow: /\nUser-agent: templated-x\n", "/b"));
	ck_assert(!allows(ANY "Disallow: /\nUser-agent: template\n", "/b"));
}

TEST(groups_of_one_agent_are_merged)
{
	static const char file[] = "User-agent: templated\nDisallow: /a\n"
				   "User-agent: other\nDisallow: /b\n"
				   "User-agent: templated\nDisallow: /c\n";

	ck_assert(!allows(file, "/a"));
	ck_assert(allows(file, "/b"));
	ck_assert(!allows(file, "/c"));
	ck_assert(!allows(ANY "Disallow: /a\n" ANY "Disallow: /c\n", "/a"));
}

TEST(agents_in_a_row_form_a_group)
{
	static const char file[] =
		"User-agent: other\nSitemap: http://h/s\n\n# x\n"
		"User-agent: templated\nUser-agent: third\nDisallow: /a\n";

	ck_assert(!allows(file, "/a"));
	ck_assert(!allows(ANY "Sitemap: http://h/s\nDisallow: /a\n", "/a"));
}

TEST(the_robots_file_itself_is_allowed)
{
	ck_assert(allows(ANY "Disallow: /\n", "/robots.txt"));
	ck_assert(robots_allows(robots_from_status(test_arena, 503),
				slice_of("/robots.txt")));
}

TEST(a_status_gives_rules)
{
	static const struct {
		unsigned status;
		bool allows;
	} rows[] = {{0, false},   {200, true},  {301, true}, {400, true},
		    {404, true},  {429, false}, {499, true}, {500, false},
		    {503, false}, {599, false}};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		ck_assert_int_eq(
			robots_allows(
				robots_from_status(test_arena, rows[i].status),
				slice_of("/a")),
			rows[i].allows);
}

static uint32_t delay(const char *value)
{
	char file[128];

	snprintf(file, sizeof(file), ANY "Crawl-delay: %s\n", value);
	return robots_delay_ms(parse(file));
}

TEST(crawl_delay)
{
	ck_assert_uint_eq(delay("10"), 10000);
	ck_assert_uint_eq(delay("0.5"), 500);
	ck_assert_uint_eq(delay("1.2345"), 1234);
	ck_assert_uint_eq(delay("2s"), 2000);
	ck_assert_uint_eq(delay("3600"), 3600000);
	ck_assert_uint_eq(delay("3601"), 3600000);
	ck_assert_uint_eq(delay("99999999999999999999999"), 3600000);
	ck_assert_uint_eq(delay("-1"), 0);
	ck_assert_uint_eq(delay("often"), 0);
	ck_assert_uint_eq(robots_delay_ms(parse("")), 0);
	ck_assert_uint_eq(
		robots_delay_ms(parse(ANY "Crawl-delay: 9\n"
					  "User-agent: templated\n"
					  "Crawl-delay: 3\nDisallow: /x\n")),
		3000);
}

/* RFC 9309, 2.2.4: other records do not end a group. */
TEST(a_crawl_delay_ends_no_group)
{
	static const char file[] = "User-agent: templated\nCrawl-delay: 1\n"
				   "User-agent: other\nCrawl-delay: 60\n"
				   "Disallow: /a\n";

	ck_assert(!allows(file, "/a"));
	ck_assert_uint_eq(robots_delay_ms(parse(file)), 1000);
}

TEST(misspelt_keys)
{
	ck_assert(!allows("useragent: *\ndissalow: /a\n", "/a"));
	ck_assert(!allows("user-agent templated\nDisalow /a\n", "/a"));
	ck_assert(!allows("user_agent: *\nDesallow: /a\n", "/a"));
	ck_assert(!allows("useg-agent: *\ndisallowed: /a\n", "/a"));
	ck_assert(allows(ANY "no-disallow: /a\n", "/a"));
	ck_assert(allows(ANY ": /a\nDisallow\n:\n", "/a"));
	ck_assert_uint_eq(robots_delay_ms(parse(ANY "Crawl delay: 2\n")), 2000);
}

/* "User-agent: *\nDisallow: /\u00fc" */
TEST(utf_16_with_its_mark)
{
	static const char text[] = ANY "Disallow: /";
	char little[128] = {(char)0xff, (char)0xfe};
	char big[128] = {(char)0xfe, (char)0xff};
	size_t size = sizeof(text) - 1;

	for (size_t i = 0; i < size; i++) {
		little[2 + 2 * i] = text[i];
		big[3 + 2 * i] = text[i];
	}
	little[2 + 2 * size] = (char)0xfc;
	big[3 + 2 * size] = (char)0xfc;
	for (int i = 0; i < 2; i++) {
		struct slice file = {i == 0 ? little : big, 4 + 2 * size};
		const struct robots *robots =
			robots_parse(test_arena, file, "templated");

		ck_assert(!robots_allows(robots, slice_of("/%C3%BCber")));
		ck_assert(robots_allows(robots, slice_of("/a")));
	}
}

/* Google's parser reads C strings: it ignores everything after a NUL. */
TEST(a_nul_ends_a_line)
{
	static const char file[] = ANY "Disallow: /a\0b\nDisallow: /c\n\0\0";
	const struct robots *robots = robots_parse(
		test_arena, (struct slice){file, sizeof(file)}, "templated");

	ck_assert(!robots_allows(robots, slice_of("/ac")));
	ck_assert(!robots_allows(robots, slice_of("/c")));
	ck_assert(robots_allows(robots, slice_of("/b")));
}

static unsigned line_of(const char *file, const char *path)
{
	return robots_explain(parse(file), slice_of(path)).line;
}

TEST(the_reason_is_a_line_of_the_file)
{
	static const char file[] =
		"# ours\r\nUser-agent: *\rDisallow: /\n\n"
		"User-agent: templated\n Disallow : /a/*.gif$  # pictures\n"
		"Allow: /a/b\n";
	struct robots_reason reason =
		robots_explain(parse(file), slice_of("/a/x.gif"));

	ck_assert(!reason.is_allowed);
	ck_assert_uint_eq(reason.line, 6);
	ck_assert(reason.is_named);
	ck_assert_str_eq(reason.rule, "Disallow : /a/*.gif$");
	reason = robots_explain(parse(file), slice_of("/a/b"));
	ck_assert(reason.is_allowed);
	ck_assert_uint_eq(reason.line, 7);
	ck_assert_str_eq(reason.rule, "Allow: /a/b");
	reason = robots_explain(parse(file), slice_of("/c"));
	ck_assert(reason.is_allowed);
	ck_assert_uint_eq(reason.line, 0);
	ck_assert(reason.is_named);
	ck_assert_str_eq(reason.rule, "");
	ck_assert(!robots_explain(parse(ANY), slice_of("/c")).is_named);
	ck_assert_uint_eq(line_of(ANY "Disallow: /a\nDisallow: /a\n", "/a"), 2);
	ck_assert_uint_eq(line_of(ANY "Disallow: /a\nAllow: /a\n", "/a"), 3);
	ck_assert_uint_eq(line_of(ANY "Disallow: /\n", "/robots.txt"), 0);
}

TEST(a_reason_is_short_and_printable)
{
	AUTO_BUFFER file = {0};
	struct robots_reason reason;

	/* "Disallow: /" and 116 letters are 127 bytes */
	buffer_printf(&file, ANY "Disallow: /%0116d\n", 0);
	reason = robots_explain(parse(file.data), slice_of(file.data + 24));
	ck_assert_uint_eq(reason.line, 2);
	ck_assert_uint_eq(strlen(reason.rule), 127);
	buffer_clear(&file);
	/* and 115 letters leave no room for the two bytes of an e acute */
	buffer_printf(&file, ANY "Disallow: /%0115d\xc3\xa9\n", 0);
	reason = robots_explain(parse(file.data),
				(struct slice){file.data + 24, 118});
	ck_assert_uint_eq(reason.line, 2);
	ck_assert_uint_eq(strlen(reason.rule), 126);
	reason = robots_explain(parse(ANY "Disallow: /a\x1b\xff\n"),
				slice_of("/a%1B%FF"));
	ck_assert_str_eq(reason.rule, "Disallow: /a \xef\xbf\xbd");
}

TEST(a_server_failure_differs_from_a_rule)
{
	ck_assert(robots_is_forbidden(robots_from_status(test_arena, 500)));
	ck_assert(robots_is_forbidden(robots_from_status(test_arena, 0)));
	ck_assert(!robots_is_forbidden(robots_from_status(test_arena, 404)));
	ck_assert(!robots_is_forbidden(parse(ANY "Disallow: /\n")));
	ck_assert(!robots_explain(robots_from_status(test_arena, 500),
				  slice_of("/"))
			   .is_allowed);
}

static bool is_clamped(const char *value)
{
	char file[128];

	snprintf(file, sizeof(file), ANY "Crawl-delay: %s\n", value);
	return robots_is_delay_clamped(parse(file));
}

TEST(a_delay_over_an_hour_is_clamped)
{
	ck_assert(!is_clamped("3600"));
	ck_assert(!is_clamped("3600.0"));
	ck_assert(is_clamped("3600.001"));
	ck_assert(is_clamped("86400"));
	ck_assert(is_clamped("-1"));
	ck_assert(is_clamped("often"));
	ck_assert(is_clamped("."));
	ck_assert(!is_clamped(".5"));
	ck_assert(!is_clamped("10 seconds"));
	ck_assert(!is_clamped(""));
	ck_assert(!robots_is_delay_clamped(
		parse("User-agent: other\nCrawl-delay: 9999\n")));
}

static void check_sitemaps(const char *file, const char *expected)
{
	const struct robots *robots = parse(file);
	AUTO_BUFFER joined = {0};

	buffer_append_text(&joined, "");
	for (size_t i = 0; i < robots_sitemap_count(robots); i++) {
		buffer_append_slice(&joined, robots_sitemap(robots, i));
		buffer_append_byte(&joined, ' ');
	}
	ck_assert_str_eq(joined.data == NULL ? "" : joined.data, expected);
}

TEST(sitemaps_of_the_whole_file)
{
	check_sitemaps("", "");
	check_sitemaps("Sitemap: http://h/a\n" ANY "SITEMAP:/b\n"
		       "User-agent: other\nsitemap : http://h/C # x\n"
		       "Sitemap:\nSitemap: http://h/a\nsite-map: d",
		       "http://h/a /b http://h/C d ");
	check_sitemaps("Sitemap http://h/a\nhttps://h/sitemap.xml\n"
		       "http://h/other.xml\nSitemap http://h/a b\n",
		       "http://h/a https://h/sitemap.xml ");
}

/* The glob by its definition, with all ways tried: the pattern's and the
 * path's every prefix. */
static bool matches_slowly(const char *pattern, const char *path)
{
	bool reached[40][40] = {{false}};
	size_t m = strlen(pattern);
	size_t n = strlen(path);
	bool is_anchored = m > 0 && pattern[m - 1] == '$';

	if (is_anchored)
		m--;
	reached[0][0] = true;
	for (size_t i = 0; i <= m; i++)
		for (size_t j = 0; j <= n; j++) {
			if (!reached[i][j])
				continue;
			if (i == m && (j == n || !is_anchored))
				return true;
			if (i < m && pattern[i] == '*') {
				reached[i + 1][j] = true;
				if (j < n)
					reached[i][j + 1] = true;
			} else if (i < m && j < n && pattern[i] == path[j]) {
				reached[i + 1][j + 1] = true;
			}
		}
	return false;
}

TEST(the_matcher_agrees_with_the_definition)
{
	random_begin((uint64_t)time(NULL));
	for (int round = 0; round < 20000; round++) {
		char pattern[16] = "/";
		char path[16] = "/";
		char file[64];
		int pattern_size = (int)(1 + random_below(10));
		int path_size = (int)(1 + random_below(12));

		for (int i = 1; i < pattern_size; i++)
			pattern[i] = "ab**"[random_below(4)];
		if (random_below(2) == 0)
			pattern[pattern_size] = '$';
		for (int i = 1; i < path_size; i++)
			path[i] = "ab"[random_below(2)];
		snprintf(file, sizeof(file), ANY "Disallow: %s\n", pattern);
		ck_assert_msg(allows(file, path) !=
				      matches_slowly(pattern, path),
			      "%s %s", pattern, path);
	}
}
