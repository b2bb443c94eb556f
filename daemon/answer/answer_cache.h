/*
 * daemon/answer/answer_cache.h - answers that were computed once, in memory, so
 * that they are not computed again while their key (daemon/answer/answer_key.h)
 * stays what it is. Bounded in bytes. Any thread.
 *
 * What goes first is chosen by SIEVE: a hand goes from the oldest to the
 * newest, passes over those that were asked for since it was there, and drops
 * the next. Source: Zhang et al., SIEVE is Simpler than LRU, NSDI 2024,
 * algorithm 1.
 */
#ifndef DAEMON_ANSWER_ANSWER_CACHE_H
#define DAEMON_ANSWER_ANSWER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/answer/answer_key.h"
#include "daemon/answer/page_answer.h"

struct answer_cache;

/* Of at most `max_bytes`, with keys and bookkeeping; 0: it holds none. */
struct answer_cache *answer_cache_create(size_t max_bytes);

/* NULL is a no-op. */
void answer_cache_destroy(struct answer_cache *cache);

/* Whether there is an answer to what the key asks, of any state, whose body has
 * at most `max_bytes`. `cache` may be NULL: there is none. */
bool answer_cache_knows(struct answer_cache *cache,
			const struct answer_key *key, size_t max_bytes);

/*
 * Copy the answer of the key, in which the generation is that of the key.
 * False: it is not there, and *answer_out stays as it was. `cache` may be NULL.
 */
bool answer_cache_get(struct answer_cache *cache, const struct answer_key *key,
		      struct page_answer *answer_out);

/* An answer that is being computed, on the stack of who does it. */
struct answer_computing {
	struct answer_computing *next;
	const struct answer_key *key;
	uint64_t number;
};

/*
 * The answer of the key, which must stay as it is, is to be computed, as none
 * is there. False: somebody else did that meanwhile, for which this thread has
 * waited; what he kept, if anything, can be asked for. answer_cache_end() when
 * true. `cache` may be NULL: true.
 */
bool answer_cache_begin(struct answer_cache *cache,
			const struct answer_key *key,
			struct answer_computing *computing);
void answer_cache_end(struct answer_cache *cache,
		      struct answer_computing *computing);

/*
 * Keep a copy of what was computed, in place of the answer of another state,
 * unless it is larger than a sixteenth of the cache. The key was the same
 * before and after. `cache` may be NULL.
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

/* Zeros for NULL. */
struct answer_cache_stats answer_cache_stats(struct answer_cache *cache);

#endif
