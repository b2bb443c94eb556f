/*
 * daemon/query/answer_cache.h - a memory cache of extracted texts. An entry is
 * valid while its key (daemon/query/answer_key.h) is unchanged. Limited in
 * bytes. Any thread may call these functions.
 *
 * Eviction is by SIEVE: a hand moves from the oldest to the newest entry, skips
 * entries that were requested since its last visit, and evicts the next one.
 * Source: Zhang et al., SIEVE is Simpler than LRU, NSDI 2024, algorithm 1.
 */
#ifndef DAEMON_QUERY_ANSWER_CACHE_H
#define DAEMON_QUERY_ANSWER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/query/answer_key.h"
#include "daemon/query/page_answer.h"

struct answer_cache;

/*
 * Create a cache of at most `max_bytes`, including keys and overhead; 0 =
 * always empty.
 */
struct answer_cache *answer_cache_create(size_t max_bytes);

/* NULL is a no-op. */
void answer_cache_destroy(struct answer_cache *cache);

/*
 * Return whether there is an entry for the request of the key, in any state,
 * whose body has at most `max_bytes`. `cache` may be NULL: return false.
 */
bool answer_cache_knows(struct answer_cache *cache,
			const struct answer_key *key, size_t max_bytes);

/*
 * Copy the text of the key and insert the key's generation. Return false and
 * leave *answer_out unchanged if there is no entry. `cache` may be NULL.
 */
bool answer_cache_get(struct answer_cache *cache, const struct answer_key *key,
		      struct page_answer *answer_out);

/* A running computation, on the stack of its thread. */
struct answer_computing {
	struct answer_computing *next;
	const struct answer_key *key;
	uint64_t number;
};

/*
 * Start to compute the text of the key, which must stay unchanged, after a
 * cache miss. Return false if another thread was computing it: this function
 * has waited for that thread; look in the cache again. After true call
 * answer_cache_end(). `cache` may be NULL: return true.
 */
bool answer_cache_begin(struct answer_cache *cache,
			const struct answer_key *key,
			struct answer_computing *computing);
void answer_cache_end(struct answer_cache *cache,
		      struct answer_computing *computing);

/*
 * Store a copy of the result, and replace the entry of another state, unless
 * the copy is larger than 1/16 of the cache. The key must be the same before
 * and after the computation. `cache` may be NULL.
 */
void answer_cache_put(struct answer_cache *cache, const struct answer_key *key,
		      const struct page_answer *answer);

struct answer_cache_stats {
	uint64_t hits;
	uint64_t misses;
	uint64_t evictions;
	size_t bytes;
	size_t count;
};

/* All 0 for NULL. */
struct answer_cache_stats answer_cache_stats(struct answer_cache *cache);

#endif
