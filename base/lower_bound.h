/* base/lower_bound.h - the only binary search of the project. */
#ifndef BASE_LOWER_BOUND_H
#define BASE_LOWER_BOUND_H

#include <stddef.h>

/*
 * Set `at`, a size_t, to the first index in [0, count) for which `is_below`, an
 * expression of `at`, is false, or to `count` if it is true for all. It must be
 * true up to that index and false from there:
 *
 *         size_t at;
 *
 *         LOWER_BOUND(at, list->count, list->items[at].number < number);
 *         return at < list->count && list->items[at].number == number;
 *
 * It is a macro, so that any order is as fast as a search written by hand.
 * O(log n).
 */
#define LOWER_BOUND(at, count, is_below)                  \
	do {                                              \
		size_t low_ = 0;                          \
		size_t high_ = (count);                   \
                                                          \
		while (low_ < high_) {                    \
			(at) = low_ + (high_ - low_) / 2; \
			if (is_below)                     \
				low_ = (at) + 1;          \
			else                              \
				high_ = (at);             \
		}                                         \
		(at) = low_;                              \
	} while (0)

#endif
