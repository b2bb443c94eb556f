/*
 * template/site_question.h - what extraction wants to know of a site about one
 * page, read as of one state of the site.
 */
#ifndef TEMPLATE_SITE_QUESTION_H
#define TEMPLATE_SITE_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "template/site_view.h"

struct site_question {
	/* The page stands in the site as this. NULL: it is a new one, */
	const struct known_page *known;
	struct signature own;      /* with this signature */
	const struct url *url;     /* and address; NULL: it has none */
	const uint64_t *fragments; /* [count] hashes of its texts */
	uint32_t count;
};

struct site_answer {
	bool is_there;         /* the known page is still what it was */
	uint32_t cluster;      /* of the page; 0: none */
	uint32_t page_count;   /* of the cluster, with the page */
	uint32_t changes;      /* struct cluster_state, without it */
	uint64_t generation;   /* of the site */
	uint32_t *frequencies; /* [count] pages of the cluster, with this one,
				  that have the fragment; the caller's room */
};

/*
 * A new page is classified among the pages of the site and counted as a page of
 * its cluster: in place of the stored page of the same URL, if that is in the
 * cluster, else in addition. The frequencies are set unless the cluster is 0.
 * Errors of source->failure().
 */
enum error site_ask(const struct site_view *site,
		    const struct site_question *question,
		    struct site_answer *answer_out);

/* The page of the site at the URL; false when there is none. */
bool site_find(const struct site_view *site, const struct url *url,
	       struct known_page *page_out);

#endif
