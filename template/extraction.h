/*
 * template/extraction.h - extracts the text of a page: find the template of the
 * page in its site, run the extraction method with it, and write the text.
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

/* The interface to the data of a site. The store and bundles implement it. */

/* A site. Plain data; the slices are valid as long as `context`. */
struct site_view {
	struct slice host; /* HOST in the identifier HOST/N of a cluster */
	enum measure measure;
	unsigned width;      /* steps or tags per shingle; 0 = default */
	unsigned threshold;  /* permille */
	uint64_t generation; /* of its templates at the last begin() */
	const struct site_source *source;
	void *context; /* first argument of the functions of `source` */
};

/* A stored page of the site. */
struct known_page {
	uint64_t key;          /* page_key_of() of its URL */
	uint64_t content_hash; /* hash64 of its body */
	uint32_t cluster;      /* 0 = none */
	uint32_t http_status;
	struct slice charset; /* charset of its Content-Type header, or empty */
};

/*
 * A unique signature of the site: its number, and the ids of its shingles,
 * strictly ascending.
 */
struct site_signature {
	uint32_t number;
	const uint32_t *shingle_ids; /* [count] */
	size_t count;
};

/* The shingles of a signature that a site contains, and their units. */
struct found_shingles {
	size_t count; /* number of these shingles */
	size_t units; /* number of units of all shingles of the signature */
	/*
	 * number of units of each shingle of the site, by its id; NULL: one
	 * unit each. Valid until end()
	 */
	const uint32_t *units_of;
};

/* The current state of a cluster. */
struct cluster_state {
	uint32_t page_count;
	uint32_t changes; /* if this number is the same, the sample is also the
			     same */
};

/* What a template model consists of. */
struct model_data {
	const void *knowledge;     /* result of extractor->learn() */
	struct page_titles titles; /* of the pages of the sample */
};

/*
 * A template model: built by an extraction method from the sample of a cluster.
 */
struct template_model {
	const struct model_data *data;
	void *holder; /* for release(); NULL after an error */
	/*
	 * The reason if there is no model. ERR_BUSY: the cluster no longer
	 * exists; ERR_BODY_EXPIRED: none of its pages is stored; ERR_CORRUPT:
	 * the stored pages are damaged; or another error of the source.
	 */
	enum error error;
};

/*
 * The functions that read a site. All data read between begin() and end() are
 * from one state of the site. Do not compute anything between them, because a
 * transaction is open. Call `learn`, `release` and `failure` outside of begin()
 * and end(), the other functions between them. begin() and end() may be NULL.
 * The source of a remote site has only `answer`, which replaces the other
 * requests.
 */
struct site_source {
	enum error (*answer)(void *context, const struct site_query *question,
			     struct site_query_result *answer_out);
	void (*begin)(void *context);
	void (*end)(void *context);
	/*
	 * Return whether the page has not changed, and update its cluster. If
	 * the function is NULL, pages never change.
	 */
	bool (*is_current)(void *context, struct known_page *page);
	/*
	 * Write to `shingles_out` [own.count] the ids of the shingles of `own`
	 * that the site contains, ascending.
	 */
	struct found_shingles (*find_shingles)(void *context,
					       struct signature own,
					       uint32_t *shingles_out);
	/*
	 * Call `visit` with every unique signature of the site, ascending by
	 * number.
	 */
	void (*each_set)(void *context,
			 void (*visit)(void *visitor,
				       const struct site_signature *set),
			 void *visitor);
	/*
	 * Return the cluster of the pages with signature number `set`; 0 if
	 * they have none.
	 */
	uint32_t (*cluster_of)(void *context, uint32_t set);
	struct cluster_state (*state)(void *context, uint32_t cluster);
	/*
	 * Return the number of pages of the cluster that contain the fragment.
	 */
	uint32_t (*frequency)(void *context, uint32_t cluster,
			      uint64_t fragment);
	bool (*find_page)(void *context, const struct url *url,
			  struct known_page *page_out);
	/*
	 * Return the distinct fragments of a known page in `arena`, ascending;
	 * NULL if they cannot be read.
	 */
	const uint64_t *(*fragments)(void *context,
				     const struct known_page *page,
				     struct arena *arena, uint32_t *count_out);
	/*
	 * Build the template model from the sample of a cluster in state
	 * `changes`. Call release() for each model whose holder is not NULL.
	 */
	struct template_model (*learn)(void *context, uint32_t cluster,
				       uint32_t changes,
				       const struct extractor *extractor,
				       const double *parameters);
	void (*release)(void *context, struct template_model taught);
	/*
	 * Return the first error of the functions above. ERR_BUSY: the site was
	 * deleted.
	 */
	enum error (*failure)(const void *context);
};

struct cluster_match {
	uint32_t cluster; /* 0 = none */
	double distance;  /* 0..1, distance to the nearest signature in reach */
	double reach;     /* 0..1: signatures farther away are ignored */
};

/*
 * Find the cluster of the stored signature that is nearest to `own`, if their
 * distance is at most twice the threshold. Of equally near signatures use the
 * one with the lowest number. O(unique signatures).
 */
struct cluster_match classify(const struct site_view *site,
			      struct signature own);

/*
 * Load the ridge model of the site of the request; *model_out is NULL if it has
 * none. Free it with ridge_model_destroy(). After an error the result contains
 * the reason.
 */
typedef enum error model_loader(void *context,
				const struct extraction_options *rules,
				const struct text_request *request,
				struct ridge_model **model_out,
				struct extraction_result *answer);

struct extraction {
	const struct extraction_options *rules;
	const struct text_request *request;
	const struct site_view
		*site;            /* NULL: the page belongs to no known site */
	model_loader *load_model; /* NULL: no site has a model */
	void *load_context;
	/* data that extractor->prepare() returned for the method; or NULL */
	const void *prepared;
	/* The following fields are set by the functions below. */
	const struct page *page;
	struct template_counts counts; /* counts of its fragments; page_count 0
					  = no template */
	uint32_t cluster;              /* 0 = none */
	uint32_t changes;     /* cluster_state.changes of the cluster */
	uint64_t generation;  /* generation of the site */
	unsigned http_status; /* 0 = unknown */
};

/*
 * Return whether the request needs the document frequencies of fragments in the
 * cluster. They are most of the data of a site.
 */
bool extraction_needs_counts(const struct text_request *request);

/*
 * Extract the page `known` of the site; `page` is its parsed body. Errors as in
 * extraction_of_body(), except ERR_NOT_HTML. ERR_BUSY: the page is no longer
 * stored, or has changed; find it again.
 */
enum error extraction_of_known(struct extraction *extraction,
			       const struct page *page,
			       const struct known_page *known,
			       struct extraction_result *answer);

/* Extract the text of a page whose site is not known. No template is used. */
enum error extraction_of_page(struct extraction *extraction,
			      const struct page *page, unsigned http_status,
			      struct extraction_result *answer);

/*
 * Extract the page request->body as if its URL were request->url. If the site
 * stores this body for the URL, do the same as extraction_of_known(). Otherwise
 * classify the page and count it as a page of its cluster; if the stored page
 * of the URL is in this cluster, the new page replaces it. After an error the
 * result contains the reason: ERR_NOT_HTML, ERR_NOT_FOUND (no such method),
 * ERR_ADDRESS_FORBIDDEN (the method needs a template), ERR_MALFORMED
 * (parameters or model), errors of struct template_model.
 */
enum error extraction_of_body(struct extraction *extraction,
			      struct extraction_result *answer);

/*
 * Parse the page request->body and find its cluster; `site` may be NULL. The
 * caller owns *page_out, which is NULL after an error. ERR_NOT_HTML.
 */
enum error extraction_class(const struct site_view *site,
			    const struct text_request *request,
			    const struct page_limits *limits,
			    struct page **page_out,
			    struct cluster_match *classed_out);

/*
 * When the pages of a sample have MAX_SAMPLE_BYTES of source, no further page
 * is added.
 */
enum { MAX_SAMPLE_BYTES = 8 << 20, MIN_SAMPLE_PAGES = 2 };

/*
 * Build a template model from `pages` [count >= 1], and destroy the pages.
 * `arena` owns the result, which refers to `parameters`.
 */
const struct model_data *template_model_build(const struct extractor *extractor,
					      const double *parameters,
					      struct page **pages,
					      uint32_t count,
					      struct arena *arena);

/* Do the same, but do not destroy the pages. */
const struct model_data *
template_model_of_sample(const struct extractor *extractor,
			 const double *parameters, const struct sample *sample,
			 struct arena *arena);

/* Read the metadata of the page of the result. */
void result_read_metadata(struct extraction_result *answer);

/*
 * Return whether the page can be cited: it has a title, a date of publication
 * and a URL. Read the metadata if they were not read before.
 */
bool result_is_citable(struct extraction_result *answer);

/*
 * Read the metadata and compute the document, whatever the format of the
 * result.
 */
void result_compute_document(struct extraction_result *answer);

struct site_query {
	/*
	 * the stored page; NULL for a new page, which the following fields
	 * describe
	 */
	const struct known_page *known;
	struct signature own;      /* its signature */
	const struct url *url;     /* its URL; NULL if it has none */
	const uint64_t *fragments; /* [count] hashes of its fragments */
	uint32_t count;
};

struct site_query_result {
	bool is_there;         /* the known page has not changed */
	uint32_t cluster;      /* cluster of the page; 0 = none */
	uint32_t page_count;   /* pages of the cluster, including the page */
	uint32_t changes;      /* cluster_state.changes, without the page */
	uint64_t generation;   /* generation of the site */
	uint32_t *frequencies; /* [count], memory of the caller: for each
				  fragment, the pages of the cluster that
				  contain it, including the page */
};

/*
 * Find the cluster of a page, and the document frequencies of its fragments
 * there. A new page is classified and counted as a page of its cluster: it
 * replaces the stored page of the same URL if that is in the cluster, otherwise
 * it is added. If the cluster is 0, the frequencies are not set. Errors of
 * source->failure().
 */
enum error site_query_run(const struct site_view *site,
			  const struct site_query *question,
			  struct site_query_result *answer_out);

/*
 * Find the stored page of the site with this URL; return false if none exists.
 */
bool site_find(const struct site_view *site, const struct url *url,
	       struct known_page *page_out);

#endif
