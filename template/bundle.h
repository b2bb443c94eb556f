/*
 * template/bundle.h - a site as one file: the data to classify a page and to
 * extract its content with the same results as the daemon that wrote the
 * bundle. The file format is described in container.h; its sections are
 *
 *         site       a JSON object: bundle_site.h
 *         model      the site's own ridge model, as text; may be missing
 *         shingles   u64 shingles of signatures, ascending
 *         sets       signatures: cluster, shingles*
 *         fragments  u64 hashes of fragments, ascending
 *         pages      u64 key, u64 hash of the body, cluster, HTTP status,
 *                    charset, fragments*; ascending by key
 *         samples    of a cluster: charset, body of each page of its sample
 *         version    of a cluster: number, JSON of the newest version of its
 *                    template
 *
 * where all other numbers are encoded as in cursor.h, texts are preceded by
 * their length, and a list* of ascending indices is their number and the gaps
 * between them. Document frequencies are not stored, but computed from the
 * pages.
 *
 * A bundle may be hostile: opening it checks all data. One thread at a time,
 * except for bundle_extract_by() and read-only functions.
 */
#ifndef TEMPLATE_BUNDLE_H
#define TEMPLATE_BUNDLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "template/bundle_site.h"
#include "template/classify.h"
#include "template/site_view.h"
#include "template/text_answer.h"

struct bundle;

/*
 * The decompressed size of all sections: a limit for writing, and the default
 * for reading.
 */
#define BUNDLE_MAX_BYTES ((size_t)1 << 30)
enum { BUNDLE_REASON_BYTES = 256 };

/* Limits on the resources that a foreign bundle may use. */
struct bundle_limits {
	size_t max_bytes;   /* of all sections, decompressed */
	size_t max_learned; /* of template models; above it the least recently
			       used ones are freed */
	size_t max_page_bytes; /* the limit of the bundle if that is lower */
	uint32_t max_page_nodes;
};

/* 1 GiB, 64 MiB; 64 MiB, 2,000,000. */
extern const struct bundle_limits bundle_limits_default;

/*
 * Open a file. Takes ownership of the buffer's bytes, also after an error:
 * ERR_VERSION, ERR_CORRUPT, ERR_TOO_LARGE, with an English sentence in `reason`
 * [BUNDLE_REASON_BYTES]. O(size of the sections); uses memory for the file and
 * at most sixteen times its sections without samples.
 */
enum error bundle_open(struct bundle **bundle_out, struct buffer *file,
		       const struct bundle_limits *limits, char *reason);

/* NULL is a no-op. */
void bundle_close(struct bundle *bundle);

const struct bundle_site *bundle_site_of(const struct bundle *bundle);
size_t bundle_size(const struct bundle *bundle); /* of the file */
uint32_t bundle_page_count(const struct bundle *bundle);
/* Return the number of clusters with enough pages to have a template. */
uint32_t bundle_template_count(const struct bundle *bundle);

struct bundle_cluster {
	uint32_t number;     /* N of HOST/N */
	uint32_t page_count; /* of the site */
	uint32_t version;    /* of its template; 0 = none */
	struct slice json;   /* of that version, or empty */
	size_t first_row;    /* of its document frequencies */
	size_t row_count;
	const struct section *samples; /* or NULL */
};

/* Return the clusters, ascending by number: [*count_out]. */
const struct bundle_cluster *bundle_clusters(const struct bundle *bundle,
					     uint32_t *count_out);
/* Return NULL if there is no such cluster. */
const struct bundle_cluster *bundle_cluster(const struct bundle *bundle,
					    uint32_t number);

/*
 * Extract the content of the page request->body as the daemon did when it wrote
 * the bundle. A page without URL is treated as a page of the site with an
 * unknown URL; a page of another host has no cluster. Errors are those of
 * extraction_of_body().
 */
enum error bundle_extract(struct bundle *bundle,
			  const struct text_request *request,
			  struct extraction_result *answer_out);

/*
 * Builds template models from the samples instead of the bundle, and caches
 * them: source->learn and release of template/site_view.h, with its own
 * context.
 */
struct bundle_learner {
	struct template_model (*learn)(void *context, uint32_t cluster,
				       const struct extractor *extractor,
				       const double *parameters);
	void (*release)(void *context, struct template_model taught);
	void *context;
};

/*
 * Like bundle_extract(); several threads may call it at the same time if the
 * learner allows that.
 */
enum error bundle_extract_by(const struct bundle *bundle,
			     const struct bundle_learner *learner,
			     const struct text_request *request,
			     struct extraction_result *answer_out);

/*
 * Visit the sample of a cluster, if there is one: charset and body of each
 * page, valid during the visit.
 */
void bundle_each_sample(const struct bundle *bundle, uint32_t cluster,
			void (*visit)(void *visitor, struct slice charset,
				      struct slice body),
			void *visitor);

/* Find the cluster of the page request->body in the same way. ERR_NOT_HTML. */
enum error bundle_classify(struct bundle *bundle,
			   const struct text_request *request,
			   struct cluster_match *classed_out);

#endif
