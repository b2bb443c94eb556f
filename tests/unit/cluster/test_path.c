#include "cluster/signature.h"

#include "page/page.h"
#include "tests/unit/run.h"

static struct page *parse(const char *html)
{
	struct page *page;

	ASSERT_OK(page_parse(&page, slice_of(html), slice_of("UTF-8"),
			     &page_limits_default));
	return page;
}

/* Of the last element. */
static uint64_t hash_of(const char *html, unsigned width)
{
	AUTO_PAGE *page = parse(html);
	uint64_t hash = path_hash(page, page->node_count - 1, width);

	return hash;
}

#define LINK(html, body, list, item) \
	"<html " html "><body " body "><ul " list "><li " item "><a href=/ >x"

TEST(a_path_ends_after_its_width)
{
	const char *a = LINK("", "", "", "");
	const char *b = LINK("", "", "class=nav", "");

	/* a li ul body */
	ck_assert_uint_ne(hash_of(a, 4), hash_of(b, 4));
	ck_assert_uint_ne(hash_of(a, 3), hash_of(b, 3));
	ck_assert_uint_eq(hash_of(a, 2), hash_of(b, 2));
	ck_assert_uint_ne(hash_of(a, 1), hash_of(a, 2));
}

TEST(classes_of_html_and_body_leave_paths_alone)
{
	const char *a = LINK("", "", "class=nav", "class=item-1");

	ck_assert_uint_eq(hash_of(a, 16),
			  hash_of(LINK("class=js", "class=home", "class=nav",
				       "class=item-2"),
				  16));
	ck_assert_uint_ne(
		hash_of(a, 16),
		hash_of(LINK("", "", "class=nav", "class=entry-1"), 16));
}

TEST(a_shorter_path_is_whole)
{
	const char *a = "<html><body><p>x";

	/* html body p */
	ck_assert_uint_ne(hash_of(a, 2), hash_of(a, 3));
	ck_assert_uint_eq(hash_of(a, 3), hash_of(a, 4));
	ck_assert_uint_eq(hash_of(a, 3), hash_of(a, SIGNATURE_MAX_WIDTH));
}

TEST(kinds_of_steps_see_names_classes_or_inner_classes)
{
	AUTO_PAGE *page =
		parse("<html class=a><body class=b><p class=c></p><p>");
	const struct path_table table = path_table_make(page->arena, page);
	const uint64_t *names = table.steps[PATH_NAMES];
	const uint64_t *all = table.steps[PATH_CLASSES];
	const uint64_t *inner = table.steps[PATH_INNER_CLASSES];

	/* html head body p p */
	ck_assert_uint_eq(page->node_count, 5);
	ck_assert_uint_eq(names[3], names[4]);
	ck_assert_uint_ne(all[0], names[0]);
	ck_assert_uint_ne(all[2], names[2]);
	ck_assert_uint_ne(all[3], names[3]);
	ck_assert_uint_eq(all[4], names[4]);
	ck_assert_uint_eq(inner[0], names[0]);
	ck_assert_uint_eq(inner[2], names[2]);
	ck_assert_uint_eq(inner[3], all[3]);
}

TEST(the_hash_is_the_shingle_by_inner_classes)
{
	AUTO_PAGE *page = parse(LINK("class=a", "class=b", "class=c", ""));
	const uint64_t *steps =
		path_table_make(page->arena, page).steps[PATH_INNER_CLASSES];

	for (uint32_t i = 0; i < page->node_count; i++)
		for (unsigned width = 1; width <= 6; width++)
			ck_assert_uint_eq(path_hash(page, i, width),
					  path_shingle(page, steps, i, width));
}
