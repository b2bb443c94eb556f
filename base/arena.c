#include "base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#ifdef ARENA_MALLOC
#define CHUNK_SIZE 1 /* one chunk per object, so that ASan checks each */
#else
#define CHUNK_SIZE ((size_t)64 * 1024)
#endif

struct chunk {
	struct chunk *next;
	size_t used; /* bytes of data in use */
	size_t size; /* bytes in data */
	alignas(max_align_t) unsigned char data[];
};

/* Memory from malloc that the arena owns. */
struct arena_block {
	struct arena_block *next;
	void *memory;
	size_t bytes;
};

struct arena {
	struct chunk *head;
	struct arena_block *kept;
};

struct arena *arena_create(void)
{
	return mem_alloc(1, sizeof(struct arena));
}

void arena_destroy(struct arena *arena)
{
	if (arena == NULL)
		return;
	for (const struct arena_block *kept = arena->kept; kept != NULL;
	     kept = kept->next)
		free(kept->memory);
	while (arena->head != NULL) {
		struct chunk *next = arena->head->next;

		free(arena->head);
		arena->head = next;
	}
	free(arena);
}

size_t arena_bytes(const struct arena *arena)
{
	size_t bytes = sizeof(*arena);

	for (const struct chunk *c = arena->head; c != NULL; c = c->next)
		bytes += sizeof(*c) + c->size;
	for (const struct arena_block *k = arena->kept; k != NULL; k = k->next)
		bytes += k->bytes;
	return bytes;
}

static void add_chunk(struct arena *arena, size_t size)
{
	struct chunk *chunk = mem_resize(NULL, 1, sizeof(*chunk) + size);

	assert(size > 0);
	chunk->used = 0;
	chunk->size = size;
	chunk->next = arena->head;
	arena->head = chunk;
}

/*
 * Return the bytes of `count` objects, rounded up for alignment. If this number
 * is too large, return SIZE_MAX / 2, which no system can allocate.
 */
static size_t byte_count(size_t count, size_t size)
{
	const size_t align = alignof(max_align_t);
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
		return SIZE_MAX / 2;
	return bytes == 0 ? align : (bytes + align - 1) / align * align;
}

/*
 * Return room for `bytes`, a multiple of the alignment; its content is
 * undefined.
 */
static void *arena_reserve(struct arena *arena, size_t bytes)
{
	void *mem;

	assert(arena != NULL);
	if (arena->head == NULL ||
	    arena->head->size - arena->head->used < bytes)
		add_chunk(arena, bytes > CHUNK_SIZE ? bytes : CHUNK_SIZE);
	assert(arena->head->size - arena->head->used >= bytes);
	mem = arena->head->data + arena->head->used;
	arena->head->used += bytes;
	return mem;
}

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
	const size_t bytes = byte_count(count, size);

	return memset(arena_reserve(arena, bytes), 0, bytes);
}

char *arena_room(struct arena *arena, size_t size)
{
	return arena_reserve(arena, byte_count(size, 1));
}

char *arena_copy(struct arena *arena, const void *data, size_t size)
{
	char *copy = arena_room(arena, size + 1);

	assert(data != NULL || size == 0);
	if (size > 0)
		memcpy(copy, data, size);
	copy[size] = '\0';
	return copy;
}

struct slice arena_slice(struct arena *arena, struct slice text)
{
	return (struct slice){arena_copy(arena, text.data, text.size),
			      text.size};
}

void *arena_adopt(struct arena *arena, void *memory, size_t bytes)
{
	struct arena_block *kept = ARENA_NEW(arena, struct arena_block, 1);

	*kept = (struct arena_block){arena->kept, memory, bytes};
	arena->kept = kept;
	return memory;
}
