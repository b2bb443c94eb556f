#include "crawl/http_message.h"

#include <zlib.h>

#include "tests/unit/run.h"

enum { GZIP_WRAPPED = MAX_WBITS + 16 };

static struct codings codings_of(const char *value)
{
	struct codings codings = {0};

	ck_assert(codings_add(&codings, slice_of(value)));
	return codings;
}

static void add_gzip(struct buffer *out, struct slice bytes)
{
	size_t size = bytes.size + 1000;
	z_stream zlib = {.next_in = (Bytef *)bytes.data,
			 .avail_in = (uInt)bytes.size,
			 .next_out = (Bytef *)buffer_reserve(out, size),
			 .avail_out = (uInt)size};

	ck_assert_int_eq(deflateInit2(&zlib, 9, Z_DEFLATED, GZIP_WRAPPED, 9,
				      Z_DEFAULT_STRATEGY),
			 Z_OK);
	ck_assert_int_eq(deflate(&zlib, Z_FINISH), Z_STREAM_END);
	out->size += zlib.total_out;
	deflateEnd(&zlib);
}

/* Feed pieces of `step` bytes and take up to `room` at a time. */
static enum error unpack(const char *names, struct slice packed, size_t step,
			 size_t room, struct buffer *out)
{
	struct unpacker *unpacker = unpacker_create(codings_of(names));
	enum error error = ERR_NONE;

	buffer_clear(out);
	while (packed.size > 0 && error == ERR_NONE) {
		size_t part = step < packed.size ? step : packed.size;
		size_t size = 1;

		unpacker_feed(unpacker, (struct slice){packed.data, part});
		while (error == ERR_NONE && size > 0) {
			char *end = buffer_reserve(out, room);

			error = unpacker_next(unpacker, end, room, &size);
			out->size += size;
		}
		packed.data = (const char *)packed.data + part;
		packed.size -= part;
		if (error == ERR_NONE)
			ck_assert_uint_eq(unpacker_left(unpacker), 0);
	}
	if (error == ERR_NONE && !unpacker_is_whole(unpacker))
		error = ERR_NOT_FOUND; /* of the end */
	unpacker_destroy(unpacker);
	return error;
}

TEST(codings_are_known_by_name)
{
	struct codings codings = codings_of("GZIP, identity,,br");

	ck_assert_uint_eq(codings.count, 2);
	ck_assert_int_eq(codings.list[0], CODING_GZIP);
	ck_assert_int_eq(codings.list[1], CODING_BROTLI);
	ck_assert(codings_add(&codings, slice_of("identity")));
	ck_assert(!codings_add(&codings, slice_of("gzip")));
	codings = (struct codings){0};
	ck_assert(!codings_add(&codings, slice_of("compress")));
	ck_assert(!codings_add(&codings, slice_of("none, X-Compress")));
	ck_assert_uint_eq(codings.count, 0);
	codings = codings_of("gzip;q=1, Zstd");
	ck_assert_uint_eq(codings.count, 2);
	ck_assert_int_eq(codings.list[0], CODING_GZIP);
	ck_assert_int_eq(codings.list[1], CODING_ZSTD);
}

/* Mistakes of servers; browsers show the body unchanged. */
TEST(a_word_that_names_no_coding_is_ignored)
{
	static const char *const values[] = {
		"none", "UTF-8", "utf-8, none",   "binary",     "8bit",
		", ,",  "empty", "text/html",     "iso-8859-1", "null",
		"*",    "\"\"",  "charset=utf-8",
	};

	for (size_t i = 0; i < COUNT_OF(values); i++)
		ck_assert_uint_eq(codings_of(values[i]).count, 0);
	ck_assert_uint_eq(codings_of("gzip, none").count, 1);
	ck_assert_uint_eq(codings_of("none, x-gzip").count, 1);
	ck_assert_uint_eq(codings_of("aws-chunked, br").count, 1);
	ck_assert_int_eq(codings_of("aws-chunked, br").list[0], CODING_BROTLI);
}

enum { TEXT_BYTES = 50000 };

static void check_text(const char *names, const struct buffer *packed,
		       size_t step, size_t room)
{
	AUTO_BUFFER out = {0};
	size_t wrong = 0;

	ASSERT_OK(unpack(names, buffer_slice(packed), step, room, &out));
	ck_assert_uint_eq(out.size, TEXT_BYTES);
	for (size_t i = 0; i < TEXT_BYTES; i++)
		wrong += out.data[i] != (char)('a' + i % 7 + i / 9000);
	ck_assert_uint_eq(wrong, 0);
}

TEST(pieces_of_any_size_come_out_the_same)
{
	static const size_t steps[] = {1, 4, 13, 40, 500, 100000};
	static const size_t rooms[] = {1, 17, 1000, 100000};
	AUTO_BUFFER text = {0};
	AUTO_BUFFER once = {0};
	struct buffer twice = {0};

	for (size_t i = 0; i < TEXT_BYTES; i++)
		buffer_append_byte(&text, (char)('a' + i % 7 + i / 9000));
	add_gzip(&once, buffer_slice(&text));
	add_gzip(&twice, buffer_slice(&once));
	for (size_t i = 0; i < 24; i++) {
		check_text("gzip", &once, steps[i / 4], rooms[i % 4]);
		check_text("gzip, gzip", &twice, steps[i / 4], rooms[i % 4]);
	}
	buffer_free(&twice);
}

TEST(a_part_is_not_whole_and_a_damaged_one_is_an_error)
{
	AUTO_BUFFER packed = {0};
	AUTO_BUFFER out = {0};

	add_gzip(&packed, slice_of("hello hello hello"));
	for (size_t size = 1; size < packed.size; size++)
		ck_assert_int_eq(unpack("gzip",
					(struct slice){packed.data, size}, 5, 9,
					&out),
				 ERR_NOT_FOUND);
	packed.data[packed.size - 6] ^= 1; /* of the checksum */
	ck_assert_int_eq(unpack("gzip", buffer_slice(&packed), 99, 99, &out),
			 ERR_CORRUPT);
	ck_assert_int_eq(unpack("gzip", slice_of("hello"), 99, 99, &out),
			 ERR_CORRUPT);
	ck_assert_int_eq(unpack("gzip, gzip", slice_of("hello"), 1, 1, &out),
			 ERR_CORRUPT);
}

TEST(members_are_joined_and_trailing_rubbish_is_ignored)
{
	AUTO_BUFFER packed = {0};
	AUTO_BUFFER out = {0};

	add_gzip(&packed, slice_of("hel"));
	add_gzip(&packed, slice_of(""));
	add_gzip(&packed, slice_of("lo"));
	buffer_append(&packed, "\0\0rubbish", 9);
	for (size_t step = 1; step <= packed.size; step++) {
		ASSERT_OK(unpack("gzip", buffer_slice(&packed), step, 4, &out));
		ck_assert_uint_eq(out.size, 5);
		ck_assert_mem_eq(out.data, "hello", 5);
	}
}

/* 10 MB of zeros are 10 KB; the first 0.5 MB need some 500 bytes. */
TEST(the_cost_of_a_bomb_is_known_at_any_time)
{
	AUTO_BUFFER packed = {0};
	AUTO_TEXT *zeros = calloc(1, 10000000);
	struct unpacker *unpacker = unpacker_create(codings_of("gzip"));
	char out[1000];
	size_t size;

	add_gzip(&packed, (struct slice){zeros, 10000000});
	unpacker_feed(unpacker, buffer_slice(&packed));
	for (int i = 0; i < 500; i++)
		ASSERT_OK(unpacker_next(unpacker, out, sizeof(out), &size));
	ck_assert_uint_gt(unpacker_left(unpacker), packed.size - 1000);
	unpacker_destroy(unpacker);
	unpacker_destroy(NULL);
}
