#include "daemon/privsep/model_cache.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "daemon/privsep/messages.h"
#include "daemon/runtime/lock.h"
#include "template/extraction.h"

struct cached_model {
	struct cached_model *next;
	const struct extractor *extractor;
	double parameters[MAX_PARAMETERS];
	uint64_t site;
	uint32_t cluster;
	uint32_t changes;      /* latest known state of the cluster in which it
				  has this sample; guarded by model_cache.lock */
	struct hash128 sample; /* hash of the sample from which the model was
				  built */
	struct arena *arena;
	const struct model_data *data; /* the model, in the arena */
	size_t bytes;
	uint32_t users; /* number of threads that use the entry; guarded by
			   model_cache.lock */
	bool is_kept;   /* the entry is in the cache */
};

struct model_cache {
	struct lock learning; /* held while a sample is read, so that only
				 one is in memory */
	struct lock lock;     /* guards the fields below */
	size_t max_bytes;
	size_t bytes;
	struct cached_model *newest; /* first entry of a list, ordered by
					last use */
};

static void cached_model_free(struct cached_model *learned)
{
	arena_destroy(learned->arena);
	free(learned);
}

struct model_cache *model_cache_create(size_t max_bytes)
{
	struct model_cache *cache = mem_alloc(1, sizeof(*cache));

	cache->max_bytes = max_bytes;
	lock_init(&cache->learning, LOCK_MODEL_BUILD);
	lock_init(&cache->lock, LOCK_MODEL_CACHE);
	return cache;
}

void model_cache_destroy(struct model_cache *cache)
{
	if (cache == NULL)
		return;
	while (cache->newest != NULL) {
		struct cached_model *next = cache->newest->next;

		cached_model_free(cache->newest);
		cache->newest = next;
	}
	lock_destroy(&cache->learning);
	lock_destroy(&cache->lock);
	free(cache);
}

size_t model_cache_bytes(struct model_cache *cache)
{
	size_t bytes;

	lock_acquire(&cache->lock);
	bytes = cache->bytes;
	lock_release(&cache->lock);
	return bytes;
}

/* The sample of a cluster, as the reader returns it. */
struct read_sample {
	struct buffer list;
	struct hash128 hash;
	uint32_t changes;
};

/*
 * Return whether the entry is a model for this query: built from `sample` or,
 * if that is NULL, from the state of the cluster in the query.
 */
static bool cached_model_matches(const struct cached_model *learned,
				 const struct model_query *question,
				 const struct read_sample *sample)
{
	return learned->extractor == question->extractor &&
	       learned->site == question->site &&
	       learned->cluster == question->cluster &&
	       (sample == NULL ? learned->changes == question->changes
			       : memcmp(&learned->sample, &sample->hash,
					sizeof(sample->hash)) == 0) &&
	       extractor_builds_same_model(question->extractor,
					   learned->parameters,
					   question->parameters);
}

/*
 * Return the entry for the query, as the most recently used one, or NULL.
 * `sample` as in cached_model_matches(): if it is the sample of an entry, that
 * entry is valid for the current state of the cluster, too.
 */
static struct cached_model *model_cache_find(struct model_cache *cache,
					     const struct model_query *question,
					     const struct read_sample *sample)
{
	struct cached_model **link = &cache->newest;
	struct cached_model *found;

	lock_acquire(&cache->lock);
	while (*link != NULL && !cached_model_matches(*link, question, sample))
		link = &(*link)->next;
	found = *link;
	if (found != NULL) {
		*link = found->next;
		found->next = cache->newest;
		cache->newest = found;
		found->users++;
		if (sample != NULL)
			found->changes = sample->changes;
	}
	lock_release(&cache->lock);
	return found;
}

/*
 * Evict the least recently used entries that no thread uses, until the size is
 * within the limit.
 */
static void model_cache_evict(struct model_cache *cache)
{
	assert(lock_is_held(&cache->lock));
	while (cache->bytes > cache->max_bytes) {
		struct cached_model **oldest = NULL;
		struct cached_model *gone;

		for (struct cached_model **link = &cache->newest; *link != NULL;
		     link = &(*link)->next)
			if ((*link)->users == 0)
				oldest = link;
		if (oldest == NULL)
			return;
		gone = *oldest;
		*oldest = gone->next;
		assert(cache->bytes >= gone->bytes);
		cache->bytes -= gone->bytes;
		cached_model_free(gone);
	}
}

/*
 * Read the sample and compute its hash. The caller frees sample_out->list, also
 * after an error.
 */
static enum error model_cache_read_sample(const struct model_query *question,
					  struct read_sample *sample_out)
{
	struct read_sample *sample = sample_out;
	enum error error;

	*sample = (struct read_sample){0};
	error = question->read(question->context, question->cluster,
			       &sample->list, &sample->changes);
	sample->hash =
		hash128(sample->list.data == NULL ? "" : sample->list.data,
			sample->list.size);
	return error;
}

/* Create an empty entry, which one thread uses. */
static struct cached_model *
cached_model_create(const struct model_query *question, uint32_t changes)
{
	struct cached_model *learned = mem_alloc(1, sizeof(*learned));

	*learned = (struct cached_model){
		.extractor = question->extractor,
		.site = question->site,
		.cluster = question->cluster,
		.changes = changes,
		.arena = arena_create(),
		.users = 1,
	};
	memcpy(learned->parameters, question->parameters,
	       sizeof(learned->parameters));
	return learned;
}

static struct cached_model *
cached_model_build(const struct model_query *question,
		   const struct read_sample *sample)
{
	struct page *pages[MAX_SAMPLE_PAGES];
	uint32_t count =
		sample_parse(buffer_slice(&sample->list), question->limits,
			     pages, MAX_SAMPLE_PAGES);
	struct cached_model *learned;

	if (count == 0)
		return NULL;
	learned = cached_model_create(question, sample->changes);
	learned->sample = sample->hash;
	learned->data =
		template_model_build(question->extractor, learned->parameters,
				     pages, count, learned->arena);
	learned->bytes = sizeof(*learned) + arena_bytes(learned->arena);
	return learned;
}

static void model_cache_insert(struct model_cache *cache,
			       struct cached_model *learned)
{
	assert(!learned->is_kept && learned->users > 0);
	lock_acquire(&cache->lock);
	learned->is_kept = true;
	learned->next = cache->newest;
	cache->newest = learned;
	cache->bytes += learned->bytes;
	model_cache_evict(cache);
	lock_release(&cache->lock);
}

/*
 * Read the current sample. Build a model from it, unless the cache has one for
 * this sample.
 */
static enum error learn_anew(struct model_cache *cache,
			     const struct model_query *question,
			     struct cached_model **learned_out)
{
	struct read_sample sample;
	enum error error = model_cache_read_sample(question, &sample);

	if (error == ERR_NONE && cache != NULL)
		*learned_out = model_cache_find(cache, question, &sample);
	if (error == ERR_NONE && *learned_out == NULL) {
		*learned_out = cached_model_build(question, &sample);
		if (*learned_out == NULL)
			error = ERR_CORRUPT;
		else if (cache != NULL)
			model_cache_insert(cache, *learned_out);
	}
	buffer_free(&sample.list);
	return error;
}

/*
 * Find the entry again, because another thread may have added it meanwhile;
 * otherwise build it. Only one thread at a time does this.
 */
static enum error learn_and_keep(struct model_cache *cache,
				 const struct model_query *question,
				 struct cached_model **learned_out)
{
	enum error error = ERR_NONE;

	lock_acquire(&cache->learning);
	*learned_out = model_cache_find(cache, question, NULL);
	if (*learned_out == NULL) {
		assert(lock_is_held(&cache->learning));
		error = learn_anew(cache, question, learned_out);
	}
	lock_release(&cache->learning);
	return error;
}

enum error model_cache_get(struct model_cache *cache,
			   const struct model_query *question,
			   struct cached_model **learned_out)
{
	assert(question->extractor != NULL);
	*learned_out = NULL;
	if (cache == NULL)
		return learn_anew(NULL, question, learned_out);
	*learned_out = model_cache_find(cache, question, NULL);
	return *learned_out != NULL
		       ? ERR_NONE
		       : learn_and_keep(cache, question, learned_out);
}

void model_cache_add_sample(struct model_cache *cache,
			    const struct model_query *question,
			    const struct sample *sample)
{
	struct cached_model *learned =
		cached_model_create(question, question->changes);

	learned->data = template_model_of_sample(question->extractor,
						 learned->parameters, sample,
						 learned->arena);
	learned->bytes = sizeof(*learned) + arena_bytes(learned->arena);
	model_cache_insert(cache, learned);
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): still held here */
	model_cache_release(cache, learned);
}

const struct model_data *
cached_model_template(const struct cached_model *learned)
{
	return learned == NULL ? NULL : learned->data;
}

void model_cache_release(struct model_cache *cache,
			 struct cached_model *learned)
{
	if (learned == NULL)
		return;
	if (!learned->is_kept) {
		cached_model_free(learned);
		return;
	}
	lock_acquire(&cache->lock);
	assert(learned->users > 0);
	learned->users--;
	model_cache_evict(cache);
	lock_release(&cache->lock);
}
