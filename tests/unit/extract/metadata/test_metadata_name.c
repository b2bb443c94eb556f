#include "extract/metadata/metadata_author.h"
#include "tests/unit/run.h"

static const char url[] = "https://www.bigsite.co.uk/a/b";

static void check_cut(const char *title, const char *expected)
{
	AUTO_ARENA *arena = arena_create();
	struct site_names site =
		site_names_of(arena, slice_of("Big Site"), slice_of(url));
	struct slice cut = title_without_site(
		arena, &site, (struct slice){"", 0}, slice_of(title));

	ck_assert_msg(slice_equal(cut, slice_of(expected)), "%s: %.*s", title,
		      (int)cut.size, (const char *)cut.data);
}

TEST(the_name_of_the_site_is_cut)
{
	check_cut("Red Hats - Big Site", "Red Hats");
	check_cut("Big Site: Red Hats", "Big Site: Red Hats");
	check_cut("Big Site \xE2\x80\x93 Red Hats", "Red Hats");
	check_cut("Red Hats - Large - BIG SITE!", "Red Hats - Large");
	check_cut("Red Hats \xC2\xB7 bigsite.co.uk", "Red Hats");
	check_cut("Red-Hats", "Red-Hats");
	check_cut("Red Hats - Large", "Red Hats - Large");
	check_cut("Big Site", "Big Site");
	check_cut("", "");
	check_cut(" - ", " - ");
}

TEST(what_follows_a_bar_is_cut)
{
	check_cut("Red Hats | Hats and more", "Red Hats");
	check_cut("Red Hats|Hats", "Red Hats");
	check_cut("Big Site | Red Hats | Hats", "Red Hats");
	check_cut("a or b? / Hats / Talk", "a or b?");
	check_cut("and/or", "and/or");
	check_cut("| x", "| x");
}

TEST(sites_are_known_by_name_and_host)
{
	AUTO_ARENA *arena = arena_create();
	struct site_names site =
		site_names_of(arena, (struct slice){NULL, 0}, slice_of(url));

	ck_assert(site_is_named(arena, &site, slice_of("BigSite")));
	ck_assert(site_is_named(arena, &site, slice_of("The Big Site")));
	ck_assert(site_is_named(arena, &site, slice_of("bigsite.co.uk")));
	ck_assert(!site_is_named(arena, &site, slice_of("Big")));
	ck_assert(!site_is_named(arena, &site, slice_of("Red Hats")));
	site = site_names_of(arena, slice_of("Hats"), (struct slice){"", 0});
	ck_assert(site_is_named(arena, &site, slice_of("hats!")));
	ck_assert(!site_is_named(arena, &site, slice_of("bigsite")));
}

TEST(a_home_page_is_a_host_or_a_slash)
{
	ck_assert(is_home_address(slice_of("/")));
	ck_assert(is_home_address(slice_of("https://www.example.org")));
	ck_assert(is_home_address(slice_of("https://example.org/")));
	ck_assert(!is_home_address(slice_of("https://example.org/a")));
	ck_assert(!is_home_address(slice_of("/a")));
	ck_assert(!is_home_address(slice_of("")));
}

/* {red, hats} and {red, hats, here}: (2 + 2) / (2 + 3) */
TEST(overlap_is_of_words)
{
	struct title_words a = title_words_of(slice_of("Red HATS!"));
	struct title_words b = title_words_of(slice_of("red-hats here"));
	struct title_words none = title_words_of((struct slice){NULL, 0});
	/* two letters of Han, one shared: (1 + 1) / (2 + 2) */
	struct title_words c =
		title_words_of(slice_of("\xE4\xB8\xAD\xE6\x96\x87"));
	struct title_words d =
		title_words_of(slice_of("\xE4\xB8\xAD\xE5\x9B\xBD"));

	ck_assert_double_eq_tol(title_overlap(&a, &b), 4 / 5.0, 1e-12);
	ck_assert_double_eq(title_overlap(&a, &a), 1);
	ck_assert_double_eq(title_overlap(&a, &none), 0);
	ck_assert_double_eq_tol(title_overlap(&c, &d), 2 / 4.0, 1e-12);
}

TEST(folding_leaves_letters_and_digits)
{
	AUTO_ARENA *arena = arena_create();

	ck_assert(slice_equal(
		name_fold(arena, slice_of(" \xC3\x89t\xC3\xA9 - 24! ")),
		slice_of("\xC3\xA9t\xC3\xA9"
			 "24")));
	ck_assert_uint_eq(name_fold(arena, slice_of("")).size, 0);
}
