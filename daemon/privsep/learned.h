/*
 * daemon/privsep/learned.h - a cache of the template models that methods have
 * learned from samples of clusters, so that a sample is not parsed again for
 * every page. If the cluster has changed, its sample is read again; a changed
 * sample is learned from again. Entries depend only on the pages of the sample,
 * so the cache does not change results. Any thread.
 */
#ifndef DAEMON_PRIVSEP_LEARNED_H
#define DAEMON_PRIVSEP_LEARNED_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "extract/core/extractor.h"
#include "page/page.h"

struct learned_cache;

/*
 * Create a cache. Above `max_bytes` it evicts the least recently used entries.
 */
struct learned_cache *learned_cache_create(size_t max_bytes);

/* No entry may be held. NULL is a no-op. */
void learned_cache_destroy(struct learned_cache *cache);

/* Return the size of all entries in bytes. */
size_t learned_cache_bytes(struct learned_cache *cache);

/*
 * Append the sample of a cluster, at least one page, to `list`: body and
 * charset of each page (daemon/privsep/item_list.h). *changes_out is the state
 * of the cluster that has these pages (struct cluster_state). Errors as in
 * struct taught; nothing is appended then.
 */
typedef enum error sample_reader(void *context, uint32_t cluster,
				 struct buffer *list, uint32_t *changes_out);

struct learned_question {
	const struct extractor *extractor; /* learns_sample() must be true */
	const double *parameters;          /* [MAX_PARAMETERS] */
	sample_reader *read;
	void *context;
	uint64_t site; /* identifies the site in this cache */
	uint32_t cluster;
	uint32_t changes; /* state of the cluster */
	const struct page_limits *limits;
};

struct learned;

/*
 * Return the entry from the cache, or learn it from the sample, which one
 * thread at a time reads. If the cluster has changed meanwhile, use its current
 * sample. The pages are copied, and parsed after the transaction has ended.
 * `cache` may be NULL. The caller must release the entry; learned_knowledge()
 * is valid until then. After an error *learned_out is NULL: an error of the
 * reader, or ERR_CORRUPT if no page can be parsed.
 */
enum error learned_get(struct learned_cache *cache,
		       const struct learned_question *question,
		       struct learned **learned_out);

/*
 * Learn from an available sample and add the entry for learned_get(), as if it
 * had been read: it must have the same pages. The caller keeps the sample.
 */
void learned_teach(struct learned_cache *cache,
		   const struct learned_question *question,
		   const struct sample *sample);

/* Return the result of extractor->learn(); NULL for NULL. */
const void *learned_knowledge(const struct learned *learned);

/* NULL is a no-op. */
void learned_release(struct learned_cache *cache, struct learned *learned);

#endif
