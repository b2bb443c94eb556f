#include "extract/text/fragment.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* html, head, body, and then what the page has. */
enum { FIRST = 3 };

/* The path of the first element of the page's own. */
static uint64_t path_in(const char *html, bool with_class)
{
	AUTO_PAGE *page = parse(html);
	uint64_t path;

	ck_assert_uint_gt(page->node_count, FIRST);
	path = node_paths(page->arena, page, with_class)[FIRST];
	return path;
}

TEST(a_path_has_the_names_of_all_elements_on_it)
{
	uint64_t path = path_in("<head><body><p>", true);

	ck_assert_uint_eq(path_in("<head><body><p>text<p>", true), path);
	ck_assert_uint_ne(path_in("<head><body><div>", true), path);
	ck_assert_uint_ne(path, 0);
}

TEST(a_path_has_the_parents)
{
	AUTO_PAGE *page = parse("<head><body><div><p></p></div><p>");
	const uint64_t *paths = node_paths(page->arena, page, false);

	ck_assert_uint_eq(page->node_count, FIRST + 3);
	ck_assert_uint_ne(paths[FIRST + 1], paths[FIRST + 2]);
}

TEST(classes_count_in_any_order_without_digits)
{
	const char *plain = "<head><body><p>";
	const char *two = "<head><body><p class='post-4711 big'>";

	ck_assert_uint_eq(path_in("<head><body><p class=' big  post-8'>", true),
			  path_in(two, true));
	ck_assert_uint_ne(path_in("<head><body><p class=big>", true),
			  path_in(two, true));
	ck_assert_uint_ne(path_in(plain, true), path_in(two, true));
	ck_assert_uint_eq(path_in(plain, false), path_in(two, false));
	ck_assert_uint_eq(path_in("<head><body><p class=42>", true),
			  path_in(plain, true));
}

TEST(classes_of_body_do_not_count)
{
	ck_assert_uint_eq(
		path_in("<html class=a><head><body class=b><p>", true),
		path_in("<head><body><p>", true));
}

TEST(of_a_long_name_64_bytes_count)
{
	ck_assert_uint_eq(
		path_in("<head><body><p class=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaX>",
			true),
		path_in("<head><body><p class=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaY>",
			true));
	ck_assert_uint_ne(
		path_in("<head><body><p class=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaX>",
			true),
		path_in("<head><body><p class=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaY>",
			true));
}
