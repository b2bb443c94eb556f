/* store/arena.h - memory with one lifetime, such as that of a page. */
#ifndef STORE_ARENA_H
#define STORE_ARENA_H

#include <stddef.h>

struct arena;

/* Create an empty arena; destroy it with arena_destroy(). */
struct arena *arena_create(void);

/* Free the arena and everything allocated from it. NULL is a no-op. */
void arena_destroy(struct arena *arena);

/* Bytes that the arena has taken from the system. */
size_t arena_bytes(const struct arena *arena);

/*
 * Allocate `count` zeroed objects of `size` bytes, aligned for any type. The
 * arena owns them. Never returns NULL: running out of memory aborts, so callers
 * first bound every size that comes from the network.
 */
void *arena_alloc(struct arena *arena, size_t count, size_t size);

/* The same for `size` bytes that are not set: the caller writes them. */
char *arena_room(struct arena *arena, size_t size);

/* Give the arena `memory` of `bytes` from malloc, to free at its end; returns
 * it. */
void *arena_keep(struct arena *arena, void *memory, size_t bytes);

/* Copy `size` bytes and a final NUL into the arena. */
char *arena_copy(struct arena *arena, const void *data, size_t size);

#define ARENA_NEW(arena, type, count) \
	((type *)arena_alloc((arena), (count), sizeof(type)))

/* As ARENA_NEW(), of objects that are not set. */
#define ARENA_ROOM(arena, type, count) \
	((type *)(void *)arena_room((arena), (count) * sizeof(type)))

#endif
