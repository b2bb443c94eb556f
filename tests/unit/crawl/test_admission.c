#include "crawl/admission.h"

#include "tests/unit/run.h"

static struct site_row site;

static void setup(void)
{
	site = (struct site_row){
		.options.max_depth = 3,
		.options.max_pages = 100,
		.host = slice_of("a.example"),
	};
}

static enum admission of_url(const char *text, unsigned depth)
{
	struct url url;

	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	return admission_of_url(&site, &url, depth);
}

static enum admission of_path(const char *path)
{
	char text[512];

	snprintf(text, sizeof(text), "http://a.example%s", path);
	return of_url(text, 1);
}

FIXTURE(.setup = setup);

TEST(only_the_host_itself)
{
	ck_assert_int_eq(of_url("http://a.example/x", 0), ADMIT_LINK);
	ck_assert_int_eq(of_url("https://a.example/x.php", 0), ADMIT_LINK);
	ck_assert_int_eq(of_url("http://b.example/x", 0), REFUSE_HOST);
	ck_assert_int_eq(of_url("http://www.a.example/x", 0), REFUSE_HOST);
	ck_assert_int_eq(of_url("http://a.example:81/", 0), REFUSE_HOST);
}

TEST(files_that_are_no_pages)
{
	ck_assert_int_eq(of_path("/x.JPG"), REFUSE_ENDING);
	ck_assert_int_eq(of_path("/x.pdf?y"), REFUSE_ENDING);
	ck_assert_int_eq(of_path("/x.tar.gz"), REFUSE_ENDING);
	ck_assert_int_eq(of_path("/x.woff2"), REFUSE_ENDING);
	ck_assert_int_eq(of_path("/x.html"), ADMIT_LINK);
	ck_assert_int_eq(of_path("/png"), ADMIT_LINK);
	ck_assert_int_eq(of_path("/x.png/"), ADMIT_LINK);
	ck_assert_int_eq(of_path("/x?y=z.png"), ADMIT_LINK);
	ck_assert_int_eq(of_path("/v1.22.333.pngpngpng"), ADMIT_LINK);
	ck_assert_int_eq(of_path("/x."), ADMIT_LINK);
	ck_assert_int_eq(of_path("/"), ADMIT_LINK);
}

TEST(feeds_and_apis_are_no_pages)
{
	ck_assert_int_eq(of_path("/wp-json/wp/v2/posts/7"), REFUSE_DATA);
	ck_assert_int_eq(of_path("/blog/xmlrpc.php?rsd"), REFUSE_DATA);
	ck_assert_int_eq(of_path("/?rest_route=/oembed/1.0/embed"),
			 REFUSE_DATA);
	ck_assert_int_eq(of_path("/?p=1&feed=rss2"), REFUSE_DATA);
	ck_assert_int_eq(of_path("/x?format=json&y"), REFUSE_DATA);
	ck_assert_int_eq(of_path("/index.rss"), REFUSE_ENDING);
	ck_assert_int_eq(of_path("/products.json?page=2"), REFUSE_ENDING);
	/* the pages that explain them are pages */
	ck_assert_int_eq(of_path("/wp-json-explained"), ADMIT_LINK);
	ck_assert_int_eq(of_path("/?feed=rss2000"), ADMIT_LINK);
	ck_assert_int_eq(of_path("/x?myfeed=rss"), ADMIT_LINK);
	ck_assert_int_eq(of_path("/feed"), ADMIT_LINK);
}

TEST(too_many_links_away)
{
	ck_assert_int_eq(of_url("http://a.example/x", 3), ADMIT_LINK);
	ck_assert_int_eq(of_url("http://a.example/x", 4), REFUSE_DEPTH);
}

TEST(a_path_has_sixteen_segments)
{
	ck_assert_int_eq(of_path("/1/2/3/4/5/6/7/8/9/a/b/c/d/e/f/g"),
			 ADMIT_LINK);
	ck_assert_int_eq(of_path("//1/2/3/4/5/6/7/8//9/a/b/c/d/e/f/g/"),
			 ADMIT_LINK); /* empty ones do not count */
	ck_assert_int_eq(of_path("/1/2/3/4/5/6/7/8/9/a/b/c/d/e/f/g/h"),
			 REFUSE_SEGMENTS);
}

TEST(a_segment_may_occur_twice_in_a_path)
{
	ck_assert_int_eq(of_path("/a/b/a"), ADMIT_LINK);
	ck_assert_int_eq(of_path("/a/b/a/c/a"), REFUSE_REPEAT);
	ck_assert_int_eq(of_path("/a/a/a/"), REFUSE_REPEAT);
	ck_assert_int_eq(of_path("/aa/a/aaa"), ADMIT_LINK);
	ck_assert_int_eq(of_path("/2011/11/11"), ADMIT_LINK);
	/* the query is no path */
	ck_assert_int_eq(of_path("/a/a?/a"), ADMIT_LINK);
}

TEST(a_query_has_eight_parameters)
{
	ck_assert_int_eq(of_path("/x?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8"),
			 ADMIT_LINK);
	ck_assert_int_eq(of_path("/x?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9"),
			 REFUSE_KEYS);
	ck_assert_int_eq(of_path("/x?a&a&a&a&a&a&a&a&a"), REFUSE_KEYS);
}

static enum admission of_state(struct pattern_row fine,
			       struct pattern_row coarse)
{
	return admission_of_state(&site, &fine, &coarse, 50);
}

TEST(quiet_pages_saturate)
{
	struct pattern_row none = {0};

	ck_assert_int_eq(of_state((struct pattern_row){.quiet = 1000}, none),
			 ADMIT_LINK); /* saturation is off */
	site.options.saturation = 10;
	ck_assert_int_eq(of_state((struct pattern_row){.quiet = 9}, none),
			 ADMIT_LINK);
	ck_assert_int_eq(of_state((struct pattern_row){.quiet = 10}, none),
			 SKIP_SATURATED);
	ck_assert_int_eq(of_state(none, (struct pattern_row){.quiet = 39}),
			 ADMIT_LINK);
	ck_assert_int_eq(of_state(none, (struct pattern_row){.quiet = 40}),
			 SKIP_SATURATED);
	site.options.flags = SITE_IS_SAMPLE;
	ck_assert_int_eq(of_state((struct pattern_row){.quiet = 10}, none),
			 ADMIT_LINK);
	site.options.flags = SITE_IS_OFFLINE;
	ck_assert_int_eq(of_state((struct pattern_row){.quiet = 10}, none),
			 ADMIT_LINK);
}

TEST(a_pattern_has_its_budget)
{
	struct pattern_row none = {0};

	ck_assert_int_eq(of_state((struct pattern_row){.tried = 49}, none),
			 ADMIT_LINK);
	ck_assert_int_eq(of_state((struct pattern_row){.tried = 50}, none),
			 SKIP_PATTERN);
	ck_assert_int_eq(of_state(none, (struct pattern_row){.tried = 199}),
			 ADMIT_LINK);
	ck_assert_int_eq(of_state(none, (struct pattern_row){.tried = 200}),
			 SKIP_PATTERN);
}

TEST(a_site_has_its_budgets)
{
	struct pattern_row none = {0};

	site.tried_count = 99;
	site.spent_bytes = 1000;
	site.spent_ms = 1000;
	ck_assert_int_eq(of_state(none, none), ADMIT_LINK);
	site.options.max_bytes = 1001;
	site.options.max_time_ms = 1001;
	ck_assert_int_eq(of_state(none, none), ADMIT_LINK);
	site.spent_ms++;
	ck_assert_int_eq(of_state(none, none), SKIP_TIME);
	site.spent_bytes++;
	ck_assert_int_eq(of_state(none, none), SKIP_BYTES);
	site.tried_count++;
	ck_assert_int_eq(of_state(none, none), SKIP_PAGES);
	ck_assert_int_eq(of_state((struct pattern_row){.tried = 50}, none),
			 SKIP_PATTERN);
	site.options.saturation = 1;
	ck_assert_int_eq(
		of_state((struct pattern_row){.tried = 50, .quiet = 1}, none),
		SKIP_SATURATED);
}

static const struct {
	const char *word;
	const char *meaning;
	enum admission value;
	bool is_in;
} rules[] = {
#define X(name, value, word, meaning) \
	{word, meaning, name, (value) > 0 && (value) < 16},
	ADMISSION_LIST(X)
#undef X
};

enum { RULES = COUNT_OF(rules) };

TEST_LOOP(every_rule_has_its_word, 0, RULES)
{
	unsigned rule = rules[_i].value;

	ck_assert_str_eq(admission_word(rule), rules[_i].word);
	ck_assert_str_eq(admission_meaning(rule), rules[_i].meaning);
	ck_assert(admission_is_in(rule) == rules[_i].is_in);
}

TEST(what_programs_read)
{
	ck_assert_str_eq(admission_word(SKIP_SATURATED), "saturated");
	ck_assert_str_eq(admission_word(65535), "unknown");
	ck_assert_ptr_nonnull(admission_meaning(65535));
}

TEST(longest_pattern_decides_whether_a_url_is_excluded)
{
	static const struct {
		const char *include;
		const char *exclude;
		const char *path;
		bool is_excluded;
	} rows[] = {
		{"", "", "/x", false},
		{"/news/\n", "", "/news/1.html", false},
		{"/news/\n", "", "/new", true},
		{"/news/\n", "", "/", true},
		{"/a\n/b\n", "", "/b?x=1", false},
		{"", "/tag/\n", "/tag/x", true},
		{"", "/tag/\n", "/tags", false},
		{"", "/tag$\n", "/tag/x", false},
		{"", "*?sort=\n", "/shop/list?sort=price", true},
		{"", "/*.php$\n", "/a/b.php", true},
		{"", "/*.php$\n", "/a/b.php?c", false},
		/* the longer one */
		{"/news/\n", "/news/archive/\n", "/news/archive/1", true},
		{"/news/archive/best/\n", "/news/archive/\n",
		 "/news/archive/best/1", false},
		{"/news/\n", "*\n", "/news/1", false},
		/* of equal ones the first */
		{"/news/\n", "/news/\n", "/news/1", false},
		/* escapes have one form */
		{"/%7Ea/\n", "", "/~a/b", false},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct url url;
		char text[128];

		snprintf(text, sizeof(text), "http://a.example%s",
			 rows[i].path);
		ASSERT_OK(url_parse(&url, slice_of(text), NULL));
		site.options.include = slice_of(rows[i].include);
		site.options.exclude = slice_of(rows[i].exclude);
		ck_assert_msg(
			admission_is_excluded(&site, slice_of(url.text)) ==
				rows[i].is_excluded,
			"row %zu", i);
	}
}

TEST(pattern_begins_with_a_slash_or_a_star)
{
	ck_assert(admission_pattern_is_valid(slice_of("/")));
	ck_assert(admission_pattern_is_valid(slice_of("*.html$")));
	ck_assert(!admission_pattern_is_valid(slice_of("")));
	ck_assert(!admission_pattern_is_valid(slice_of("news/")));
	ck_assert(!admission_pattern_is_valid(slice_of("/a\n/b")));
	ck_assert(!admission_pattern_is_valid(slice_of("/a b")));
}
