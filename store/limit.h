/*
 * store/limit.h - limits that a short input can exceed when it is a fuzzer's.
 *
 * The inputs of fuzzers have 4 KiB. Code behind a limit above that would never
 * run, so the build of the fuzzers (-DSMALL_LIMITS) has the second number in
 * place of the first. tests/fuzz/check-limits tells which limits the seeds
 * exceed.
 */
#ifndef STORE_LIMIT_H
#define STORE_LIMIT_H

#ifdef SMALL_LIMITS
#define LIMIT(limit, small) (small)
#else
#define LIMIT(limit, small) (limit)
#endif

#endif
