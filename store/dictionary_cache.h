/*
 * store/dictionary_cache.h - caches the decompressed dictionaries that were
 * used last. A committed dictionary never changes, and its site never reuses
 * its number, so only readers add dictionaries. Two sites may use the same
 * number: each node counts separately. Any thread. Internal to store/.
 */
#ifndef STORE_DICTIONARY_CACHE_H
#define STORE_DICTIONARY_CACHE_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "store/txn.h"

/* At most 16 dictionaries of DICTIONARY_MAX_BYTES, 4 MiB in total. */
struct dictionary_cache;

struct dictionary_cache *dictionary_cache_create(void);
/* The caller has released all dictionaries. Do nothing for NULL. */
void dictionary_cache_destroy(struct dictionary_cache *cache);

/* A dictionary in use. */
struct dictionary_bytes;
struct slice dictionary_bytes_slice(const struct dictionary_bytes *dictionary);

/* The key of a dictionary: it serves the values of a table. */
struct dictionary_name {
	enum table table;
	uint32_t site;
	uint32_t number;
};

/*
 * Return the dictionary, or NULL; release it with dictionary_bytes_release().
 */
struct dictionary_bytes *dictionary_cache_get(struct dictionary_cache *cache,
					      struct dictionary_name name);

/*
 * Make a dictionary of `bytes`, which it adopts; release it. Cache it if
 * `cache` is not NULL.
 */
struct dictionary_bytes *dictionary_cache_put(struct dictionary_cache *cache,
					      struct dictionary_name name,
					      struct buffer *bytes);
void dictionary_bytes_release(struct dictionary_bytes *dictionary);

#endif
