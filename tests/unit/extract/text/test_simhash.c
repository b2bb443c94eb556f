#include "extract/text/fragment.h"

#include "base/hash.h"
#include "tests/unit/run.h"

static uint64_t of(const char *text)
{
	return simhash(slice_of(text));
}

static int distance(uint64_t a, uint64_t b)
{
	return __builtin_popcountll(a ^ b);
}

static uint64_t hash(const char *word)
{
	return hash64(word, strlen(word), 0);
}

static uint64_t chain(const char *a, const char *b, const char *c)
{
	return hash_chain(hash(c), hash_chain(hash(b), hash(a)));
}

TEST(up_to_three_words_are_their_own_hash)
{
	ck_assert_uint_eq(of(""), 0);
	ck_assert_uint_eq(of(" -- "), 0);
	ck_assert_uint_eq(of("One"), hash("one"));
	ck_assert_uint_eq(of("One two"), hash_chain(hash("two"), hash("one")));
	ck_assert_uint_eq(of("one, TWO three."), chain("one", "two", "three"));
}

/* With two hashes a bit is 1 if both have it: 1 + 1 > 0, 1 - 1 is not. */
TEST(a_bit_is_what_most_hashes_have)
{
	ck_assert_uint_eq(of("a b c d"),
			  chain("a", "b", "c") & chain("b", "c", "d"));
}

TEST(texts_nearly_the_same_are_near)
{
	AUTO_BUFFER one = {0};
	AUTO_BUFFER other = {0};
	struct buffer third = {0};

	for (unsigned i = 0; i < 400; i++) {
		buffer_printf(&one, "word%u ", i * 7919 % 1000);
		buffer_printf(&other, "word%u ",
			      i == 200 ? 5000 : i * 7919 % 1000);
		buffer_printf(&third, "other%u ", i);
	}
	ck_assert_int_le(distance(of(one.data), of(other.data)), 8);
	ck_assert_int_gt(distance(of(one.data), of(third.data)), 16);
	buffer_free(&third);
}
