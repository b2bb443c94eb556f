/*
 * template/extraction.h - extraction of a page's text: finds the page's
 * template in its site, runs the method with it, and renders the text.
 */
#ifndef TEMPLATE_EXTRACTION_H
#define TEMPLATE_EXTRACTION_H

#include "extract/core/extractor.h"
#include "store/error.h"
#include "template/classify.h"
#include "template/site_view.h"
#include "template/text_answer.h"

/*
 * Load the ridge model of the request's site, NULL when it has none;
 * ridge_model_destroy() it. After an error the reason is in the answer.
 */
typedef enum error model_loader(void *context, const struct answer_rules *rules,
				const struct text_request *request,
				struct ridge_model **model_out,
				struct text_answer *answer);

struct extraction {
	const struct answer_rules *rules;
	const struct text_request *request;
	const struct site_view *site; /* NULL: of a site that is not known */
	model_loader *load_model;     /* or NULL: no site has a model */
	void *load_context;
	/* What the method that answers has prepared of the page
	   (extractor->prepare()); or NULL. */
	const void *prepared;
	/* The following fields are set by the functions below. */
	const struct page *page;
	struct template_counts counts; /* page_count 0: nothing is known */
	uint32_t cluster;              /* 0: none */
	uint32_t changes;              /* of it: struct cluster_state */
	uint64_t generation;           /* of the site */
	unsigned http_status;          /* 0: not known */
};

/* Whether the answer is made of how often the fragments stand in the cluster:
 * the most of what is read of a site. */
bool extraction_needs_counts(const struct text_request *request);

/*
 * Answer the page that stands in the site as `known`; `page` is it. Errors are
 * those of extraction_of_body(), but for ERR_NOT_HTML. ERR_BUSY: it stands
 * there no more, or not as it did; find it again.
 */
enum error extraction_of_known(struct extraction *extraction,
			       const struct page *page,
			       const struct known_page *known,
			       struct text_answer *answer);

/*
 * Answer a page by itself, as if no template was known of it.
 */
enum error extraction_of_page(struct extraction *extraction,
			      const struct page *page, unsigned http_status,
			      struct text_answer *answer);

/*
 * Extract the page request->body as if it were at request->url. If the site has
 * stored the same body there, this is extraction_of_known(). Any other page is
 * classified among the pages of the site and counted as a page of its cluster:
 * in place of the stored page of the same URL, if that is in the cluster, else
 * in addition. ERR_NOT_HTML, ERR_NOT_FOUND (method), ERR_REFUSED (it needs a
 * template), ERR_MALFORMED (parameters or model), those of struct taught; the
 * reason is in the answer.
 */
enum error extraction_of_body(struct extraction *extraction,
			      struct text_answer *answer);

/* The cluster that extraction_of_body() finds; `site` may be NULL.
 * ERR_NOT_HTML. */
enum error extraction_class(const struct site_view *site,
			    const struct text_request *request,
			    const struct page_limits *limits,
			    struct classed *classed_out);

#endif
