/*
 * base/limit.h - limits that the short inputs of fuzzers can exceed.
 *
 * The inputs of fuzzers have 4 KiB. They would never reach the code behind
 * larger limits, so the build of the fuzzers (-DSMALL_LIMITS) uses the second
 * number instead of the first. tests/fuzz/check-limits reports which limits the
 * seeds exceed.
 */
#ifndef BASE_LIMIT_H
#define BASE_LIMIT_H

#ifdef SMALL_LIMITS
#define LIMIT(limit, small) (small)
#else
#define LIMIT(limit, small) (limit)
#endif

#endif
