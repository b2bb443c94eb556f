/*
 * template/extraction.h - extract a page's text: find the page's template in
 * its site, run the method with it, and render the text.
 */
#ifndef TEMPLATE_EXTRACTION_H
#define TEMPLATE_EXTRACTION_H

#include "base/error.h"
#include "extract/core/extractor.h"
#include "template/classify.h"
#include "template/site_view.h"
#include "template/text_answer.h"

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
	/*
	 * The prepared data of the page for the method (extractor->prepare());
	 * or NULL.
	 */
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
 * cluster, which are most of the data read from a site.
 */
bool extraction_needs_counts(const struct text_request *request);

/*
 * Extract the page that the site stores as `known`; `page` is that page. Errors
 * as in extraction_of_body(), except ERR_NOT_HTML. ERR_BUSY: it is no longer
 * stored, or has changed; find it again.
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
 * classified among the pages of the site and counted as a page of its cluster:
 * instead of the stored page of the same URL, if that is in the cluster,
 * otherwise in addition. ERR_NOT_HTML, ERR_NOT_FOUND (method),
 * ERR_ADDRESS_FORBIDDEN (the method needs a template), ERR_MALFORMED
 * (parameters or model), errors of struct template_model; the result has the
 * reason.
 */
enum error extraction_of_body(struct extraction *extraction,
			      struct extraction_result *answer);

/*
 * Return the cluster that extraction_of_body() finds; `site` may be NULL.
 * ERR_NOT_HTML.
 */
enum error extraction_class(const struct site_view *site,
			    const struct text_request *request,
			    const struct page_limits *limits,
			    struct cluster_match *classed_out);

#endif
