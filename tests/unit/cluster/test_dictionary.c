#include "cluster/dictionary.h"

#include <stdlib.h>

#include "store/memory.h"
#include "tests/unit/run.h"

static struct dictionary dictionary;

static void begin(void)
{
	dictionary_begin(&dictionary, 20261123);
}

static void end(void)
{
	dictionary_end(&dictionary);
}

static const uint32_t *take(const uint64_t *members, size_t count)
{
	return dictionary_take(&dictionary, (struct signature){members, count});
}

START_TEST(a_member_has_one_term)
{
	const uint64_t a[] = {5, 7, UINT64_MAX};
	const uint64_t b[] = {0, 7};
	const uint32_t *terms = take(a, 3);

	ck_assert_uint_eq(terms[0], 0);
	ck_assert_uint_eq(terms[1], 1);
	ck_assert_uint_eq(terms[2], 2);
	ck_assert_uint_eq(dictionary.rows[2].member, UINT64_MAX);
	/* The new 0 gets the number 3, which stands behind that of 7. */
	terms = take(b, 2);
	ck_assert_uint_eq(terms[0], 1);
	ck_assert_uint_eq(terms[1], 3);
	ck_assert_uint_eq(dictionary.added.count, 4);
	take(NULL, 0);
	ck_assert_uint_eq(dictionary.added.count, 4);
}
END_TEST

START_TEST(a_term_stays_while_a_set_has_it)
{
	const uint64_t a[] = {5, 7};
	const uint32_t both[] = {0, 1};

	take(a, 2);
	take(a + 1, 1);
	dictionary_forget(&dictionary);
	dictionary_release(&dictionary, both, 2);
	ck_assert_uint_eq(dictionary.dropped.count, 1);
	ck_assert_uint_eq(dictionary.dropped.items[0], 0);
	dictionary_release(&dictionary, both + 1, 1);
	ck_assert_uint_eq(dictionary.dropped.count, 2);
	ck_assert_uint_eq(dictionary.term_of_member.count, 0);
}
END_TEST

START_TEST(numbers_are_used_again)
{
	const uint64_t a[] = {5, 7};
	const uint64_t b[] = {6, 8, 9};
	const uint32_t both[] = {0, 1};
	const uint32_t *terms;

	take(a, 2);
	dictionary_release(&dictionary, both, 2);
	terms = take(b, 3);
	ck_assert_uint_eq(terms[0], 0);
	ck_assert_uint_eq(terms[2], 2);
	ck_assert_uint_eq(dictionary.row_count, 3);
}
END_TEST

/* Numbers of three bytes: the sort has three rounds. */
START_TEST(many_terms_come_in_order)
{
	enum { MEMBERS = 70000 };
	uint64_t *members = mem_alloc(MEMBERS, sizeof(*members));
	const uint32_t *terms;

	for (uint64_t i = 0; i < MEMBERS; i++)
		members[i] = MEMBERS - i; /* so that terms are descending */
	take(members, MEMBERS);
	for (uint64_t i = 0; i < MEMBERS; i++)
		members[i] = i + 1;
	terms = take(members, MEMBERS);
	for (uint32_t i = 0; i < MEMBERS; i++) {
		if (terms[i] != i)
			ck_abort_msg("%u is %u", i, terms[i]);
	}
	ck_assert_uint_eq(dictionary.added.count, MEMBERS);
	ck_assert(dictionary_has_room(&dictionary,
				      DICTIONARY_MAX_TERMS - MEMBERS));
	ck_assert(!dictionary_has_room(&dictionary,
				       DICTIONARY_MAX_TERMS - MEMBERS + 1));
	ck_assert_uint_ge(dictionary_bytes(&dictionary), MEMBERS * 16UL);
	free(members);
}
END_TEST

START_TEST(a_restored_dictionary_fills_its_gaps)
{
	const uint64_t more[] = {1, 2, 3, 4};
	const uint32_t terms[] = {1, 4};
	const uint32_t *taken;

	ck_assert_int_eq(dictionary_restore(&dictionary, 4, 40), ERR_NONE);
	ck_assert_int_eq(dictionary_restore(&dictionary, 1, 10), ERR_NONE);
	ck_assert_int_eq(dictionary_restore(&dictionary, 1, 11), ERR_CORRUPT);
	ck_assert_int_eq(
		dictionary_restore(&dictionary, DICTIONARY_MAX_TERMS, 11),
		ERR_CORRUPT);
	ck_assert(dictionary_retake(&dictionary, terms, 2));
	ck_assert(dictionary_check(&dictionary));
	taken = take(more, 4);
	ck_assert_uint_eq(taken[0], 0);
	ck_assert_uint_eq(taken[1], 2);
	ck_assert_uint_eq(taken[2], 3);
	ck_assert_uint_eq(taken[3], 5);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("dictionary");
	TCase *tcase = tcase_create("dictionary");

	tcase_add_checked_fixture(tcase, begin, end);
	tcase_add_test(tcase, a_member_has_one_term);
	tcase_add_test(tcase, a_term_stays_while_a_set_has_it);
	tcase_add_test(tcase, numbers_are_used_again);
	tcase_add_test(tcase, many_terms_come_in_order);
	tcase_add_test(tcase, a_restored_dictionary_fills_its_gaps);
	suite_add_tcase(suite, tcase);
	return suite;
}
