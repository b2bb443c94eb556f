/* Real pages, where they are: $TEMPLATED_SHARED or ../shared. */
#include <stdio.h>
#include <stdlib.h>

#include "store/file.h"
#include "tests/unit/page/invariant.h"
#include "tests/unit/page/page_of.h"

enum { STEP = 7, MAX_PAGE_BYTES = 10 << 20 }; /* 214 pages of 1,497 */

static void folder_of_pages(char *path, size_t size)
{
	/* one thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
	const char *shared = getenv("TEMPLATED_SHARED");

	(void)snprintf(path, size, "%s/data/wcxb-dev/html",
		       shared == NULL ? SHARED_FOLDER : shared);
}

static void check_page(const char *path)
{
	struct buffer body = {0};
	struct page *page;
	const char *problem;

	ck_assert_int_eq(file_read(path, MAX_PAGE_BYTES, &body), ERR_NONE);
	page = page_of_slice(buffer_slice(&body), &page_limits_default);
	problem = page_problem(page);
	ck_assert_msg(problem == NULL, "%s: %s", path, problem);
	ck_assert_uint_gt(page->node_count, 2);
	ck_assert(!page->is_truncated);
	page_destroy(page);
	buffer_free(&body);
}

START_TEST(real_pages_keep_the_invariants)
{
	static const char *const endings[] = {".html", ".html.gz", NULL};
	struct file_list list;
	char folder[4096];
	char path[8192];

	folder_of_pages(folder, sizeof(folder));
	if (file_list(folder, endings, &list) != ERR_NONE) {
		printf("skipped: no pages in %s\n", folder);
		return;
	}
	for (size_t i = 0; i < list.count; i += STEP) {
		(void)snprintf(path, sizeof(path), "%s/%s", folder,
			       list.paths[i]);
		check_page(path);
	}
	file_list_free(&list);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("corpus");
	TCase *tcase = tcase_create("corpus");

	tcase_add_test(tcase, real_pages_keep_the_invariants);
	suite_add_tcase(suite, tcase);
	return suite;
}
