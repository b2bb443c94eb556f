#include "daemon/nodes/log_append.h"

#include "tests/unit/run.h"

static const struct log_entry_head head = {
	.kind = LOG_ENTRY_ROWS,
	.partition = 17,
	.part = 1,
	.parts = 3,
	.flags = LOG_ENTRY_IS_SUMMED | LOG_ENTRY_IS_CHAINED,
	.epoch = 5,
	.before = 99,
	.chain = UINT64_C(0xfedcba9876543210),
};

TEST(an_entry_is_read_as_it_was_written)
{
	AUTO_BUFFER bytes = {0};
	AUTO_BUFFER again = {0};
	struct log_entry_head read;
	struct slice part;
	bool is_newer;

	log_entry_write(&head, slice_of("rows"), &bytes);
	ck_assert(
		log_entry_read(buffer_slice(&bytes), &read, &part, &is_newer));
	ck_assert(!log_entry_is_foreign(buffer_slice(&bytes)));
	ck_assert(slice_equal(part, slice_of("rows")));
	/* the heads are equal when their bytes are */
	log_entry_write(&read, part, &again);
	ck_assert(slice_equal(buffer_slice(&again), buffer_slice(&bytes)));
}

TEST(a_later_version_differs_from_damage)
{
	AUTO_BUFFER bytes = {0};
	struct log_entry_head read;
	struct slice part;
	bool is_newer;

	log_entry_write(&head, slice_of("rows"), &bytes);
	bytes.data[4]++; /* the format */
	ck_assert(
		!log_entry_read(buffer_slice(&bytes), &read, &part, &is_newer));
	ck_assert(is_newer);
	bytes.data[4]--;
	bytes.data[6] = 77; /* the kind */
	ck_assert(
		!log_entry_read(buffer_slice(&bytes), &read, &part, &is_newer));
	ck_assert(!is_newer);
	bytes.size = LOG_ENTRY_HEAD_BYTES - 1;
	ck_assert(
		!log_entry_read(buffer_slice(&bytes), &read, &part, &is_newer));
}

TEST(what_is_of_no_node_is_foreign)
{
	ck_assert(log_entry_is_foreign(slice_of("")));
	ck_assert(log_entry_is_foreign(slice_of("{\"seq\": 1}")));
}

TEST(an_entry_follows_by_its_chain)
{
	ck_assert(log_entry_follows(&head, 98, head.chain)); /* renumbered */
	ck_assert(!log_entry_follows(&head, 99, head.chain + 1));
	ck_assert(log_entry_follows(&head, 99, 0));
	ck_assert(!log_entry_follows(&head, 98, 0));
}

TEST(without_a_chain_the_number_counts)
{
	AUTO_BUFFER bytes = {0};
	struct log_entry_head read = head;
	struct slice part;
	bool is_newer;

	read.flags = 0;
	read.chain = 0;
	log_entry_write(&read, slice_of("rows"), &bytes);
	memset(bytes.data + LOG_ENTRY_HEAD_BYTES - 8, 7,
	       8); /* was a time once */
	ck_assert(
		log_entry_read(buffer_slice(&bytes), &read, &part, &is_newer));
	ck_assert_uint_eq(read.chain, 0);
	ck_assert(log_entry_follows(&read, 99, 1));
	ck_assert(!log_entry_follows(&read, 98, 1));
}

TEST_LOOP(parts_make_the_whole, 0, 9)
{
	char text[1000];
	size_t max = LOG_ENTRY_HEAD_BYTES + 7 + (size_t)_i;
	unsigned parts = log_entry_parts(sizeof(text), max);
	struct slice whole = {text, sizeof(text)};
	size_t size = 0;

	memset(text, 'x', sizeof(text));
	for (unsigned i = 0; i < parts; i++) {
		struct slice part = log_entry_part(whole, max, i);

		ck_assert_ptr_eq(part.data, text + size);
		ck_assert_uint_le(part.size, max - LOG_ENTRY_HEAD_BYTES);
		size += part.size;
	}
	ck_assert_uint_eq(size, sizeof(text));
	ck_assert_uint_eq(log_entry_parts(0, max), 1);
}
