#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/lower_bound.h"
#include "base/memory.h"
#include "base/order.h"
#include "template/bundle_parts.h"
#include "template/cursor.h"

static bool bundle_clusters_reject(char *reason, const char *why)
{
	snprintf(reason, BUNDLE_REASON_BYTES, "%s", why);
	return false;
}

/* Return the index of a cluster, or cluster_count. */
static uint32_t bundle_find_cluster(const struct bundle *bundle,
				    uint32_t number)
{
	size_t at;

	LOWER_BOUND(at, bundle->cluster_count,
		    bundle->clusters[at].number < number);
	return at < bundle->cluster_count &&
			       bundle->clusters[at].number == number
		       ? (uint32_t)at
		       : bundle->cluster_count;
}

/* Create the clusters from the clusters of the pages, and count their pages. */
static void name_clusters(struct bundle *bundle)
{
	uint32_t *numbers = mem_alloc(bundle->page_count + 1, sizeof(*numbers));
	size_t count = 0;

	for (size_t i = 0; i < bundle->page_count; i++)
		if (bundle->pages[i].known.cluster != 0)
			numbers[count++] = bundle->pages[i].known.cluster;
	qsort(numbers, count, sizeof(*numbers), order_u32);
	bundle->clusters = mem_alloc(count + 1, sizeof(*bundle->clusters));
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || numbers[i] != numbers[i - 1])
			bundle->clusters[bundle->cluster_count++].number =
				numbers[i];
		bundle->clusters[bundle->cluster_count - 1].page_count++;
	}
	free(numbers);
}

/* Pages sorted by cluster. */
struct grouping {
	uint32_t *order; /* [page_count]: pages without a cluster at the end */
	size_t *first;   /* [cluster_count + 1] */
};

static struct grouping bundle_group_pages(const struct bundle *bundle)
{
	struct grouping grouping = {
		.order = mem_alloc(bundle->page_count + 1, sizeof(uint32_t)),
		.first = mem_alloc(bundle->cluster_count + 2U, sizeof(size_t)),
	};
	size_t *next = mem_alloc(bundle->cluster_count + 1U, sizeof(*next));

	for (uint32_t c = 0; c < bundle->cluster_count; c++)
		grouping.first[c + 1] =
			grouping.first[c] + bundle->clusters[c].page_count;
	memcpy(next, grouping.first,
	       (bundle->cluster_count + 1U) * sizeof(*next));
	for (uint32_t i = 0; i < bundle->page_count; i++)
		grouping.order[next[bundle_find_cluster(
			bundle, bundle->pages[i].known.cluster)]++] = i;
	free(next);
	return grouping;
}

static int compare_rows(const void *left, const void *right)
{
	const struct frequency_row *a = left;
	const struct frequency_row *b = right;

	return (a->fragment > b->fragment) - (a->fragment < b->fragment);
}

/*
 * Count the fragments of the pages `order` [page_count] of a cluster; add the
 * rows to the bundle. `counts` [fragment_count] is zero before and after.
 */
static void count_cluster(struct bundle *bundle, struct bundle_cluster *cluster,
			  const uint32_t *order, uint32_t *counts)
{
	struct frequency_row *rows = bundle->rows + cluster->first_row;

	for (uint32_t i = 0; i < cluster->page_count; i++) {
		const struct bundle_page *page = &bundle->pages[order[i]];
		const uint32_t *fragments =
			bundle->page_fragments.items + page->first;

		for (uint32_t f = 0; f < page->count; f++)
			if (counts[fragments[f]]++ == 0)
				rows[cluster->row_count++].fragment =
					fragments[f];
	}
	for (size_t i = 0; i < cluster->row_count; i++) {
		rows[i].count = counts[rows[i].fragment];
		counts[rows[i].fragment] = 0;
	}
	assert(cluster->row_count <= bundle->fragment_count);
	if (cluster->row_count > 1)
		qsort(rows, cluster->row_count, sizeof(*rows), compare_rows);
}

void bundle_make_clusters(struct bundle *bundle)
{
	uint32_t *counts =
		mem_alloc(bundle->fragment_count + 1, sizeof(*counts));
	struct grouping grouping;
	size_t row = 0;

	name_clusters(bundle);
	grouping = bundle_group_pages(bundle);
	/* At most one row for each fragment of each page. */
	bundle->rows = mem_alloc(bundle->page_fragments.size + 1,
				 sizeof(*bundle->rows));
	for (uint32_t c = 0; c < bundle->cluster_count; c++) {
		struct bundle_cluster *cluster = &bundle->clusters[c];

		cluster->first_row = row;
		count_cluster(bundle, cluster,
			      grouping.order + grouping.first[c], counts);
		assert(row + cluster->row_count <= bundle->page_fragments.size);
		row += cluster->row_count;
	}
	bundle->rows = mem_resize(bundle->rows, row + 1, sizeof(*bundle->rows));
	free(grouping.order);
	free(grouping.first);
	free(counts);
}

static bool bundle_read_version(struct bundle *bundle,
				struct bundle_cluster *cluster,
				struct slice bytes, char *reason)
{
	struct byte_cursor cursor = cursor_of(bytes);
	uint32_t version = (uint32_t)cursor_number(&cursor, UINT32_MAX);
	struct slice rest = cursor_bytes(&cursor, cursor_left(&cursor));
	json_t *value =
		json_loadb(rest.data, rest.size, JSON_REJECT_DUPLICATES, NULL);
	bool is_object = json_is_object(value);

	json_decref(value);
	if (!cursor_is_done(&cursor) || version == 0 || !is_object)
		return bundle_clusters_reject(reason, "it is damaged");
	cluster->version = version;
	cluster->json = (struct slice){
		arena_copy(bundle->arena, rest.data, rest.size), rest.size};
	return true;
}

bool bundle_read_cluster(struct bundle *bundle, const struct section *section,
			 char *reason)
{
	uint32_t index = bundle_find_cluster(bundle, section->number);
	struct bundle_cluster *cluster = &bundle->clusters[index];
	struct buffer bytes = {0};
	bool is_right = false;

	if (index == bundle->cluster_count)
		return bundle_clusters_reject(reason,
					      "there is no such cluster");
	if (container_unpack(section, &bytes) != ERR_NONE) {
		bundle_clusters_reject(reason, "it cannot be decompressed");
	} else if (section->kind == SECTION_VERSION) {
		is_right = bundle_read_version(bundle, cluster,
					       buffer_slice(&bytes), reason);
	} else {
		cluster->samples = section;
		is_right =
			bundle_check_samples(buffer_slice(&bytes),
					     bundle->limits.max_page_bytes) ||
			bundle_clusters_reject(reason, "it is damaged");
	}
	buffer_free(&bytes);
	return is_right;
}

uint32_t bundle_template_count(const struct bundle *bundle)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < bundle->cluster_count; i++)
		count += bundle->clusters[i].page_count >=
			 bundle->site.min_cluster_pages;
	return count;
}

const struct bundle_cluster *bundle_clusters(const struct bundle *bundle,
					     uint32_t *count_out)
{
	*count_out = bundle->cluster_count;
	return bundle->clusters;
}

const struct bundle_cluster *bundle_cluster(const struct bundle *bundle,
					    uint32_t number)
{
	uint32_t index = bundle_find_cluster(bundle, number);

	return index == bundle->cluster_count ? NULL : &bundle->clusters[index];
}
