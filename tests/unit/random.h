/* tests/unit/random.h - numbers that are the same for a seed
 * everywhere. */
#ifndef TESTS_UNIT_RANDOM_H
#define TESTS_UNIT_RANDOM_H

#include <stdint.h>
#include <stdio.h>

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

/* 0 .. count - 1 */
static inline uint32_t random_below(uint32_t count)
{
	return (uint32_t)(random_bits() >> 32) % count;
}

#endif
