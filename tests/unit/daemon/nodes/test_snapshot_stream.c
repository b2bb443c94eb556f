#include "daemon/nodes/snapshot.h"

#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

enum { MAX_CHUNKS = 64, LARGE_BYTES = 3000000 };

/* What is written, and what was read again. */
static struct buffer chunks[MAX_CHUNKS];
static size_t count;
static size_t given;
static size_t taken;
static bool differs;
static enum error answer;

static const struct snapshot_head head = {
	.schema = 1,
	.partition = 17,
	.epoch = 5,
	.number = UINT64_C(12345678901),
	.entry = UINT64_C(0xfedcba9876543210),
	.time_ms = UINT64_C(1700000000000),
};

static void setup(void)
{
	count = given = taken = 0;
	answer = ERR_NONE;
}

static void teardown(void)
{
	for (size_t i = 0; i < MAX_CHUNKS; i++)
		buffer_free(&chunks[i]);
}

/* A chunk of bytes that zstd cannot shrink. */
static void add_chunk(size_t size, uint64_t seed)
{
	struct buffer *chunk = &chunks[count++];

	while (chunk->size < size) {
		uint64_t number = scratch_random(&seed);
		size_t left = size - chunk->size;

		buffer_append(chunk, &number, left < 8 ? left : 8);
	}
}

static enum error give(void *context, struct buffer *chunk)
{
	(void)context;
	buffer_clear(chunk);
	if (given < count)
		buffer_append_slice(chunk, buffer_slice(&chunks[given++]));
	return answer;
}

/* The writer sets magic, version and hash. */
static void check_head(const struct snapshot_head *its)
{
	ck_assert_mem_eq(&its->schema, &head.schema,
			 offsetof(struct snapshot_head, hash) -
				 offsetof(struct snapshot_head, schema));
}

static enum error take(void *context, const struct snapshot_head *its,
		       struct slice chunk)
{
	(void)context;
	check_head(its);
	differs = differs || taken >= count ||
		  !slice_equal(chunk, buffer_slice(&chunks[taken]));
	taken++;
	return answer;
}

/* The snapshot of the chunks, read in steps of `step` bytes. */
static struct buffer written(size_t step)
{
	struct snapshot_writer *writer =
		snapshot_writer_create(&head, give, NULL);
	struct buffer all = {0};
	size_t size;

	do {
		char *room = buffer_reserve(&all, step);

		ASSERT_OK(snapshot_pack(writer, room, step, &size));
		all.size += size;
	} while (size > 0);
	snapshot_writer_destroy(writer);
	return all;
}

/* Read it by `step` bytes. */
static enum error read_all(struct slice bytes, size_t step)
{
	struct snapshot_reader *reader = snapshot_reader_create(take, NULL);
	enum error error = ERR_NONE;
	struct snapshot_head its;

	taken = 0;
	differs = false;
	for (size_t at = 0; at < bytes.size && error == ERR_NONE; at += step) {
		size_t left = bytes.size - at;

		error = snapshot_unpack(
			reader, (struct slice){(const char *)bytes.data + at,
					       left < step ? left : step});
	}
	if (error == ERR_NONE)
		error = snapshot_unpack_end(reader, &its);
	if (error == ERR_NONE)
		check_head(&its);
	snapshot_reader_destroy(reader);
	return error;
}

static void expect_same(size_t step)
{
	AUTO_BUFFER all = written(step);

	ASSERT_OK(read_all(buffer_slice(&all), step));
	ck_assert_uint_eq(taken, count);
	ck_assert(!differs);
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_snapshot_of_nothing_is_one)
{
	expect_same(1);
	expect_same(65536);
}

TEST(what_is_written_is_read_in_any_steps)
{
	add_chunk(1, 1);
	add_chunk(LARGE_BYTES, 2);
	add_chunk(5, 3);
	expect_same(262144);
	given = 0;
	expect_same(977);
}

TEST(zeros_take_no_room_and_come_back)
{
	AUTO_BUFFER all;

	memset(buffer_reserve(&chunks[0], LARGE_BYTES), 0, LARGE_BYTES);
	chunks[0].size = LARGE_BYTES;
	count = 1;
	all = written(65536);
	ck_assert_uint_lt(all.size, 1000);
	ASSERT_OK(read_all(buffer_slice(&all), 7));
}

TEST(each_cut_and_each_flipped_bit_is_found)
{
	AUTO_BUFFER all;

	add_chunk(40, 1);
	add_chunk(3, 2);
	all = written(64);
	for (size_t i = 0; i < all.size; i++)
		ck_assert_int_eq(read_all((struct slice){all.data, i}, 64),
				 ERR_CORRUPT);
	for (size_t bit = 0; bit < 8 * all.size; bit++) {
		char whole = all.data[bit / 8];
		enum error error;

		all.data[bit / 8] = (char)(whole ^ 1 << bit % 8);
		error = read_all(buffer_slice(&all), 64);
		/* some bits of zstd's header are of no matter */
		ck_assert(error == ERR_CORRUPT || error == ERR_VERSION ||
			  (error == ERR_NONE && !differs));
		all.data[bit / 8] = whole;
	}
	buffer_append_byte(&all, 'x');
	ck_assert_int_eq(read_all(buffer_slice(&all), 64), ERR_CORRUPT);
}

TEST(errors_of_both_ends_are_given_back)
{
	struct snapshot_writer *writer =
		snapshot_writer_create(&head, give, NULL);
	char room[256];
	AUTO_BUFFER all;
	size_t size;

	add_chunk(1, 1);
	answer = ERR_BODY_EXPIRED;
	ck_assert_int_eq(snapshot_pack(writer, room, sizeof(room), &size),
			 ERR_BODY_EXPIRED);
	snapshot_writer_destroy(writer);
	answer = ERR_NONE;
	given = 0;
	all = written(64);
	answer = ERR_STORE_FULL;
	ck_assert_int_eq(read_all(buffer_slice(&all), 64), ERR_STORE_FULL);
}
