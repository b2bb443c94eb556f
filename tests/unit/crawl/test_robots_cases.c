/*
 * robots/ of web.tar.zst in $TEMPLATED_SHARED or ../shared: the cases of
 * crawler-commons, with the verdicts that their text demands, and the files of
 * 4,231 hosts.
 */
#include "crawl/robots.h"

#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "crawl/url/url.h"

#include "tests/unit/run.h"
#include "tests/unit/webdata.h"

enum { MAX_FILE_BYTES = 4 << 20 };

static char root[WEBDATA_FOLDER];
static struct file_list files; /* below `root`; none when there is no data */

static void unpack(void)
{
	static const char *const endings[] = {"", NULL};

	if (webdata_unpack("robots", root))
		(void)file_list(root, endings, &files);
}

static void clean(void)
{
	file_list_free(&files);
	webdata_remove(root);
}

static void read_file(const char *name, struct buffer *out)
{
	char path[4096];

	(void)snprintf(path, sizeof(path), "%s/%s", root, name);
	ASSERT_OK(file_read(path, MAX_FILE_BYTES, out));
}

static const struct verdict {
	const char *file;
	const char *agent;
	const char *path;
	bool allows;
} verdicts[] = {
	{"astore.amazon.com-robots", "bot", "/a", true},
	{"crawl-delay-group-merging", "mybot", "/private/", false},
	{"crawl-delay-group-merging", "mybot", "/login/", true},
	{"crawl-delay-group-merging", "yourbot", "/private/", false},
	{"crawl-delay-group-merging", "yourbot", "/login/", false},
	{"crawl-delay-group-merging", "other", "/private/", true},
	{"directive-typos-robots", "bot1", "/desallow/", false},
	{"directive-typos-robots", "bot1", "/dissalow/", false},
	{"directive-typos-robots", "bot1", "/useragent/", true},
	{"directive-typos-robots", "bot2", "/useragent/", false},
	{"directive-typos-robots", "bot2", "/useg-agent/", true},
	{"directive-typos-robots", "bot3", "/useg-agent/", false},
	{"directive-typos-robots", "bot3", "/useragent-no-colon/", true},
	{"directive-typos-robots", "bot4", "/useragent-no-colon/", false},
	{"directive-typos-robots", "bot4", "/desallow/", true},
	{"dos-line-endings", "bot", "/", true},
	{"extended-standard-robots", "bot1", "/", true},
	{"extended-standard-robots", "bot4", "/", true},
	{"extension-robots", "other", "/private/", true},
	{"extension-robots", "mybot", "/private/", false},
	{"extension-robots", "mybot", "/secret/", true},
	{"extension-robots", "mybot", "/admin/", true},
	{"extension-robots", "otherbot", "/admin/", false},
	{"extensions-group-merging", "other", "/llms.txt", true},
	{"extensions-group-merging", "other", "/", false},
	{"extensions-group-merging", "mybot", "/", true},
	{"extensions-group-merging", "mybot", "/private/", false},
	{"extensions-group-merging", "mybot", "/login/", false},
	{"extensions-group-merging", "yourbot", "/private/", false},
	{"extensions-group-merging", "yourbot", "/login/", false},
	{"format-errors-robots", "bot1", "/whitespace-before-colon/", false},
	{"format-errors-robots", "bot1", "/no-colon/", false},
	{"format-errors-robots", "bot1", "/", true},
	{"format-errors-robots", "bot2", "/no-colon-useragent/", false},
	{"format-errors-robots", "bot3", "/whitespace-before-colon", true},
	{"format-errors-robots", "bot3", "/", false},
	{"malformed-path", "bot", "/wiki/Wikipedia_talk:Mediation_Committee/",
	 false},
	{"malformed-path", "bot", "/wiki/Wikipedia_talk%3Mediation_Committee/",
	 false},
	{"malformed-path", "bot", "/wiki/", true},
	{"many-user-agents", "wget", "/", false},
	{"many-user-agents", "HTTrack", "/a", false},
	{"many-user-agents", "other", "/", true},
	{"many-user-agents", "other", "/bot-trap/", false},
	{"merge-rules", "testy", "/", false},
	{"merge-rules", "curl", "/ckh/bar", false},
	{"merge-rules", "wget", "/foo/bar", true}, /* a tie of two groups */
	{"merge-rules", "wget", "/tmp/bar", false},
	{"merge-rules", "wget", "/ckh/bar", true},
	{"merge-rules", "other", "/foo/bar", false},
	{"merge-rules", "other", "/tmp/bar", false},
	{"merge-rules", "other", "/ckh/bar", true},
	{"precedence-of-rules", "testy", "/foo", false},
	{"precedence-of-rules", "testy", "/foo/x", false},
	{"precedence-of-rules", "testy", "/foo/bar", true}, /* 8 above 7 */
	{"precedence-of-rules", "testy", "/foo/baz", false},
	{"precedence-of-rules", "testy", "/x", true},
	{"precedence-of-rules", "wget", "/", false}, /* the star counts */
	{"precedence-of-rules", "wget", "/foo", true},
	{"precedence-of-rules", "wget", "/index.html", true},
	{"precedence-of-rules", "other", "/foo", true},
	{"relative-sitemap-robots", "bot", "/cache/a", false},
	{"relative-sitemap-robots", "bot", "/files/", false},
	{"relative-sitemap-robots", "bot", "/files", true},
	{"rfc9309-example-longest-match-robots", "foobot", "/example/page/",
	 true},
	{"rfc9309-example-longest-match-robots", "foobot",
	 "/example/page/disallowed.gif", false},
	{"rfc9309-example-rule-group-merging", "ExampleBot", "/foo", false},
	{"rfc9309-example-rule-group-merging", "ExampleBot", "/baz", false},
	{"rfc9309-example-rule-group-merging", "BazBot", "/foo", true},
	{"rfc9309-example-rule-group-merging", "BazBot", "/baz", false},
	{"rfc9309-example-rule-group-merging", "other", "/bar", false},
	{"rfc9309-example-rule-group-merging", "other", "/baz", true},
	{"rfc9309-example-simple-robots", "other", "/a.gif", false},
	{"rfc9309-example-simple-robots", "other", "/example/", false},
	{"rfc9309-example-simple-robots", "other", "/publications/", true},
	{"rfc9309-example-simple-robots", "foobot", "/publications/", false},
	{"rfc9309-example-simple-robots", "foobot", "/example/page.html", true},
	{"rfc9309-example-simple-robots", "bazbot", "/example/page.html",
	 false},
	{"rfc9309-example-simple-robots", "bazbot", "/a.gif", true},
	{"rfc9309-example-simple-robots", "quxbot", "/example/", true},
	{"robots-with-utf16be-bom", "bot", "/profile", false},
	{"robots-with-utf16be-bom", "bot", "/a/output/print", false},
	{"robots-with-utf16be-bom", "bot", "/", true},
	{"robots-with-utf16be-bom", "Googlebot", "/search.aspx", false},
	{"robots-with-utf16le-bom", "bot", "/login.aspx", false},
	{"robots-with-utf16le-bom", "bot", "/a/output/print", false},
	{"robots-with-utf16le-bom", "bot", "/", true},
	{"robots-with-utf16le-bom", "Googlebot", "/search.aspx", false},
	{"robots-with-utf8-bom", "bot", "/profile", false},
	{"robots-with-utf8-bom", "bot", "/a/output/print", false},
	{"robots-with-utf8-bom", "bot", "/", true},
	{"robots-with-utf8-bom", "Googlebot", "/search.aspx", false},
	{"sitemap-robots-dedup", "bot", "/", true},
	{"sitemap-robots", "bot", "/", true},
	{"twitter.com-robots", "other", "/a?b", false},
	{"twitter.com-robots", "other", "/a/with_friends", false},
	{"twitter.com-robots", "other", "/with_friends", true},
	{"wildcards", "bot", "/wishlist/bogus", false},
	{"wildcards", "bot", "/wishlist/universal/page", true},
	{"wildcards", "bot", "/anydirectoryhere/gcrnsts", false},
	{"wildcards", "bot", "/gp/registry/wishlist/1/reserve", false},
	{"wildcards", "Googlebot", "/rss/people/1/reviews", false},
	{"wildcards", "Googlebot", "/wishlist/bogus", false},
	{"wildcards", "EtaoSpider", "/", false},
	{"www.flot.com-robots", "bot", "/img/", false},
	{"www.flot.com-robots", "bot", "/", true},
};

static const struct {
	const char *file;
	const char *agent;
	uint32_t delay_ms;
} delays[] = {
	{"astore.amazon.com-robots", "bot", 5000},
	{"crawl-delay-group-merging", "mybot", 10000},
	{"crawl-delay-group-merging", "yourbot", 0},
	{"crawl-delay-group-merging", "other", 30000},
	{"dos-line-endings", "bot", 1000},
	{"extensions-group-merging", "mybot", 0},
	{"twitter.com-robots", "Googlebot", 0},
	{"twitter.com-robots", "Slurp", 1000},
	{"twitter.com-robots", "msnbot", 10000},
	{"twitter.com-robots", "other", 0},
};

#define NEWSWEEK "http://www.newsweek.com/sitemap_index.xml "

static const struct {
	const char *file;
	const char *sitemaps;
} sitemaps[] = {
	{"astore.amazon.com-robots", ""},
	{"extension-robots", "/sitemap.xml "},
	{"format-errors-robots", "/sitemap.xml "},
	{"relative-sitemap-robots", "/sitemap.xml "},
	{"robots-with-utf16be-bom", NEWSWEEK},
	{"robots-with-utf16le-bom", NEWSWEEK},
	{"robots-with-utf8-bom", NEWSWEEK},
	{"sitemap-robots-dedup", "http://example.org/sitemap.xml "},
	{"sitemap-robots", "http://domain.com/sitemap.xml "
			   "http://domain.com/dir/my-sitemap.xml "
			   "http://domain.com/dir/MixedCased-sitemap.xml "},
	{"www.flot.com-robots", "http://flot.com/sitemap_index.xml "},
};

static const struct robots *parse_case(struct arena *arena, const char *name,
				       const char *agent)
{
	AUTO_BUFFER body = {0};
	const struct robots *robots;
	char path[256];

	(void)snprintf(path, sizeof(path), "cases/%s.txt", name);
	read_file(path, &body);
	robots = robots_parse(arena, buffer_slice(&body), agent);
	return robots;
}

FIXTURE(.setup_once = unpack, .teardown_once = clean);

TEST(the_cases_get_their_verdicts)
{
	AUTO_ARENA *arena = arena_create();

	for (size_t i = 0; i < COUNT_OF(verdicts); i++) {
		const struct verdict *row = &verdicts[i];
		const struct robots *robots;

		if (files.count == 0)
			break;
		robots = parse_case(arena, row->file, row->agent);
		ck_assert_msg(robots_allows(robots, slice_of(row->path)) ==
				      row->allows,
			      "%s %s %s", row->file, row->agent, row->path);
	}
}

TEST(the_cases_get_their_delays)
{
	AUTO_ARENA *arena = arena_create();

	for (size_t i = 0; i < COUNT_OF(delays); i++) {
		const struct robots *robots;

		if (files.count == 0)
			break;
		robots = parse_case(arena, delays[i].file, delays[i].agent);
		ck_assert_msg(robots_delay_ms(robots) == delays[i].delay_ms,
			      "%s %s", delays[i].file, delays[i].agent);
		ck_assert(!robots_is_delay_clamped(robots));
	}
}

TEST(the_cases_get_their_sitemaps)
{
	AUTO_ARENA *arena = arena_create();

	for (size_t i = 0; i < COUNT_OF(sitemaps); i++) {
		struct buffer all = {0};
		const struct robots *robots;

		if (files.count == 0)
			break;
		robots = parse_case(arena, sitemaps[i].file, "bot");
		buffer_reserve(&all, 1)[0] = '\0';
		for (size_t k = 0; k < robots_sitemap_count(robots); k++) {
			buffer_append_slice(&all, robots_sitemap(robots, k));
			buffer_append_byte(&all, ' ');
		}
		ck_assert_str_eq(all.data, sitemaps[i].sitemaps);
		buffer_free(&all);
	}
}

/* What was read, over all files. */
struct sum {
	size_t bytes;
	size_t forbids_all;
	size_t with_sitemaps;
	size_t with_delay;
	size_t clamped;
	size_t max_memory_bytes;
	double parse_ms;
	double max_parse_ms;
	double ask_ms;
	double max_ask_ms;
	const char *slowest;
	const char *slowest_to_ask;
};

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void count(const struct robots *robots, struct sum *sum)
{
	sum->forbids_all += !robots_allows(robots, slice_of("/"));
	sum->with_sitemaps += robots_sitemap_count(robots) > 0;
	sum->with_delay += robots_delay_ms(robots) > 0;
	sum->clamped += robots_is_delay_clamped(robots);
	ck_assert_uint_le(robots_sitemap_count(robots), MAX_ROBOTS_SITEMAPS);
	ck_assert_uint_le(robots_delay_ms(robots), 3600000);
}

/* A long path that no rule is likely to match. */
static void ask(const struct robots *robots, const char *name, struct sum *sum)
{
	static const char path[] =
		"/Some/long/path/of/a/page-that-is-not-named/in-any_robots/"
		"0123456789/0123456789?first=1&second=2&third=three&utm=no";
	double begin = cpu_ms();
	struct robots_reason reason = robots_explain(robots, slice_of(path));
	double ms = cpu_ms() - begin;

	ck_assert(reason.is_allowed == robots_allows(robots, slice_of(path)));
	ck_assert(reason.is_allowed || reason.line > 0);
	sum->ask_ms += ms;
	if (sum->max_ask_ms < ms) {
		sum->max_ask_ms = ms;
		sum->slowest_to_ask = name;
	}
}

static void check_file(const char *name, struct sum *sum)
{
	AUTO_ARENA *arena = arena_create();
	AUTO_BUFFER body = {0};
	const struct robots *robots;
	double begin;
	double ms;

	read_file(name, &body);
	begin = cpu_ms();
	robots = robots_parse(arena, buffer_slice(&body), "templated");
	ms = cpu_ms() - begin;
	sum->bytes += body.size;
	sum->parse_ms += ms;
	if (sum->max_parse_ms < ms) {
		sum->max_parse_ms = ms;
		sum->slowest = name;
	}
	if (sum->max_memory_bytes < arena_bytes(arena))
		sum->max_memory_bytes = arena_bytes(arena);
	count(robots, sum);
	ask(robots, name, sum);
}

TEST(every_file_is_read_in_bounded_time)
{
	struct sum sum = {0};

	for (size_t i = 0; i < files.count; i++)
		check_file(files.paths[i], &sum);
	if (files.count == 0)
		return;
	printf("%zu files, %zu bytes, %.1f MB/s; worst %s, %.2f ms; "
	       "%zu KiB of memory at most\n",
	       files.count, sum.bytes, (double)sum.bytes / 1e3 / sum.parse_ms,
	       sum.slowest, sum.max_parse_ms, sum.max_memory_bytes / 1024);
	printf("a question: %.2f us, worst %s, %.1f us\n",
	       sum.ask_ms * 1e3 / (double)files.count, sum.slowest_to_ask,
	       sum.max_ask_ms * 1e3);
	printf("forbid \"/\": %zu; sitemaps: %zu; delay: %zu; clamped: %zu\n",
	       sum.forbids_all, sum.with_sitemaps, sum.with_delay, sum.clamped);
	ck_assert_uint_eq(files.count, 4255);
	ck_assert_double_lt(sum.max_parse_ms, 1000);
	ck_assert_double_lt(sum.max_ask_ms, 100);
}
