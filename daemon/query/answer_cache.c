#include "daemon/query/answer_cache.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"

#include "base/hash.h"
#include "base/memory.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/lock.h"

enum {
	MIN_CHAINS = 1024,
	LARGEST_SHARE = 16,
	MAX_GAPS = 2,    /* JSON results contain the generation twice */
	MAX_DIGITS = 20, /* of a 64-bit number */
};

/* Immutable once it is in the cache, except the fields under the lock. */
struct text_cache_entry {
	struct text_cache_entry *next;  /* in its hash chain; under the lock, as
				the fields  up to `users` */
	struct text_cache_entry *newer; /* list by age */
	struct text_cache_entry *older;
	bool was_asked;
	bool is_listed;
	uint32_t users; /* number of threads that copy from it */

	uint64_t hash;       /* of the request */
	struct buffer asked; /* request part of the key */
	struct buffer state;
	struct text_result answer; /* its body has gaps */
	size_t gaps[MAX_GAPS]; /* [gap_count], offsets at which the generation
				  is inserted */
	size_t gap_count;
};

struct text_cache {
	struct lock lock; /* guards the fields below except max_bytes */
	size_t max_bytes;
	struct text_cache_entry **chains; /* [chain_count], a power of two */
	size_t chain_count;
	struct text_cache_entry *newest;
	struct text_cache_entry *oldest;
	struct text_cache_entry *hand; /* NULL = the oldest entry */
	struct answer_cache_stats stats;
	struct text_computation *computing; /* list of running computations */
	struct condition has_ended;         /* a computation has ended */
	uint64_t last_number;
};

static size_t bytes_of(const struct text_cache_entry *entry)
{
	return sizeof(*entry) + entry->asked.capacity + entry->state.capacity +
	       entry->answer.body.capacity;
}

static void text_cache_entry_destroy(struct text_cache_entry *entry)
{
	buffer_free(&entry->asked);
	buffer_free(&entry->state);
	buffer_free(&entry->answer.body);
	free(entry);
}

struct text_cache *text_cache_create(size_t max_bytes)
{
	struct text_cache *cache = mem_alloc(1, sizeof(*cache));

	cache->max_bytes = max_bytes;
	cache->chain_count = MIN_CHAINS;
	cache->chains = mem_alloc(cache->chain_count,
				  sizeof(struct text_cache_entry *));
	lock_init(&cache->lock, LOCK_TEXT_CACHE);
	condition_init(&cache->has_ended);
	return cache;
}

void text_cache_destroy(struct text_cache *cache)
{
	if (cache == NULL)
		return;
	while (cache->newest != NULL) {
		struct text_cache_entry *older = cache->newest->older;

		assert(cache->newest->users == 0);
		text_cache_entry_destroy(cache->newest);
		cache->newest = older;
	}
	assert(cache->computing == NULL);
	condition_destroy(&cache->has_ended);
	lock_destroy(&cache->lock);
	free(cache->chains);
	free(cache);
}

static uint64_t text_cache_hash_key(const struct text_key *key)
{
	return hash64(key->asked.data, key->asked.size, 0);
}

/*
 * Return the link to the entry of the request, or the link where it would be.
 */
static struct text_cache_entry **link_of(struct text_cache *cache,
					 uint64_t hash, struct slice asked)
{
	struct text_cache_entry **link =
		&cache->chains[hash & (cache->chain_count - 1)];

	assert(lock_is_held(&cache->lock));
	while (*link != NULL &&
	       ((*link)->hash != hash ||
		!slice_equal(buffer_slice(&(*link)->asked), asked)))
		link = &(*link)->next;
	return link;
}

/* Double the number of chains when there is more than one entry per chain. */
static void text_cache_grow_chains(struct text_cache *cache)
{
	size_t count = cache->chain_count * 2;
	struct text_cache_entry **chains;

	if (cache->stats.count < cache->chain_count)
		return;
	chains = mem_alloc(count, sizeof(struct text_cache_entry *));
	for (struct text_cache_entry *e = cache->newest; e != NULL;
	     e = e->older) {
		struct text_cache_entry **chain =
			&chains[e->hash & (count - 1)];

		e->next = *chain;
		*chain = e;
	}
	free(cache->chains);
	cache->chains = chains;
	cache->chain_count = count;
}

/* Remove the entry; the last thread that copies from it frees it. */
static void text_cache_remove_entry(struct text_cache *cache,
				    struct text_cache_entry *entry)
{
	struct text_cache_entry **link =
		link_of(cache, entry->hash, buffer_slice(&entry->asked));

	assert(*link == entry && entry->is_listed);
	*link = entry->next;
	*(entry->newer == NULL ? &cache->newest : &entry->newer->older) =
		entry->older;
	*(entry->older == NULL ? &cache->oldest : &entry->older->newer) =
		entry->newer;
	if (cache->hand == entry)
		cache->hand = entry->newer;
	cache->stats.bytes -= bytes_of(entry);
	cache->stats.count--;
	entry->is_listed = false;
	if (entry->users == 0)
		text_cache_entry_destroy(entry);
}

/* SIEVE: evict the next entry that was not requested. */
static void text_cache_evict(struct text_cache *cache)
{
	struct text_cache_entry *entry =
		cache->hand == NULL ? cache->oldest : cache->hand;

	while (entry->was_asked) {
		entry->was_asked = false;
		entry = entry->newer == NULL ? cache->oldest : entry->newer;
	}
	cache->hand = entry->newer;
	cache->stats.evictions++;
	text_cache_remove_entry(cache, entry);
}

static void text_cache_insert(struct text_cache *cache,
			      struct text_cache_entry *entry)
{
	struct text_cache_entry **chain =
		&cache->chains[entry->hash & (cache->chain_count - 1)];

	entry->next = *chain;
	*chain = entry;
	entry->older = cache->newest;
	*(cache->newest == NULL ? &cache->oldest : &cache->newest->newer) =
		entry;
	cache->newest = entry;
	entry->is_listed = true;
	cache->stats.bytes += bytes_of(entry);
	cache->stats.count++;
}

/*
 * Append `json` to the body without the generation at its places. Return false
 * if the generation is not at these places, which come from an untrusted
 * worker.
 */
static bool cut_gaps(struct text_cache_entry *entry, struct slice json,
		     const struct generation_places *places,
		     uint64_t generation)
{
	const char *bytes = json.data;
	char digits[MAX_DIGITS + 2];
	size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64,
					 generation);
	size_t from = 0;

	buffer_reserve(&entry->answer.body, json.size);
	for (size_t i = 0; i < places->count; i++) {
		size_t at = places->at[i];

		if (at < from || at >= json.size || json.size - at <= length ||
		    memcmp(bytes + at, digits, length) != 0 ||
		    is_digit(bytes[at + length]))
			return false;
		buffer_append(&entry->answer.body, bytes + from, at - from);
		entry->gaps[entry->gap_count++] = entry->answer.body.size;
		from = at + length;
	}
	buffer_append(&entry->answer.body, bytes + from, json.size - from);
	return entry->gap_count > 0;
}

/*
 * Create an entry that is not in the cache yet; NULL if the result cannot be
 * cached.
 */
static struct text_cache_entry *
text_cache_entry_create(const struct text_key *key,
			const struct text_result *answer)
{
	struct text_cache_entry *entry = mem_alloc(1, sizeof(*entry));
	struct slice body = buffer_slice(&answer->body);

	entry->hash = text_cache_hash_key(key);
	entry->answer = *answer;
	entry->answer.body = (struct buffer){0};
	buffer_append_slice(&entry->asked, buffer_slice(&key->asked));
	buffer_append_slice(&entry->state, buffer_slice(&key->state));
	if (key->generation == 0) {
		buffer_append_slice(&entry->answer.body, body);
	} else if (!cut_gaps(entry, body, &answer->places, key->generation)) {
		text_cache_entry_destroy(entry);
		return NULL;
	}
	return entry;
}

/* Return the running computation of the key, or NULL. */
static const struct text_computation *
find_computing(const struct text_cache *cache, const struct text_key *key)
{
	const struct text_computation *at = cache->computing;

	assert(lock_is_held(&cache->lock));
	while (at != NULL && (!slice_equal(buffer_slice(&at->key->state),
					   buffer_slice(&key->state)) ||
			      !slice_equal(buffer_slice(&at->key->asked),
					   buffer_slice(&key->asked))))
		at = at->next;
	return at;
}

static bool is_computing(const struct text_cache *cache, uint64_t number)
{
	const struct text_computation *at = cache->computing;

	while (at != NULL && at->number != number)
		at = at->next;
	return at != NULL;
}

bool text_cache_begin(struct text_cache *cache, const struct text_key *key,
		      struct text_computation *computing)
{
	const struct text_computation *other = NULL;

	*computing = (struct text_computation){.key = key};
	if (cache == NULL)
		return true;
	lock_acquire(&cache->lock);
	if (cache->max_bytes > 0)
		other = find_computing(cache, key);
	if (other != NULL) {
		uint64_t number = other->number;

		while (is_computing(cache, number))
			condition_wait(&cache->has_ended, &cache->lock);
	} else {
		cache->stats.misses++;
		computing->number = ++cache->last_number;
		computing->next = cache->computing;
		cache->computing = computing;
	}
	lock_release(&cache->lock);
	return other == NULL;
}

void text_cache_end(struct text_cache *cache,
		    struct text_computation *computing)
{
	struct text_computation **link;

	if (cache == NULL)
		return;
	lock_acquire(&cache->lock);
	link = &cache->computing;
	while (*link != computing)
		link = &(*link)->next;
	*link = computing->next;
	condition_broadcast(&cache->has_ended);
	lock_release(&cache->lock);
}

void text_cache_put(struct text_cache *cache, const struct text_key *key,
		    const struct text_result *answer)
{
	struct text_cache_entry *entry;
	struct text_cache_entry *before;

	if (cache == NULL || sizeof(*entry) + key->asked.size +
					     key->state.size +
					     answer->body.size >
				     cache->max_bytes / LARGEST_SHARE)
		return;
	entry = text_cache_entry_create(key, answer);
	if (entry == NULL)
		return;
	lock_acquire(&cache->lock);
	before = *link_of(cache, entry->hash, buffer_slice(&entry->asked));
	if (before != NULL)
		text_cache_remove_entry(cache, before);
	text_cache_insert(cache, entry);
	text_cache_grow_chains(cache);
	while (cache->stats.bytes > cache->max_bytes)
		text_cache_evict(cache);
	lock_release(&cache->lock);
}

bool text_cache_has(struct text_cache *cache, const struct text_key *key,
		    size_t max_bytes)
{
	const struct text_cache_entry *entry;
	bool is_there;

	if (cache == NULL || cache->max_bytes == 0)
		return false;
	lock_acquire(&cache->lock);
	entry = *link_of(cache, text_cache_hash_key(key),
			 buffer_slice(&key->asked));
	is_there = entry != NULL && entry->answer.body.size <= max_bytes;
	lock_release(&cache->lock);
	return is_there;
}

/*
 * Acquire the entry until text_cache_release_entry(). Return NULL if no entry
 * has this state.
 */
static struct text_cache_entry *
text_cache_acquire_entry(struct text_cache *cache, const struct text_key *key)
{
	struct text_cache_entry *entry;

	lock_acquire(&cache->lock);
	entry = *link_of(cache, text_cache_hash_key(key),
			 buffer_slice(&key->asked));
	if (entry != NULL && !slice_equal(buffer_slice(&entry->state),
					  buffer_slice(&key->state)))
		entry = NULL;
	if (entry != NULL) {
		entry->was_asked = true;
		entry->users++;
		cache->stats.hits++;
	}
	lock_release(&cache->lock);
	return entry;
}

static void text_cache_release_entry(struct text_cache *cache,
				     struct text_cache_entry *entry)
{
	bool is_last;

	lock_acquire(&cache->lock);
	assert(entry->users > 0);
	entry->users--;
	is_last = entry->users == 0 && !entry->is_listed;
	lock_release(&cache->lock);
	if (is_last)
		text_cache_entry_destroy(entry);
}

static void fill_gaps(const struct text_cache_entry *entry, uint64_t generation,
		      struct buffer *out)
{
	const struct buffer *body = &entry->answer.body;
	size_t from = 0;

	buffer_reserve(out, body->size + entry->gap_count * MAX_DIGITS);
	for (size_t i = 0; i < entry->gap_count; i++) {
		buffer_append(out, body->data + from, entry->gaps[i] - from);
		buffer_printf(out, "%llu", (unsigned long long)generation);
		from = entry->gaps[i];
	}
	if (body->size > from)
		buffer_append(out, body->data + from, body->size - from);
}

bool text_cache_get(struct text_cache *cache, const struct text_key *key,
		    struct text_result *answer_out)
{
	struct text_cache_entry *entry;

	if (cache == NULL || cache->max_bytes == 0)
		return false;
	entry = text_cache_acquire_entry(cache, key);
	if (entry == NULL)
		return false;
	*answer_out = entry->answer;
	answer_out->body = (struct buffer){0};
	fill_gaps(entry, key->generation, &answer_out->body);
	text_cache_release_entry(cache, entry);
	return true;
}

struct answer_cache_stats text_cache_stats(struct text_cache *cache)
{
	struct answer_cache_stats stats = {0};

	if (cache == NULL)
		return stats;
	lock_acquire(&cache->lock);
	stats = cache->stats;
	lock_release(&cache->lock);
	return stats;
}
