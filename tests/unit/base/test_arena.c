#include "base/arena.h"

#include <signal.h>
#include <stdalign.h>
#include <stdint.h>

#include "tests/unit/run.h"

TEST(objects_are_zeroed_aligned_and_apart)
{
	AUTO_ARENA *arena = arena_create();
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
}

TEST(an_object_may_exceed_a_chunk)
{
	AUTO_ARENA *arena = arena_create();
	unsigned char *small = arena_alloc(arena, 1, 8);

	memset(arena_alloc(arena, 3, 1 << 20), 0xff, 3 << 20);
	ck_assert_uint_eq(small[7], 0);
}

TEST_ABORTS(an_impossible_size_ends_the_process)
{
	arena_alloc(arena_create(), SIZE_MAX / 2, 16);
}
