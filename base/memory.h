/* base/memory.h - allocation that never returns NULL: out of memory aborts. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

/* Allocate `count` zeroed objects of `size` bytes; the caller frees them. */
void *mem_alloc(size_t count, size_t size);

/*
 * Resize `memory` (NULL at first) to `count` objects of `size` bytes without
 * zeroing the new ones; the caller frees the result.
 */
void *mem_resize(void *memory, size_t count, size_t size);

/* Copy `size` bytes and append a NUL; the caller frees the copy. */
char *mem_copy_text(const void *text, size_t size);

/*
 * Make room for one more object in an array: double *capacity if `count` has
 * reached it. Use: items = mem_grow(items, count, &capacity, sizeof(*items)).
 */
void *mem_grow(void *items, size_t count, size_t *capacity, size_t size);

/*
 * End the process as the functions above do, because a library is out of
 * memory; `whose` is its name in the message.
 */
_Noreturn void mem_exhausted(const char *whose);

#endif
