#include "daemon/engine/sites.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

enum { MIN_BUCKETS = 64 };

static struct site **sites_bucket(const struct sites *sites, struct slice host)
{
	uint64_t hash = hash64(host.data, host.size, 0);

	return &sites->buckets[hash & (sites->bucket_count - 1)];
}

static void site_array_push(struct site_array *list, struct site *site)
{
	list->items = mem_grow(list->items, list->count, &list->capacity,
			       sizeof(struct site *));
	list->items[list->count++] = site;
}

static void list_once(struct site_array *list, struct site *site,
		      enum site_array_flags which)
{
	if ((site->lists & which) != 0)
		return;
	site->lists |= which;
	site_array_push(list, site);
}

static void site_array_remove(struct site_array *list, struct site *site,
			      enum site_array_flags which)
{
	size_t i = 0;

	if ((site->lists & which) == 0)
		return;
	while (list->items[i] != site)
		i++;
	list->items[i] = list->items[--list->count];
	site->lists &= ~(unsigned)which;
}

void sites_touch(struct sites *sites, struct site *site)
{
	if ((site->lists & SITE_IN_TOUCHED) == 0) {
		site->leased_before = site->leased;
		site->pending_before = site->row.pending_count;
		site->is_crawled = false;
	}
	list_once(&sites->touched, site, SITE_IN_TOUCHED);
	sites_mark_unqueued(sites, site);
}

void sites_mark_unqueued(struct sites *sites, struct site *site)
{
	list_once(&sites->unplaced, site, SITE_IN_UNPLACED);
}

struct site *sites_find(struct sites *sites, struct slice host)
{
	if (sites->bucket_count == 0)
		return NULL;
	for (struct site *site = *sites_bucket(sites, host); site != NULL;
	     site = site->next) {
		if (site->is_deleted || !slice_equal(site->row.host, host))
			continue;
		sites_touch(sites, site);
		return site;
	}
	return NULL;
}

static void hang_up(struct sites *sites, struct site *site)
{
	struct site **bucket = sites_bucket(sites, site->row.host);

	site->next = *bucket;
	*bucket = site;
}

static void grow_buckets(struct sites *sites)
{
	sites->bucket_count = sites->bucket_count == 0
				      ? MIN_BUCKETS
				      : 2 * sites->bucket_count;
	free(sites->buckets);
	sites->buckets = mem_alloc(sites->bucket_count, sizeof(struct site *));
	for (size_t i = 0; i < sites->all.count; i++)
		hang_up(sites, sites->all.items[i]);
}

void sites_add(struct sites *sites, struct site *site)
{
	if (sites->all.count >= sites->bucket_count)
		grow_buckets(sites);
	site->index = sites->all.count;
	site_array_push(&sites->all, site);
	hang_up(sites, site);
	sites_touch(sites, site);
}

void sites_drop(struct sites *sites, struct site *site)
{
	struct site **link = sites_bucket(sites, site->row.host);
	struct site *last = sites->all.items[--sites->all.count];

	assert(site->waits == SITE_WAITS_NOT);
	while (*link != site)
		link = &(*link)->next;
	*link = site->next;
	sites->all.items[site->index] = last;
	last->index = site->index;
	site_array_remove(&sites->touched, site, SITE_IN_TOUCHED);
	site_array_remove(&sites->unplaced, site, SITE_IN_UNPLACED);
	site_array_remove(&sites->open, site, SITE_IN_OPEN);
	site_destroy(site);
}

void sites_mark_open(struct sites *sites, struct site *site)
{
	if (site->linkage != NULL)
		list_once(&sites->open, site, SITE_IN_OPEN);
}

/*
 * Remove closed sites from the list; return the least recently used one, or
 * NULL.
 */
static struct site *find_oldest(struct sites *sites)
{
	struct site_array *open = &sites->open;
	struct site *oldest = NULL;

	for (size_t i = open->count; i-- > 0;) {
		struct site *site = open->items[i];

		if (site->linkage == NULL)
			site_array_remove(open, site, SITE_IN_OPEN);
		else if (oldest == NULL || site->used < oldest->used)
			oldest = site;
	}
	return oldest;
}

void sites_close_idle(struct sites *sites, size_t max)
{
	struct site *oldest;

	while (sites->open.count > max) {
		oldest = find_oldest(sites);
		if (sites->open.count > max)
			site_close(oldest);
	}
}

void sites_clear(struct site_array *list, enum site_array_flags which)
{
	for (size_t i = 0; i < list->count; i++)
		list->items[i]->lists &= ~(unsigned)which;
	list->count = 0;
}

void sites_free(struct sites *sites)
{
	for (size_t i = 0; i < sites->all.count; i++)
		site_destroy(sites->all.items[i]);
	free(sites->all.items);
	free(sites->touched.items);
	free(sites->unplaced.items);
	free(sites->open.items);
	free(sites->buckets);
}
