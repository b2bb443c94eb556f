#include "store/record.h"

#include "base/memory.h"
#include "store/rows.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

static const uint64_t paths[] = {1, 2, UINT64_MAX};
static const uint64_t shingles[] = {5};
static const uint64_t classes[] = {6, 7};
static const struct record_fragment fragments[] = {
	{.hash = 3, .length = 4, .flags = 1},
	{.hash = 9, .length = 40, .flags = 0},
};
static const struct record_link links[] = {
	{.url = {"http://a.example/1", 18},
	 .anchor = {"one", 3},
	 .flags = 2,
	 .path = UINT64_MAX - 6},
	{.url = {"http://a.example/2", 18}, .anchor = {"", 0}, .flags = 0},
};

static const struct record sample = {
	.content_hash = 11,
	.flags = RECORD_IS_NOFOLLOW,
	.text_count = 12,
	.node_count = 13,
	.title = {"A title", 7},
	.language = {"en", 2},
	.description = {"What it is", 10},
	.signatures = {paths, NULL, shingles, NULL, classes},
	.signature_counts = {3, 0, 1, 0, 2},
	.fragments = fragments,
	.fragment_count = 2,
	.link_count = 2,
};

static struct buffer encode(const struct record *record)
{
	struct buffer out = {0};

	record_encode(record, links, &out);
	return out;
}

/* The record points into memory of the arena. */
static struct record open_sample(void)
{
	struct buffer bytes = encode(&sample);
	struct record record;

	arena_adopt(test_arena, bytes.data, bytes.size);
	ck_assert_uint_eq(bytes.size % 8, 0);
	ASSERT_OK(record_open(buffer_slice(&bytes), &record));
	return record;
}

TEST(numbers_and_texts_are_read_back)
{
	struct record record = open_sample();

	ck_assert_uint_eq(record.content_hash, 11);
	ck_assert_uint_eq(record.flags, RECORD_IS_NOFOLLOW);
	ck_assert_uint_eq(record.text_count, 12);
	ck_assert_uint_eq(record.node_count, 13);
	ck_assert(slice_equal(record.title, sample.title));
	ck_assert(slice_equal(record.language, sample.language));
	ck_assert(slice_equal(record.description, sample.description));
}

TEST(signatures_and_fragments_are_read_back)
{
	struct record record = open_sample();

	ck_assert_mem_eq(record.signature_counts, sample.signature_counts,
			 sizeof(sample.signature_counts));
	ck_assert_mem_eq(record.signatures[0], paths, sizeof(paths));
	ck_assert_uint_eq(record.signatures[2][0], 5);
	ck_assert_mem_eq(record.signatures[4], classes, sizeof(classes));
	ck_assert_uint_eq(record.fragment_count, 2);
	ck_assert_mem_eq(record.fragments, fragments, sizeof(fragments));
}

TEST(links_are_read_back)
{
	struct record record = open_sample();

	ck_assert_uint_eq(record.link_count, 2);
	for (uint32_t i = 0; i < 2; i++) {
		struct record_link link = record_link_at(&record, i);

		ck_assert(slice_equal(link.url, links[i].url));
		ck_assert(slice_equal(link.anchor, links[i].anchor));
		ck_assert_uint_eq(link.flags, links[i].flags);
		ck_assert_uint_eq(link.path, links[i].path);
	}
}

TEST(an_empty_record_is_one)
{
	AUTO_BUFFER bytes = {0};
	struct record record = {0};

	record_encode(&record, NULL, &bytes);
	ASSERT_OK(record_open(buffer_slice(&bytes), &record));
	ck_assert_uint_eq(record.link_count, 0);
	ck_assert_uint_eq(record.fragment_count, 0);
	ck_assert_uint_eq(record.title.size, 0);
}

TEST(equal_records_have_equal_bytes)
{
	AUTO_BUFFER a = encode(&sample);
	AUTO_BUFFER b = encode(&sample);

	ck_assert_uint_eq(a.size, b.size);
	ck_assert_mem_eq(a.data, b.data, a.size);
}

/* Whether a record that differs from the sample is told from it. */
static bool is_told(const struct record *other)
{
	AUTO_BUFFER a = encode(&sample);
	AUTO_BUFFER b = encode(other);
	struct record left;
	struct record right;
	bool is_same;

	ASSERT_OK(record_open(buffer_slice(&a), &left));
	ASSERT_OK(record_open(buffer_slice(&b), &right));
	is_same = record_is_same(&left, &right);
	ck_assert(record_is_same(&right, &left) == is_same);
	return !is_same;
}

TEST(records_are_the_same_but_for_unknown_signatures)
{
	static const uint64_t others[] = {1, 3, UINT64_MAX};
	struct record other = sample;

	ck_assert(!is_told(&other));
	other.signature_counts[0] = 0; /* unknown */
	other.signatures[3] = paths;
	other.signature_counts[3] = 3;
	ck_assert(!is_told(&other));
	other = sample;
	other.signatures[0] = others;
	ck_assert(is_told(&other));
	other = sample;
	other.signature_counts[4] = 1;
	ck_assert(is_told(&other));
}

TEST(records_that_differ_in_any_field_are_unequal)
{
	static const struct record_fragment longer[] = {
		{.hash = 3, .length = 5, .flags = 1},
		{.hash = 9, .length = 40, .flags = 0},
	};
	struct record other = sample;

	other.content_hash++;
	ck_assert(is_told(&other));
	other = sample;
	other.flags = 0;
	ck_assert(is_told(&other));
	other = sample;
	other.title.size--;
	ck_assert(is_told(&other));
	other = sample;
	other.fragments = longer;
	ck_assert(is_told(&other));
	other = sample;
	other.fragment_count--;
	ck_assert(is_told(&other));
	other = sample;
	other.link_count--;
	ck_assert(is_told(&other));
}

TEST(a_copy_is_aligned_wherever_the_bytes_stood)
{
	AUTO_BUFFER bytes = encode(&sample);
	struct record record;
	void *copy;

	buffer_reserve(&bytes, 2);
	memmove(bytes.data + 2, bytes.data, bytes.size); /* as LMDB does */
	copy = mem_copy_text(bytes.data + 2, bytes.size);
	ck_assert_uint_eq((uintptr_t)copy % 8, 0);
	ASSERT_OK(record_open((struct slice){copy, bytes.size}, &record));
	ck_assert(slice_equal(record.title, sample.title));
	free(copy);
}

TEST(a_record_of_another_version_is_refused)
{
	AUTO_BUFFER bytes = encode(&sample);
	struct record record;

	bytes.data[4]++;
	ck_assert_int_eq(record_open(buffer_slice(&bytes), &record),
			 ERR_VERSION);
	bytes.data[4] = 1; /* without ccs and paths of links */
	ck_assert_int_eq(record_open(buffer_slice(&bytes), &record),
			 ERR_VERSION);
}

/* Open a copy whose end ASan guards. */
static enum error open_exact(const void *data, size_t size)
{
	AUTO_TEXT *copy = malloc(size == 0 ? 1 : size);
	struct record record;
	enum error error;

	ck_assert_ptr_nonnull(copy);
	if (size > 0)
		memcpy(copy, data, size);
	error = record_open((struct slice){copy, size}, &record);
	return error;
}

TEST(a_record_cut_short_or_too_long_is_corrupt)
{
	AUTO_BUFFER bytes = encode(&sample);

	for (size_t cut = 0; cut < bytes.size; cut++)
		ck_assert_int_eq(open_exact(bytes.data, cut), ERR_CORRUPT);
	ASSERT_OK(open_exact(bytes.data, bytes.size));
	buffer_append(&bytes, "12345678", 8);
	ck_assert_int_eq(open_exact(bytes.data, bytes.size), ERR_CORRUPT);
}

TEST(signatures_and_fragments_must_ascend)
{
	static const uint64_t equal[] = {1, 2, 2};
	static const struct record_fragment twice[] = {{.hash = 3},
						       {.hash = 3}};
	struct record record = sample;
	struct buffer bytes;

	record.signatures[0] = equal;
	bytes = encode(&record);
	ck_assert_int_eq(open_exact(bytes.data, bytes.size), ERR_CORRUPT);
	buffer_free(&bytes);
	record = sample;
	record.fragments = twice;
	bytes = encode(&record);
	ck_assert_int_eq(open_exact(bytes.data, bytes.size), ERR_CORRUPT);
	buffer_free(&bytes);
}

/* A worker writes it; the keeper counts pages by class. */
TEST(a_class_that_no_site_counts_is_corrupt)
{
	struct record record = sample;

	for (unsigned class = SITE_CLASSES - 1; class <= 0xFF; class ++) {
		AUTO_BUFFER bytes;

		record.flags = class << RECORD_CLASS_SHIFT;
		bytes = encode(&record);
		ck_assert_int_eq(open_exact(bytes.data, bytes.size),
				 class < SITE_CLASSES ? ERR_NONE : ERR_CORRUPT);
	}
}

/* Read all that a record leads to. */
static uint64_t sum_up(const struct record *record)
{
	const struct slice texts[] = {record->title, record->language,
				      record->description};
	uint64_t sum = 0;

	for (size_t i = 0; i < 3; i++)
		for (size_t j = 0; j < texts[i].size; j++)
			sum += ((const unsigned char *)texts[i].data)[j];
	for (int i = 0; i < RECORD_SIGNATURES; i++)
		for (uint32_t j = 0; j < record->signature_counts[i]; j++)
			sum += record->signatures[i][j];
	for (uint32_t i = 0; i < record->fragment_count; i++)
		sum += record->fragments[i].hash;
	for (uint32_t i = 0; i < record->link_count; i++) {
		struct record_link link = record_link_at(record, i);

		for (size_t j = 0; j < link.url.size; j++)
			sum += ((const unsigned char *)link.url.data)[j];
		for (size_t j = 0; j < link.anchor.size; j++)
			sum += ((const unsigned char *)link.anchor.data)[j];
	}
	return sum;
}

TEST(changed_bytes_never_lead_outside)
{
	AUTO_BUFFER bytes = encode(&sample);
	AUTO_TEXT *copy = malloc(bytes.size); /* exact, for ASan */
	uint64_t seed = 4;
	struct record record;
	uint64_t sum = 0;
	int refused = 0;

	ck_assert_ptr_nonnull(copy);
	printf("seed %llu\n", (unsigned long long)seed);
	for (int i = 0; i < 100000; i++) {
		memcpy(copy, bytes.data, bytes.size);
		for (uint64_t n = scratch_random(&seed) % 4 + 1; n > 0; n--)
			copy[scratch_random(&seed) % bytes.size] =
				(char)scratch_random(&seed);
		if (record_open((struct slice){copy, bytes.size}, &record) ==
		    ERR_NONE)
			sum += sum_up(&record);
		else
			refused++;
	}
	ck_assert_uint_gt(sum, 0);
	ck_assert_int_gt(refused, 0);
}
