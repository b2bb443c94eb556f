#include "base/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *mem_checked(void *memory, size_t count, size_t size)
{
	if (memory == NULL) {
		fprintf(stderr, "out of memory: %zu * %zu bytes\n", count,
			size);
		abort();
	}
	return memory;
}

_Noreturn void mem_exhausted(const char *whose)
{
	fprintf(stderr, "out of memory: in %s\n", whose);
	abort();
}

void *mem_alloc(size_t count, size_t size)
{
	if (count == 0 || size == 0)
		count = size = 1;
	return mem_checked(calloc(count, size), count, size);
}

void *mem_resize(void *memory, size_t count, size_t size)
{
	if (count == 0 || size == 0)
		count = size = 1;
	return mem_checked(reallocarray(memory, count, size), count, size);
}

char *mem_copy_text(const void *text, size_t size)
{
	char *copy = mem_resize(NULL, size + 1, 1);

	assert(text != NULL || size == 0);
	if (size > 0)
		memcpy(copy, text, size);
	copy[size] = '\0';
	return copy;
}
