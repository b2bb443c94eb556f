/* Add the links of a page to the frontier of its site. */
#include "daemon/engine/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "page/page.h"
#include "store/key.h"
#include "store/rows_frontier.h"
#include "store/rows_site.h"

struct link_candidate {
	struct slice url;
	size_t kinship; /* similarity to the page that links to it; higher is
			   more similar */
	size_t order;   /* position in the page */
};

/*
 * Return true if `text` is a URL of the host of `site`, judging by its
 * beginning only.
 */
static bool link_is_of_site(const struct site *site, struct slice text)
{
	const char *host = memmem(text.data, text.size, "://", 3);
	struct slice rest;

	if (host == NULL)
		return false;
	host += 3;
	rest.data = host;
	rest.size = text.size - (size_t)(host - (const char *)text.data);
	return rest.size > site->row.host.size &&
	       memcmp(rest.data, site->row.host.data, site->row.host.size) ==
		       0 &&
	       host[site->row.host.size] == '/';
}

/*
 * Return the number of common leading path segments of two URLs, plus one if
 * both have equally many: such URLs probably have the same template.
 */
static size_t link_kinship(struct slice a, struct slice b)
{
	const char *left = a.data;
	const char *right = b.data;
	size_t shorter = a.size < b.size ? a.size : b.size;
	size_t shared = 0;
	size_t slashes = 0;
	size_t i = 0;

	for (; i < shorter && left[i] == right[i]; i++)
		shared += left[i] == '/';
	for (size_t k = i; k < a.size; k++)
		slashes += left[k] == '/';
	for (size_t k = i; k < b.size; k++)
		slashes -= right[k] == '/';
	return 2 * shared + (slashes == 0);
}

static int closest_first(const void *left, const void *right)
{
	const struct link_candidate *a = left;
	const struct link_candidate *b = right;

	if (a->kinship != b->kinship)
		return a->kinship > b->kinship ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* Return whether the frontier has the URL; it never loses one. */
static bool link_is_known(struct commit *batch, struct site *site,
			  struct slice url)
{
	uint64_t key = page_key_of(url);
	uint64_t *known =
		site->known == NULL ? NULL : &site->known[key % SITE_KNOWN];
	struct frontier_row row;

	if (known != NULL && *known == key && key != 0)
		return true;
	if (!frontier_row_get(batch->txn, site->row.id, key, &row))
		return false;
	if (known != NULL)
		*known = key;
	return true;
}

/* Find the links of the page into the site that are not in the frontier. */
static size_t find_candidates(struct commit *batch, struct site *site,
			      const struct url *page,
			      const struct record *record,
			      struct link_candidate *candidates)
{
	size_t count = 0;

	for (uint32_t i = 0; i < record->link_count; i++) {
		struct record_link link = record_link_at(record, i);

		if ((link.flags & LINK_IS_NOFOLLOW) != 0 ||
		    !link_is_of_site(site, link.url) ||
		    link_is_known(batch, site, link.url))
			continue;
		candidates[count] = (struct link_candidate){
			.url = link.url,
			.kinship = link_kinship(link.url, slice_of(page->text)),
			.order = count,
		};
		count++;
	}
	return count;
}

static void add_candidate(struct commit *batch, struct site *site,
			  struct slice text, unsigned depth)
{
	struct url url;

	if (url_parse(&url, text, NULL) != ERR_NONE)
		return;
	commit_discover(batch, site,
			&(struct discovery){
				.url = &url,
				.how = ADMIT_LINK,
				.depth = depth,
			});
}

void commit_links(struct commit *batch, struct site *site,
		  const struct url *page, const struct record *record,
		  const struct frontier_row *row)
{
	bool is_asked = (row->flags & FRONTIER_IS_ON_DEMAND) != 0;
	unsigned depth = is_asked ? 1 : row->depth + 1U;
	struct link_candidate *candidates;
	size_t count;

	if ((record->flags & RECORD_IS_NOFOLLOW) != 0 ||
	    (site->row.options.flags & SITE_IS_OFFLINE) != 0 ||
	    depth > site->row.options.max_depth || record->link_count == 0)
		return;
	candidates = mem_alloc(record->link_count, sizeof(*candidates));
	count = find_candidates(batch, site, page, record, candidates);
	if ((site->row.options.flags & SITE_IS_SAMPLE) != 0) {
		qsort(candidates, count, sizeof(*candidates), closest_first);
		if (count > batch->options->max_neighbours)
			count = batch->options->max_neighbours;
	}
	for (size_t i = 0; i < count; i++)
		add_candidate(batch, site, candidates[i].url, depth);
	free(candidates);
}
