#include "base/file.h"

#include <sys/stat.h>
#include <zlib.h>

#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

static struct scratch scratch;
static struct buffer out;

static void setup(void)
{
	scratch_make(&scratch);
	out = (struct buffer){0};
}

static void teardown(void)
{
	static const char *const inner[] = {"b/c", "b", "a", NULL};

	buffer_free(&out);
	scratch_remove(&scratch, inner);
}

static void write_text(const char *name, const char *text)
{
	ASSERT_OK(file_write(scratch_path(&scratch, name), slice_of(text)));
}

/* Append a gzip member to the file. */
static void write_gzip(const char *name, const void *data, unsigned size)
{
	gzFile file = gzopen(scratch_path(&scratch, name), "ab");

	ck_assert_ptr_nonnull(file);
	if (size > 0)
		ck_assert_int_eq(gzwrite(file, data, size), (int)size);
	ck_assert_int_eq(gzclose(file), Z_OK);
}

static enum error read_file(const char *name, size_t max_bytes)
{
	return file_read(scratch_path(&scratch, name), max_bytes, &out);
}

/* Read the beginning of the file, as the only text in `out`. */
static enum error read_start(const char *name, size_t max_bytes)
{
	buffer_clear(&out);
	return file_read_start(scratch_path(&scratch, name), max_bytes, &out);
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_file_is_read_as_it_was_written)
{
	write_text("page", "<p>a page");
	buffer_append_text(&out, "x");
	ASSERT_OK(read_file("page", 9));
	ck_assert_str_eq(out.data, "x<p>a page");
	write_text("page", "");
	ASSERT_OK(read_file("page", 0));
	ck_assert_uint_eq(out.size, 10);
}

TEST(folders_are_made_on_the_way)
{
	write_text("b/c/page", "deep");
	ASSERT_OK(read_file("b/c/page", 9));
	ck_assert_str_eq(out.data, "deep");
	ck_assert_int_eq(file_write(scratch_path(&scratch, "b/c/page/x"),
				    slice_of("below a file")),
			 ERR_IO);
	ck_assert_int_eq(
		file_write(scratch_path(&scratch, "b"), slice_of("a folder")),
		ERR_IO);
	ck_assert_int_eq(file_write("", slice_of("x")), ERR_IO);
}

TEST(gzip_is_unpacked_member_by_member)
{
	write_gzip("page.gz", "one ", 4);
	write_gzip("page.gz", "", 0);
	write_gzip("page.gz", "two", 3);
	ASSERT_OK(read_file("page.gz", 7));
	ck_assert_str_eq(out.data, "one two");
}

TEST(a_limit_holds_for_the_unpacked_bytes)
{
	static char zeros[1 << 20];

	write_gzip("bomb.gz", zeros, sizeof(zeros));
	ck_assert_int_eq(read_file("bomb.gz", sizeof(zeros) - 1),
			 ERR_TOO_LARGE);
	ck_assert_uint_eq(out.size, 0);
	ASSERT_OK(read_file("bomb.gz", sizeof(zeros)));
	ck_assert_uint_eq(out.size, sizeof(zeros));
	write_text("page", "12345");
	ck_assert_int_eq(read_file("page", 4), ERR_TOO_LARGE);
}

TEST(of_a_larger_file_the_start_can_be_read)
{
	write_text("page", "12345");
	ASSERT_OK(read_start("page", 4));
	ck_assert_str_eq(out.data, "1234");
	ASSERT_OK(read_start("page", 5));
	ck_assert_str_eq(out.data, "12345");
	ck_assert_int_eq(read_start("none", 5), ERR_NOT_FOUND);
	ck_assert_uint_eq(out.size, 0);
}

TEST(broken_gzip_is_reported)
{
	AUTO_BUFFER packed = {0};
	FILE *file;

	write_gzip("page.gz", "some text, some more text", 25);
	/* not by file_read(), which would unpack it */
	file = fopen(scratch_path(&scratch, "page.gz"), "rb");
	ck_assert_ptr_nonnull(file);
	packed.size = fread(buffer_reserve(&packed, 256), 1, 256, file);
	fclose(file);
	for (size_t cut = 2; cut < packed.size; cut++) {
		ASSERT_OK(file_write(scratch_path(&scratch, "cut.gz"),
				     (struct slice){packed.data, cut}));
		ck_assert_int_eq(read_file("cut.gz", 100), ERR_CORRUPT);
		ck_assert_uint_eq(out.size, 0);
	}
	packed.data[packed.size - 6] ^= 1; /* the checksum */
	ASSERT_OK(file_write(scratch_path(&scratch, "cut.gz"),
			     buffer_slice(&packed)));
	ck_assert_int_eq(read_file("cut.gz", 100), ERR_CORRUPT);
}

TEST(a_missing_file_is_not_found)
{
	ck_assert_int_eq(read_file("none", 100), ERR_NOT_FOUND);
	write_text("page", "x");
	ck_assert_int_eq(read_file("page/none", 100), ERR_NOT_FOUND);
	ck_assert_int_eq(file_read(scratch.folder, 100, &out), ERR_IO);
}

static const char *const html[] = {".html", ".html.gz", NULL};

TEST(files_are_listed_by_byte_order_of_their_paths)
{
	struct file_list list;

	write_text("b/c/2.html", "");
	write_text("b/1.html.gz", "");
	write_text("a/x.txt", "");
	write_text("b.html", "");
	write_text("Z.html", "");
	write_text("html", "");
	ASSERT_OK(file_list(scratch.folder, html, &list));
	ck_assert_uint_eq(list.count, 4);
	ck_assert_str_eq(list.paths[0], "Z.html");
	ck_assert_str_eq(list.paths[1], "b.html"); /* '.' is before '/' */
	ck_assert_str_eq(list.paths[2], "b/1.html.gz");
	ck_assert_str_eq(list.paths[3], "b/c/2.html");
	file_list_free(&list);
	ck_assert_uint_eq(list.count, 0);
}

TEST(links_to_files_are_listed_and_links_to_folders_not_followed)
{
	struct file_list list;

	write_text("b/1.html", "");
	ck_assert_int_eq(symlink("1.html", scratch_path(&scratch, "b/2.html")),
			 0);
	ck_assert_int_eq(symlink("none", scratch_path(&scratch, "b/3.html")),
			 0);
	ck_assert_int_eq(symlink("..", scratch_path(&scratch, "b/4.html")), 0);
	ASSERT_OK(file_list(scratch.folder, html, &list));
	ck_assert_uint_eq(list.count, 2);
	ck_assert_str_eq(list.paths[0], "b/1.html");
	ck_assert_str_eq(list.paths[1], "b/2.html");
	file_list_free(&list);
	unlink(scratch_path(&scratch, "b/2.html"));
	unlink(scratch_path(&scratch, "b/3.html"));
	unlink(scratch_path(&scratch, "b/4.html"));
}

TEST(a_missing_folder_is_not_found)
{
	struct file_list list;

	ck_assert_int_eq(file_list(scratch_path(&scratch, "none"), html, &list),
			 ERR_NOT_FOUND);
	write_text("page", "x");
	ck_assert_int_eq(file_list(scratch_path(&scratch, "page"), html, &list),
			 ERR_NOT_FOUND);
}
