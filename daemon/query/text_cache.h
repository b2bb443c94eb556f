/*
 * daemon/query/text_cache.h - a cache of extracted texts in memory, limited in
 * bytes. An entry is valid while the state in its key
 * (daemon/query/stored_text.h) is the current state. Any thread may call these
 * functions.
 *
 * The cache evicts by SIEVE: a hand moves from the oldest to the newest entry.
 * It skips each entry that was requested since the hand last passed it, and
 * evicts the first other entry. Source: Zhang et al., SIEVE is Simpler than
 * LRU, NSDI 2024, algorithm 1.
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
 * Create a cache of at most `max_bytes`, which include keys and overhead. 0 =
 * the cache is always empty.
 */
struct text_cache *text_cache_create(size_t max_bytes);

/* NULL is a no-op. */
void text_cache_destroy(struct text_cache *cache);

/*
 * Return whether the cache has a text for the request of the key, in any state,
 * whose body has at most `max_bytes`. Return false if `cache` is NULL.
 */
bool text_cache_has(struct text_cache *cache, const struct text_key *key,
		    size_t max_bytes);

/*
 * Copy the text of the key, and insert the generation of the key into it.
 * Return false and leave *answer_out unchanged if there is no entry with this
 * key. `cache` may be NULL.
 */
bool text_cache_get(struct text_cache *cache, const struct text_key *key,
		    struct text_result *answer_out);

/* A computation of a text; it is on the stack of the thread that computes. */
struct text_computation {
	struct text_computation *next;
	const struct text_key *key;
	uint64_t number;
};

/*
 * Begin to compute the text of the key after a cache miss. Return true if the
 * caller must compute it and then call text_cache_end(); the key must stay
 * unchanged until then. Return false if another thread was computing the text:
 * this function has waited for that thread, and the caller must look in the
 * cache again. Return true if `cache` is NULL.
 */
bool text_cache_begin(struct text_cache *cache, const struct text_key *key,
		      struct text_computation *computing);
void text_cache_end(struct text_cache *cache,
		    struct text_computation *computing);

/*
 * Store a copy of the result under the key, and remove the entry of the same
 * request with another state. A result that needs more than 1/16 of the cache
 * is not stored. Before the call check that the key is still the same as before
 * the computation. `cache` may be NULL.
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

/* Return the figures of the cache; all 0 if `cache` is NULL. */
struct answer_cache_stats text_cache_stats(struct text_cache *cache);

/*
 * The cache warmer. When templates of requested sites have changed, it makes
 * the workers build the models of these templates, so that clients need not
 * wait. Sites without requests cause no work.
 */

/*
 * Start the background thread. Every few seconds it checks the last 64 sites
 * that were requested within one hour, and then it rests ten times as long as
 * the workers took. For the largest templates of a site it builds the models of
 * the default method. `pool` and `store` must outlive the thread. ERR_IO: the
 * thread cannot be created.
 */
enum error cache_warmer_start(struct cache_warmer **teaching_out,
			      struct worker_pool *pool, struct store *store);

/* Wait for the running task and stop the thread. NULL is a no-op. */
void cache_warmer_stop(struct cache_warmer *teaching);

/*
 * Note that a text of a page of `host` was requested and how it is computed
 * (`rules`, which is copied). Any thread may call this; cheap. NULL is a no-op.
 */
void cache_warmer_note(struct cache_warmer *teaching,
		       const struct extraction_options *rules,
		       struct slice host);

/*
 * Count a sample that a worker requested in order to build a model. `is_ahead`:
 * no client was waiting. NULL is a no-op.
 */
void cache_warmer_count(struct cache_warmer *teaching, bool is_ahead);

struct teaching_stats {
	uint64_t ahead; /* models built in the background */
	uint64_t asked; /* models built while a client waited */
};

/* Return the figures of the cache warmer; all 0 if it is NULL. */
struct teaching_stats cache_warmer_stats(struct cache_warmer *teaching);

#endif
