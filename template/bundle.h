/*
 * template/bundle.h - a site as one file: everything that is needed to classify
 * a page and to extract its content as the daemon would that made the bundle.
 * The file format is that of container.h; its sections are
 *
 * 	site       a JSON object: bundle_site.h
 * 	model      the site's own model of ridges, as text; may be missing
 * 	shingles      u64 shingles of signatures, ascending
 * 	sets       signatures: cluster, shingles*
 * 	fragments  u64 hashes of fragments, ascending
 * 	pages      u64 key, u64 hash of the body, cluster, HTTP status, charset,
 * 		   fragments*; ascending by key
 * 	samples    of a cluster: charset, body of each page of its sample
 * 	version    of a cluster: number, JSON of the newest version of its
 * 		   template
 *
 * where all other numbers are encoded as in cursor.h, texts are preceded by
 * their length, and a list* of ascending indices is their number and the gaps
 * between them. Document frequencies are not stored: they are computed from the
 * pages.
 *
 * A bundle may be hostile: all of it is checked when it is opened. One thread
 * at a time, but for bundle_extract_by() and what only reads.
 */
#ifndef TEMPLATE_BUNDLE_H
#define TEMPLATE_BUNDLE_H

#include <stddef.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/error.h"
#include "template/bundle_site.h"
#include "template/classify.h"
#include "template/site_view.h"
#include "template/text_answer.h"

struct bundle;

/* The unpacked size of all sections: a limit to write, and to read by default.
 */
#define BUNDLE_MAX_BYTES ((size_t)1 << 30)
enum { BUNDLE_REASON_BYTES = 256 };

/* Limits on the resources that a foreign bundle may use. */
struct bundle_limits {
	size_t max_bytes;      /* of all sections, unpacked */
	size_t max_learned;    /* of what methods have learned; above it the
				  least recently used is freed */
	size_t max_page_bytes; /* the limit of the bundle if that is lower */
	uint32_t max_page_nodes;
};

/* 1 GiB, 64 MiB; 64 MiB, 2,000,000. */
extern const struct bundle_limits bundle_limits_default;

/*
 * Open a file, whose bytes move out of the buffer, also after an error:
 * ERR_VERSION, ERR_CORRUPT, ERR_TOO_LARGE, with an English sentence in
 * `reason` [BUNDLE_REASON_BYTES]. O(size of the sections); in memory it takes
 * the file and at most sixteen times its sections without samples.
 */
enum error bundle_open(struct bundle **bundle_out, struct buffer *file,
		       const struct bundle_limits *limits, char *reason);

/* NULL is a no-op. */
void bundle_close(struct bundle *bundle);

const struct bundle_site *bundle_site_of(const struct bundle *bundle);
size_t bundle_size(const struct bundle *bundle); /* of the file */
uint32_t bundle_page_count(const struct bundle *bundle);
/* The number of clusters with enough pages to have a template. */
uint32_t bundle_template_count(const struct bundle *bundle);

struct bundle_cluster {
	uint32_t number;     /* N of HOST/N */
	uint32_t page_count; /* of the site */
	uint32_t version;    /* of its template; 0: none is known */
	struct slice json;   /* of that version, or empty */
	size_t first_row;    /* of its document frequencies */
	size_t row_count;
	const struct section *samples; /* or NULL */
};

/* Ascending by number: [*count_out]. */
const struct bundle_cluster *bundle_clusters(const struct bundle *bundle,
					     uint32_t *count_out);
/* NULL when there is no such cluster. */
const struct bundle_cluster *bundle_cluster(const struct bundle *bundle,
					    uint32_t number);

/*
 * The content of the page request->body, as the daemon answered it when the
 * bundle was made. A page without URL is treated as a page of the site with an
 * unknown URL; a page of another host is of no cluster. Errors are those of
 * extraction_of_body().
 */
enum error bundle_extract(struct bundle *bundle,
			  const struct text_request *request,
			  struct text_answer *answer_out);

/*
 * Who learns of the samples in place of the bundle, and keeps it: source->learn
 * and release of template/site_view.h, with its own context.
 */
struct bundle_learner {
	struct taught (*learn)(void *context, uint32_t cluster,
			       const struct extractor *extractor,
			       const double *parameters);
	void (*release)(void *context, struct taught taught);
	void *context;
};

/* The same as bundle_extract(), by any number of threads at once if the
 * learner can be called so. */
enum error bundle_extract_by(const struct bundle *bundle,
			     const struct bundle_learner *learner,
			     const struct text_request *request,
			     struct text_answer *answer_out);

/* The sample of a cluster, if there is one: of each page its charset and its
 * body, which are gone afterwards. */
void bundle_each_sample(const struct bundle *bundle, uint32_t cluster,
			void (*visit)(void *visitor, struct slice charset,
				      struct slice body),
			void *visitor);

/*
 * The cluster of the page request->body, found in the same way. ERR_NOT_HTML.
 */
enum error bundle_classify(struct bundle *bundle,
			   const struct text_request *request,
			   struct classed *classed_out);

#endif
