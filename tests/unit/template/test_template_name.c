#include "template/template_name.h"

#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "page/page_kind.h"
#include "tests/unit/run.h"

enum { MAX_URLS = 32 };

/* A cluster that is made from lines of text. */
struct lines {
	struct named_page pages[MAX_URLS];
	struct slice titles[MAX_URLS];
	size_t page_count;
	size_t title_count;
};

static size_t split(const char *text, struct slice *out)
{
	size_t count = 0;

	while (*text != '\0') {
		size_t size = strcspn(text, "\n");

		out[count++] = (struct slice){text, size};
		text += size + (text[size] == '\n');
	}
	return count;
}

/* Make a cluster of the paths and titles, one in each line. */
static struct named_cluster cluster_of(struct lines *lines, unsigned kind,
				       const char *paths, const char *titles)
{
	struct slice texts[MAX_URLS];

	lines->page_count = split(paths, texts);
	lines->title_count = split(titles, lines->titles);
	for (size_t i = 0; i < lines->page_count; i++)
		lines->pages[i] = (struct named_page){texts[i], kind};
	return (struct named_cluster){
		.page_count = (uint32_t)lines->page_count,
		.pages = lines->pages,
		.sample_count = lines->page_count,
		.titles = lines->titles,
		.title_count = lines->title_count,
	};
}

static void check_one(unsigned kind, const char *paths, const char *titles,
		      const char *name)
{
	struct lines lines;
	struct named_cluster cluster = cluster_of(&lines, kind, paths, titles);

	template_names_derive(test_arena, &cluster, 1);
	ck_assert_str_eq(
		arena_copy(test_arena, cluster.name.data, cluster.name.size),
		name);
}

#define CHECK_PATTERN(paths, pattern) \
	check_one(KIND_LIST, paths, "", "list \xC2\xB7 " pattern)

TEST(name_is_kind_and_pattern)
{
	check_one(KIND_PRODUCT, "/product/a/\n/product/b/\n/product/c/", "",
		  "product \xC2\xB7 /product/*");
	check_one(KIND_UNKNOWN, "/about-us", "About us",
		  "page \xC2\xB7 /about-us");
}

TEST(pattern_has_what_most_urls_share)
{
	CHECK_PATTERN("/", "/");
	CHECK_PATTERN("/index.html", "/");
	CHECK_PATTERN("/category/a/page/2/\n/category/b/page/3/",
		      "/category/*/page/N");
	/* one page without a number, two with one */
	CHECK_PATTERN("/category/a\n/category/a/page/2\n/category/b/page/3",
		      "/category/*/page/N");
	CHECK_PATTERN("/2021/09/26/\n/2023/05/11/", "/YYYY/MM/DD");
	CHECK_PATTERN("/t/red/17\n/t/blue/2999", "/t/*/N");
	CHECK_PATTERN("/page_2.html\n/page_17.html", "/page_N.html");
	CHECK_PATTERN("/tag/a\n/tag/b\n/author/c\n/author/d", "/author|tag/*");
	CHECK_PATTERN("/docs/a\n/zh-CN/docs/b\n/docs/c/d", "/docs/*");
	CHECK_PATTERN("/index.php?route=product/category&path=1\n"
		      "/index.php?path=2&route=product/category",
		      "/index.php?route=product/category");
	CHECK_PATTERN("/list?id=1\n/list?id=2", "/list?id=N");
}

TEST(words_of_titles_help_if_the_pattern_says_little)
{
	check_one(KIND_HISTORY, "/index1.html\n/indexb.html",
		  "Cats: Revision history\nDogs: Revision history",
		  "history \xC2\xB7 /*.html \xC2\xB7 Revision history");
	check_one(KIND_LIST, "/tag/a\n/tag/b", "Tag a\nTag b",
		  "list \xC2\xB7 /tag/*");
}

/* The names of three clusters with equal patterns, in this order. */
static const char *names_of(const unsigned order[3])
{
	static const char *const titles[] = {"Login - Shop\nLogin - Shop",
					     "Red - Shop\nBlue - Shop",
					     "Green - Shop\nBrown - Shop"};
	static const char *const paths[] = {"/a1\n/a2", "/b1\n/b2", "/c1\n/c2"};
	struct lines lines[3];
	struct named_cluster clusters[3];
	struct buffer out = {0};
	const char *text;

	for (int i = 0; i < 3; i++)
		clusters[i] = cluster_of(&lines[i], KIND_PLAIN, paths[order[i]],
					 titles[order[i]]);
	template_names_derive(test_arena, clusters, 3);
	for (unsigned k = 0; k < 3; k++)
		for (int i = 0; i < 3; i++)
			if (order[i] == k) {
				buffer_append_slice(&out, clusters[i].name);
				buffer_append_byte(&out, '\n');
			}
	text = arena_copy(test_arena, out.data, out.size);
	buffer_free(&out);
	return text;
}

TEST(names_are_unique_in_any_order)
{
	static const unsigned orders[][3] = {
		{0, 1, 2}, {1, 0, 2}, {2, 1, 0}, {1, 2, 0}};

	for (size_t i = 0; i < 4; i++)
		ck_assert_str_eq(names_of(orders[i]),
				 "page \xC2\xB7 /* \xC2\xB7 Login\n"
				 "page \xC2\xB7 /*\n"
				 "page \xC2\xB7 /* (2)\n");
}

TEST(given_name_stays_and_is_not_given_again)
{
	struct lines lines[2];
	struct named_cluster clusters[2] = {
		cluster_of(&lines[0], KIND_LIST, "/tag/a\n/tag/b", ""),
		cluster_of(&lines[1], KIND_LIST, "/x", "")};

	clusters[1].name = slice_of("list \xC2\xB7 /tag/*");
	template_names_derive(test_arena, clusters, 2);
	ck_assert(slice_equal(clusters[0].name,
			      slice_of("list \xC2\xB7 /tag/* (2)")));
	ck_assert(slice_equal(clusters[1].name,
			      slice_of("list \xC2\xB7 /tag/*")));
}

static bool fits(const char *pattern, const char *paths)
{
	struct lines lines;
	struct named_cluster cluster = cluster_of(&lines, KIND_LIST, paths, "");

	cluster.kind = KIND_LIST;
	cluster.pattern = slice_of(pattern);
	return template_name_fits(&cluster);
}

TEST(name_fits_while_half_of_the_pages_match)
{
	ck_assert(fits("/tag/*", "/tag/a\n/tag/b/c\n/x\n/y"));
	ck_assert(!fits("/tag/*", "/tag/a\n/x\n/y"));
	ck_assert(fits("/tag|author/*/page/N", "/author/a/page/2"));
	ck_assert(!fits("/tag|author/*/page/N", "/author/a/page/b"));
	ck_assert(fits("/YYYY/MM", "/2021/09"));
	ck_assert(!fits("/about", "/about/us"));
	ck_assert(fits("/docs/*", "/de/docs/a"));
	ck_assert(fits("/list?id=*", "/list?id=4"));
	ck_assert(fits("/", "/index.html"));
}

/* 'N' stands for digits only where the pattern does not mean the letter. */
TEST(name_with_the_letter_of_digits_fits)
{
	ck_assert(fits("/News", "/News"));
	ck_assert(fits("/News-*", "/News-today"));
	ck_assert(fits("/Node-N", "/Node-12"));
	ck_assert(!fits("/Node-N", "/Node-x"));
	ck_assert(!fits("/News-*", "/Old-today"));
}

TEST(name_does_not_fit_pages_of_another_kind)
{
	struct lines lines;
	struct named_cluster cluster =
		cluster_of(&lines, KIND_ARTICLE, "/a\n/b", "");

	cluster.pattern = slice_of("/*");
	cluster.kind = KIND_LIST;
	ck_assert(!template_name_fits(&cluster));
	cluster.kind = KIND_ARTICLE;
	ck_assert(template_name_fits(&cluster));
}

static void check_is_safe(struct slice name)
{
	ck_assert_uint_le(name.size, TEMPLATE_NAME_BYTES);
	ck_assert_uint_eq(utf8_check(name).invalid, 0);
	for (size_t i = 0; i < name.size; i++)
		ck_assert_uint_ge((unsigned char)slice_byte(name, i), ' ');
}

TEST(hostile_urls_and_titles_make_safe_names)
{
	static const char long_path[] =
		"/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/"
		"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb/"
		"ccccccccccccccccccccccccccccccccccccccccccccccccccccccccc";
	static const char *const paths[] = {"/%0A%1B%5B31m%E2%80%AEabc",
					    "/%FF%FE/%C3%28/<script>%3Cb%3E",
					    long_path,
					    "//////",
					    "%",
					    "?&&==&=",
					    "/*|*/N/(2)"};
	/* ends with LRM, which changes the direction of text */
	static const char title[] = "\x1B[31m red \xC2\xB7 \x7F title title "
				    "title title title title \xE2\x80\x8E";

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct lines lines;
		struct named_cluster cluster =
			cluster_of(&lines, 255, paths[i], title);

		template_names_derive(test_arena, &cluster, 1);
		ck_assert_uint_gt(cluster.name.size, 0);
		check_is_safe(cluster.name);
		(void)template_name_fits(&cluster);
	}
}

/* Clusters of random URLs and titles, from a small alphabet. */
TEST(random_urls_make_safe_and_unique_names)
{
	static const char bytes[] = "/-_.?=&@%2Fa1N*|\xC2\xB7\n\xE2 (";
	enum { CLUSTERS = 40, PAGES = 6, BYTES = 24, ROUNDS = 50 };
	struct named_cluster clusters[CLUSTERS];
	uint32_t state = 1;

	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < CLUSTERS; i++) {
			struct named_page *pages =
				ARENA_NEW(test_arena, struct named_page, PAGES);
			struct slice *titles =
				ARENA_NEW(test_arena, struct slice, PAGES);

			for (int k = 0; k < PAGES; k++) {
				char *text = arena_alloc(test_arena, BYTES, 1);

				for (int b = 0; b < BYTES; b++) {
					state = state * 1664525 + 1013904223;
					text[b] = bytes[(state >> 16) %
							(sizeof(bytes) - 1)];
				}
				titles[k] = (struct slice){text + BYTES / 2,
							   state >> 29};
				pages[k] = (struct named_page){
					{text, state >> 27 & 15}, state >> 28};
			}
			clusters[i] = (struct named_cluster){
				.page_count = PAGES,
				.pages = pages,
				.sample_count = 1 + (state >> 20) % PAGES,
				.titles = titles,
				.title_count = (state >> 24) % PAGES,
			};
		}
		template_names_derive(test_arena, clusters, CLUSTERS);
		for (int i = 0; i < CLUSTERS; i++) {
			check_is_safe(clusters[i].name);
			(void)template_name_fits(&clusters[i]);
			for (int k = 0; k < i; k++)
				ck_assert(!slice_equal(clusters[i].name,
						       clusters[k].name));
		}
	}
}

TEST(names_of_users_are_cleaned)
{
	ck_assert(slice_equal(
		template_name_clean(test_arena,
				    slice_of("  Product \n page\x1B ")),
		slice_of("Product page")));
	ck_assert_uint_eq(template_name_clean(test_arena, slice_of(" \t")).size,
			  0);
	ck_assert_uint_eq(
		template_name_clean(
			test_arena,
			(struct slice){arena_alloc(test_arena, 200, 1), 200})
			.size,
		0);
}

TEST(common_parts_of_titles_are_cut)
{
	const struct framed_title titles[] = {{slice_of("Red - The Shop"), 0},
					      {slice_of("Blue - The Shop"), 1},
					      {slice_of("The Shop"), 2}};
	struct title_frame frame = title_frame_find(titles, 3);

	ck_assert(slice_equal(title_frame_cut(&frame, titles[0].text),
			      slice_of("Red")));
	ck_assert(slice_equal(title_frame_cut(&frame, titles[2].text),
			      slice_of("The Shop")));
	frame = title_frame_find(titles, 1);
	ck_assert(slice_equal(title_frame_cut(&frame, titles[0].text),
			      titles[0].text));
}
