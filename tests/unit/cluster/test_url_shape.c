#include "cluster/threshold.h"

#include "tests/unit/run.h"

static const char *shape(const char *path)
{
	static char out[URL_SHAPE_MAX_BYTES + 1];

	out[url_shape_of_path(slice_of(path), out)] = '\0';
	return out;
}

TEST(directories_are_numbers_or_words)
{
	ck_assert_str_eq(shape("/2014/08/26/apache/"), "NNNWi");
	ck_assert_str_eq(shape("/2014a/8/"), "WNi");
	ck_assert_str_eq(shape("//7/x"), "WNf");
	ck_assert_str_eq(shape("/%C3%A9/x"), "Wf");
}

TEST(the_page_of_a_directory_is_told_from_others)
{
	ck_assert_str_eq(shape("/"), "i");
	ck_assert_str_eq(shape(""), "i");
	ck_assert_str_eq(shape("/x/"), "Wi");
	ck_assert_str_eq(shape("/x/index.html"), "Wi");
	ck_assert_str_eq(shape("/x/index.html.gz"), "Wi");
	ck_assert_str_eq(shape("/x/index."), "Wi");
	ck_assert_str_eq(shape("/x/index"), "Wf");
	ck_assert_str_eq(shape("/x/indexes.html"), "Wf");
	ck_assert_str_eq(shape("/2014"), "f");
	ck_assert_str_eq(shape("x/y.html"), "Wf");
}

TEST(a_query_counts_when_it_is_not_empty)
{
	ck_assert_str_eq(shape("/a/?p=1"), "Wiq");
	ck_assert_str_eq(shape("/a.php?p=/1/2/"), "fq");
	ck_assert_str_eq(shape("/a/?"), "Wi");
	ck_assert_str_eq(shape("?x"), "iq");
}

/* Each directory is two bytes long. */
static char path[2 * URL_SHAPE_MAX_DIRECTORIES + 8] = "/";
static char *const limit = &path[2 * URL_SHAPE_MAX_DIRECTORIES + 1];

TEST(so_many_directories_count)
{
	char bounded[URL_SHAPE_MAX_BYTES + 1];

	for (char *at = path + 1; at < limit; at += 2)
		memcpy(at, "1/", 3);
	memcpy(bounded, shape(path), sizeof(bounded));
	ck_assert_uint_eq(strlen(bounded), URL_SHAPE_MAX_DIRECTORIES + 1);
	memcpy(limit, "w/", 3);
	ck_assert_str_eq(shape(path), bounded);
	memcpy(limit, "w/?q", 5);
	ck_assert_uint_eq(strlen(shape(path)), URL_SHAPE_MAX_BYTES);
}
