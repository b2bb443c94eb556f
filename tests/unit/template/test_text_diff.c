/* The differences between two sequences, and the words of a text. */
#include "template/text_diff.h"

#include "tests/unit/extract/fixture.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

static struct text_diff diff_of(const uint64_t *before, size_t before_count,
				const uint64_t *after, size_t after_count)
{
	return text_diff_make(
		test_arena,
		&(struct diff_input){before, before_count, after, after_count});
}

static void check_range(const struct diff_range *range, size_t before,
			size_t removed, size_t after, size_t added)
{
	ck_assert_uint_eq(range->before, before);
	ck_assert_uint_eq(range->removed, removed);
	ck_assert_uint_eq(range->after, after);
	ck_assert_uint_eq(range->added, added);
}

/* Return the number of changed items, after checking that the rest is equal. */
static size_t check_diff(const struct text_diff *diff, const uint64_t *before,
			 size_t before_count, const uint64_t *after,
			 size_t after_count)
{
	size_t changed = 0;
	size_t i = 0;
	size_t k = 0;

	for (size_t r = 0; r <= diff->count; r++) {
		const struct diff_range *range = &diff->ranges[r];
		size_t end = r < diff->count ? range->before : before_count;

		for (; i < end; i++, k++) {
			ck_assert_uint_lt(k, after_count);
			ck_assert_uint_eq(before[i], after[k]);
		}
		if (r == diff->count)
			break;
		ck_assert_uint_eq(k, range->after);
		ck_assert_uint_gt(range->removed + range->added, 0);
		i += range->removed;
		k += range->added;
		changed += range->removed + range->added;
	}
	ck_assert_uint_eq(k, after_count);
	return changed;
}

TEST(equal_sequences_have_no_range)
{
	static const uint64_t items[] = {1, 2, 3};

	ck_assert_uint_eq(diff_of(items, 3, items, 3).count, 0);
	ck_assert_uint_eq(diff_of(items, 0, items, 0).count, 0);
}

TEST(ranges_have_what_was_removed_and_added)
{
	/* 2 was replaced by 9, and 7 was added after 4 */
	static const uint64_t before[] = {1, 2, 3, 4, 5};
	static const uint64_t after[] = {1, 9, 3, 4, 7, 5};
	struct text_diff diff = diff_of(before, 5, after, 6);

	ck_assert_uint_eq(diff.count, 2);
	check_range(&diff.ranges[0], 1, 1, 1, 1);
	check_range(&diff.ranges[1], 4, 0, 4, 1);
	ck_assert(!diff.is_coarse);
}

TEST(one_sequence_may_be_empty)
{
	static const uint64_t items[] = {1, 2};
	struct text_diff added = diff_of(items, 0, items, 2);
	struct text_diff removed = diff_of(items, 2, items, 0);

	ck_assert_uint_eq(added.count, 1);
	check_range(&added.ranges[0], 0, 0, 0, 2);
	ck_assert_uint_eq(removed.count, 1);
	check_range(&removed.ranges[0], 0, 2, 0, 0);
}

/* The length of the longest common subsequence, by the definition. */
/* NOLINTNEXTLINE(misc-no-recursion): the sequences are short */
static size_t common(const uint64_t *a, size_t a_count, const uint64_t *b,
		     size_t b_count)
{
	size_t best;
	size_t other;

	if (a_count == 0 || b_count == 0)
		return 0;
	if (a[0] == b[0])
		return 1 + common(a + 1, a_count - 1, b + 1, b_count - 1);
	best = common(a + 1, a_count - 1, b, b_count);
	other = common(a, a_count, b + 1, b_count - 1);
	return best > other ? best : other;
}

TEST_LOOP(short_sequences_are_compared_minimally, 0, 200)
{
	uint64_t state = 1 + (uint64_t)_i;
	uint64_t before[9];
	uint64_t after[9];
	size_t a = random_next(&state) % 9;
	size_t b = random_next(&state) % 9;
	struct text_diff diff;

	for (size_t i = 0; i < 9; i++) {
		before[i] = random_next(&state) % 4;
		after[i] = random_next(&state) % 4;
	}
	diff = diff_of(before, a, after, b);
	ck_assert_uint_eq(check_diff(&diff, before, a, after, b),
			  a + b - 2 * common(before, a, after, b));
}

enum { LONG = 20000 };

TEST_LOOP(long_sequences_are_compared_at_items_that_occur_once, 0, 8)
{
	uint64_t state = 1 + (uint64_t)_i;
	uint64_t *before = ARENA_NEW(test_arena, uint64_t, LONG);
	uint64_t *after = ARENA_NEW(test_arena, uint64_t, LONG);
	struct text_diff diff;
	size_t changed;

	/* one item in a hundred is replaced; a tenth are repeated items */
	for (size_t i = 0; i < LONG; i++) {
		before[i] = random_next(&state) % 10 == 0 ? 7 : 100 + i;
		after[i] = random_next(&state) % 100 == 0
				   ? LONG + random_next(&state) % LONG
				   : before[i];
	}
	after[0] = 1;
	after[LONG - 1] = 2;
	diff = diff_of(before, LONG, after, LONG);
	changed = check_diff(&diff, before, LONG, after, LONG);
	ck_assert_uint_gt(changed, LONG / 100);
	ck_assert_uint_lt(changed, LONG / 25);
	ck_assert(!diff.is_coarse);
}

TEST(different_long_sequences_are_compared_coarsely)
{
	uint64_t *before = ARENA_NEW(test_arena, uint64_t, LONG);
	uint64_t *after = ARENA_NEW(test_arena, uint64_t, LONG);
	struct text_diff diff;

	for (size_t i = 0; i < LONG; i++) {
		before[i] = i;
		after[i] = LONG + i;
	}
	diff = diff_of(before, LONG, after, LONG);
	ck_assert_uint_eq(diff.count, 1);
	check_range(&diff.ranges[0], 0, LONG, 0, LONG);
	ck_assert(diff.is_coarse);
}

TEST(repeated_items_in_long_sequences_stay_correct)
{
	uint64_t state = 5;
	uint64_t *before = ARENA_NEW(test_arena, uint64_t, LONG);
	uint64_t *after = ARENA_NEW(test_arena, uint64_t, LONG);
	struct text_diff diff;

	for (size_t i = 0; i < LONG; i++) {
		before[i] = random_next(&state) % 3;
		after[i] = random_next(&state) % 3;
	}
	diff = diff_of(before, LONG, after, LONG);
	check_diff(&diff, before, LONG, after, LONG);
}

static void check_words(const char *text, const char *expected)
{
	struct text_words words =
		text_words_make(test_arena, slice_of(text), 100);
	AUTO_BUFFER joined = {0};

	for (size_t i = 0; i < words.count; i++) {
		buffer_append_slice(&joined, words.words[i]);
		buffer_append_byte(&joined, '|');
	}
	buffer_append_byte(&joined, '\0');
	ck_assert_str_eq(joined.data, expected);
}

TEST(words_are_runs_or_characters_without_spaces)
{
	check_words("$20 per month.", "$20|per|month.|");
	check_words(" a\tb ", "a|b|");
	check_words("Größe ändern", "Größe|ändern|");
	/* in Chinese each character is a word */
	check_words("价格20元", "价|格|20|元|");
}

TEST(no_more_words_than_the_maximum)
{
	ck_assert_uint_eq(
		text_words_make(test_arena, slice_of("a b c d"), 3).count, 3);
}

TEST(numbers_are_masked)
{
	struct text_words words = text_words_make(
		test_arena, slice_of("3 12 1,200.50 $3 $19.99 3rd x"), 10);

	ck_assert_uint_eq(words.masked[0], words.masked[1]);
	ck_assert_uint_eq(words.masked[0], words.masked[2]);
	ck_assert_uint_eq(words.masked[3], words.masked[4]);
	ck_assert_uint_ne(words.masked[0], words.masked[3]);
	ck_assert_uint_ne(words.masked[0], words.masked[5]);
	ck_assert_uint_eq(words.masked[6], words.hashes[6]);
}
