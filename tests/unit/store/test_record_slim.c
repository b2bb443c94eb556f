#include "store/record.h"

#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

enum { MANY = 40 };

static uint64_t hashes[MANY];
static struct record_fragment fragments[MANY];
static struct record_link links[MANY];

/* Some of everything; numbers of one byte and of five. */
static struct buffer make_sample(uint32_t count)
{
	uint64_t seed = 3;
	struct record record = {
		.content_hash = scratch_random(&seed),
		.flags = 0xFFFF0FFFU, /* of a class that there is */
		.text_count = 300,
		.title = slice_of("A title"),
		.language = slice_of("en"),
		.signatures = {hashes, NULL, hashes + count / 2, NULL, hashes},
		.signature_counts = {count, 0, count - count / 2, 0, count},
		.fragments = fragments,
		.fragment_count = count,
		.link_count = count,
	};
	struct buffer bytes = {0};

	for (uint64_t i = 0; i < MANY; i++) {
		hashes[i] = (i << 58) + scratch_random(&seed) % 1000;
		fragments[i] = (struct record_fragment){
			(i << 57) + 7, i % 3 == 0 ? UINT32_MAX : (uint32_t)i,
			i % 2};
		links[i] = (struct record_link){
			.url = slice_of("http://a.example/"),
			.anchor = slice_of(i % 2 == 0 ? "an anchor" : ""),
			.flags = (uint32_t)i,
			.path = scratch_random(&seed),
		};
	}
	record_encode(&record, links, &bytes);
	return bytes;
}

TEST(a_record_comes_back_byte_for_byte)
{
	static const uint32_t counts[] = {0, 1, MANY};

	for (size_t i = 0; i < COUNT_OF(counts); i++) {
		AUTO_BUFFER bytes = make_sample(counts[i]);
		AUTO_BUFFER slim = {0};
		struct buffer back = {0};

		ck_assert(record_pack(buffer_slice(&bytes), &slim));
		ck_assert_uint_lt(slim.size, bytes.size);
		ASSERT_OK(
			record_unpack(buffer_slice(&slim), bytes.size, &back));
		ck_assert(
			slice_equal(buffer_slice(&back), buffer_slice(&bytes)));
		buffer_free(&back);
	}
}

TEST(a_record_that_is_too_large_is_refused)
{
	AUTO_BUFFER bytes = make_sample(MANY);
	AUTO_BUFFER slim = {0};
	struct buffer back = {0};

	ck_assert(record_pack(buffer_slice(&bytes), &slim));
	ck_assert_int_eq(
		record_unpack(buffer_slice(&slim), bytes.size - 1, &back),
		ERR_TOO_LARGE);
	ck_assert_uint_eq(back.size, 0);
}

TEST(another_version_is_reported)
{
	struct buffer back = {0};

	ck_assert_int_eq(record_unpack(slice_of("\x7f"), 1000, &back),
			 ERR_VERSION);
	ck_assert_int_eq(record_unpack(slice_of(""), 1000, &back), ERR_CORRUPT);
	ck_assert_int_eq(record_unpack(slice_of("\xff"), 1000, &back),
			 ERR_CORRUPT);
}

TEST(a_string_with_a_nul_has_no_slim_form)
{
	const struct record_link link = {.url = {"a\0b", 3}};
	const struct record record = {.link_count = 1};
	AUTO_BUFFER bytes = {0};
	AUTO_BUFFER slim = {0};

	record_encode(&record, &link, &bytes);
	buffer_append_text(&slim, "before");
	ck_assert(!record_pack(buffer_slice(&bytes), &slim));
	ck_assert_uint_eq(slim.size, 6);
	ck_assert(!record_pack(slice_of("no record"), &slim));
}

TEST(a_slim_record_cut_short_or_too_long_is_corrupt)
{
	AUTO_BUFFER bytes = make_sample(3);
	AUTO_BUFFER slim = {0};
	struct buffer back = {0};

	ck_assert(record_pack(buffer_slice(&bytes), &slim));
	for (size_t size = 0; size < slim.size; size++)
		ck_assert_int_eq(record_unpack((struct slice){slim.data, size},
					       bytes.size, &back),
				 ERR_CORRUPT);
	buffer_append_byte(&slim, 0);
	ck_assert_int_eq(record_unpack(buffer_slice(&slim), bytes.size, &back),
			 ERR_CORRUPT);
	ck_assert_uint_eq(back.size, 0);
}

TEST(an_outline_comes_back)
{
	struct record record = {.outline = slice_of("an outline")};
	AUTO_BUFFER bytes = {0};
	AUTO_BUFFER slim = {0};
	AUTO_BUFFER back = {0};
	struct record other;

	record_encode(&record, NULL, &bytes);
	ASSERT_OK(record_open(buffer_slice(&bytes), &other));
	ck_assert(slice_equal(other.outline, record.outline));
	ck_assert(record_pack(buffer_slice(&bytes), &slim));
	ASSERT_OK(record_unpack(buffer_slice(&slim), bytes.size, &back));
	ck_assert(slice_equal(buffer_slice(&back), buffer_slice(&bytes)));
	slim.size--;
	ck_assert_int_eq(record_unpack(buffer_slice(&slim), bytes.size, &back),
			 ERR_CORRUPT);
}

TEST(changed_bytes_are_refused_or_read)
{
	AUTO_BUFFER bytes = make_sample(5);
	AUTO_BUFFER slim = {0};
	uint64_t seed = 21;
	size_t refused = 0;

	ck_assert(record_pack(buffer_slice(&bytes), &slim));
	for (int i = 0; i < 20000; i++) {
		size_t at = scratch_random(&seed) % slim.size;
		char before = slim.data[at];
		AUTO_BUFFER back = {0};

		slim.data[at] = (char)scratch_random(&seed);
		refused += record_unpack(buffer_slice(&slim), 1 << 20, &back) !=
			   ERR_NONE;
		slim.data[at] = before;
	}
	ck_assert_uint_gt(refused, 0);
}
