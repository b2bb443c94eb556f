#include "base/decode.h"

#include "tests/unit/run.h"

/* Unpack one member off the front of `packed`. */
static struct buffer unpack(struct slice *packed)
{
	struct decoder *decoder = decoder_create(CODING_GZIP);
	struct buffer out = {0};
	size_t size = 1;

	while (size > 0 && !decoder_is_at_end(decoder)) {
		ASSERT_OK(decoder_run(decoder, packed,
				      buffer_reserve(&out, 1000), 1000, &size));
		out.size += size;
	}
	ck_assert(decoder_is_at_end(decoder));
	decoder_destroy(decoder);
	return out;
}

static void check_round(struct slice data)
{
	AUTO_BUFFER packed = {0};
	struct slice rest;
	AUTO_BUFFER plain;

	buffer_append_text(&packed, "before");
	gzip_append(data, &packed);
	rest = (struct slice){packed.data + 6, packed.size - 6};
	ck_assert_int_eq(packed.data[packed.size], '\0');
	plain = unpack(&rest);
	ck_assert_uint_eq(rest.size, 0);
	ck_assert(slice_equal(buffer_slice(&plain), data));
}

TEST(what_is_packed_comes_out_again)
{
	AUTO_TEXT *noise = malloc(300000);
	uint32_t state = 1;

	check_round((struct slice){0});
	check_round(slice_of("a"));
	for (size_t i = 0; i < 300000; i++) {
		state = state * 1664525 + 1013904223;
		noise[i] = (char)(state >> 24);
	}
	check_round((struct slice){noise, 300000});
	memset(noise, 'x', 300000);
	check_round((struct slice){noise, 300000});
}

TEST(each_call_is_a_member)
{
	AUTO_BUFFER packed = {0};
	struct slice rest;
	struct buffer plain;

	gzip_append(slice_of("one"), &packed);
	gzip_append(slice_of("two"), &packed);
	rest = buffer_slice(&packed);
	plain = unpack(&rest);
	ck_assert(slice_equal(buffer_slice(&plain), slice_of("one")));
	buffer_free(&plain);
	plain = unpack(&rest);
	ck_assert(slice_equal(buffer_slice(&plain), slice_of("two")));
	ck_assert_uint_eq(rest.size, 0);
	buffer_free(&plain);
}
