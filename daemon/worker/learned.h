/*
 * daemon/worker/learned.h - a cache of what methods have learned from samples
 * of clusters, so that a sample is not parsed again for every requested page.
 * It is read again when the cluster has changed, and learned from when it is
 * another. The entries depend on the pages of the sample alone, so the cache
 * changes no answer. Any thread.
 */
#ifndef DAEMON_WORKER_LEARNED_H
#define DAEMON_WORKER_LEARNED_H

#include <stddef.h>
#include <stdint.h>

#include "extract/core/extractor.h"
#include "page/page.h"
#include "store/buffer.h"
#include "store/error.h"

struct learned_cache;

/* Above `max_bytes` the least recently used entries are freed. */
struct learned_cache *learned_cache_create(size_t max_bytes);

/* Nothing of it may be in use. NULL is a no-op. */
void learned_cache_destroy(struct learned_cache *cache);

/* Bytes that it holds. */
size_t learned_cache_bytes(struct learned_cache *cache);

/*
 * Append the sample of a cluster, at least one page, to `list`: of each page
 * its body and its charset (daemon/worker/item_list.h). *changes_out are the
 * changes of the cluster whose pages these are (struct cluster_state). Errors
 * are those of struct taught; then nothing is appended.
 */
typedef enum error sample_reader(void *context, uint32_t cluster,
				 struct buffer *list, uint32_t *changes_out);

struct learned_question {
	const struct extractor *extractor; /* learns_sample() */
	const double *parameters;          /* [MAX_PARAMETERS] */
	sample_reader *read;
	void *context;
	uint64_t site; /* tells it from the others in this cache */
	uint32_t cluster;
	uint32_t changes; /* of it */
	const struct page_limits *limits;
};

struct learned;

/*
 * From the cache, or from the sample, which one thread at a time reads; when
 * the cluster has changed meanwhile, from that of now. Its pages are copied,
 * and parsed when the transaction has ended. `cache` may be NULL. Release it;
 * until then learned_knowledge() is valid. *learned_out is NULL after an error:
 * those of the reader; ERR_CORRUPT: none of the pages can be parsed.
 */
enum error learned_get(struct learned_cache *cache,
		       const struct learned_question *question,
		       struct learned **learned_out);

/*
 * Learn from a sample that is at hand, and keep it for learned_get(), as if it
 * had been read: the pages are the same ones. They stay the caller's.
 */
void learned_teach(struct learned_cache *cache,
		   const struct learned_question *question,
		   const struct sample *sample);

/* The result of extractor->learn(); NULL for NULL. */
const void *learned_knowledge(const struct learned *learned);

/* NULL is a no-op. */
void learned_release(struct learned_cache *cache, struct learned *learned);

#endif
