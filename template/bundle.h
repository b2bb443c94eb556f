/*
 * template/bundle.h - a site as one file: the data to classify a page and to
 * extract its content with the same results as the daemon that wrote the
 * bundle. The file format is described in container.h; its sections are
 *
 *         site       a JSON object: struct bundle_site
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
 * where all other numbers are encoded as in container.h, texts are preceded by
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
#include "cluster/signature.h"
#include "page/page.h"
#include "template/container.h"
#include "template/extraction.h"
#include "template/result.h"

struct arena;
struct bundle;
struct bundle_model;
struct ridge_model;

struct bundle_site {
	const char *host; /* HOST in HOST/N */
	const char *base; /* scheme://host[:port]/ */
	enum measure measure;
	unsigned width;     /* of shingles; 0 = default of the measure */
	unsigned threshold; /* permille */
	uint64_t generation;
	uint64_t made_ms;    /* Unix milliseconds */
	const char *program; /* writer of the bundle: "templated 0.1.0" */
	struct page_limits limits;
	uint32_t min_cluster_pages;
	const char *settings; /* as in extract/extractors.h; or "" */
};

/*
 * Read and check the section; copy the texts to `arena`. ERR_CORRUPT, with an
 * English phrase in `reason` [256].
 */
enum error bundle_site_read(struct arena *arena, struct slice json,
			    struct bundle_site *site_out, char *reason);

/* limit of the decompressed sections */
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
 * [BUNDLE_REASON_BYTES]. Linear; memory for the file and at most sixteen times
 * its sections without samples.
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
 * Extract the content of the page request->body as the daemon did that wrote
 * the bundle. A page without URL is treated as a page of the site; a page of
 * another host has no cluster. Errors as in extraction_of_body().
 */
enum error bundle_extract(struct bundle *bundle,
			  const struct text_request *request,
			  struct extraction_result *answer_out);

/*
 * Builds and caches template models instead of the bundle: source->learn and
 * release of template/extraction.h.
 */
struct bundle_learner {
	struct template_model (*learn)(void *context, uint32_t cluster,
				       const struct extractor *extractor,
				       const double *parameters);
	void (*release)(void *context, struct template_model taught);
	void *context;
};

/* The same for several threads at a time, if the learner allows that. */
enum error bundle_extract_by(const struct bundle *bundle,
			     const struct bundle_learner *learner,
			     const struct text_request *request,
			     struct extraction_result *answer_out);

/*
 * Visit the sample of a cluster: charset and body of each page, valid during
 * the visit.
 */
void bundle_each_sample(const struct bundle *bundle, uint32_t cluster,
			void (*visit)(void *visitor, struct slice charset,
				      struct slice body),
			void *visitor);

/* Find the cluster of the page request->body in the same way. ERR_NOT_HTML. */
enum error bundle_classify(struct bundle *bundle,
			   const struct text_request *request,
			   struct cluster_match *classed_out);

/* Concatenated lists of ascending numbers. */
struct index_lists {
	uint32_t *items; /* [size] */
	size_t size;
	size_t capacity;
};

struct bundle_set {
	uint32_t cluster;
	uint32_t count;
	size_t first; /* in set_shingles.items */
};

struct bundle_page {
	struct known_page known;
	uint32_t count;
	size_t first; /* in page_fragments.items */
};

/* The number of pages of a cluster that contain a fragment. */
struct frequency_row {
	uint32_t fragment; /* first: the key of the order */
	uint32_t count;
};

/* The context of a bundle's view. */
struct bundle_view {
	struct bundle *bundle; /* not modified if there is a learner */
	const struct bundle_learner *learner; /* NULL: the bundle itself */
};

struct bundle {
	struct buffer file;
	struct bundle_limits limits;
	struct arena *arena; /* owns the texts below */
	struct container container;
	struct bundle_site site;
	struct ridge_model *model; /* or NULL */
	uint64_t *shingle_ids;     /* [shingle_count], ascending */
	size_t shingle_count;
	struct bundle_set *sets; /* [set_count] */
	size_t set_count;
	struct index_lists set_shingles;
	uint64_t *fragments; /* [fragment_count], ascending */
	size_t fragment_count;
	struct bundle_page *pages; /* [page_count], ascending by key */
	size_t page_count;
	struct index_lists page_fragments;
	struct bundle_cluster *clusters; /* [cluster_count], ascending */
	uint32_t cluster_count;
	struct frequency_row *rows; /* by cluster, then ascending by fragment */
	struct bundle_view seen;    /* without a learner */
	struct site_view view;      /* without a learner */
	struct bundle_model *newest; /* list ordered by last use */
	size_t learned_bytes;
};

/* Return whether the bytes are a valid sample, no page over `max_bytes`. */
bool bundle_check_samples(struct slice bytes, size_t max_bytes);
struct template_model bundle_learn(struct bundle *bundle, uint32_t cluster,
				   const struct extractor *extractor,
				   const double *parameters);

/*
 * Write a bundle. Call the functions in the order of their declaration, those
 * for a single item once per item.
 */

/* Start with {.max_bytes = ...}. */
struct bundle_writer {
	size_t max_bytes; /* of the file; the limit when decompressed is
			     BUNDLE_MAX_BYTES */
	size_t unpacked;
	struct container_writer file;
	struct buffer rows;     /* bytes of the current section */
	enum section_kind kind; /* kind of the current section */
	uint32_t number;
};

void bundle_put_site(struct bundle_writer *writer,
		     const struct bundle_site *site);

/* Write the site's own model as text; empty if it has none. */
void bundle_put_model(struct bundle_writer *writer, struct slice model);

/*
 * Write all shingles of all signatures (SECTION_SHINGLES), or all fragments of
 * all pages (SECTION_FRAGMENTS), strictly ascending.
 */
void bundle_put_hashes(struct bundle_writer *writer, enum section_kind kind,
		       const uint64_t *hashes, size_t count);

/*
 * Write a unique signature, as indices of shingles, and its cluster (0 = none).
 * Of equally near signatures the first counts.
 */
void bundle_put_set(struct bundle_writer *writer, uint32_t cluster,
		    const uint32_t *shingle_ids, size_t count);

/* Write a page, ascending by key, with its ascending fragments. */
void bundle_put_page(struct bundle_writer *writer,
		     const struct known_page *page, const uint32_t *fragments,
		     uint32_t count);

/* Write a page of a sample: clusters ascending, pages in their order. */
void bundle_put_sample(struct bundle_writer *writer, uint32_t cluster,
		       struct slice charset, struct slice body);

/* Write the newest version of a template as JSON, clusters ascending. */
void bundle_put_version(struct bundle_writer *writer, uint32_t cluster,
			uint32_t version, struct slice json);

/* Return whether the bundle is too large, so that the caller can stop. */
bool bundle_is_full(const struct bundle_writer *writer);

/* Append the bundle to `out`, and free the writer. ERR_TOO_LARGE. */
enum error bundle_end(struct bundle_writer *writer, struct buffer *out);
void bundle_writer_free(struct bundle_writer *writer);

#endif
