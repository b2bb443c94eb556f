#include "base/arena.h"

#include <signal.h>
#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "tests/unit/run.h"

START_TEST(objects_are_zeroed_aligned_and_apart)
{
	struct arena *arena = arena_create();
	unsigned char *objects[64];

	for (size_t i = 0; i < 64; i++) {
		objects[i] = arena_alloc(arena, 1, 1 + i * 100);
		ck_assert_uint_eq((uintptr_t)objects[i] % alignof(max_align_t),
				  0);
		ck_assert_uint_eq(objects[i][i * 100], 0);
		memset(objects[i], (int)i, 1 + i * 100);
	}
	for (size_t i = 0; i < 64; i++)
		ck_assert_uint_eq(objects[i][i * 100], i);
	arena_destroy(arena);
}
END_TEST

START_TEST(an_object_may_exceed_a_chunk)
{
	struct arena *arena = arena_create();
	unsigned char *small = arena_alloc(arena, 1, 8);

	memset(arena_alloc(arena, 3, 1 << 20), 0xff, 3 << 20);
	ck_assert_uint_eq(small[7], 0);
	arena_destroy(arena);
}
END_TEST

START_TEST(an_impossible_size_ends_the_process)
{
	arena_alloc(arena_create(), SIZE_MAX / 2, 16);
}
END_TEST

SUITE(arena)
{
	Suite *suite = suite_create("arena");
	TCase *tcase = tcase_create("arena");

	tcase_add_test(tcase, objects_are_zeroed_aligned_and_apart);
	tcase_add_test(tcase, an_object_may_exceed_a_chunk);
	tcase_add_test_raise_signal(tcase, an_impossible_size_ends_the_process,
				    SIGABRT);
	suite_add_tcase(suite, tcase);
	return suite;
}
