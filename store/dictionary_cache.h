/*
 * store/dictionary_cache.h - the unpacked dictionaries that were read last. One
 * never changes once it is committed, and its number is not given again to its
 * site, so only what a reader sees is put in. To two sites it may be: nodes of
 * a cluster count by themselves. Any thread. Internal to store/.
 */
#ifndef STORE_DICTIONARY_CACHE_H
#define STORE_DICTIONARY_CACHE_H

#include <stdint.h>

#include "store/buffer.h"
#include "store/slice.h"
#include "store/txn.h"

/* At most 16, of DICTIONARY_MAX_BYTES: 4 MiB. */
struct dictionary_cache;

struct dictionary_cache *dictionary_cache_create(void);
/* Nothing that it gave is in use. NULL is a no-op. */
void dictionary_cache_destroy(struct dictionary_cache *cache);

/* A dictionary in use. */
struct dictionary_bytes;
struct slice dictionary_bytes_slice(const struct dictionary_bytes *dictionary);

/* Which one: for the values of a table. */
struct dictionary_name {
	enum table table;
	uint32_t site;
	uint32_t number;
};

/* Or NULL; release it. */
struct dictionary_bytes *dictionary_cache_get(struct dictionary_cache *cache,
					      struct dictionary_name name);

/* Make one of `bytes`, which is taken over; release it. It is kept when `cache`
 * is not NULL. */
struct dictionary_bytes *dictionary_cache_put(struct dictionary_cache *cache,
					      struct dictionary_name name,
					      struct buffer *bytes);
void dictionary_bytes_release(struct dictionary_bytes *dictionary);

#endif
