#include "template/classify.h"

#include <stdlib.h>

#include "base/memory.h"

enum {
	REACH_FACTOR = 2,
	MAX_REACH = 500, /* permille; beyond it pages have little in common */
	PERMILLE = 1000,
};

/*
 * Return the largest distance (permille) of a new page from a page of its
 * cluster. Links inside a cluster are not longer than the threshold; but the
 * pages that would link a new page to its cluster may not have been visited
 * yet, so it may be farther away.
 */
static unsigned reach_of(const struct site_view *site)
{
	unsigned reach = site->threshold * REACH_FACTOR;

	if (reach > MAX_REACH)
		reach = MAX_REACH;
	return reach > site->threshold ? reach : site->threshold;
}

/*
 * The search, with the nearest set until now: the similarity as the fraction
 * common / larger.
 */
struct nearest_search {
	bool *is_own; /* [limit], by shingle: the page has it */
	size_t limit;
	size_t count; /* shingles of the page that are shingles of the site */
	size_t size;  /* of its members */
	unsigned reach;
	uint32_t set;
	size_t common;
	size_t larger;
	bool is_found;
};

/*
 * Return whether a set with `common` common shingles is within reach and nearer
 * than the best until now.
 */
static bool nearest_search_is_nearer(const struct nearest_search *search,
				     size_t larger, size_t common)
{
	return signature_height(larger, common) <= search->reach &&
	       (!search->is_found ||
		common * search->larger > search->common * larger);
}

static size_t count_common(const struct nearest_search *search,
			   const struct site_signature *set)
{
	size_t common = 0;

	for (size_t i = 0;
	     i < set->count && set->shingle_ids[i] < search->limit; i++)
		common += search->is_own[set->shingle_ids[i]];
	return common;
}

static void nearest_search_visit(void *visitor,
				 const struct site_signature *set)
{
	struct nearest_search *search = visitor;
	size_t larger = set->count > search->size ? set->count : search->size;
	size_t most = set->count < search->count ? set->count : search->count;
	size_t common;

	if (!nearest_search_is_nearer(search, larger, most))
		return;
	common = count_common(search, set);
	if (!nearest_search_is_nearer(search, larger, common))
		return;
	search->set = set->number;
	search->common = common;
	search->larger = larger;
	search->is_found = true;
}

/* Mark the shingles of the site that are shingles of `own`. */
static void nearest_search_mark_shingles(const struct site_view *site,
					 struct signature own,
					 struct nearest_search *search)
{
	uint32_t *shingle_ids = mem_alloc(own.count + 1, sizeof(*shingle_ids));

	search->size = own.count;
	search->count =
		site->source->find_shingles(site->context, own, shingle_ids);
	if (search->count > 0)
		search->limit = (size_t)shingle_ids[search->count - 1] + 1;
	search->is_own = mem_alloc(search->limit + 1, sizeof(bool));
	for (size_t i = 0; i < search->count; i++)
		search->is_own[shingle_ids[i]] = true;
	free(shingle_ids);
}

struct signature classify_signature(const struct site_view *site,
				    const struct page *page, struct slice path)
{
	const struct signature_rule rule = {
		.measure = site->measure, .width = site->width, .path = path};

	return signature_compute(page->arena, page, rule);
}

struct cluster_match classify(const struct site_view *site,
			      struct signature own)
{
	struct nearest_search search = {.reach = reach_of(site)};
	struct cluster_match classed = {.reach = (double)search.reach /
						 PERMILLE};

	nearest_search_mark_shingles(site, own, &search);
	site->source->each_set(site->context, nearest_search_visit, &search);
	free(search.is_own);
	if (!search.is_found)
		return classed;
	classed.cluster = site->source->cluster_of(site->context, search.set);
	if (search.larger > 0)
		classed.distance = (double)(search.larger - search.common) /
				   (double)search.larger;
	return classed;
}
