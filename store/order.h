/*
 * store/order.h - are numbers in the order that many arrays promise? Linear;
 * for assertions.
 */
#ifndef STORE_ORDER_H
#define STORE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each is larger than the one before. */
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
