#include "store/content.h"

#include "base/compress.h"
#include "base/memory.h"
#include "store/key.h"
#include "store/rows.h"
#include "store/store.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

/* Bytes that only the dictionary makes small. */
enum { SITE = 1, PAGE = 7, NOISE_BYTES = 5000 };

static struct scratch scratch;
static struct store *store;
static struct txn txn;
static char noise[NOISE_BYTES];
static uint32_t dictionary;

static void put_dictionary(struct slice bodies, uint32_t body_bytes)
{
	AUTO_BUFFER packed = {0};
	struct dictionary_row row = {.cluster = 3, .body_bytes = body_bytes};

	compress_well(bodies, &packed);
	row.bodies = buffer_slice(&packed);
	row.records = row.bodies;
	row.record_bytes = body_bytes;
	dictionary = (uint32_t)store_next_number(&txn, "dictionary");
	dictionary_row_put(&txn, SITE, dictionary, &row);
}

static void set_up(void)
{
	uint64_t seed = 11;

	scratch_make(&scratch);
	store = scratch_store(&scratch);
	txn = txn_begin_write(store);
	for (size_t i = 0; i < NOISE_BYTES; i++)
		noise[i] = (char)scratch_random(&seed);
	noise[0] = '\n';
	put_dictionary((struct slice){noise, NOISE_BYTES}, NOISE_BYTES);
}

static void tear_down(void)
{
	txn_abort(&txn);
	store_close(store);
	scratch_remove(&scratch, NULL);
}

static struct buffer pack(struct slice data, uint32_t by)
{
	struct packer *packer = packer_create(
		by == 0 ? slice_of("") : (struct slice){noise, NOISE_BYTES},
		LEVEL_SHORT);
	struct buffer value = {0};

	content_pack(packer, by, data, &value);
	packer_destroy(packer);
	return value;
}

static enum error unpack(enum table table, struct slice value, size_t max,
			 struct buffer *out)
{
	buffer_clear(out);
	return content_unpack(&txn, (struct content_source){table, SITE}, value,
			      max, out);
}

FIXTURE(.setup = set_up, .teardown = tear_down);

/* 4,000 bytes of the dictionary and its number: a match costs some bytes. */
TEST(what_the_dictionary_has_costs_next_to_nothing)
{
	struct slice data = {noise + 900, 4000};
	AUTO_BUFFER value = pack(data, dictionary);
	AUTO_BUFFER out = {0};
	uint32_t by = 0;

	ck_assert_uint_lt(value.size, 64);
	ck_assert(content_is_packed(buffer_slice(&value), &by));
	ck_assert_uint_eq(by, dictionary);
	ASSERT_OK(unpack(TABLE_BODIES, buffer_slice(&value), 4000, &out));
	ck_assert(slice_equal(buffer_slice(&out), data));
}

/* Nodes of a cluster count separately: a number belongs to one site. */
TEST(two_sites_may_have_dictionaries_of_one_number)
{
	struct slice data = {noise + 900, 1000};
	AUTO_BUFFER value = pack(data, dictionary);
	struct content_source other = {TABLE_BODIES, SITE + 1};
	AUTO_BUFFER packed = {0};
	AUTO_BUFFER out = {0};
	struct dictionary_row row = {.cluster = 3, .body_bytes = 3};

	compress_well(slice_of("abc"), &packed);
	row.bodies = buffer_slice(&packed);
	row.records = row.bodies;
	row.record_bytes = 3;
	dictionary_row_put(&txn, SITE + 1, dictionary, &row);
	ASSERT_OK(txn_end(&txn));
	txn = txn_begin_read(store);
	/* the other one is read first, and kept */
	ck_assert_int_ne(
		content_unpack(&txn, other, buffer_slice(&value), 1000, &out),
		ERR_NONE);
	ASSERT_OK(unpack(TABLE_BODIES, buffer_slice(&value), 1000, &out));
	ck_assert(slice_equal(buffer_slice(&out), data));
}

TEST(without_a_dictionary_it_is_one_frame)
{
	AUTO_BUFFER value = pack(slice_of("abc"), 0);
	AUTO_BUFFER out = {0};
	uint32_t by = 9;

	ck_assert(content_is_packed(buffer_slice(&value), &by));
	ck_assert_uint_eq(by, 0);
	ASSERT_OK(decompress_slice(buffer_slice(&value), 3, &out));
	ck_assert_str_eq(out.data, "abc");
}

TEST(more_than_the_limit_is_too_large)
{
	AUTO_BUFFER value =
		pack((struct slice){noise, NOISE_BYTES}, dictionary);
	AUTO_BUFFER out = {0};

	ck_assert_int_eq(unpack(TABLE_BODIES, buffer_slice(&value),
				NOISE_BYTES - 1, &out),
			 ERR_TOO_LARGE);
	ck_assert_uint_eq(out.size, 0);
}

TEST(a_missing_dictionary_is_corrupt)
{
	AUTO_BUFFER value = pack(slice_of("abc"), dictionary + 1);
	AUTO_BUFFER out = {0};

	ck_assert_int_eq(content_dictionary(&txn, TABLE_BODIES, SITE,
					    dictionary + 1, &out),
			 ERR_NOT_FOUND);
	ck_assert_int_eq(unpack(TABLE_BODIES, buffer_slice(&value), 3, &out),
			 ERR_CORRUPT);
}

TEST(another_dictionary_gives_no_bytes)
{
	AUTO_BUFFER value = pack((struct slice){noise, 4000}, dictionary + 1);
	AUTO_BUFFER out = {0};

	noise[NOISE_BYTES / 2] ^= 1; /* the same size, other bytes */
	put_dictionary((struct slice){noise, NOISE_BYTES}, NOISE_BYTES);
	memcpy(value.data + 1, &dictionary, sizeof(dictionary));
	ck_assert_int_eq(unpack(TABLE_BODIES, buffer_slice(&value), 4000, &out),
			 ERR_CORRUPT);
}

TEST(a_dictionary_has_the_size_that_its_row_says)
{
	AUTO_BUFFER out = {0};

	put_dictionary(slice_of("\nabc"), 3);
	ck_assert_int_eq(
		content_dictionary(&txn, TABLE_BODIES, SITE, dictionary, &out),
		ERR_CORRUPT);
}

/* zstd would read it as one that was trained. */
TEST(a_dictionary_of_another_kind_is_corrupt)
{
	AUTO_BUFFER bytes = {0};

	noise[0] = '7';
	put_dictionary((struct slice){noise, NOISE_BYTES}, NOISE_BYTES);
	noise[0] = '\n';
	ck_assert_int_eq(content_dictionary(&txn, TABLE_BODIES, SITE,
					    dictionary, &bytes),
			 ERR_CORRUPT);
	ck_assert_int_eq(content_dictionary(&txn, TABLE_RECORDS, SITE,
					    dictionary, &bytes),
			 ERR_CORRUPT);
}

TEST(a_dictionary_has_a_limit)
{
	AUTO_TEXT *large = calloc(1, DICTIONARY_MAX_BYTES + 1);
	AUTO_BUFFER out = {0};

	put_dictionary((struct slice){large, DICTIONARY_MAX_BYTES},
		       DICTIONARY_MAX_BYTES);
	ASSERT_OK(content_dictionary(&txn, TABLE_RECORDS, SITE, dictionary,
				     &out));
	put_dictionary((struct slice){large, DICTIONARY_MAX_BYTES + 1},
		       DICTIONARY_MAX_BYTES + 1);
	ck_assert_int_eq(
		content_dictionary(&txn, TABLE_RECORDS, SITE, dictionary, &out),
		ERR_CORRUPT);
}

/* A record of more than CONTENT_MAX_RECORD_BYTES is not compressed. */
TEST(a_record_may_stand_as_it_is)
{
	struct record record = {.content_hash = 5};
	AUTO_BUFFER bytes = {0};
	AUTO_BUFFER out = {0};
	struct key key = key_page(SITE, PAGE);

	record_encode(&record, NULL, &bytes);
	txn_put(&txn, TABLE_RECORDS, key_slice(&key), buffer_slice(&bytes));
	ASSERT_OK(content_record(&txn, SITE, PAGE, &out, &record));
	ck_assert_uint_eq(record.content_hash, 5);
	ck_assert_int_eq(content_record(&txn, SITE, PAGE + 1, &out, &record),
			 ERR_NOT_FOUND);
	ck_assert_int_eq(unpack(TABLE_BODIES, buffer_slice(&bytes), 1000, &out),
			 ERR_CORRUPT); /* no body does */
}

TEST(a_record_by_a_dictionary_is_the_same)
{
	struct record record = {.content_hash = 6};
	AUTO_BUFFER bytes = {0};
	AUTO_BUFFER value;
	struct buffer out = {0};

	record_encode(&record, NULL, &bytes);
	value = pack(buffer_slice(&bytes), dictionary);
	ASSERT_OK(content_record_open(&txn, SITE, buffer_slice(&value), &out,
				      &record));
	ck_assert_uint_eq(record.content_hash, 6);
	ck_assert(slice_equal(buffer_slice(&out), buffer_slice(&bytes)));
	buffer_free(&out);
}

TEST(a_record_that_is_slim_in_the_frame_is_the_same)
{
	struct record record = {.content_hash = 6, .title = slice_of("t")};
	struct packer *packer =
		packer_create((struct slice){noise, NOISE_BYTES}, LEVEL_SHORT);
	AUTO_BUFFER bytes = {0};
	AUTO_BUFFER value = {0};
	struct buffer out = {0};
	uint32_t by;

	record_encode(&record, NULL, &bytes);
	content_pack_record(packer, dictionary, buffer_slice(&bytes), &value);
	packer_destroy(packer);
	ck_assert_int_eq(value.data[0], 2);
	ck_assert(content_is_packed(buffer_slice(&value), &by));
	ck_assert_uint_eq(by, dictionary);
	ASSERT_OK(unpack(TABLE_RECORDS, buffer_slice(&value), 1000, &out));
	ck_assert(slice_equal(buffer_slice(&out), buffer_slice(&bytes)));
	ck_assert_int_eq(unpack(TABLE_BODIES, buffer_slice(&value), 1000, &out),
			 ERR_CORRUPT); /* no body is */
	value.data[value.size - 1] ^= 1;
	ck_assert_int_eq(
		unpack(TABLE_RECORDS, buffer_slice(&value), 1000, &out),
		ERR_CORRUPT);
	buffer_free(&out);
}

TEST(a_value_cut_short_is_corrupt)
{
	AUTO_BUFFER value = pack((struct slice){noise, 4000}, dictionary);
	AUTO_BUFFER out = {0};

	for (size_t cut = 0; cut < value.size; cut++)
		ck_assert_int_eq(unpack(TABLE_RECORDS,
					(struct slice){value.data, cut}, 4000,
					&out),
				 ERR_CORRUPT);
}

static void check_own(struct slice value, uint32_t number, struct buffer *out)
{
	char own[8];

	ASSERT_OK(unpack(TABLE_BODIES, value, 100, out));
	snprintf(own, sizeof(own), "\n%u", number);
	ck_assert_str_eq(out->data, own);
}

/* Two more than the cache has room for, by their own bytes each, twice. */
TEST(a_reader_reads_by_many_dictionaries)
{
	enum { MANY = 18 };
	struct buffer values[MANY];
	AUTO_BUFFER out = {0};

	for (uint32_t i = 0; i < MANY; i++) {
		char own[8];

		snprintf(noise, sizeof(own), "\n%u", i);
		put_dictionary((struct slice){noise, NOISE_BYTES}, NOISE_BYTES);
		values[i] = pack((struct slice){noise, 100}, dictionary);
	}
	ASSERT_OK(txn_end(&txn));
	txn = txn_begin_read(store);
	for (uint32_t i = 0; i < 2 * MANY; i++)
		check_own(buffer_slice(&values[i % MANY]), i % MANY, &out);
	for (uint32_t i = 0; i < MANY; i++)
		buffer_free(&values[i]);
}

TEST(an_absent_body_is_not_found)
{
	struct buffer out = {0};

	ck_assert_int_eq(content_body(&txn, SITE, PAGE, 10, &out),
			 ERR_NOT_FOUND);
}

/*
 * Divided values. For pages of 4,096 bytes: 4,072 bytes fill a page, and up to
 * 1,984 more bytes are in the head.
 */

enum { LARGE = 80000 };

static char *large_value(void)
{
	char *bytes = mem_alloc(LARGE, 1);
	uint64_t seed = 12;

	for (size_t i = 0; i < LARGE; i++)
		bytes[i] = (char)scratch_random(&seed);
	bytes[0] = 1;
	return bytes;
}

static const struct size_case {
	size_t size;
	uint64_t pieces;
} size_cases[] = {
	{0, 0},     {1, 0},     {1984, 0},  {4071, 0},  {4072, 0},
	{4073, 1},  {6056, 1},  {6057, 0},  {8168, 0},  {8169, 1},
	{10152, 1}, {10153, 0}, {65512, 0}, {65513, 1}, {65536, 1},
};

static const enum table divisible[] = {TABLE_BODIES, TABLE_RECORDS};

static void check_value(enum table table, struct slice value, uint64_t pieces)
{
	struct key key = key_page(SITE, PAGE);
	AUTO_BUFFER joined = {0};

	content_put(&txn, table, key_slice(&key), value);
	ck_assert(slice_equal(
		content_get(&txn, table, key_slice(&key), &joined), value));
	ck_assert_uint_eq(content_size(txn_get(&txn, table, key_slice(&key))),
			  value.size);
	ck_assert_uint_eq(txn_usage(&txn, content_pieces_of(table)).rows,
			  pieces);
}

/* A small value replaces a large one, and a large one a small one. */
TEST_ROWS(a_value_of_any_size_is_read_as_it_was, divisible)
{
	enum { CASES = sizeof(size_cases) / sizeof(size_cases[0]) };
	char *bytes = large_value();

	for (size_t i = 0; i < (size_t)CASES * CASES; i++) {
		const struct size_case *one =
			&size_cases[i % 2 == 0 ? i / 2 % CASES : i % CASES];

		check_value(divisible[_i], (struct slice){bytes, one->size},
			    one->pieces);
	}
	content_delete(&txn, divisible[_i], KEY(key_page(SITE, PAGE)));
	ck_assert_uint_eq(txn_usage(&txn, divisible[_i]).rows, 0);
	free(bytes);
}

/* Put a body of 5,000 random bytes. Its piece has 4,072 bytes. */
static struct key put_divided(struct buffer *value)
{
	struct key key = key_page(SITE, PAGE);

	*value = pack((struct slice){noise, NOISE_BYTES}, 0);
	content_put(&txn, TABLE_BODIES, key_slice(&key), buffer_slice(value));
	ck_assert_uint_eq(txn_usage(&txn, TABLE_BODY_PIECES).rows, 1);
	return key;
}

TEST(a_divided_body_is_read)
{
	AUTO_BUFFER value = {0};
	AUTO_BUFFER out = {0};
	uint32_t by;

	put_divided(&value);
	ASSERT_OK(content_body(&txn, SITE, PAGE, NOISE_BYTES, &out));
	ck_assert(slice_equal(buffer_slice(&out),
			      (struct slice){noise, NOISE_BYTES}));
	buffer_clear(&out);
	ASSERT_OK(content_body_frame(&txn, SITE, PAGE, &out, &by));
	ck_assert(slice_equal(buffer_slice(&out), buffer_slice(&value)));
	ck_assert_uint_eq(by, 0);
}

static void expect_corrupt(void)
{
	AUTO_BUFFER out = {0};
	uint32_t by;

	ck_assert_int_eq(content_body(&txn, SITE, PAGE, NOISE_BYTES, &out),
			 ERR_CORRUPT);
	ck_assert_int_eq(content_body_frame(&txn, SITE, PAGE, &out, &by),
			 ERR_CORRUPT);
	ck_assert_uint_eq(out.size, 0);
}

TEST(a_missing_piece_is_corrupt)
{
	AUTO_BUFFER value = {0};
	struct key key = put_divided(&value);

	txn_delete(&txn, TABLE_BODY_PIECES, KEY(key_piece(key_slice(&key), 1)));
	expect_corrupt();
}

TEST_LOOP(a_piece_of_another_size_is_corrupt, 4071, 4074)
{
	AUTO_BUFFER value = {0};
	struct key key = put_divided(&value);

	if (_i == 4072)
		return;
	txn_put(&txn, TABLE_BODY_PIECES, KEY(key_piece(key_slice(&key), 1)),
		(struct slice){value.data, (size_t)_i});
	expect_corrupt();
}

/* The piece of another page has the same size. */
TEST(a_wrong_piece_is_corrupt)
{
	AUTO_BUFFER value = {0};
	AUTO_BUFFER out = {0};
	struct key key = put_divided(&value);

	txn_put(&txn, TABLE_BODY_PIECES, KEY(key_piece(key_slice(&key), 1)),
		(struct slice){noise, 4072});
	ck_assert_int_ne(content_body(&txn, SITE, PAGE, NOISE_BYTES, &out),
			 ERR_NONE);
}

TEST(a_head_cut_short_is_corrupt)
{
	AUTO_BUFFER value = {0};
	AUTO_BUFFER head = {0};
	struct key key = put_divided(&value);

	buffer_append_slice(&head,
			    txn_get(&txn, TABLE_BODIES, key_slice(&key)));
	while (head.size > 0) {
		head.size--;
		txn_put(&txn, TABLE_BODIES, key_slice(&key),
			buffer_slice(&head));
		expect_corrupt();
	}
}

/* Bytes 2 to 5 of a head are the size of the value, byte 1 is the count. */
TEST_LOOP(a_head_with_a_wrong_number_is_corrupt, 1, 6)
{
	AUTO_BUFFER value = {0};
	AUTO_BUFFER head = {0};
	struct key key = put_divided(&value);
	char right;

	buffer_append_slice(&head,
			    txn_get(&txn, TABLE_BODIES, key_slice(&key)));
	right = head.data[_i];
	for (unsigned byte = 0; byte < 256; byte += 5) {
		if (right == (char)byte)
			continue;
		head.data[_i] = (char)byte;
		txn_put(&txn, TABLE_BODIES, key_slice(&key),
			buffer_slice(&head));
		expect_corrupt();
	}
}

/* Three pieces of 1,329 bytes fill a page. */
TEST(fine_pieces_are_a_third_of_a_page)
{
	struct content_division one = content_divide_finely(1328, 4096);

	ck_assert_uint_eq(one.count, 0);
	one = content_divide_finely(1329, 4096);
	ck_assert_uint_eq(one.count, 1);
	ck_assert_uint_eq(one.piece_bytes, 1329);
	one = content_divide_finely(65536, 4096);
	ck_assert_uint_eq(one.count, 49);
	one = content_divide_finely(65537, 4096);
	ck_assert_uint_eq(one.count, 1);
	ck_assert_uint_eq(one.piece_bytes, 65512);
}
