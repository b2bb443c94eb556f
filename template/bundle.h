/*
 * template/bundle.h - a bundle: a site in one file, with all data that are
 * needed to classify pages and to extract their content. The results are the
 * same as in the daemon that wrote the bundle. container.h describes the file
 * format; its sections are
 *
 *   site       a JSON object: struct bundle_site
 *   model      the ridge model of the site, as text; may be missing
 *   shingles   u64 shingles of signatures, ascending
 *   sets       signatures: cluster, shingles*
 *   fragments  u64 hashes of fragments, ascending
 *   pages      u64 key, u64 hash of the body, cluster, HTTP status,
 *              charset, fragments*; ascending by key
 *   samples    of a cluster: charset and body of each page in its sample
 *   version    of a cluster: number and JSON of the newest version of its
 *              template
 *   weights    shingle_weights_encode(); missing if the site has no weights
 *   fields     of a cluster: sets of the fields of its template, each as text
 *              (template/fields/field_set.h)
 *
 * Numbers that are not u64 are encoded as in container.h. A text is its length
 * and its bytes. A list* is a list of ascending indices: their number, then the
 * gaps between them. Document frequencies are not stored; they are computed
 * from the pages.
 *
 * A bundle may be hostile, so all data are checked when it is opened. Only one
 * thread at a time may use it, except for bundle_extract_by() and the functions
 * that only read.
 */
#ifndef TEMPLATE_BUNDLE_H
#define TEMPLATE_BUNDLE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cluster/shingle_weights.h"
#include "cluster/signature.h"
#include "page/page.h"
#include "template/container.h"
#include "template/extraction.h"
#include "template/page_fields.h"
#include "template/result.h"

struct arena;
struct bundle;
struct bundle_model;
struct ridge_model;

/* The name of a template for people (template/template_name.h). */
struct bundle_name {
	uint32_t cluster; /* must be first: order_u32() compares it */
	const char *name;
};

struct bundle_site {
	const char *host; /* HOST in the identifier HOST/N of a cluster */
	const char *base; /* scheme://host[:port]/ */
	enum measure measure;
	unsigned width;     /* steps or tags per shingle; 0 = default */
	unsigned threshold; /* permille */
	uint64_t generation;
	uint64_t made_ms; /* time of writing, Unix milliseconds */
	/* program that wrote the bundle: "templated 0.1.0" */
	const char *program;
	struct page_limits limits;
	uint32_t min_cluster_pages;
	/* method options as in extract/extractors.h; or "" */
	const char *settings;
	const struct bundle_name *names; /* [name_count], ascending */
	size_t name_count;
};

/* Return the name of a template; NULL if it has none. */
const char *bundle_template_name(const struct bundle_site *site,
				 uint32_t cluster);

/*
 * Read and check the section "site"; copy its texts to `arena`. ERR_CORRUPT:
 * `reason` [256] contains an English phrase.
 */
enum error bundle_site_read(struct arena *arena, struct slice json,
			    struct bundle_site *site_out, char *reason);

/* limit for the total size of the decompressed sections */
#define BUNDLE_MAX_BYTES ((size_t)1 << 30)
enum { BUNDLE_REASON_BYTES = 256 };

/* Limits for the resources that a foreign bundle may use. */
struct bundle_limits {
	size_t max_bytes;      /* of all sections together, decompressed */
	size_t max_learned;    /* of all template models together; above it, the
				  least recently used ones are freed */
	size_t max_page_bytes; /* size of a page; if the site has a lower limit,
				  that one is used */
	uint32_t max_page_nodes;
};

/*
 * The defaults: 1 GiB of sections, 64 MiB of template models, pages of 64 MiB
 * and 2,000,000 nodes.
 */
extern const struct bundle_limits bundle_limits_default;

/*
 * Open a bundle. `file` contains its bytes, which the function adopts, even if
 * it fails. ERR_VERSION, ERR_CORRUPT, ERR_TOO_LARGE: `reason`
 * [BUNDLE_REASON_BYTES] contains an English sentence. Linear time. It needs
 * memory for the file and at most sixteen times the size of the sections other
 * than samples.
 */
enum error bundle_open(struct bundle **bundle_out, struct buffer *file,
		       const struct bundle_limits *limits, char *reason);

/* Do nothing for NULL. */
void bundle_close(struct bundle *bundle);

const struct bundle_site *bundle_site_of(const struct bundle *bundle);
size_t bundle_size(const struct bundle *bundle); /* size of the file */
uint32_t bundle_page_count(const struct bundle *bundle);
/* Return the number of clusters with enough pages to have a template. */
uint32_t bundle_template_count(const struct bundle *bundle);

struct bundle_cluster {
	uint32_t number;     /* N in the identifier HOST/N */
	uint32_t page_count; /* number of the site's pages in it */
	uint32_t version;  /* number of the newest version of its template; 0 =
			      none */
	struct slice json; /* JSON of this version; empty if none exists */
	size_t first_row;  /* first row of its document frequencies */
	size_t row_count;
	const struct section *samples; /* or NULL */
	const struct section *fields;  /* or NULL */
	struct field_set *field_sets;  /* [field_set_count], after
					  bundle_find_fields() */
	uint32_t field_set_count;
	bool has_found_fields; /* bundle_find_fields() was called */
};

/* Return the clusters [*count_out], ascending by number. */
const struct bundle_cluster *bundle_clusters(const struct bundle *bundle,
					     uint32_t *count_out);
/* Return the cluster with this number; NULL if none exists. */
const struct bundle_cluster *bundle_cluster(const struct bundle *bundle,
					    uint32_t number);

/*
 * Extract the content of the page request->body, with the same result as the
 * daemon that wrote the bundle. A page without URL is treated as a page of the
 * site; a page of another host has no cluster. Errors as in
 * extraction_of_body().
 */
enum error bundle_extract(struct bundle *bundle,
			  const struct text_request *request,
			  struct extraction_result *answer_out);

/*
 * Functions that build and cache template models, if the bundle itself must not
 * do this; they are source->learn and source->release of template/extraction.h.
 */
struct bundle_learner {
	struct template_model (*learn)(void *context, uint32_t cluster,
				       const struct extractor *extractor,
				       const double *parameters);
	void (*release)(void *context, struct template_model taught);
	void *context;
};

/*
 * Return the same as bundle_extract(), with the models of `learner`. Several
 * threads may call this at the same time if the learner allows it.
 */
enum error bundle_extract_by(const struct bundle *bundle,
			     const struct bundle_learner *learner,
			     const struct text_request *request,
			     struct extraction_result *answer_out);

/*
 * Call `visit` with the charset and the body of each page in the sample of a
 * cluster. They are valid during the call.
 */
void bundle_each_sample(const struct bundle *bundle, uint32_t cluster,
			void (*visit)(void *visitor, struct slice charset,
				      struct slice body),
			void *visitor);

/*
 * Find the cluster of the page request->body; URL and host are treated as in
 * bundle_extract(). ERR_NOT_HTML.
 */
enum error bundle_classify(struct bundle *bundle,
			   const struct text_request *request,
			   struct cluster_match *classed_out);

/*
 * Read the fields of a cluster. If the bundle has none, but enough pages for a
 * template, find them in its sample. Further calls do nothing.
 */
void bundle_find_fields(struct bundle *bundle, uint32_t cluster);

/*
 * Return the fields that the bundle has for a cluster, as fields_describe()
 * does; null if it has none. The caller owns the result.
 */
json_t *bundle_describe_fields(const struct bundle_cluster *cluster);

/*
 * Find the cluster of the page request->body as bundle_classify() does, and
 * read the values of the fields of its template; bundle_find_fields() is called
 * for it. After that was called for all clusters, several threads may call this
 * function. In any case the caller calls page_fields_free(). ERR_NOT_HTML.
 */
enum error bundle_page_fields(struct bundle *bundle,
			      const struct text_request *request,
			      struct page_fields *fields_out);

/* Do the same with a page whose cluster is known; 0 = none. */
void bundle_cluster_fields(struct bundle *bundle, uint32_t cluster,
			   const struct page *page,
			   struct page_fields *fields_out);

/*
 * Do the same as bundle_page_fields(), but add the values to a record as
 * record_add() does. *cluster_out is the template of the page; 0 = none.
 */
enum error bundle_record(struct bundle *bundle,
			 const struct text_request *request,
			 uint32_t *cluster_out, json_t *record);

/* Several lists of ascending numbers, one after another. */
struct index_lists {
	uint32_t *items; /* [size] */
	size_t size;
	size_t capacity;
};

struct bundle_set {
	uint32_t cluster;
	uint32_t count;
	size_t first; /* index in bundle.set_shingles.items */
};

struct bundle_page {
	struct known_page known;
	uint32_t count;
	size_t first; /* index in bundle.page_fragments.items */
};

/* The number of pages of a cluster that contain a fragment. */
struct frequency_row {
	uint32_t fragment; /* must be first: order_u32() compares it */
	uint32_t count;
};

/* The context of the site_view of a bundle. */
struct bundle_view {
	struct bundle *bundle; /* not modified if `learner` is set */
	/* NULL: the bundle builds the models */
	const struct bundle_learner *learner;
};

struct bundle {
	struct buffer file;
	struct bundle_limits limits;
	struct arena *arena; /* owns the texts and arrays of the bundle */
	struct container container;
	struct bundle_site site;
	struct ridge_model *model; /* NULL: the site has no model of its own */
	uint64_t *shingle_ids;     /* [shingle_count], ascending */
	size_t shingle_count;
	struct shingle_weights weights;
	uint32_t *units; /* [shingle_count] units of each shingle; NULL: one */
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
	struct bundle_view seen;    /* for `view` */
	struct site_view view;      /* the site without a learner */
	/* list of models, the most recently used first */
	struct bundle_model *newest;
	size_t learned_bytes;
};

/*
 * Return whether the bytes are a valid sample and no page is larger than
 * `max_bytes`.
 */
bool bundle_check_samples(struct slice bytes, size_t max_bytes);
struct template_model bundle_learn(struct bundle *bundle, uint32_t cluster,
				   const struct extractor *extractor,
				   const double *parameters);

/*
 * Writing a bundle: call these functions in the order of their declaration.
 * Call a function that writes one item once for each item.
 */

/* Initialise with {.max_bytes = ...}. */
struct bundle_writer {
	size_t max_bytes; /* limit for the file; the decompressed sections are
			     limited by BUNDLE_MAX_BYTES */
	size_t unpacked;
	struct container_writer file;
	struct buffer rows;     /* bytes of the current section */
	enum section_kind kind; /* kind of the current section */
	uint32_t number;
};

void bundle_put_site(struct bundle_writer *writer,
		     const struct bundle_site *site);

/*
 * Write the ridge model of the site as text; an empty text means that it has
 * none.
 */
void bundle_put_model(struct bundle_writer *writer, struct slice model);

/* Write the weights of the shingles. */
void bundle_put_weights(struct bundle_writer *writer,
			const struct shingle_weights *weights);

/*
 * Write hashes, strictly ascending: for SECTION_SHINGLES all shingles of all
 * signatures, for SECTION_FRAGMENTS all fragments of all pages.
 */
void bundle_put_hashes(struct bundle_writer *writer, enum section_kind kind,
		       const uint64_t *hashes, size_t count);

/*
 * Write a unique signature, as indices of its shingles, and the cluster of its
 * pages (0 = none). If a page is equally near to several signatures, it gets
 * the cluster of the first one.
 */
void bundle_put_set(struct bundle_writer *writer, uint32_t cluster,
		    const uint32_t *shingle_ids, size_t count);

/*
 * Write a page and its fragments. Pages must ascend by key, fragments must
 * ascend.
 */
void bundle_put_page(struct bundle_writer *writer,
		     const struct known_page *page, const uint32_t *fragments,
		     uint32_t count);

/*
 * Write one page of the sample of a cluster. Clusters must ascend; pages are in
 * the order of the sample.
 */
void bundle_put_sample(struct bundle_writer *writer, uint32_t cluster,
		       struct slice charset, struct slice body);

/*
 * Write the newest version of the template of a cluster as JSON. Clusters must
 * ascend.
 */
void bundle_put_version(struct bundle_writer *writer, uint32_t cluster,
			uint32_t version, struct slice json);

/*
 * Write an encoded set of fields of the template of a cluster; for one cluster
 * at most MAX_FIELD_SETS, with MAX_FIELDS_BYTES. Clusters must ascend.
 */
void bundle_put_fields(struct bundle_writer *writer, uint32_t cluster,
		       struct slice set);

/*
 * Return whether the bundle exceeds a limit. Then the caller can stop writing.
 */
bool bundle_is_full(const struct bundle_writer *writer);

/*
 * Append the bundle to `out`, and free the writer. ERR_TOO_LARGE: the bundle
 * exceeds a limit.
 */
enum error bundle_end(struct bundle_writer *writer, struct buffer *out);
void bundle_writer_free(struct bundle_writer *writer);

#endif
