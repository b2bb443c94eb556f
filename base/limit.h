/*
 * base/limit.h - limits that the short inputs of the fuzzers can exceed.
 *
 * A fuzzer's input has at most 4 KiB, so it would never reach the code that
 * runs when a larger limit is exceeded. Therefore the build for the fuzzers
 * (-DSMALL_LIMITS) uses the second number of LIMIT() instead of the first.
 * tests/fuzz/check-limits reports the limits that the seeds exceed.
 */
#ifndef BASE_LIMIT_H
#define BASE_LIMIT_H

#ifdef SMALL_LIMITS
#define LIMIT(limit, small) (small)
#else
#define LIMIT(limit, small) (limit)
#endif

#endif
