#include "template/classify.h"

#include <stdlib.h>

#include "cluster/signature.h"
#include "store/memory.h"

enum {
	REACH_FACTOR = 2,
	MAX_REACH = 500, /* permille; beyond it pages have little in common */
	PERMILLE = 1000,
};

/*
 * How far from a page of a cluster a new one may be to be called one of it. In
 * the cluster itself the links are no longer than the threshold; a page that
 * was never visited lacks the visited ones that would link it.
 */
static unsigned reach_of(const struct site_view *site)
{
	unsigned reach = site->threshold * REACH_FACTOR;

	if (reach > MAX_REACH)
		reach = MAX_REACH;
	return reach > site->threshold ? reach : site->threshold;
}

/* The search, with the nearest set so far: common / larger, as a fraction. */
struct search {
	const uint32_t *terms; /* of the page: [count], of `size` members */
	size_t count;
	size_t size;
	unsigned reach;
	uint32_t set;
	size_t common;
	size_t larger;
	bool is_found;
};

static size_t count_common(const struct search *search,
			   const struct term_set *set)
{
	size_t common = 0;
	size_t i = 0;
	size_t j = 0;

	while (i < search->count && j < set->count) {
		uint32_t left = search->terms[i];
		uint32_t right = set->terms[j];

		common += left == right;
		i += left <= right;
		j += right <= left;
	}
	return common;
}

static void consider(void *visitor, const struct term_set *set)
{
	struct search *search = visitor;
	size_t larger = set->count > search->size ? set->count : search->size;
	size_t common = count_common(search, set);

	if (signature_height(larger, common) > search->reach)
		return;
	if (search->is_found &&
	    common * search->larger <= search->common * larger)
		return;
	search->set = set->number;
	search->common = common;
	search->larger = larger;
	search->is_found = true;
}

struct classed classify(const struct site_view *site, const struct page *page,
			struct slice path)
{
	const struct signature_rule rule = {
		.measure = site->measure, .width = site->width, .path = path};
	struct signature own = signature_compute(page->arena, page, rule);
	uint32_t *terms = mem_alloc(own.count + 1, sizeof(*terms));
	struct search search = {
		.terms = terms,
		.count = site->source->find_terms(site->context, own, terms),
		.size = own.count,
		.reach = reach_of(site),
	};
	struct classed classed = {.reach = (double)search.reach / PERMILLE};

	site->source->each_set(site->context, consider, &search);
	free(terms);
	if (!search.is_found)
		return classed;
	classed.cluster = site->source->cluster_of(site->context, search.set);
	if (search.larger > 0)
		classed.distance = (double)(search.larger - search.common) /
				   (double)search.larger;
	return classed;
}
