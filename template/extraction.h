/*
 * template/extraction.h - from a page to its text: what its site knows of it,
 * the method, what that must know, and how the text is laid out.
 */
#ifndef TEMPLATE_EXTRACTION_H
#define TEMPLATE_EXTRACTION_H

#include "extract/core/extractor.h"
#include "store/error.h"
#include "template/classify.h"
#include "template/site_view.h"
#include "template/text_answer.h"

/*
 * The model of the request's own site, NULL when it has none;
 * ridge_model_destroy() it. After an error the reason is in the answer.
 */
typedef enum error model_loader(const struct answer_rules *rules,
				const struct text_request *request,
				struct ridge_model **model_out,
				struct text_answer *answer);

struct extraction {
	const struct answer_rules *rules;
	const struct text_request *request;
	const struct site_view *site; /* NULL: of a site that is not known */
	model_loader *load_model;     /* or NULL: sites have none */
	/* What follows is found out by the functions below. */
	const struct page *page;
	struct template_counts counts; /* page_count 0: nothing is known */
	uint32_t cluster;              /* 0: none */
	unsigned http_status;          /* 0: not known */
};

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
 * Answer the page request->body as if it stood at request->url. The very page
 * that the site knows there is answered as that. Any other is classed with the
 * pages of the site, and counted as one of its cluster: in place of the known
 * one of the same URL, if that is a member, else as one more. ERR_NOT_HTML,
 * ERR_NOT_FOUND (method), ERR_REFUSED (it needs a template), ERR_MALFORMED
 * (parameters or model); the reason is in the answer.
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
