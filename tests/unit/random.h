/* tests/unit/random.h - numbers that are the same for a seed
 * everywhere. */
#ifndef TESTS_UNIT_RANDOM_H
#define TESTS_UNIT_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"

static uint64_t random_state;

static inline void random_begin(uint64_t seed)
{
	printf("seed %llu\n", (unsigned long long)seed);
	random_state = seed;
}

static inline uint64_t random_bits(void)
{
	random_state = hash_chain(random_state, 1);
	return random_state;
}

/*
 * How many of `all` rounds of a test to run: a third, and an eighth under
 * sanitizers and valgrind, which look at memory and not at results; all if the
 * environment has TEST_LONG. >= 1.
 */
static inline uint32_t random_rounds(uint32_t all)
{
#ifdef TESTS_ARE_SLOW
	const uint32_t part = 8;
#else
	const uint32_t part = 3;
#endif

	/* NOLINTNEXTLINE(concurrency-mt-unsafe) */
	return getenv("TEST_LONG") != NULL ? all : (all + part - 1) / part;
}

/* 0 .. count - 1 */
static inline uint32_t random_below(uint32_t count)
{
	return (uint32_t)(random_bits() >> 32) % count;
}

#endif
