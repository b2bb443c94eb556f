/*
 * daemon/query/text_cache.h - a memory cache of extracted texts. An entry is
 * valid while its key (daemon/query/stored_text.h) is unchanged. Limited in
 * bytes. Any thread may call these functions.
 *
 * Eviction is by SIEVE: a hand moves from the oldest to the newest entry, skips
 * entries that were requested since its last visit, and evicts the next one.
 * Source: Zhang et al., SIEVE is Simpler than LRU, NSDI 2024, algorithm 1.
 */
#ifndef DAEMON_QUERY_TEXT_CACHE_H
#define DAEMON_QUERY_TEXT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "daemon/query/stored_text.h"
#include "store/store.h"
#include "template/result.h"

struct cache_warmer;
struct text_cache;
struct worker_pool;

/*
 * Create a cache of at most `max_bytes`, including keys and overhead; 0 =
 * always empty.
 */
struct text_cache *text_cache_create(size_t max_bytes);

/* NULL is a no-op. */
void text_cache_destroy(struct text_cache *cache);

/*
 * Return whether there is an entry for the request of the key, in any state,
 * whose body has at most `max_bytes`. `cache` may be NULL: return false.
 */
bool text_cache_has(struct text_cache *cache, const struct text_key *key,
		    size_t max_bytes);

/*
 * Copy the text of the key and insert the key's generation. Return false and
 * leave *answer_out unchanged if there is no entry. `cache` may be NULL.
 */
bool text_cache_get(struct text_cache *cache, const struct text_key *key,
		    struct text_result *answer_out);

/* A running computation, on the stack of its thread. */
struct text_computation {
	struct text_computation *next;
	const struct text_key *key;
	uint64_t number;
};

/*
 * Start to compute the text of the key, which must stay unchanged, after a
 * cache miss. Return false if another thread was computing it: this function
 * has waited for that thread; look in the cache again. After true call
 * text_cache_end(). `cache` may be NULL: return true.
 */
bool text_cache_begin(struct text_cache *cache, const struct text_key *key,
		      struct text_computation *computing);
void text_cache_end(struct text_cache *cache,
		    struct text_computation *computing);

/*
 * Store a copy of the result, and replace the entry of another state, unless
 * the copy is larger than 1/16 of the cache. The key must be the same before
 * and after the computation. `cache` may be NULL.
 */
void text_cache_put(struct text_cache *cache, const struct text_key *key,
		    const struct text_result *answer);

struct answer_cache_stats {
	uint64_t hits;
	uint64_t misses;
	uint64_t evictions;
	size_t bytes;
	size_t count;
};

/* All 0 for NULL. */
struct answer_cache_stats text_cache_stats(struct text_cache *cache);

/*
 * The cache warmer: when templates of requested sites have changed, it makes
 * the workers build their models, so that clients need not wait. Sites without
 * requests cost nothing.
 */

/*
 * Start a thread that checks, every few seconds, the last 64 sites requested
 * within one hour, and then rests ten times as long as the workers took. For
 * the largest templates of a site it builds the models of the default method.
 * Store and pool must outlive it. ERR_IO: cannot create the thread.
 */
enum error cache_warmer_start(struct cache_warmer **teaching_out,
			      struct worker_pool *pool, struct store *store);

/* Wait for the current task and stop the thread. NULL is a no-op. */
void cache_warmer_stop(struct cache_warmer *teaching);

/*
 * Note that a text of the host is computed by these rules, which are copied.
 * Any thread may call this; cheap. NULL is a no-op.
 */
void cache_warmer_note(struct cache_warmer *teaching,
		       const struct extraction_options *rules,
		       struct slice host);

/* Count a sample that a worker got for building a model. NULL is a no-op. */
void cache_warmer_count(struct cache_warmer *teaching, bool is_ahead);

struct teaching_stats {
	uint64_t ahead; /* models built in the background */
	uint64_t asked; /* models built while a client waited */
};

/* All 0 for NULL. */
struct teaching_stats cache_warmer_stats(struct cache_warmer *teaching);

#endif
