/*
 * base/arena.h - memory with one lifetime, for example the lifetime of a page.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#include "base/buffer.h"

struct arena;

/* Create an empty arena; destroy it with arena_destroy(). */
struct arena *arena_create(void);

/* Free the arena and everything allocated from it. Do nothing for NULL. */
void arena_destroy(struct arena *arena);

/* Return the bytes that the arena has allocated from the system. */
size_t arena_bytes(const struct arena *arena);

/*
 * Allocate `count` zeroed objects of `size` bytes, aligned for any type. The
 * arena owns them. Never returns NULL: running out of memory aborts the
 * process, so the caller must limit every size that comes from the network
 * first.
 */
void *arena_alloc(struct arena *arena, size_t count, size_t size);

/* Allocate `size` bytes without initialising them. */
char *arena_room(struct arena *arena, size_t size);

/*
 * Make the arena own `memory`, a block of `bytes` bytes from malloc(), and free
 * it in arena_destroy(). Return `memory`.
 */
void *arena_adopt(struct arena *arena, void *memory, size_t bytes);

/*
 * arena_copy() copies `size` bytes into the arena and appends a NUL;
 * arena_slice() does the same with a slice.
 */
char *arena_copy(struct arena *arena, const void *data, size_t size);
struct slice arena_slice(struct arena *arena, struct slice text);

#define ARENA_NEW(arena, type, count) \
	((type *)arena_alloc((arena), (count), sizeof(type)))

/* Like ARENA_NEW(), but without initialising the objects. */
#define ARENA_ROOM(arena, type, count) \
	((type *)(void *)arena_room((arena), (count) * sizeof(type)))

#endif
