#include "daemon/query/text_cache.h"

#include <assert.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "crawl/url/url.h"
#include "daemon/query/stored_text.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/lock.h"
#include "daemon/runtime/thread.h"
#include "store/key.h"
#include "store/rows.h"

enum {
	MIN_CHAINS = 1024,
	LARGEST_SHARE = 16,
	MAX_GAPS = 2,    /* JSON results contain the generation up to twice */
	MAX_DIGITS = 20, /* digits of a 64-bit number */
};

/*
 * Entries do not change while they are in the cache, except the first fields.
 */
struct text_cache_entry {
	/*
	 * next entry of its hash chain; the lock of the cache guards the fields
	 * from this one to `users`
	 */
	struct text_cache_entry *next;
	struct text_cache_entry *newer; /* entries are listed by age */
	struct text_cache_entry *older;
	bool was_asked;
	bool is_listed;
	uint32_t users; /* number of threads that are copying from the entry */

	uint64_t hash; /* hash of `asked` */
	/* request part of the key; `state` is the other part */
	struct buffer asked;
	struct buffer state;
	/* its body does not contain the generation */
	struct text_result answer;
	size_t gaps[MAX_GAPS]; /* [gap_count], offsets at which the generation
				  must be inserted */
	size_t gap_count;
};

struct text_cache {
	struct lock lock; /* guards the fields below except max_bytes */
	size_t max_bytes;
	struct text_cache_entry **chains; /* [chain_count], a power of two */
	size_t chain_count;
	struct text_cache_entry *newest;
	struct text_cache_entry *oldest;
	/* next candidate for eviction; NULL = the oldest entry */
	struct text_cache_entry *hand;
	struct answer_cache_stats stats;
	struct text_computation *computing; /* list of running computations */
	struct condition has_ended; /* signals that a computation has ended */
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
 * Return the pointer in the hash chain that points to the entry of the request.
 * If there is no entry, return the pointer at the end of the chain.
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

/* Double the number of chains if there is at least one entry for each chain. */
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

/*
 * Remove the entry from the cache. If threads are copying from it, the last of
 * them frees it.
 */
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

/*
 * Evict one entry by SIEVE: the first entry from the hand on that was not
 * requested since the hand last passed it.
 */
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
 * Append `json` to the body of the entry, but leave out the generation, whose
 * positions are in `places`. Return false if the generation is not at these
 * positions, which an untrusted worker has sent.
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
 * Create an entry, not yet in the cache. Return NULL if the result cannot be
 * cached because the generation was not found.
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

/* Return the running computation of an equal key, or NULL. */
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
 * Return the entry of the key; it must be released by
 * text_cache_release_entry(). Return NULL if there is no entry with this
 * request and state.
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

enum {
	PERIOD_MS = 2000,
	REST_FACTOR = 10,
	MAX_SITES = 64,
	/* of one site: about as many as a worker can cache */
	MAX_TEMPLATES = 8,
	FORGOTTEN_MS = 3600 * 1000,
};

struct noted_site {
	char host[MAX_HOST_BYTES + 1];
	uint64_t noted_ms;
};

/* A template for which the workers have built the model in this state. */
struct taught_template {
	uint32_t cluster;
	uint32_t changes;
	uint32_t page_count;
};

struct taught_site {
	char host[MAX_HOST_BYTES + 1];
	uint32_t id;
	uint64_t generation;
	size_t count;
	struct taught_template templates[MAX_TEMPLATES];
};

struct cache_warmer {
	struct worker_pool *pool;
	struct store *store;
	struct background *background;
	atomic_ullong ahead;
	atomic_ullong asked;
	/* Only the background thread uses these: */
	struct taught_site *taught; /* [MAX_SITES] */
	size_t taught_count;
	struct lock lock; /* guards the fields below */
	struct noted_site noted[MAX_SITES];
	size_t noted_count;
	struct extraction_options rules;
	char *settings; /* owned copies of the texts in `rules`; or NULL */
	char *models;
};

static void cache_warmer_copy_text(char **to, const char *from)
{
	if (*to != NULL && from != NULL && strcmp(*to, from) == 0)
		return;
	free(*to);
	*to = from == NULL ? NULL : mem_copy_text(from, strlen(from));
}

/*
 * Return the entry of the host. For a new host, return the entry of the host
 * that was noted longest ago, if all entries are used.
 */
static struct noted_site *cache_warmer_host_entry(struct cache_warmer *teaching,
						  struct slice host)
{
	struct noted_site *oldest = &teaching->noted[0];

	assert(lock_is_held(&teaching->lock));
	for (size_t i = 0; i < teaching->noted_count; i++) {
		struct noted_site *site = &teaching->noted[i];

		if (slice_equal(slice_of(site->host), host))
			return site;
		if (site->noted_ms < oldest->noted_ms)
			oldest = site;
	}
	if (teaching->noted_count < MAX_SITES)
		oldest = &teaching->noted[teaching->noted_count++];
	memcpy(oldest->host, host.data, host.size);
	oldest->host[host.size] = '\0';
	oldest->noted_ms = 0;
	return oldest;
}

void cache_warmer_note(struct cache_warmer *teaching,
		       const struct extraction_options *rules,
		       struct slice host)
{
	struct noted_site *site;
	bool is_new;

	if (teaching == NULL || host.size > MAX_HOST_BYTES)
		return;
	lock_acquire(&teaching->lock);
	cache_warmer_copy_text(&teaching->settings, rules->settings);
	cache_warmer_copy_text(&teaching->models, rules->models);
	teaching->rules = *rules;
	teaching->rules.settings = teaching->settings;
	teaching->rules.models = teaching->models;
	site = cache_warmer_host_entry(teaching, host);
	is_new = site->noted_ms == 0;
	site->noted_ms = clock_steady_ms();
	lock_release(&teaching->lock);
	if (is_new)
		background_wake(teaching->background);
}

void cache_warmer_count(struct cache_warmer *teaching, bool is_ahead)
{
	if (teaching != NULL)
		atomic_fetch_add(is_ahead ? &teaching->ahead : &teaching->asked,
				 1);
}

struct teaching_stats cache_warmer_stats(struct cache_warmer *teaching)
{
	if (teaching == NULL)
		return (struct teaching_stats){0};
	return (struct teaching_stats){atomic_load(&teaching->ahead),
				       atomic_load(&teaching->asked)};
}

/*
 * Copy the hosts that were noted recently, and the rules. Return the number of
 * hosts. The caller frees the texts of the rules.
 */
static size_t take_noted(struct cache_warmer *teaching,
			 char hosts[MAX_SITES][MAX_HOST_BYTES + 1],
			 struct extraction_options *rules_out,
			 char *texts_out[2])
{
	uint64_t now_ms = clock_steady_ms();
	size_t count = 0;

	lock_acquire(&teaching->lock);
	for (size_t i = 0; i < teaching->noted_count; i++)
		if (teaching->noted[i].noted_ms + FORGOTTEN_MS > now_ms)
			teaching->noted[count++] = teaching->noted[i];
	teaching->noted_count = count;
	for (size_t i = 0; i < count; i++)
		memcpy(hosts[i], teaching->noted[i].host,
		       sizeof(teaching->noted[i].host));
	*rules_out = teaching->rules;
	cache_warmer_copy_text(&texts_out[0], teaching->settings);
	cache_warmer_copy_text(&texts_out[1], teaching->models);
	rules_out->settings = texts_out[0];
	rules_out->models = texts_out[1];
	lock_release(&teaching->lock);
	return count;
}

/*
 * Insert the template into the list, which is sorted by page count and keeps
 * only the largest templates.
 */
static void cache_warmer_insert_template(struct taught_site *site,
					 const struct taught_template *template)
{
	size_t at = site->count;

	if (at == MAX_TEMPLATES) {
		at--;
		if (site->templates[at].page_count >= template->page_count)
			return;
	} else {
		site->count++;
	}
	for (; at > 0 &&
	       site->templates[at - 1].page_count < template->page_count;
	     at--)
		site->templates[at] = site->templates[at - 1];
	site->templates[at] = *template;
}

/*
 * Read the largest templates of the site into *now_out. Return false if the
 * site is missing or has not changed since `before`.
 */
static bool cache_warmer_read_site(struct txn *txn,
				   const struct extraction_options *rules,
				   const struct taught_site *before,
				   struct taught_site *now_out)
{
	struct site_row row;
	struct key prefix;
	struct scan scan;

	if (!site_get(txn, slice_of(before->host), &row) ||
	    row.generation == before->generation)
		return false;
	memcpy(now_out->host, before->host, sizeof(now_out->host));
	now_out->id = row.id;
	now_out->generation = row.generation;
	prefix = key_site(row.id);
	scan = scan_begin(txn, TABLE_CLUSTERS, key_slice(&prefix));
	while (scan_next(&scan)) {
		struct cluster_row cluster;

		if (cluster_row_decode(scan.value, &cluster) &&
		    cluster.page_count >= rules->min_cluster_pages)
			cache_warmer_insert_template(
				now_out,
				&(struct taught_template){
					.cluster = key_u32(scan.key,
							   sizeof(uint32_t)),
					.changes = cluster.changes,
					.page_count = cluster.page_count,
				});
	}
	scan_end(&scan);
	return true;
}

static bool is_taught(const struct taught_site *site,
		      const struct taught_template *template)
{
	for (size_t i = 0; i < site->count; i++)
		if (site->templates[i].cluster == template->cluster)
			return site->templates[i].changes == template->changes;
	return false;
}

/*
 * Find a page of the cluster whose body is stored. Return false if there is
 * none.
 */
static bool cache_warmer_find_page(struct txn *txn, uint32_t site,
				   uint32_t cluster, struct url *url_out)
{
	struct key prefix = key_cluster(site, cluster);
	struct scan scan = scan_begin(txn, TABLE_MEMBERS, key_slice(&prefix));
	bool is_found = false;

	while (!is_found && scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, 2 * sizeof(uint32_t));
		struct page_row row;

		is_found = page_row_get(txn, site, page, &row) &&
			   (row.flags & PAGE_ROW_HAS_NO_BODY) == 0 &&
			   url_parse(url_out, row.url, NULL) == ERR_NONE;
	}
	scan_end(&scan);
	return is_found;
}

/* Let every worker build the model of the template. */
static bool cache_warmer_build_model(struct cache_warmer *teaching,
				     const struct extraction_options *rules,
				     uint32_t site, uint32_t cluster)
{
	struct txn txn = txn_begin_read(teaching->store);
	struct text_request request = {.format = FORMAT_TXT};
	struct url url;
	bool is_found = cache_warmer_find_page(&txn, site, cluster, &url);
	enum error error = txn_end(&txn);

	request.url = &url;
	if (is_found && error == ERR_NONE)
		error = stored_text_build_models(
			teaching->pool, teaching->store, rules, &request);
	return is_found && error == ERR_NONE;
}

/*
 * Build the models of the templates that have changed. If this fails for a
 * template, retry after its next change; before that, a worker builds the model
 * only if a client needs it.
 */
static void teach_site(struct cache_warmer *teaching,
		       const struct extraction_options *rules,
		       struct taught_site *site)
{
	struct taught_site now = {0};
	struct txn txn = txn_begin_read(teaching->store);
	bool has_changed = cache_warmer_read_site(&txn, rules, site, &now);
	size_t known = 0;

	if (txn_end(&txn) != ERR_NONE || !has_changed)
		return;
	if (site->id != now.id)
		site->count = 0; /* the host now belongs to another site */
	for (size_t i = 0; i < now.count; i++) {
		const struct taught_template *template = &now.templates[i];

		if (background_is_ended(teaching->background))
			return;
		if (is_taught(site, template) ||
		    cache_warmer_build_model(teaching, rules, now.id,
					     template->cluster))
			now.templates[known++] = *template;
	}
	now.count = known;
	*site = now;
}

/*
 * Set the list of sites to `hosts`; keep the state of sites that were already
 * listed.
 */
static void cache_warmer_set_sites(struct cache_warmer *teaching,
				   char hosts[MAX_SITES][MAX_HOST_BYTES + 1],
				   size_t count)
{
	struct taught_site *sites = mem_alloc(MAX_SITES, sizeof(*sites));

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < teaching->taught_count; k++)
			if (strcmp(teaching->taught[k].host, hosts[i]) == 0)
				sites[i] = teaching->taught[k];
		memcpy(sites[i].host, hosts[i], sizeof(sites[i].host));
	}
	free(teaching->taught);
	teaching->taught = sites;
	teaching->taught_count = count;
}

static struct thread_schedule
cache_warmer_check_sites(struct background *background, void *context)
{
	struct cache_warmer *teaching = context;
	char(*hosts)[MAX_HOST_BYTES + 1] = mem_alloc(MAX_SITES, sizeof(*hosts));
	uint64_t begin_ms = clock_steady_ms();
	struct extraction_options rules;
	/* copies of the texts in `rules`, freed below */
	char *texts[2] = {NULL, NULL};
	size_t count = take_noted(teaching, hosts, &rules, texts);
	uint64_t rest_ms;

	cache_warmer_set_sites(teaching, hosts, count);
	for (size_t i = 0; i < count && !background_is_ended(background); i++)
		teach_site(teaching, &rules, &teaching->taught[i]);
	free(hosts);
	free(texts[0]);
	free(texts[1]);
	/*
	 * use the elapsed time, because not this thread but the workers do the
	 * work
	 */
	rest_ms = (clock_steady_ms() - begin_ms) * REST_FACTOR;
	if (count == 0)
		return (struct thread_schedule){0};
	return (struct thread_schedule){
		.within_ms = rest_ms < PERIOD_MS ? PERIOD_MS : rest_ms};
}

enum error cache_warmer_start(struct cache_warmer **teaching_out,
			      struct worker_pool *pool, struct store *store)
{
	struct cache_warmer *teaching = mem_alloc(1, sizeof(*teaching));
	enum error error;

	teaching->pool = pool;
	teaching->store = store;
	lock_init(&teaching->lock, LOCK_CACHE_WARMER);
	*teaching_out = teaching;
	error = background_start(&teaching->background,
				 cache_warmer_check_sites, teaching);
	if (error != ERR_NONE) {
		*teaching_out = NULL;
		lock_destroy(&teaching->lock);
		free(teaching);
	}
	return error;
}

void cache_warmer_stop(struct cache_warmer *teaching)
{
	if (teaching == NULL)
		return;
	background_stop(teaching->background);
	lock_destroy(&teaching->lock);
	free(teaching->taught);
	free(teaching->settings);
	free(teaching->models);
	free(teaching);
}
