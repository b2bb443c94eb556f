/*
 * base/memory.h - allocation that never returns NULL: if memory is exhausted,
 * it aborts the process.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <assert.h>
#include <stddef.h>

/* Allocate `count` zeroed objects of `size` bytes; the caller frees them. */
void *mem_alloc(size_t count, size_t size);

/*
 * Resize `memory` (NULL for a new array) to `count` objects of `size` bytes,
 * without zeroing the new ones. The caller frees the result.
 */
void *mem_resize(void *memory, size_t count, size_t size);

/* Copy `size` bytes of `text` and append a NUL; the caller frees the copy. */
char *mem_copy_text(const void *text, size_t size);

/*
 * Make room for one more object in an array: double *capacity if `count` has
 * reached it. Use: items = mem_grow(items, count, &capacity, sizeof(*items)).
 */
static inline void *mem_grow(void *items, size_t count, size_t *capacity,
			     size_t size)
{
	assert(count <= *capacity && size > 0);
	if (count < *capacity)
		return items;
	*capacity = *capacity == 0 ? 16 : *capacity * 2;
	return mem_resize(items, *capacity, size);
}

/*
 * Abort the process, as the functions above do, because a library is out of
 * memory. `whose` is the name of the library in the message.
 */
_Noreturn void mem_exhausted(const char *whose);

#endif
