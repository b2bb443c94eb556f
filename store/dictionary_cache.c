#include "store/dictionary_cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"

enum { MAX_KEPT = 16 };

struct dictionary_bytes {
	atomic_uint users; /* the cache counts as one user */
	struct dictionary_name name;
	uint64_t used_at; /* time of the last use, a count of the cache; under
			     its lock */
	struct buffer bytes;
};

struct dictionary_cache {
	pthread_mutex_t lock; /* no other lock is acquired under it */
	struct dictionary_bytes *kept[MAX_KEPT]; /* or NULL */
	uint64_t uses;
};

struct dictionary_cache *dictionary_cache_create(void)
{
	struct dictionary_cache *cache = mem_alloc(1, sizeof(*cache));

	pthread_mutex_init(&cache->lock, NULL);
	return cache;
}

void dictionary_cache_destroy(struct dictionary_cache *cache)
{
	if (cache == NULL)
		return;
	for (size_t i = 0; i < MAX_KEPT; i++)
		if (cache->kept[i] != NULL)
			dictionary_bytes_release(cache->kept[i]);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

struct slice dictionary_bytes_slice(const struct dictionary_bytes *dictionary)
{
	return buffer_slice(&dictionary->bytes);
}

void dictionary_bytes_release(struct dictionary_bytes *dictionary)
{
	if (atomic_fetch_sub(&dictionary->users, 1) != 1)
		return;
	buffer_free(&dictionary->bytes);
	free(dictionary);
}

static bool dictionary_name_equal(struct dictionary_name a,
				  struct dictionary_name b)
{
	return a.table == b.table && a.site == b.site && a.number == b.number;
}

struct dictionary_bytes *dictionary_cache_get(struct dictionary_cache *cache,
					      struct dictionary_name name)
{
	struct dictionary_bytes *found = NULL;

	pthread_mutex_lock(&cache->lock);
	for (size_t i = 0; i < MAX_KEPT && found == NULL; i++)
		if (cache->kept[i] != NULL &&
		    dictionary_name_equal(cache->kept[i]->name, name))
			found = cache->kept[i];
	if (found != NULL) {
		found->used_at = ++cache->uses;
		atomic_fetch_add(&found->users, 1);
	}
	pthread_mutex_unlock(&cache->lock);
	return found;
}

/*
 * Return the slot of the least recently used dictionary. The caller holds the
 * lock.
 */
static struct dictionary_bytes **
dictionary_cache_oldest(struct dictionary_cache *cache)
{
	struct dictionary_bytes **oldest = &cache->kept[0];

	for (size_t i = 1; i < MAX_KEPT && *oldest != NULL; i++)
		if (cache->kept[i] == NULL ||
		    cache->kept[i]->used_at < (*oldest)->used_at)
			oldest = &cache->kept[i];
	return oldest;
}

struct dictionary_bytes *dictionary_cache_put(struct dictionary_cache *cache,
					      struct dictionary_name name,
					      struct buffer *bytes)
{
	struct dictionary_bytes *one = mem_alloc(1, sizeof(*one));
	struct dictionary_bytes *dropped;
	struct dictionary_bytes **place;

	one->name = name;
	one->bytes = *bytes;
	*bytes = (struct buffer){0};
	atomic_init(&one->users, cache == NULL ? 1 : 2);
	if (cache == NULL)
		return one;
	pthread_mutex_lock(&cache->lock);
	place = dictionary_cache_oldest(cache);
	dropped = *place;
	*place = one;
	one->used_at = ++cache->uses;
	pthread_mutex_unlock(&cache->lock);
	if (dropped != NULL)
		dictionary_bytes_release(dropped);
	return one;
}
