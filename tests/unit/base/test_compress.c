#include "base/compress.h"

#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

static struct buffer pack(const void *data, size_t size)
{
	struct buffer packed = {0};

	compress_slice((struct slice){data, size}, &packed);
	return packed;
}

TEST(decompressed_bytes_are_appended)
{
	AUTO_BUFFER packed = pack("a page", 6);
	AUTO_BUFFER out = {0};

	buffer_append_text(&out, "before ");
	ASSERT_OK(decompress_slice(buffer_slice(&packed), 6, &out));
	ck_assert_str_eq(out.data, "before a page");
	ck_assert_uint_eq(out.size, 13);
}

TEST(nothing_comes_back_as_nothing)
{
	AUTO_BUFFER packed = pack(NULL, 0);
	AUTO_BUFFER out = {0};

	ck_assert_uint_gt(packed.size, 0);
	ASSERT_OK(decompress_slice(buffer_slice(&packed), 0, &out));
	ck_assert_uint_eq(out.size, 0);
}

TEST(a_bomb_is_refused_before_it_is_unpacked)
{
	size_t size = (size_t)64 << 20;
	AUTO_TEXT *zeros = calloc(size, 1);
	AUTO_BUFFER packed = pack(zeros, size);
	struct buffer out = {0};

	ck_assert_uint_lt(packed.size, 1 << 16);
	ck_assert_int_eq(
		decompress_slice(buffer_slice(&packed), size - 1, &out),
		ERR_TOO_LARGE);
	ck_assert_uint_eq(out.capacity, 0);
	ASSERT_OK(decompress_slice(buffer_slice(&packed), size, &out));
	ck_assert_uint_eq(out.size, size);
	buffer_free(&out);
}

static char text[4096];

static struct buffer pack_text(void)
{
	uint64_t seed = 9;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = "<p>abcdef"[scratch_random(&seed) % 9];
	return pack(text, sizeof(text));
}

TEST(a_frame_cut_short_is_corrupt)
{
	AUTO_BUFFER packed = pack_text();
	AUTO_BUFFER out = {0};

	for (size_t cut = 0; cut < packed.size; cut++)
		ck_assert_int_eq(
			decompress_slice((struct slice){packed.data, cut},
					 1 << 20, &out),
			ERR_CORRUPT);
	ck_assert_uint_eq(out.size, 0);
}

TEST(a_malformed_frame_is_corrupt)
{
	struct buffer out = {0};

	ck_assert_int_eq(decompress_slice(slice_of("not zstd"), 1 << 20, &out),
			 ERR_CORRUPT);
	ck_assert_int_eq(
		decompress_slice((struct slice){NULL, 0}, 1 << 20, &out),
		ERR_CORRUPT);
	ck_assert_uint_eq(out.size, 0);
}

/* Whether the frame is refused with the bit `i` flipped. */
static bool is_refused(struct buffer *packed, size_t i)
{
	unsigned char *byte = (unsigned char *)packed->data + i / 8;
	AUTO_BUFFER out = {0};
	enum error error;

	*byte ^= (unsigned char)(1U << (i % 8));
	error = decompress_slice(buffer_slice(packed), 1 << 20, &out);
	*byte ^= (unsigned char)(1U << (i % 8));
	/* a few bits mean nothing; none may change the result */
	if (error == ERR_NONE)
		ck_assert_mem_eq(out.data, text, sizeof(text));
	return error != ERR_NONE;
}

TEST(a_flipped_bit_never_gives_other_bytes)
{
	AUTO_BUFFER packed = pack_text();
	size_t refused = 0;

	for (size_t i = 0; i < packed.size * 8; i++)
		refused += is_refused(&packed, i);
	ck_assert_uint_gt(refused, packed.size * 8 / 100 * 99);
}
