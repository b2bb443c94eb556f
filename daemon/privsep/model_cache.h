/*
 * daemon/privsep/model_cache.h - a cache of the template models that methods
 * have learned from samples of clusters, so that a sample is not parsed again
 * for every page. If the cluster has changed, its sample is read again; a
 * changed sample is learned from again. Entries depend only on the pages of the
 * sample, so the cache does not change results. Any thread.
 */
#ifndef DAEMON_PRIVSEP_MODEL_CACHE_H
#define DAEMON_PRIVSEP_MODEL_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "extract/core/extractor.h"
#include "page/page.h"

struct model_cache;

/*
 * Create a cache. Above `max_bytes` it evicts the least recently used entries.
 */
struct model_cache *model_cache_create(size_t max_bytes);

/* No entry may be held. NULL is a no-op. */
void model_cache_destroy(struct model_cache *cache);

/* Return the size of all entries in bytes. */
size_t model_cache_bytes(struct model_cache *cache);

/*
 * Append the sample of a cluster, at least one page, to `list`: body and
 * charset of each page (daemon/privsep/messages.h). *changes_out is the state
 * of the cluster that has these pages (struct cluster_state). Errors as in
 * struct template_model; nothing is appended then.
 */
typedef enum error sample_reader(void *context, uint32_t cluster,
				 struct buffer *list, uint32_t *changes_out);

struct model_query {
	const struct extractor
		*extractor;       /* extractor_builds_model() must be true */
	const double *parameters; /* [MAX_PARAMETERS] */
	sample_reader *read;
	void *context;
	uint64_t site; /* identifies the site in this cache */
	uint32_t cluster;
	uint32_t changes; /* state of the cluster */
	const struct page_limits *limits;
};

struct cached_model;

/*
 * Return the entry from the cache, or learn it from the sample, which one
 * thread at a time reads. If the cluster has changed meanwhile, use its current
 * sample. The pages are copied, and parsed after the transaction has ended.
 * `cache` may be NULL. The caller must release the entry;
 * cached_model_template() is valid until then. After an error *learned_out is
 * NULL: an error of the reader, or ERR_CORRUPT if no page can be parsed.
 */
enum error model_cache_get(struct model_cache *cache,
			   const struct model_query *question,
			   struct cached_model **learned_out);

/*
 * Learn from an available sample and add the entry for model_cache_get(), as if
 * it had been read: it must have the same pages. The caller keeps the sample.
 */
void model_cache_add_sample(struct model_cache *cache,
			    const struct model_query *question,
			    const struct sample *sample);

/* Return the result of extractor->learn(); NULL for NULL. */
const void *cached_model_template(const struct cached_model *learned);

/* NULL is a no-op. */
void model_cache_release(struct model_cache *cache,
			 struct cached_model *learned);

#endif
