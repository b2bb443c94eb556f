/*
 * base/order.h - compares numbers for qsort() and bsearch(), and checks that
 * they ascend.
 */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline int order_u32(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left;
	uint32_t b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

static inline int order_u64(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/*
 * Return whether each number is larger than the previous one. Linear; for
 * assertions.
 */
static inline bool u32_ascend(const uint32_t *numbers, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (numbers[i - 1] >= numbers[i])
			return false;
	return true;
}

static inline bool u64_ascend(const uint64_t *numbers, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (numbers[i - 1] >= numbers[i])
			return false;
	return true;
}

#endif
