/*
 * template/extraction.h - extract a page's text: find the page's template in
 * its site, run the method with it, and render the text.
 */
#ifndef TEMPLATE_EXTRACTION_H
#define TEMPLATE_EXTRACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cluster/signature.h"
#include "crawl/url/url.h"
#include "extract/core/extractor.h"
#include "page/page.h"
#include "template/result.h"

struct arena;
struct site_query;
struct site_query_result;
struct site_source;

/* The interface to a site's data: the store and bundles implement it. */

/* Plain data; the slices live as long as the context. */
struct site_view {
	struct slice host; /* HOST in HOST/N */
	enum measure measure;
	unsigned width;      /* of shingles; 0 = default of the measure */
	unsigned threshold;  /* permille */
	uint64_t generation; /* state of its templates at the last begin() */
	const struct site_source *source;
	void *context; /* argument of the source's functions */
};

/* A stored page of the site. */
struct known_page {
	uint64_t key;          /* page_key_of() of its URL */
	uint64_t content_hash; /* hash64 of its body */
	uint32_t cluster;      /* 0 = none */
	uint32_t http_status;
	struct slice charset; /* of the Content-Type, or empty */
};

/* The shingles of a unique signature, strictly ascending. */
struct site_signature {
	uint32_t number;
	const uint32_t *shingle_ids; /* [count] */
	size_t count;
};

/* The current state of a cluster. */
struct cluster_state {
	uint32_t page_count;
	uint32_t changes; /* the sample is unchanged while this number is */
};

/* The template model of a method and a cluster. */
struct template_model {
	const void *knowledge; /* by extractor->learn() */
	void *holder;          /* NULL after an error */
	/*
	 * The reason if there is no model. ERR_BUSY: the cluster no longer
	 * exists; ERR_BODY_EXPIRED: none of its pages is stored; ERR_CORRUPT:
	 * the stored pages are damaged; others of the source.
	 */
	enum error error;
};

/*
 * Data read between begin() and end() is one state of the site; compute nothing
 * between them, because a transaction is open. Call `learn` and `release`
 * outside, all others inside. begin() and end() may be NULL. A remote source
 * has `answer`, which replaces the single requests.
 */
struct site_source {
	enum error (*answer)(void *context, const struct site_query *question,
			     struct site_query_result *answer_out);
	void (*begin)(void *context);
	void (*end)(void *context);
	/*
	 * Return whether the page is unchanged; update its cluster. NULL: yes.
	 */
	bool (*is_current)(void *context, struct known_page *page);
	/*
	 * Write the ids of the shingles of `own`, ascending, to `shingles_out`
	 * [own.count]; return their number.
	 */
	size_t (*find_shingles)(void *context, struct signature own,
				uint32_t *shingles_out);
	/* Visit every unique signature of the site, ascending by number. */
	void (*each_set)(void *context,
			 void (*visit)(void *visitor,
				       const struct site_signature *set),
			 void *visitor);
	/* Return the cluster of the pages with this signature, or 0. */
	uint32_t (*cluster_of)(void *context, uint32_t set);
	struct cluster_state (*state)(void *context, uint32_t cluster);
	/* Pages of the cluster that contain the fragment. */
	uint32_t (*frequency)(void *context, uint32_t cluster,
			      uint64_t fragment);
	bool (*find_page)(void *context, const struct url *url,
			  struct known_page *page_out);
	/*
	 * Return the distinct fragments of a known page, ascending, in `arena`;
	 * NULL if they cannot be read.
	 */
	const uint64_t *(*fragments)(void *context,
				     const struct known_page *page,
				     struct arena *arena, uint32_t *count_out);
	/*
	 * Build the template model from the sample of a cluster in state
	 * `changes`; release a model that has a holder.
	 */
	struct template_model (*learn)(void *context, uint32_t cluster,
				       uint32_t changes,
				       const struct extractor *extractor,
				       const double *parameters);
	void (*release)(void *context, struct template_model taught);
	/*
	 * Return the first failure of the functions above; ERR_BUSY: the site
	 * was deleted. Call it outside.
	 */
	enum error (*failure)(const void *context);
};

struct cluster_match {
	uint32_t cluster; /* 0 = none */
	double distance;  /* 0..1, to the nearest signature in reach */
	double reach;     /* 0..1: farther signatures are ignored */
};

/*
 * Find the cluster of the nearest stored signature, if its distance is at most
 * twice the threshold; of equals the first by number. O(unique signatures).
 */
struct cluster_match classify(const struct site_view *site,
			      struct signature own);

/*
 * Load the ridge model of the request's site, NULL if it has none; free it with
 * ridge_model_destroy(). After an error the result has the reason.
 */
typedef enum error model_loader(void *context,
				const struct extraction_options *rules,
				const struct text_request *request,
				struct ridge_model **model_out,
				struct extraction_result *answer);

struct extraction {
	const struct extraction_options *rules;
	const struct text_request *request;
	const struct site_view *site; /* NULL: the site is unknown */
	model_loader *load_model;     /* or NULL: no site has a model */
	void *load_context;
	/* prepared data for the method (extractor->prepare()); or NULL */
	const void *prepared;
	/* The functions below set the following fields. */
	const struct page *page;
	struct template_counts counts; /* page_count 0 = no template */
	uint32_t cluster;              /* 0 = none */
	uint32_t changes;     /* of the cluster: struct cluster_state */
	uint64_t generation;  /* of the site */
	unsigned http_status; /* 0 = unknown */
};

/*
 * Return whether the result needs the frequencies of the fragments in the
 * cluster, most of the data of a site.
 */
bool extraction_needs_counts(const struct text_request *request);

/*
 * Extract the stored page `known`, which is `page`. Errors as in
 * extraction_of_body(), except ERR_NOT_HTML. ERR_BUSY: it is no longer stored,
 * or has changed; find it again.
 */
enum error extraction_of_known(struct extraction *extraction,
			       const struct page *page,
			       const struct known_page *known,
			       struct extraction_result *answer);

/* Extract a page without its site, as if it had no template. */
enum error extraction_of_page(struct extraction *extraction,
			      const struct page *page, unsigned http_status,
			      struct extraction_result *answer);

/*
 * Extract the page request->body as if it were at request->url. If the site
 * stores the same body there, this is extraction_of_known(). Any other page is
 * classified and counted as a page of its cluster, instead of the stored page
 * of the same URL if that is in the cluster. ERR_NOT_HTML, ERR_NOT_FOUND
 * (method), ERR_ADDRESS_FORBIDDEN (the method needs a template), ERR_MALFORMED
 * (parameters or model), errors of struct template_model; the result has the
 * reason.
 */
enum error extraction_of_body(struct extraction *extraction,
			      struct extraction_result *answer);

/* Return the cluster of the page; `site` may be NULL. ERR_NOT_HTML. */
enum error extraction_class(const struct site_view *site,
			    const struct text_request *request,
			    const struct page_limits *limits,
			    struct cluster_match *classed_out);

/* bytes of source from which a sample gets no further page */
enum { MAX_SAMPLE_BYTES = 8 << 20, MIN_SAMPLE_PAGES = 2 };

/*
 * Build the template model from `pages` [count >= 1], which are destroyed.
 * `parameters` must live as long as `arena`, which owns the result.
 */
const void *template_model_build(const struct extractor *extractor,
				 const double *parameters, struct page **pages,
				 uint32_t count, struct arena *arena);

/* Read the metadata of the result's page. */
void result_read_metadata(struct extraction_result *answer);

/*
 * Return whether the page can be cited: it has a title, a date of publication,
 * and a URL. Reads the metadata if the format did not.
 */
bool result_is_citable(struct extraction_result *answer);

/* Read the metadata and compute the document, for any format. */
void result_compute_document(struct extraction_result *answer);

struct site_query {
	/* The stored page; NULL for a new page, */
	const struct known_page *known;
	struct signature own;      /* with this signature */
	const struct url *url;     /* and address; NULL if it has none */
	const uint64_t *fragments; /* [count] hashes of its texts */
	uint32_t count;
};

struct site_query_result {
	bool is_there;         /* the known page is unchanged */
	uint32_t cluster;      /* of the page; 0 = none */
	uint32_t page_count;   /* of the cluster, including the page */
	uint32_t changes;      /* struct cluster_state, without the page */
	uint64_t generation;   /* of the site */
	uint32_t *frequencies; /* [count], buffer of the caller: pages of the
				  cluster, including this one, that contain the
				  fragment */
};

/*
 * Classify a new page and count it as a page of its cluster: instead of the
 * stored page of the same URL, if that is in the cluster, otherwise in
 * addition. The frequencies are set unless the cluster is 0. Errors of
 * source->failure().
 */
enum error site_query_run(const struct site_view *site,
			  const struct site_query *question,
			  struct site_query_result *answer_out);

/* Return the page of the site at the URL; false if there is no such page. */
bool site_find(const struct site_view *site, const struct url *url,
	       struct known_page *page_out);

#endif
