#include "template/container.h"

#include "tests/unit/run.h"
#include "tests/unit/template/seal.h"

enum { MAX_BYTES = 1 << 20 };

/* A file of two sections; one is packed. */
static void make(struct buffer *file)
{
	struct container_writer writer = {0};
	AUTO_BUFFER zeros = {0};

	memset(buffer_reserve(&zeros, 1000), 0, 1000);
	zeros.size = 1000;
	container_add(&writer, SECTION_SITE, 0, slice_of("ab"));
	container_add(&writer, SECTION_SAMPLES, 7, buffer_slice(&zeros));
	container_end(&writer, file);
}

static enum error read_file(const struct buffer *file, char *reason)
{
	struct container container;
	enum error error = container_read(buffer_slice(file), MAX_BYTES,
					  &container, reason);

	if (error == ERR_NONE)
		free(container.sections);
	return error;
}

TEST(the_header_stands_as_it_is_told)
{
	AUTO_BUFFER file = {0};

	make(&file);
	ck_assert_mem_eq(file.data, "\x8bTPL\r\n\x1a\n", 8);
	ck_assert_mem_eq(file.data + 8, "\x01\0\0\0\0\0\0\0", 8);
	ck_assert_uint_eq((unsigned char)file.data[32], file.size & 0xff);
	ck_assert_mem_eq(file.data + 40, "\x02\0\0\0\0\0\0\0", 8);
	/* site, of the site, plain, two bytes, two bytes */
	ck_assert_mem_eq(file.data + 48,
			 "\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
			 "\x02\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0",
			 32);
	/* samples, of cluster 7, packed */
	ck_assert_mem_eq(file.data + 88, "\x07\0\0\0\x07\0\0\0\x01\0\0\0", 12);
	ck_assert_mem_eq(file.data + 48 + 80, "ab", 2);
}

TEST(what_was_put_comes_out)
{
	AUTO_BUFFER file = {0};
	AUTO_BUFFER bytes = {0};
	struct container container;
	char reason[CONTAINER_REASON_BYTES];

	make(&file);
	ASSERT_OK(container_read(buffer_slice(&file), MAX_BYTES, &container,
				 reason));
	ck_assert_uint_eq(container.count, 2);
	ck_assert_uint_eq(container.size, 1002);
	ck_assert_uint_eq(container.sections[1].number, 7);
	ck_assert_uint_lt(container.sections[1].bytes.size, 100);
	ASSERT_OK(container_unpack(&container.sections[0], &bytes));
	ASSERT_OK(container_unpack(&container.sections[1], &bytes));
	ck_assert_uint_eq(bytes.size, 1002);
	ck_assert_mem_eq(bytes.data, "ab\0\0", 4);
	free(container.sections);
}

TEST(a_malformed_bundle_is_reported)
{
	AUTO_BUFFER file = {0};
	char reason[CONTAINER_REASON_BYTES];

	ck_assert_int_eq(read_file(&file, reason), ERR_CORRUPT);
	buffer_append_text(&file, "<html>");
	ck_assert_int_eq(read_file(&file, reason), ERR_CORRUPT);
	ck_assert_str_eq(
		reason,
		"bundle: not a bundle; create one with `templatectl export`");
}

TEST(another_version_is_refused_with_a_remedy)
{
	AUTO_BUFFER file = {0};
	char reason[CONTAINER_REASON_BYTES];

	make(&file);
	file.data[8] = 2;
	ck_assert_int_eq(read_file(&file, reason), ERR_VERSION);
	ck_assert_str_eq(reason, "bundle: its format has version 2, this "
				 "program reads version 1; export it again, or "
				 "use a newer program");
	file.data[8] = 0;
	ck_assert_int_eq(read_file(&file, reason), ERR_VERSION);
	ck_assert_str_eq(reason, "bundle: its format has version 0, this "
				 "program reads version 1; export it again");
}

TEST(damage_is_reported_with_its_section)
{
	AUTO_BUFFER file = {0};
	char reason[CONTAINER_REASON_BYTES];

	make(&file);
	file.data[file.size - 1] ^= 1;
	ck_assert_int_eq(read_file(&file, reason), ERR_CORRUPT);
	ck_assert_str_eq(reason, "bundle: section samples of 7: checksum does "
				 "not match");
	file.data[file.size - 1] ^= 1;
	file.data[128] ^= 1;
	ck_assert_int_eq(read_file(&file, reason), ERR_CORRUPT);
	ck_assert_str_eq(reason,
			 "bundle: section site: checksum does not match");
	file.size--;
	ck_assert_int_eq(read_file(&file, reason), ERR_CORRUPT);
	ck_assert_str_eq(reason, "bundle: the file is truncated or too long");
}

/* A row of the table, changed at `offset`, with checksums that are right. */
static void check_row(size_t offset, unsigned char byte, const char *wanted)
{
	AUTO_BUFFER file = {0};
	char reason[CONTAINER_REASON_BYTES];

	make(&file);
	file.data[offset] = (char)byte;
	seal((unsigned char *)file.data, file.size);
	ck_assert_int_ne(read_file(&file, reason), ERR_NONE);
	ck_assert_str_eq(reason, wanted);
}

TEST(a_table_that_cannot_be_is_refused)
{
	/* the kind of the second is below the kind of the first */
	check_row(88, 0,
		  "bundle: section of unknown kind 0: its position is wrong");
	/* an unknown coding */
	check_row(96, 2, "bundle: section samples of 7: its size is invalid");
	/* unpacked 16 MiB, of a few dozen bytes */
	check_row(88 + 27, 1,
		  "bundle: section samples of 7: its size is invalid");
	check_row(40, 200, "bundle: the table of sections is damaged");
	check_row(44, 1, "bundle: the header is damaged");
	check_row(60, 1, "bundle: the table of sections is damaged");
	/* the first one is shorter: bytes follow the last one */
	check_row(64, 1, "bundle: data follows the last section");
}

TEST(the_limit_is_for_decompressed_bytes)
{
	AUTO_BUFFER file = {0};
	struct container container;
	char reason[CONTAINER_REASON_BYTES];

	make(&file);
	ck_assert_int_eq(
		container_read(buffer_slice(&file), 1001, &container, reason),
		ERR_TOO_LARGE);
	ck_assert_str_eq(reason, "bundle: section samples of 7: it exceeds the "
				 "limit when decompressed");
	ASSERT_OK(
		container_read(buffer_slice(&file), 1002, &container, reason));
	free(container.sections);
}

TEST(what_is_packed_too_well_is_left_as_it_is)
{
	struct container_writer writer = {0};
	AUTO_BUFFER zeros = {0};
	AUTO_BUFFER file = {0};
	size_t size = (size_t)8 << 20;
	char reason[CONTAINER_REASON_BYTES];

	memset(buffer_reserve(&zeros, size), 0, size);
	zeros.size = size;
	container_add(&writer, SECTION_SITE, 0, buffer_slice(&zeros));
	container_end(&writer, &file);
	ck_assert_uint_gt(file.size, size);
	ck_assert_int_eq(read_file(&file, reason), ERR_TOO_LARGE);
}
