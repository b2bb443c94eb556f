/* store/memory.h - allocation that cannot fail: out of memory aborts. */
#ifndef STORE_MEMORY_H
#define STORE_MEMORY_H

#include <stddef.h>

/* Allocate `count` zeroed objects of `size` bytes; free() them. Never NULL. */
void *mem_alloc(size_t count, size_t size);

/*
 * Resize `memory` (NULL to begin) to `count` objects of `size` bytes; what is
 * added is not zeroed. free() the result. Never NULL.
 */
void *mem_resize(void *memory, size_t count, size_t size);

/* Copy `size` bytes and a final NUL; free() it. Never NULL. */
char *mem_copy_text(const void *text, size_t size);

/*
 * Room for one more in a growing array: when `count` has reached *capacity,
 * double it. Use: items = mem_grow(items, count, &capacity, sizeof(*items)).
 */
void *mem_grow(void *items, size_t count, size_t *capacity, size_t size);

/*
 * End the process as the above do, because a library had no memory; `whose`
 * goes into the message.
 */
_Noreturn void mem_exhausted(const char *whose);

#endif
