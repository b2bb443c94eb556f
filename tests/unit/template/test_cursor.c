#include "template/container.h"

#include "tests/unit/run.h"

static struct byte_cursor bytes(const char *text, size_t size)
{
	return cursor_of((struct slice){text, size});
}

static const struct {
	uint64_t number;
	const char *bytes;
	size_t size;
} numbers[] = {
	{0, "\x00", 1},
	{1, "\x01", 1},
	{127, "\x7f", 1},
	{128, "\x80\x01", 2},
	{300, "\xac\x02", 2}, /* 300 = 2 * 128 + 44 */
	{UINT64_MAX, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10},
};

TEST_ROWS(numbers_are_seven_bits_a_byte, numbers)
{
	AUTO_BUFFER out = {0};
	struct byte_cursor cursor;

	pack_number(&out, numbers[_i].number);
	ck_assert_uint_eq(out.size, numbers[_i].size);
	ck_assert_mem_eq(out.data, numbers[_i].bytes, numbers[_i].size);
	cursor = cursor_of(buffer_slice(&out));
	ck_assert_uint_eq(cursor_number(&cursor, UINT64_MAX),
			  numbers[_i].number);
	ck_assert(cursor_is_done(&cursor));
}

TEST(hashes_stand_with_their_least_byte_first)
{
	struct byte_cursor cursor = bytes("\x02\x01\0\0\0\0\0\0", 8);

	ck_assert_uint_eq(cursor_u64(&cursor), 258);
	ck_assert(cursor_is_done(&cursor));
}

TEST(a_number_over_its_limit_is_damage)
{
	struct byte_cursor cursor = bytes("\x07\x08", 2);

	ck_assert_uint_eq(cursor_number(&cursor, 7), 7);
	ck_assert_uint_eq(cursor_number(&cursor, 7), 0);
	ck_assert(cursor.is_broken);
	ck_assert_uint_eq(cursor_left(&cursor), 0);
}

TEST(a_number_that_has_no_end_is_damage)
{
	struct byte_cursor cursor = bytes("\x80", 1);
	struct byte_cursor longer =
		bytes("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10);

	cursor_number(&cursor, UINT64_MAX);
	ck_assert(cursor.is_broken);
	cursor_number(&longer, UINT64_MAX);
	ck_assert(longer.is_broken);
}

TEST(what_is_cut_is_damage)
{
	struct byte_cursor cursor = bytes("abc", 3);
	struct byte_cursor text = bytes("\x03xy", 3);
	struct byte_cursor hash = bytes("1234567", 7);

	ck_assert_uint_eq(cursor_bytes(&cursor, 4).size, 0);
	ck_assert(cursor.is_broken);
	ck_assert_uint_eq(cursor_text(&text, 3).size, 0);
	ck_assert(text.is_broken);
	ck_assert_uint_eq(cursor_u64(&hash), 0);
	ck_assert(hash.is_broken);
}

TEST(a_text_follows_its_length)
{
	AUTO_BUFFER out = {0};
	struct byte_cursor cursor;

	pack_text(&out, slice_of("utf-8"));
	pack_text(&out, slice_of(NULL));
	ck_assert_mem_eq(out.data, "\x05utf-8\x00", 7);
	cursor = cursor_of(buffer_slice(&out));
	ck_assert(slice_equal(cursor_text(&cursor, 5), slice_of("utf-8")));
	ck_assert_uint_eq(cursor_text(&cursor, 0).size, 0);
	ck_assert(cursor_is_done(&cursor));
}

TEST(nothing_is_at_its_end)
{
	struct byte_cursor cursor = cursor_of((struct slice){NULL, 0});

	ck_assert(cursor_is_done(&cursor));
	cursor_number(&cursor, 1);
	ck_assert(!cursor_is_done(&cursor));
}
