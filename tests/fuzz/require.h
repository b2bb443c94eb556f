/* tests/fuzz/require.h - what every fuzzer needs. */
#ifndef TESTS_FUZZ_REQUIRE_H
#define TESTS_FUZZ_REQUIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Abort, which the fuzzer reports, unless `is_true`. */
static inline void require(bool is_true)
{
	if (!is_true)
		abort();
}

#endif
