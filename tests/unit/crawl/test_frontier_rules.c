/* Skipped URLs: patterns, budgets, traps. */

#include "crawl/frontier.h"
#include "tests/unit/crawl/frontier_world.h"
#include "tests/unit/run.h"

/* A page has come; how often its cluster was seen makes it quiet. */
static void learn(uint64_t key, uint32_t cluster, uint32_t cluster_pages)
{
	struct novelty novelty = {.cluster = cluster,
				  .cluster_pages = cluster_pages,
				  .is_novel = cluster_pages == 1,
				  .agreement = 1000};

	frontier_count_page(&txn, &site, key, &novelty, 77);
}

static struct pattern_row pattern_of(const char *url, bool is_coarse)
{
	struct frontier_row row = row_of(url);
	struct pattern_row pattern = {0};

	pattern_row_get(&txn, site.id, is_coarse ? row.coarse : row.pattern,
			&pattern);
	return pattern;
}

static void add_numbered(const char *format, int from, int to)
{
	for (int i = from; i < to; i++) {
		char url[96];

		snprintf(url, sizeof(url), format, i);
		add(url);
	}
}

/* Lease and answer up to `max` pages, all of one known cluster. */
static unsigned visit_quiet(unsigned max)
{
	unsigned count = 0;

	for (; count < max; count++) {
		struct lease one = lease_one(1000);

		if (one.key == 0)
			break;
		learn(one.key, 1, 100);
		answer(one.key, ERR_NONE, 200, 1000);
	}
	return count;
}

/* What was learned, and how many quiet pages in a row there are then. */
static const struct {
	struct novelty novelty; /* cluster, its pages, is_novel, agreement */
	uint32_t quiet;
} lessons[] = {
	{{3, QUIET_PAGES, false, QUIET_AGREEMENT}, 1},
	{{3, QUIET_PAGES, false, 1000}, 2},
	{{0, 0, false, 0}, 3}, /* no page */
	{{3, QUIET_PAGES - 1, false, 1000}, 0},
	{{3, QUIET_PAGES, false, 1000}, 1},
	{{3, QUIET_PAGES, true, 1000}, 0},
	{{0, 0, false, 0}, 1},
	{{3, QUIET_PAGES, false, QUIET_AGREEMENT - 1}, 0},
};

enum { LESSONS = COUNT_OF(lessons) };

static void check_lesson(const char *url, uint32_t lesson)
{
	for (int is_coarse = 0; is_coarse < 2; is_coarse++) {
		struct pattern_row row = pattern_of(url, is_coarse != 0);

		ck_assert(row.quiet == lessons[lesson].quiet);
		ck_assert(row.learned == lesson + 1);
		ck_assert(row.cluster == lessons[lesson].novelty.cluster);
	}
}

FIXTURE(.setup = world_begin, .teardown = world_end);

TEST(what_a_page_teaches)
{
	for (uint32_t i = 0; i < LESSONS; i++) {
		char url[64];

		snprintf(url, sizeof(url), "http://a.example/x/%u", i);
		add(url);
		frontier_count_page(&txn, &site, page_key_of(slice_of(url)),
				    &lessons[i].novelty, 100 + i);
		check_lesson(url, i);
	}
	ck_assert_uint_eq(pattern_of("http://a.example/x/0", false).changed_ms,
			  107);
}

TEST(a_url_teaches_once)
{
	const char *url = "http://a.example/x/1";
	uint64_t key = page_key_of(slice_of(url));

	add(url);
	learn(key, 1, 100);
	learn(key, 1, 100);
	ck_assert_uint_eq(pattern_of(url, false).learned, 1);
	/* and one that is unknown, never */
	learn(42, 1, 100);
	ck_assert_uint_eq(pattern_of(url, true).learned, 1);
	ck_assert(slice_equal(pattern_of(url, false).text, slice_of("/x/{n}")));
	ck_assert(slice_equal(pattern_of(url, true).text, slice_of("/x/+2")));
	ck_assert_uint_eq(pattern_of(url, true).flags, PATTERN_IS_COARSE);
}

TEST(answers_that_are_no_pages_are_quiet)
{
	const char *url = "http://a.example/x/0";

	add_numbered("http://a.example/x/%d", 0, 6);
	answer(lease_one(10).key, ERR_NOT_FOUND, 404, 10);
	answer(lease_one(10).key, ERR_NONE, 301, 10);
	answer(lease_one(10).key, ERR_NOT_HTML, 200, 10);
	ck_assert_uint_eq(pattern_of(url, false).quiet, 3);
	/* but an outage, or robots.txt, says nothing of the pages */
	answer(lease_one(10).key, ERR_TIMEOUT, 0, 10);
	answer(lease_one(10).key, ERR_ROBOTS_DENIED, 0, 10);
	answer(lease_one(10).key, ERR_STOPPED, 0, 10);
	ck_assert_uint_eq(pattern_of(url, false).quiet, 3);
	ck_assert_uint_eq(pattern_of(url, false).learned, 3);
}

TEST(a_saturated_pattern_is_left_alone)
{
	site.options.saturation = 10;
	add_numbered("http://a.example/x/%d", 0, 30);
	add("http://a.example/y/1");
	ck_assert_uint_eq(visit_quiet(100), 11);
	ck_assert_uint_eq(site.found_count, 31);
	ck_assert_uint_eq(site.pending_count, 0);
	ck_assert_uint_eq(site.skipped_count, 20);
	ck_assert_int_eq(add("http://a.example/x/99"), SKIP_SATURATED);
	ck_assert_uint_eq(row_of("http://a.example/x/99").state,
			  FRONTIER_SKIPPED);
	ck_assert_uint_eq(row_of("http://a.example/x/29").rule, SKIP_SATURATED);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), UINT64_MAX);
	/* an explicit request is served anyway */
	ck_assert_int_eq(ask("http://a.example/x/29", 0), ADMIT_ON_DEMAND);
	ck_assert_int_eq(ask("http://a.example/x/98", 0), ADMIT_ON_DEMAND);
	ck_assert_uint_eq(visit_quiet(100), 2);
	ck_assert_uint_eq(site.skipped_count, 20);
}

TEST(news_keep_a_pattern_open)
{
	site.options.saturation = 3;
	add_numbered("http://a.example/x/%d", 0, 30);
	for (uint32_t i = 0; i < 9; i++) {
		struct lease one = lease_one(10);

		ck_assert_uint_ne(one.key, 0);
		learn(one.key, 1, i % 3 == 2 ? 1 : 50);
		answer(one.key, ERR_NONE, 200, 10);
	}
	ck_assert_uint_eq(visit_quiet(100), 3);
}

/* Two folders, so that the pattern of both has 8 quiet pages; then a requested
 * one is of a new template. */
TEST(news_open_a_saturated_pattern_again)
{
	site.options.saturation = 4;
	add_numbered("http://a.example/x/%d", 0, 30);
	add_numbered("http://a.example/y/y%d", 0, 30);
	ck_assert_uint_eq(visit_quiet(100), 8);
	ck_assert_uint_eq(site.skipped_count, 52);
	ask("http://a.example/x/29", 0);
	learn(lease_one(10).key, 2, 1);
	ck_assert_uint_eq(pattern_of("http://a.example/x/29", false).quiet, 0);
	ck_assert_uint_eq(site.skipped_count, 26);
	ck_assert_uint_eq(site.pending_count, 26); /* the lease is one */
	ck_assert_uint_eq(visit_quiet(100), 4);
	ck_assert_uint_eq(site.skipped_count, 26 + 21);
}

/* A later visit does not count as another page, but the known templates are
 * reset. */
TEST(a_redesign_undoes_saturation)
{
	const char *url = "http://a.example/x/0";
	struct pattern_row before;

	site.options.saturation = 4;
	add_numbered("http://a.example/x/%d", 0, 30);
	ck_assert_uint_eq(visit_quiet(100), 4);
	before = pattern_of(url, false);
	ck_assert_uint_eq(before.quiet, 4);
	frontier_reopen(&txn, &site, page_key_of(slice_of(url)), 99);
	ck_assert_uint_eq(pattern_of(url, false).quiet, 0);
	ck_assert_uint_eq(pattern_of(url, true).quiet, 0);
	ck_assert_uint_eq(pattern_of(url, false).changed_ms, 99);
	ck_assert_uint_eq(pattern_of(url, false).learned, before.learned);
	ck_assert_uint_eq(site.skipped_count, 0);
	ck_assert_uint_eq(site.pending_count, 26);
	ck_assert_uint_eq(visit_quiet(100), 4);
	ck_assert_uint_eq(site.skipped_count, 22);
	/* an unknown URL opens nothing */
	frontier_reopen(&txn, &site, 4711, 100);
	ck_assert_uint_eq(site.skipped_count, 22);
}

/* 4 folders of 4 quiet pages each saturate what they have in common. */
TEST(a_redesign_opens_the_coarse_pattern)
{
	site.options.saturation = 4;
	for (unsigned i = 0; i < 8; i++) {
		char format[64];

		snprintf(format, sizeof(format), "http://a.example/x/%c/%%d",
			 'a' + (char)i);
		add_numbered(format, 0, 20);
	}
	ck_assert_uint_eq(visit_quiet(200), 16);
	ck_assert_uint_eq(site.skipped_count, 8 * 20 - 16);
	frontier_reopen(&txn, &site,
			page_key_of(slice_of("http://a.example/x/a/0")), 99);
	ck_assert_uint_eq(site.skipped_count, 0);
	ck_assert_uint_eq(visit_quiet(200), 16);
}

TEST_LOOP(some_sites_are_never_saturated, 0, 3)
{
	static const uint32_t flags[] = {0, SITE_IS_SAMPLE, SITE_IS_OFFLINE};

	site.options.saturation = _i == 0 ? 0 : 3;
	site.options.flags = flags[_i];
	add_numbered("http://a.example/x/%d", 0, 100);
	ck_assert_uint_eq(visit_quiet(200), 100);
}

/* Two clusters alternate: 0 1 0 1 ...; both need their twenty pages, then ten
 * quiet ones follow. */
TEST(a_pattern_of_two_clusters_waits_for_both)
{
	uint32_t pages[2] = {0};
	unsigned count = 0;

	site.options.saturation = 10;
	add_numbered("http://a.example/x/%d", 0, 100);
	for (struct lease one = lease_one(1000); one.key != 0;
	     one = lease_one(1000)) {
		unsigned which = count++ % 2;

		pages[which]++;
		learn(one.key, which + 1, pages[which]);
		answer(one.key, ERR_NONE, 200, 10);
	}
	ck_assert_uint_eq(count, 38 + 10);
}

/* Five patterns of one cluster: its twenty pages once, then each has ten quiet
 * ones: 19 + 5 * 10, but 40 quiet pages saturate the coarse pattern. */
TEST(a_cluster_of_many_patterns_is_learned_once)
{
	static const char *const formats[] = {
		"http://a.example/x/a/%d", "http://a.example/x/b/%d",
		"http://a.example/x/c/%d", "http://a.example/x/d/%d",
		"http://a.example/x/e/%d"};
	uint32_t pages = 0;

	site.options.saturation = 10;
	for (int i = 0; i < 5; i++)
		add_numbered(formats[i], 0, 100);
	for (struct lease one = lease_one(100); one.key != 0;
	     one = lease_one(100)) {
		pages++;
		learn(one.key, 1, pages);
		answer(one.key, ERR_NONE, 200, 10);
	}
	ck_assert_uint_eq(pages, 19 + 40);
}

TEST(a_pattern_has_a_budget)
{
	rules.max_pattern = 5;
	add_numbered("http://a.example/x/%d", 0, 30);
	add_numbered("http://a.example/y/%d", 0, 3);
	ck_assert_uint_eq(visit_quiet(100), 8);
	ck_assert_uint_eq(row_of("http://a.example/x/29").rule, SKIP_PATTERN);
}

/* /x/aa/{n}, /x/bb/{n} ... have 5 each, and 20 together. */
TEST(a_coarse_pattern_has_four_times_its_budget)
{
	rules.max_pattern = 5;
	for (int c = 'a'; c < 'k'; c++) {
		char format[64];

		snprintf(format, sizeof(format), "http://a.example/x/%c%c/%%d",
			 c, c);
		add_numbered(format, 0, 7);
	}
	ck_assert_uint_eq(visit_quiet(100), 20);
}

TEST_LOOP(a_site_has_budgets, 0, 3)
{
	static const enum admission skips[] = {SKIP_PAGES, SKIP_BYTES,
					       SKIP_TIME};
	struct lease one;

	site.options.max_pages = _i == 0 ? 3 : 1000;
	site.options.max_bytes = _i == 1 ? 300 : 0;
	site.options.max_time_ms = _i == 2 ? 30 : 0;
	add_numbered("http://a.example/x/%d", 0, 10);
	for (int i = 0; i < 3; i++) {
		struct outcome outcome = {.http_status = 200,
					  .wire_bytes = 100,
					  .elapsed_ms = 10,
					  .now_ms = 10};

		one = lease_one(100);
		ck_assert_uint_ne(one.key, 0);
		frontier_record_outcome(&txn, &site, one.key, &outcome);
	}
	ck_assert_uint_eq(lease_one(100).key, 0);
	ck_assert_uint_eq(site.skipped_count, 7);
	ck_assert_int_eq(add("http://a.example/y"), skips[_i]);
	ck_assert_int_eq(ask("http://a.example/z", 0), ADMIT_ON_DEMAND);
	ck_assert_uint_ne(lease_one(100).key, 0);
}

TEST(a_site_knows_so_many_urls)
{
	rules.max_urls = 3;
	add_numbered("http://a.example/x/%d", 0, 3);
	ck_assert_int_eq(add("http://a.example/x/9"), REFUSE_URLS);
	ck_assert_int_eq(add("http://a.example/x/1"), ADMIT_LINK);
	ck_assert_int_eq(ask("http://a.example/x/9", 0), ADMIT_ON_DEMAND);
	ck_assert_uint_eq(site.found_count, 4);
}

TEST(what_a_redirect_leads_to)
{
	struct discovery plain = {.redirects = 1};
	struct discovery wanted = {.flags = FRONTIER_IS_ON_DEMAND,
				   .redirects = 1};

	site.options.max_pages = 0;
	ck_assert_int_eq(discover("http://a.example/1", ADMIT_REDIRECT, plain),
			 SKIP_PAGES);
	ck_assert_int_eq(discover("http://a.example/2", ADMIT_REDIRECT, wanted),
			 ADMIT_REDIRECT);
	ck_assert_int_eq(discover("http://b.example/2", ADMIT_REDIRECT, wanted),
			 REFUSE_HOST);
	ck_assert_int_eq(
		discover("http://a.example/2.png", ADMIT_REDIRECT, plain),
		REFUSE_ENDING);
	ck_assert_str_eq(lease_one(1).url, "http://a.example/2");
}

/* With other options, the URLs of a pattern take turns again. */
TEST(skipped_urls_can_be_revived)
{
	site.options.saturation = 1;
	add_numbered("http://a.example/x/%d", 0, 6);
	add_numbered("http://a.example/y/%d", 0, 4);
	ck_assert_uint_eq(visit_quiet(100), 2);
	ck_assert_uint_eq(site.skipped_count, 8);
	site.options.saturation = 0;
	frontier_revive(&txn, &site, 0);
	ck_assert_uint_eq(site.skipped_count, 0);
	ck_assert_uint_eq(site.pending_count, 8);
	ck_assert_uint_eq(row_of("http://a.example/x/5").rule, ADMIT_LINK);
	ck_assert_uint_eq(lease(2, 100, 8, (struct lease[8]){{0}}), 2);
	ck_assert_uint_eq(lease(4, 100, 8, (struct lease[8]){{0}}), 4);
	ck_assert_uint_eq(lease(6, 100, 8, (struct lease[8]){{0}}), 2);
}

/* So that a transaction stays short. */
TEST(one_call_skips_so_many)
{
	add_numbered("http://a.example/x/%d", 0, 2000);
	site.options.max_pages = 0;
	ck_assert_uint_eq(lease_one(10000).key, 0);
	ck_assert_uint_ge(site.skipped_count, 1024);
	ck_assert_uint_le(site.skipped_count, 1024 + 256);
	ck_assert_uint_lt(frontier_next_due(&txn, site.id), 10000);
	ck_assert_uint_eq(lease_one(10000).key, 0);
	ck_assert_uint_eq(site.skipped_count, 2000);
}

static struct frontier_explanation explain(const char *text)
{
	struct frontier_explanation finding;
	struct url url;

	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	frontier_explain(&txn, &site, &rules, &url, &finding);
	return finding;
}

TEST(a_decision_is_explained)
{
	struct frontier_explanation finding;

	site.options.saturation = 2;
	finding = explain("http://a.example/x/1");
	ck_assert(!finding.is_known);
	ck_assert_int_eq(finding.verdict, ADMIT_LINK);
	ck_assert_str_eq(finding.pattern.fine_text, "/x/{n}");
	ck_assert_uint_eq(finding.fine.found, 0);
	ck_assert_int_eq(explain("http://b.example/x").verdict, REFUSE_HOST);
	ck_assert_int_eq(explain("http://a.example/x.png").verdict,
			 REFUSE_ENDING);
	add_numbered("http://a.example/x/%d", 0, 5);
	ask("http://a.example/x/4", 0);
	discover("http://a.example/", ADMIT_SEED, (struct discovery){0});
	finding = explain("http://a.example/x/1");
	ck_assert(finding.is_known);
	ck_assert_int_eq(finding.verdict, ADMIT_LINK);
	ck_assert_uint_eq(finding.row.state, FRONTIER_PENDING);
	ck_assert_uint_eq(finding.fine.found, 5);
	ck_assert_uint_eq(finding.coarse.found, 5);
	ck_assert_uint_eq(visit_quiet(100), 3); /* the wanted ones, and x/0 */
	ck_assert_int_eq(explain("http://a.example/x/3").verdict,
			 SKIP_SATURATED);
	ck_assert_int_eq(explain("http://a.example/x/9").verdict,
			 SKIP_SATURATED);
	ck_assert_int_eq(explain("http://a.example/x/4").verdict,
			 ADMIT_ON_DEMAND);
	ck_assert_int_eq(explain("http://a.example/").verdict, ADMIT_SEED);
	ck_assert_int_eq(explain("http://a.example/x/0").verdict, ADMIT_LINK);
	/* skipped, but under the new rules it would not be */
	site.options.saturation = 0;
	ck_assert_int_eq(explain("http://a.example/x/3").verdict, ADMIT_LINK);
	rules.max_urls = 6;
	ck_assert_int_eq(explain("http://a.example/y").verdict, REFUSE_URLS);
}

/* A word of letters for each number. */
static const char *word_of(unsigned number)
{
	static char word[16];
	size_t length = 0;

	do {
		word[length++] = "aeiou"[number % 5];
		word[length++] = "klmnprst"[number / 5 % 8];
		number /= 40;
	} while (number > 0);
	word[length] = '\0';
	return word;
}

enum { MAX_TEXT = 2200 };

static void calendar(const char *page, unsigned number, char out[MAX_TEXT])
{
	(void)page;
	snprintf(out, MAX_TEXT, "/calendar/%u/%02u", 1900 + number / 12,
		 1 + number % 12);
}

static void calendar_of_days(const char *page, unsigned number,
			     char out[MAX_TEXT])
{
	(void)page;
	snprintf(out, MAX_TEXT, "/cal.php?day=%u-01-%02u&view=week",
		 1900 + number / 28, 1 + number % 28);
}

static void session_in_path(const char *page, unsigned number,
			    char out[MAX_TEXT])
{
	(void)page;
	snprintf(out, MAX_TEXT, "/s/%08xa1/view", number * 2654435761U);
}

static void session_in_query(const char *page, unsigned number,
			     char out[MAX_TEXT])
{
	(void)page;
	snprintf(out, MAX_TEXT, "/view?sid=%08xa1", number * 2654435761U);
}

static void new_parameters(const char *page, unsigned number,
			   char out[MAX_TEXT])
{
	(void)page;
	snprintf(out, MAX_TEXT, "/list?by-%s=1", word_of(number));
}

static void more_parameters(const char *page, unsigned number,
			    char out[MAX_TEXT])
{
	snprintf(out, MAX_TEXT, "%s%c%s=1",
		 strchr(page, '?') != NULL ? page : "/facets",
		 strchr(page, '?') != NULL ? '&' : '?', word_of(number));
}

static void new_folders(const char *page, unsigned number, char out[MAX_TEXT])
{
	(void)page;
	snprintf(out, MAX_TEXT, "/t/%s/view", word_of(number));
}

static void new_first_folders(const char *page, unsigned number,
			      char out[MAX_TEXT])
{
	(void)page;
	snprintf(out, MAX_TEXT, "/%s/view", word_of(number));
}

static void endless_path(const char *page, unsigned number, char out[MAX_TEXT])
{
	snprintf(out, MAX_TEXT, "%s%s/", strlen(page) > 1 ? page : "/p/",
		 word_of(number));
}

static void repeated_segment(const char *page, unsigned number,
			     char out[MAX_TEXT])
{
	(void)number;
	snprintf(out, MAX_TEXT, "%s%s/", page,
		 strlen(page) % 4 == 1 ? "a" : "b");
}

/* A search page that links to searches for its own address. */
static void self_echo(const char *page, unsigned number, char out[MAX_TEXT])
{
	snprintf(out, MAX_TEXT, "/search?q=%%2F%s%s", page + 1,
		 word_of(number));
}

/* A broken relative link: its own path again and again. */
static void self_echo_in_path(const char *page, unsigned number,
			      char out[MAX_TEXT])
{
	snprintf(out, MAX_TEXT, "/go%s%s", page, word_of(number));
}

/*
 * A site of 40 pages /wiki/... that are all linked from the first page, and an
 * endless trap: each of its pages leads to two new ones. All pages of the trap
 * are of one cluster, the wiki's of another: 19 pages until the cluster is
 * known, 10 quiet ones saturate a pattern, 40 a coarse one. Without saturation
 * a pattern has 50, a coarse one 200.
 */
struct trap {
	const char *name;
	void (*child)(const char *page, unsigned number, char out[MAX_TEXT]);
	unsigned saturated; /* fetches of the trap, with saturation 10 */
	unsigned exhausted; /* without saturation */
};

static const struct trap traps[] = {
	{"calendar", calendar, 19 + 10, 50},
	{"calendar of days", calendar_of_days, 19 + 10, 50},
	{"session in the path", session_in_path, 19 + 10, 50},
	{"session in the query", session_in_query, 19 + 10, 50},
	{"ever new parameters", new_parameters, 19 + 40, 200},
	{"ever more parameters", more_parameters, 19 + 40, 200},
	{"ever new folders", new_folders, 19 + 40, 200},
	/* 64 coarse patterns, except those of the two good ones */
	{"ever new first folders", new_first_folders, 62 + 40, 62 + 200},
	/* except 1 and 2 of the first segments */
	{"endless path", endless_path, 19 + 10, 3 + 50},
	{"repeated segment", repeated_segment, 4, 4},
	{"self-echo", self_echo, 19 + 10, 50},
	{"self-echo in the path", self_echo_in_path, 3, 3},
};

enum { TRAPS = COUNT_OF(traps), WIKI = 40 };

struct crawl {
	const struct trap *trap;
	unsigned number; /* of trap pages made */
	unsigned trapped;
	unsigned wiki;
	unsigned before_ten; /* fetches until ten wiki pages were stored */
};

static void link_to(const char *path, unsigned depth)
{
	static char text[MAX_TEXT + 32];
	struct url url;
	struct discovery discovery = {
		.url = &url, .how = ADMIT_LINK, .depth = depth};

	snprintf(text, sizeof(text), "http://a.example%s", path);
	if (url_parse(&url, slice_of(text), NULL) == ERR_NONE)
		frontier_discover(&txn, &site, &rules, &discovery, 5);
}

static void link_to_children(struct crawl *crawl, const char *page,
			     unsigned depth, unsigned count)
{
	char text[MAX_TEXT];

	for (unsigned i = 0; i < count; i++) {
		crawl->trap->child(page, ++crawl->number, text);
		link_to(text, depth);
	}
}

static void visit(struct crawl *crawl, const struct lease *one)
{
	const char *path = one->url + strlen("http://a.example");
	char text[64];

	if (strcmp(path, "/") == 0) {
		for (unsigned i = 0; i < WIKI; i++) {
			snprintf(text, sizeof(text), "/wiki/%s", word_of(i));
			link_to(text, 1);
		}
		link_to_children(crawl, path, 1, 1);
	} else if (strncmp(path, "/wiki/", 6) == 0) {
		learn(one->key, 2, ++crawl->wiki);
	} else {
		learn(one->key, 1, ++crawl->trapped);
		link_to_children(crawl, path, one->depth + 1U, 2);
	}
	if (crawl->wiki == 10 && crawl->before_ten == 0)
		crawl->before_ten = crawl->trapped;
	answer(one->key, ERR_NONE, 200, 5000);
}

static struct crawl crawl_trap(const struct trap *trap)
{
	struct crawl crawl = {.trap = trap};

	site.options.max_depth = 1000;
	rules.max_pattern = 50;
	discover("http://a.example/", ADMIT_SEED,
		 (struct discovery){.flags = FRONTIER_IS_ON_DEMAND});
	for (;;) {
		struct lease one = lease_one(5000);

		if (one.key == 0)
			return crawl;
		visit(&crawl, &one);
	}
}

TEST_LOOP(a_trap_is_left_once_it_is_known, 0, TRAPS)
{
	struct crawl crawl;

	site.options.saturation = 10;
	crawl = crawl_trap(&traps[_i]);
	ck_assert_msg(crawl.trapped == traps[_i].saturated, "%s: %u",
		      traps[_i].name, crawl.trapped);
	ck_assert_uint_eq(crawl.wiki, 19 + 10);
}

TEST_LOOP(a_trap_has_a_budget, 0, TRAPS)
{
	struct crawl crawl = crawl_trap(&traps[_i]);

	ck_assert_msg(crawl.trapped == traps[_i].exhausted, "%s: %u",
		      traps[_i].name, crawl.trapped);
	ck_assert_uint_eq(crawl.wiki, WIKI);
}

/* No page is starved: ten wiki pages come with at most this many trap pages. */
TEST_LOOP(a_trap_has_one_ratio, 0, TRAPS)
{
	struct crawl crawl = crawl_trap(&traps[_i]);

	ck_assert_msg(crawl.before_ten <= 40, "%s: %u", traps[_i].name,
		      crawl.before_ten);
}
