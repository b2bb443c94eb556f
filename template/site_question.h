/*
 * template/site_question.h - request the site's data about one page, from one
 * state of the site.
 */
#ifndef TEMPLATE_SITE_QUESTION_H
#define TEMPLATE_SITE_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "template/site_view.h"

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
 * Classify a new page among the pages of the site and count it as a page of its
 * cluster: instead of the stored page of the same URL, if that is in the
 * cluster, otherwise in addition. The frequencies are set unless the cluster is
 * 0. Errors of source->failure().
 */
enum error site_query_run(const struct site_view *site,
			  const struct site_query *question,
			  struct site_query_result *answer_out);

/* Return the page of the site at the URL; false if there is no such page. */
bool site_find(const struct site_view *site, const struct url *url,
	       struct known_page *page_out);

#endif
