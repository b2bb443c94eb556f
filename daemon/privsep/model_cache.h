/*
 * daemon/privsep/model_cache.h - a cache of template models, which methods
 * build from samples of clusters. With it, a sample is not parsed again for
 * every page. When a cluster has changed, its sample is read again, and a model
 * is built again only if the sample has changed. A model depends only on the
 * pages of the sample, so the cache does not change results. Any thread.
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
struct model_data;

/*
 * Create a cache. Above `max_bytes` it evicts the least recently used entries.
 */
struct model_cache *model_cache_create(size_t max_bytes);

/* Free the cache; every entry must be released before. NULL is a no-op. */
void model_cache_destroy(struct model_cache *cache);

/* Return the size of all entries in bytes. */
size_t model_cache_bytes(struct model_cache *cache);

/*
 * Append the sample of a cluster to `list`: the body and the charset of each
 * page (daemon/privsep/messages.h), at least one page. *changes_out gets the
 * state of the cluster that has these pages (struct cluster_state). Errors as
 * in struct template_model; then nothing is appended.
 */
typedef enum error sample_reader(void *context, uint32_t cluster,
				 struct buffer *list, uint32_t *changes_out);

struct model_query {
	const struct extractor
		*extractor;       /* extractor_builds_model() must be true */
	const double *parameters; /* [MAX_PARAMETERS] */
	sample_reader *read;
	void *context;
	uint64_t site; /* identifies the site */
	uint32_t cluster;
	uint32_t changes; /* state of the cluster */
	const struct page_limits *limits;
};

struct cached_model;

/*
 * Return the entry from the cache, or read the sample and build the model. Only
 * one thread at a time does that. If the cluster has changed since the query
 * was made, its current sample is used. The pages are parsed after the
 * transaction that reads them. `cache` may be NULL. The caller must release the
 * entry; until then the result of cached_model_template() is valid. After an
 * error *learned_out is NULL. Errors of the reader; ERR_CORRUPT: no page can be
 * parsed.
 */
enum error model_cache_get(struct model_cache *cache,
			   const struct model_query *question,
			   struct cached_model **learned_out);

/*
 * Build a model from a sample that the caller has, and add it for later calls
 * of model_cache_get(). The sample must have the same pages as the one that the
 * reader would return. The caller keeps ownership of the sample.
 */
void model_cache_add_sample(struct model_cache *cache,
			    const struct model_query *question,
			    const struct sample *sample);

/* Return the model; NULL if `learned` is NULL. */
const struct model_data *
cached_model_template(const struct cached_model *learned);

/* Release an entry. NULL is a no-op. */
void model_cache_release(struct model_cache *cache,
			 struct cached_model *learned);

#endif
