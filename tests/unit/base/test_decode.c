#include "base/decode.h"

#include <stdint.h>

#include <zlib.h>
#include <zstd.h>

#include "tests/unit/run.h"

/* The bytes of a literal, which may hold NULs. */
#define BYTES(literal) ((struct slice){(literal), sizeof(literal) - 1})

#define HELLO "hello hello hello hello\n"

/* HELLO as gzip(1), zlib, brotli(1) and zstd(1) pack it. */
#define GZIP                                                             \
	BYTES("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9" \
	      "\xc9\x57\xc8\x40\x27\xb9\x00\x00\x88\x59\x0b\x18\x00\x00\x00")
#define RAW  "\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27\xb9\x00"
#define ZLIB BYTES("\x78\x9c" RAW "\x70\xbe\x08\xbb")
#define BROTLI                                                               \
	BYTES("\xe2\x02\x00\x80\x94\x02\x48\x0e\xa2\x88\x32\x75\x78\x4e\x7f" \
	      "\x01")
#define ZSTD_FRAME                                                         \
	"\x28\xb5\x2f\xfd\x04\x58\x6d\x00\x00\x38\x68\x65\x6c\x6c\x6f\x20" \
	"\x0a\x01\x00\x99\x4b\x11\xa8\x7c\x2e\xa8"
#define ZSTD BYTES(ZSTD_FRAME)

/* RFC 8878, section 3.1.2: magic, size 3, three bytes; and one of size 0. */
#define SKIPPABLE                          \
	"\x50\x2a\x4d\x18\x03\x00\x00\x00" \
	"abc"
#define SKIPPABLE_EMPTY "\x5d\x2a\x4d\x18\x00\x00\x00\x00"

static const enum coding codings[] = {CODING_GZIP, CODING_DEFLATE,
				      CODING_DEFLATE, CODING_BROTLI,
				      CODING_ZSTD};

static struct slice packed_hello(size_t i)
{
	const struct slice all[] = {GZIP, ZLIB, BYTES(RAW), BROTLI, ZSTD};

	return all[i];
}

enum { HELLO_COUNT = COUNT_OF(codings) };

/*
 * Unpack to the end of the input or the stream, `piece` bytes of input and
 * `capacity` of output at a time; *input is then after the consumed bytes.
 */
static enum error unpack(struct decoder *decoder, struct slice *input,
			 size_t piece, size_t capacity, struct buffer *out)
{
	enum error error = ERR_NONE;
	bool is_moving = true;

	while (error == ERR_NONE && is_moving) {
		struct slice part = *input;
		size_t size = 0;

		part.size = part.size < piece ? part.size : piece;
		is_moving = part.size > 0;
		error = decoder_run(decoder, &part,
				    buffer_reserve(out, capacity), capacity,
				    &size);
		ck_assert_uint_le(size, capacity);
		out->size += size;
		input->size -= (size_t)((const char *)part.data -
					(const char *)input->data);
		input->data = part.data;
		is_moving =
			size > 0 || (is_moving && !decoder_is_at_end(decoder));
	}
	return error;
}

static enum error unpack_all(enum coding coding, struct slice input,
			     struct buffer *out)
{
	struct decoder *decoder = decoder_create(coding);
	enum error error = unpack(decoder, &input, SIZE_MAX, 1 << 16, out);

	if (error == ERR_NONE && !decoder_is_at_end(decoder))
		error = ERR_NOT_FOUND; /* wants more */
	decoder_destroy(decoder);
	return error;
}

static bool is_text(const struct buffer *buffer, const char *text)
{
	return slice_equal(buffer_slice(buffer), slice_of(text));
}

/* Does the whole stream come back, with no rest? */
static bool comes_back(size_t row, size_t piece, size_t capacity)
{
	struct decoder *decoder = decoder_create(codings[row]);
	struct slice left = packed_hello(row);
	AUTO_BUFFER out = {0};
	bool was_at_begin = decoder_is_at_begin(decoder);
	enum error error = unpack(decoder, &left, piece, capacity, &out);
	bool is_whole = error == ERR_NONE && is_text(&out, HELLO) &&
			left.size == 0 && was_at_begin &&
			decoder_is_at_end(decoder) &&
			!decoder_is_at_begin(decoder);

	decoder_destroy(decoder);
	return is_whole;
}

TEST_LOOP(every_coding_comes_back_however_it_is_cut, 0, HELLO_COUNT)
{
	static const size_t pieces[] = {1, 2, 3, 7, SIZE_MAX};

	for (size_t i = 0; i < COUNT_OF(pieces); i++)
		for (size_t capacity = 1; capacity < 30; capacity++)
			ck_assert_msg(
				comes_back((size_t)_i, pieces[i], capacity),
				"%zu in, %zu out", pieces[i], capacity);
}

/* The rest of the input, which continues where it ended. */
static size_t unpack_on(struct decoder *decoder, struct slice *input,
			struct buffer *out)
{
	ASSERT_OK(unpack(decoder, input, 5, 64, out));
	return input->size;
}

TEST_LOOP(what_is_behind_the_end_is_left_and_can_be_the_next, 0, HELLO_COUNT)
{
	struct slice input = packed_hello((size_t)_i);
	struct decoder *decoder = decoder_create(codings[_i]);
	AUTO_BUFFER twice = {0};
	AUTO_BUFFER out = {0};
	struct slice left;

	buffer_append_slice(&twice, input);
	buffer_append_slice(&twice, input);
	left = buffer_slice(&twice);
	ck_assert_uint_eq(unpack_on(decoder, &left, &out), input.size);
	ck_assert_uint_eq(unpack_on(decoder, &left, &out), input.size);
	decoder_reset(decoder);
	ck_assert(decoder_is_at_begin(decoder));
	ck_assert_uint_eq(unpack_on(decoder, &left, &out), 0);
	ck_assert(is_text(&out, HELLO HELLO));
	decoder_destroy(decoder);
}

TEST_LOOP(a_stream_cut_short_is_not_at_its_end, 0, HELLO_COUNT)
{
	struct slice input = packed_hello((size_t)_i);

	for (size_t cut = 0; cut < input.size; cut++) {
		AUTO_BUFFER out = {0};

		ck_assert_int_eq(unpack_all(codings[_i],
					    (struct slice){input.data, cut},
					    &out),
				 ERR_NOT_FOUND);
		ck_assert_uint_le(out.size, strlen(HELLO));
	}
}

TEST_LOOP(asking_often_without_input_does_no_harm, 0, HELLO_COUNT)
{
	struct slice input = packed_hello((size_t)_i);
	struct decoder *decoder = decoder_create(codings[_i]);
	struct slice begin = {input.data, input.size / 2};
	struct slice rest = {(const char *)input.data + begin.size,
			     input.size - begin.size};
	struct slice none = {NULL, 0};
	AUTO_BUFFER out = {0};

	unpack_on(decoder, &none, &out);
	ck_assert(decoder_is_at_begin(decoder));
	unpack_on(decoder, &begin, &out);
	for (int i = 0; i < 100; i++)
		unpack_on(decoder, &none, &out);
	unpack_on(decoder, &rest, &out);
	ck_assert(is_text(&out, HELLO));
	decoder_destroy(decoder);
}

/* Whether it is refused or HELLO with the bit `i` flipped. */
static bool is_refused_or_same(enum coding coding, struct buffer *packed,
			       size_t i)
{
	unsigned char *byte = (unsigned char *)packed->data + i / 8;
	AUTO_BUFFER out = {0};
	enum error error;
	bool is_same;

	*byte ^= (unsigned char)(1U << (i % 8));
	error = unpack_all(coding, buffer_slice(packed), &out);
	*byte ^= (unsigned char)(1U << (i % 8));
	is_same = is_text(&out, HELLO);
	return error != ERR_NONE || is_same;
}

/* Brotli and raw deflate have no checksum: there it must only not crash. */
TEST_LOOP(a_flipped_bit_is_refused_or_does_not_matter, 0, HELLO_COUNT)
{
	bool is_checked = codings[_i] != CODING_BROTLI && _i != 2;
	AUTO_BUFFER packed = {0};
	size_t count = 0;

	buffer_append_slice(&packed, packed_hello((size_t)_i));
	for (size_t bit = 0; bit < packed.size * 8; bit++)
		count += is_refused_or_same(codings[_i], &packed, bit);
	if (is_checked)
		ck_assert_uint_eq(count, packed.size * 8);
}

TEST_LOOP(damage_lasts_until_the_reset, 0, 6)
{
	static const struct {
		enum coding coding;
		const char *bytes;
	} rows[] = {
		{CODING_GZIP, "not gzip at all"},
		{CODING_DEFLATE, "\x07 block type 3"},
		{CODING_DEFLATE, "\x78\x9cx block type 3: not"},
		{CODING_BROTLI, "\xff\xff\xff\xff\xff\xff\xff\xff"},
		{CODING_ZSTD, "not zstd"},
		{CODING_ZSTD, "\x28\xb5\x2f\xfd\xff a reserved bit is set"},
	};
	struct decoder *decoder = decoder_create(rows[_i].coding);
	struct slice input = slice_of(rows[_i].bytes);
	struct slice none = {NULL, 0};
	AUTO_BUFFER out = {0};

	ck_assert_int_eq(unpack(decoder, &input, 1, 64, &out), ERR_CORRUPT);
	ck_assert_int_eq(unpack(decoder, &input, 1, 64, &out), ERR_CORRUPT);
	ck_assert_int_eq(unpack(decoder, &none, 1, 64, &out), ERR_CORRUPT);
	ck_assert(!decoder_is_at_end(decoder));
	ck_assert(!decoder_is_at_begin(decoder));
	decoder_reset(decoder);
	ASSERT_OK(unpack(decoder, &none, 1, 64, &out));
	ck_assert(decoder_is_at_begin(decoder));
	decoder_destroy(decoder);
}

TEST_LOOP(empty_members_are_members, 0, 5)
{
	static const struct {
		enum coding coding;
		struct slice bytes;
	} rows[] = {
		/* gzip and zlib of nothing; a fixed block of only its end */
		{CODING_GZIP,
		 {"\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0"
		  "\0\0\0\0\0\0\0\0",
		  20}},
		{CODING_DEFLATE, {"\x78\x9c\x03\0\0\0\0\x01", 8}},
		{CODING_DEFLATE, {"\x03\0", 2}},
		/* RFC 7932, section 9.2: WBITS 16, ISLAST, ISLASTEMPTY */
		{CODING_BROTLI, {"\x06", 1}},
		/* no checksum, window of 1 KB, one raw last block of nothing */
		{CODING_ZSTD, {"\x28\xb5\x2f\xfd\0\0\x01\0\0", 9}},
	};
	AUTO_BUFFER out = {0};

	ASSERT_OK(unpack_all(rows[_i].coding, rows[_i].bytes, &out));
	ck_assert_uint_eq(out.size, 0);
}

TEST(bytes_without_coding_pass)
{
	struct decoder *decoder = decoder_create(CODING_NONE);
	struct slice input = BYTES("any\0bytes");
	AUTO_BUFFER out = {0};

	ASSERT_OK(unpack(decoder, &input, 4, 3, &out));
	ck_assert_uint_eq(out.size, 9);
	ck_assert_mem_eq(out.data, "any\0bytes", 9);
	ck_assert(!decoder_is_at_end(decoder));
	decoder_destroy(decoder);
}

static void check_skipping(size_t piece)
{
	struct decoder *decoder = decoder_create(CODING_ZSTD);
	struct slice input =
		BYTES(SKIPPABLE SKIPPABLE_EMPTY ZSTD_FRAME SKIPPABLE);
	AUTO_BUFFER out = {0};

	ASSERT_OK(unpack(decoder, &input, piece, 64, &out));
	ck_assert(is_text(&out, HELLO));
	ck_assert(decoder_is_at_end(decoder));
	ck_assert_uint_eq(input.size, sizeof(SKIPPABLE) - 1);
	decoder_reset(decoder);
	ck_assert_uint_eq(unpack_on(decoder, &input, &out), 0);
	ck_assert(!decoder_is_at_end(decoder));
	ck_assert(decoder_is_at_begin(decoder));
	decoder_destroy(decoder);
}

TEST(skippable_frames_are_skipped)
{
	for (size_t piece = 1; piece < 60; piece++)
		check_skipping(piece);
}

TEST(a_frame_begins_after_a_skippable_one)
{
	struct decoder *decoder = decoder_create(CODING_ZSTD);
	struct slice input = BYTES(SKIPPABLE_EMPTY);
	AUTO_BUFFER out = {0};

	ck_assert_uint_eq(unpack_on(decoder, &input, &out), 0);
	ck_assert(decoder_is_at_begin(decoder));
	decoder_destroy(decoder);
}

TEST(a_skippable_frame_cut_short_is_neither_begin_nor_end)
{
	struct decoder *decoder = decoder_create(CODING_ZSTD);
	struct slice input = BYTES("\x50\x2a\x4d\x18\xff\xff\xff\xff"
				   "ab");
	AUTO_BUFFER out = {0};

	ASSERT_OK(unpack(decoder, &input, 3, 64, &out));
	ck_assert(!decoder_is_at_end(decoder));
	ck_assert(!decoder_is_at_begin(decoder));
	decoder_destroy(decoder);
}

/* RFC 8878, section 3.1.1.1.2: the exponent is in the upper five bits of the
 * window's byte, 13 + 10 is 8 MB. One raw block of five bytes follows. */
TEST(a_window_over_8_mb_is_refused)
{
	struct slice most = BYTES("\x28\xb5\x2f\xfd\0\x68\x29\0\0hello");
	struct slice over = BYTES("\x28\xb5\x2f\xfd\0\x69\x29\0\0hello");
	AUTO_BUFFER out = {0};

	ck_assert_int_eq(unpack_all(CODING_ZSTD, over, &out), ERR_CORRUPT);
	ck_assert_uint_eq(out.size, 0);
	ASSERT_OK(unpack_all(CODING_ZSTD, most, &out));
	ck_assert(is_text(&out, "hello"));
}

/* A sound frame with its size: with the whole frame, zstd would decompress it
 * without allocating the window. */
TEST(a_window_over_8_mb_is_refused_of_a_whole_frame_too)
{
	size_t size = (size_t)16 << 20;
	AUTO_TEXT *zeros = calloc(size, 1);
	char packed[4096];
	ZSTD_CCtx *context = ZSTD_createCCtx();
	struct decoder *decoder = decoder_create(CODING_ZSTD);
	struct slice input = {packed, 0};
	size_t done;

	ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 24);
	input.size =
		ZSTD_compress2(context, packed, sizeof(packed), zeros, size);
	ck_assert_uint_eq(ZSTD_decompress(zeros, size, packed, input.size),
			  size);
	ck_assert_int_eq(decoder_run(decoder, &input, zeros, size, &done),
			 ERR_CORRUPT);
	ZSTD_freeCCtx(context);
	decoder_destroy(decoder);
}

/* A frame of 6,477 zeros, by run length. After its magic it reads as a
 * skippable frame of 0xCA6B bytes, which exist. */
TEST(a_header_that_looks_like_a_skippable_frame_is_none)
{
	struct decoder *decoder = decoder_create(CODING_ZSTD);
	AUTO_BUFFER packed = {0};
	AUTO_BUFFER out = {0};
	struct slice input;

	buffer_append(&packed, "\x28\xb5\x2f\xfd\x50\x2a\x4d\x18\x6b\xca\0\0",
		      12);
	for (int i = 0; i < 60000; i++)
		buffer_append_byte(&packed, 'x');
	input = buffer_slice(&packed);
	ASSERT_OK(unpack(decoder, &input, SIZE_MAX, 8000, &out));
	ck_assert_uint_eq(out.size, 6477);
	ck_assert_uint_eq(input.size, 60000);
	decoder_destroy(decoder);
}

static struct buffer pack_with(struct slice dictionary, struct slice text)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	struct buffer packed = {0};
	size_t room = ZSTD_compressBound(text.size);

	packed.size = ZSTD_compress_usingDict(
		context, buffer_reserve(&packed, room), room, text.data,
		text.size, dictionary.data, dictionary.size, 3);
	ck_assert(!ZSTD_isError(packed.size));
	ZSTD_freeCCtx(context);
	return packed;
}

TEST(a_dictionary_stays_for_the_frames_to_come)
{
	struct slice dictionary = slice_of("WARC/1.0 WARC-Type: response "
					   "Content-Length: 1234567 ");
	const char *text = "WARC-Type: response Content-Length: 12";
	AUTO_BUFFER packed = pack_with(dictionary, slice_of(text));
	struct decoder *decoder = decoder_create(CODING_ZSTD);
	AUTO_BUFFER out = {0};

	ck_assert_uint_lt(packed.size, strlen(text));
	ck_assert(decoder_set_dictionary(decoder, dictionary));
	for (int i = 0; i < 3; i++) {
		struct slice input = buffer_slice(&packed);

		buffer_clear(&out);
		unpack_on(decoder, &input, &out);
		ck_assert(is_text(&out, text));
		decoder_reset(decoder);
	}
	decoder_destroy(decoder);
}

TEST(an_empty_dictionary_takes_it_away)
{
	struct slice dictionary = slice_of("WARC/1.0 WARC-Type: response "
					   "Content-Length: 1234567 ");
	struct slice text = slice_of("WARC-Type: response Content-Length: 12");
	AUTO_BUFFER packed = pack_with(dictionary, text);
	struct decoder *decoder = decoder_create(CODING_ZSTD);
	struct slice input = buffer_slice(&packed);
	AUTO_BUFFER out = {0};

	ck_assert_uint_lt(packed.size, text.size);
	ck_assert(decoder_set_dictionary(decoder, dictionary));
	ck_assert(decoder_set_dictionary(decoder, slice_of("")));
	ck_assert_int_eq(unpack(decoder, &input, 9, 8, &out), ERR_CORRUPT);
	decoder_destroy(decoder);
}

TEST(a_damaged_dictionary_is_none)
{
	/* RFC 8878, section 5: the magic of a trained one, without tables */
	struct slice damaged = BYTES("\x37\xa4\x30\xec\x01\0\0\0\xff\xff\xff");
	struct decoder *decoder = decoder_create(CODING_ZSTD);
	struct decoder *gzip = decoder_create(CODING_GZIP);
	struct slice input = ZSTD;
	AUTO_BUFFER out = {0};

	ck_assert(!decoder_set_dictionary(decoder, damaged));
	ASSERT_OK(unpack(decoder, &input, 64, 64, &out));
	ck_assert(is_text(&out, HELLO));
	ck_assert(!decoder_set_dictionary(gzip, slice_of("hello")));
	decoder_destroy(decoder);
	decoder_destroy(gzip);
}

/* 100 MB of zeros are 97 KB of gzip; it comes out 4 KB at a time. */
TEST(a_bomb_comes_out_piece_by_piece)
{
	enum { MEGABYTES = 100 };
	static char zeros[1 << 20];
	static char packed[1 << 18];
	static char out[4096];
	z_stream zlib = {.next_out = (Bytef *)packed,
			 .avail_out = sizeof(packed)};
	struct decoder *decoder = decoder_create(CODING_GZIP);
	size_t total = 0;
	struct slice input;

	ck_assert_int_eq(deflateInit2(&zlib, 9, Z_DEFLATED, 15 + 16, 8, 0),
			 Z_OK);
	for (int i = 0; i < MEGABYTES; i++) {
		zlib.next_in = (Bytef *)zeros;
		zlib.avail_in = sizeof(zeros);
		deflate(&zlib, i == MEGABYTES - 1 ? Z_FINISH : Z_NO_FLUSH);
	}
	input = (struct slice){packed, sizeof(packed) - zlib.avail_out};
	deflateEnd(&zlib);
	while (!decoder_is_at_end(decoder)) {
		size_t size;

		ASSERT_OK(
			decoder_run(decoder, &input, out, sizeof(out), &size));
		ck_assert_uint_gt(size, 0);
		total += size;
	}
	ck_assert_uint_eq(total, (size_t)MEGABYTES << 20);
	decoder_destroy(decoder);
}

TEST(first_bytes_tell_gzip_and_zstd)
{
	ck_assert_int_eq(coding_of_bytes(GZIP), CODING_GZIP);
	ck_assert_int_eq(coding_of_bytes(ZSTD), CODING_ZSTD);
	ck_assert_int_eq(coding_of_bytes(BYTES(SKIPPABLE)), CODING_ZSTD);
	ck_assert_int_eq(coding_of_bytes(BYTES(SKIPPABLE_EMPTY)), CODING_ZSTD);
	ck_assert_int_eq(coding_of_bytes(ZLIB), CODING_NONE);
	ck_assert_int_eq(coding_of_bytes(slice_of("WARC/1.0")), CODING_NONE);
	ck_assert_int_eq(coding_of_bytes(slice_of("\x1f")), CODING_NONE);
	ck_assert_int_eq(coding_of_bytes(slice_of("\x28\xb5\x2f")),
			 CODING_NONE);
	ck_assert_int_eq(coding_of_bytes(slice_of(NULL)), CODING_NONE);
}

TEST(names_are_in_any_case_and_one_at_a_time)
{
	static const struct {
		const char *name;
		int coding; /* -1: not a coding of ours */
	} rows[] = {
		{"", CODING_NONE},       {"identity", CODING_NONE},
		{"gzip", CODING_GZIP},   {"GZip", CODING_GZIP},
		{"x-gzip", CODING_GZIP}, {"deflate", CODING_DEFLATE},
		{"br", CODING_BROTLI},   {"zstd", CODING_ZSTD},
		{"gzip, br", -1},        {"gzi", -1},
		{"gzipp", -1},           {"compress", -1},
	};
	enum coding coding = CODING_NONE;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		bool is_known = coding_of_name(slice_of(rows[i].name), &coding);

		ck_assert_int_eq(is_known, rows[i].coding >= 0);
		if (is_known)
			ck_assert_int_eq((int)coding, rows[i].coding);
	}
	ck_assert(coding_of_name(slice_of(NULL), &coding));
	ck_assert_int_eq(coding, CODING_NONE);
}
