#include "daemon/engine/link_graph.h"

#include "tests/unit/run.h"

enum { MAX_PAGES = 8 };

static struct link_graph *inbound;

static void teardown(void)
{
	link_graph_destroy(inbound);
	inbound = NULL;
}

/* Begin with the pages, ended by NULL. */
static void begin(const char *const *urls)
{
	struct slice slices[MAX_PAGES];
	uint32_t count = 0;

	for (; urls[count] != NULL; count++)
		slices[count] = slice_of(urls[count]);
	inbound = link_graph_create(slices, count);
}

#define BEGIN(...) begin((const char *const[]){__VA_ARGS__, NULL})

/* Page `source` links to `url` at the path, and so on. */
static void add(uint32_t source, const struct record_link *links,
		uint32_t count)
{
	const struct record plain = {.link_count = count};
	AUTO_BUFFER bytes = {0};
	struct record record;

	record_encode(&plain, links, &bytes);
	ASSERT_OK(record_open(buffer_slice(&bytes), &record));
	link_graph_add(inbound, source, &record);
}

/* The page that a link of page 0, which had none there, leads to; 0: to none.
 */
static uint32_t target(const char *url)
{
	const struct record_link link = {.url = slice_of(url), .path = 9};
	const struct label_link *links;
	size_t before;
	size_t after;

	link_graph_links(inbound, &before);
	add(0, &link, 1);
	links = link_graph_links(inbound, &after);
	return after == before ? 0 : links[after - 1].target;
}

FIXTURE(.teardown = teardown);

TEST(a_link_leads_to_the_page_of_its_url)
{
	BEGIN("http://a.test/", "http://a.test/x/", "http://a.test/x",
	      "http://a.test/x.html", "http://a.test/x?p=1");
	ck_assert_uint_eq(target("http://a.test/x/"), 1);
	ck_assert_uint_eq(target("http://a.test/x"), 2);
	ck_assert_uint_eq(target("http://a.test/x.html"), 3);
	ck_assert_uint_eq(target("http://a.test/x?p=1"), 4);
	ck_assert_uint_eq(target("http://a.test/y"), 0);
	ck_assert_uint_eq(target("http://a.test/x?p=2"), 0);
}

TEST(else_it_leads_to_a_page_of_equivalent_path)
{
	BEGIN("http://a.test/", "http://a.test/b/index.html",
	      "http://a.test/c.html.gz", "http://a.test/d/",
	      "http://a.test/caf%C3%A9/index.htm", "http://a.test/e/?q");
	ck_assert_uint_eq(target("http://a.test/b"), 1);
	ck_assert_uint_eq(target("http://a.test/c"), 2);
	ck_assert_uint_eq(target("http://a.test/d/index.html"), 3);
	ck_assert_uint_eq(target("http://a.test/caf\xC3\xA9"), 4);
	/* with the query */
	ck_assert_uint_eq(target("http://a.test/e.html?q"), 5);
	ck_assert_uint_eq(target("http://a.test/e.html"), 0);
	/* "%2" and "%zz" are no escapes */
	ck_assert_uint_eq(target("http://a.test/caf%C3%A"), 0);
	ck_assert_uint_eq(target("http://a.test/%zz"), 0);
}

TEST(the_scheme_does_not_matter_but_the_host_does)
{
	BEGIN("http://a.test/", "http://a.test/x");
	ck_assert_uint_eq(target("http://b.test/x"), 0);
	ck_assert_uint_eq(target("http://a.test:8080/x"), 0);
	ck_assert_uint_eq(target("https://a.test/x"), 1);
}

TEST(for_pages_from_files_the_host_does_not_matter)
{
	BEGIN("http://site.invalid/index.html",
	      "http://site.invalid/x/index.html",
	      "http://site.invalid/y/index.html%3Fp=1");
	ck_assert_uint_eq(target("http://site.invalid/x/"), 1);
	teardown();
	BEGIN("http://site.invalid/index.html",
	      "http://site.invalid/x/index.html",
	      "http://site.invalid/y/index.html%3Fp=1");
	ck_assert_uint_eq(target("https://www.a.test/x/"), 1);
	ck_assert_uint_eq(target("https://www.a.test/y/?p=1"), 2);
}

TEST(of_equivalent_pages_the_same_is_found_in_any_order)
{
	const char *wanted;
	const char *const urls[] = {"http://a.test/", "http://a.test/x.html",
				    "http://a.test/x.htm", NULL};
	const char *const turned[] = {"http://a.test/", "http://a.test/x.htm",
				      "http://a.test/x.html", NULL};

	begin(urls);
	wanted = urls[target("http://a.test/x")];
	teardown();
	begin(turned);
	ck_assert_str_eq(turned[target("http://a.test/x")], wanted);
}

TEST(a_target_counts_once_a_source_and_never_for_itself)
{
	const struct record_link first[] = {
		{.url = slice_of("http://a.test/0"), .path = 5},
		{.url = slice_of("http://a.test/1/"), .path = 6},
		{.url = slice_of("http://a.test/1"), .path = 7},
		{.url = slice_of("http://a.test/2"), .path = 8},
	};
	const struct record_link second[] = {
		{.url = slice_of("http://a.test/1"), .path = 9},
		{.url = slice_of("http://a.test/0"), .path = 5},
	};
	const struct label_link expected[] = {{1, 6}, {2, 8}, {1, 9}, {0, 5}};
	const struct label_link *links;
	size_t count;

	BEGIN("http://a.test/0", "http://a.test/1", "http://a.test/2");
	add(0, first, 4);
	add(2, second, 2);
	links = link_graph_links(inbound, &count);
	ck_assert_uint_eq(count, 4);
	for (size_t i = 0; i < count; i++) {
		ck_assert_uint_eq(links[i].target, expected[i].target);
		ck_assert_uint_eq(links[i].path, expected[i].path);
	}
}

TEST(links_without_a_path_do_not_count)
{
	const struct record_link links[] = {
		{.url = slice_of("http://a.test/1"), .path = 0},
		{.url = slice_of("http://a.test/1/"), .path = 4},
	};
	size_t count;

	BEGIN("http://a.test/0", "http://a.test/1");
	add(0, links, 2);
	ck_assert_uint_eq(link_graph_links(inbound, &count)->path, 4);
	ck_assert_uint_eq(count, 1);
}

TEST(strange_links_lead_nowhere)
{
	static char text[5000] = "http://a.test/";

	BEGIN("http://a.test/0", "http://a.test/1");
	ck_assert_uint_eq(target(""), 0);
	ck_assert_uint_eq(target("://"), 0);
	ck_assert_uint_eq(target("http://a.test"), 0);
	ck_assert_uint_eq(target("%"), 0);
	memset(text + strlen(text), 'x', sizeof(text) - 1 - strlen(text));
	ck_assert_uint_eq(target(text), 0);
}

TEST(no_pages_have_no_links)
{
	size_t count = 1;

	inbound = link_graph_create(NULL, 0);
	link_graph_links(inbound, &count);
	ck_assert_uint_eq(count, 0);
	link_graph_destroy(NULL);
}
