#include "cluster/shingle_weights.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cluster/dendrogram.h"

enum {
	DEFAULT_LEVEL = 1,
	/* a heavy level is the median number of shingles of a page / PARTS */
	PARTS = 12,
	/*
	 * a page with fewer shingles than the median / SMALL does not count: it
	 * has no head, menu and footer, as a page that only redirects
	 */
	SMALL = 4,
};

/* A shingle and its level. The shingle is the first field, for order_u64(). */
struct shingle_level {
	uint64_t shingle;
	uint8_t level;
};

/* The number of shingles of the pages of a leaf, without heavy ones. */
struct leaf_size {
	uint64_t size; /* must be the first field, for order_u64() */
	uint32_t pages;
};

struct shingle_weights shingle_weights_default(enum measure measure)
{
	return (struct shingle_weights){
		.heavy_units =
			measure == MEASURE_WCAS ? SHINGLE_HEAVY_UNITS : 0};
}

static void weights_reserve(struct shingle_weights *weights, size_t count)
{
	weights->shingles = mem_alloc(count + 1, sizeof(*weights->shingles));
	weights->levels = mem_alloc(count + 1, sizeof(*weights->levels));
	weights->count = count;
}

struct shingle_weights
shingle_weights_copy(const struct shingle_weights *weights)
{
	struct shingle_weights copy = *weights;

	weights_reserve(&copy, weights->count);
	if (weights->count > 0) {
		memcpy(copy.shingles, weights->shingles,
		       weights->count * sizeof(*copy.shingles));
		memcpy(copy.levels, weights->levels, weights->count);
	}
	return copy;
}

void shingle_weights_free(struct shingle_weights *weights)
{
	free(weights->shingles);
	free(weights->levels);
	*weights = (struct shingle_weights){0};
}

/* Return the level of a shingle that is not in the table. */
static unsigned other_level(const struct shingle_weights *weights,
			    uint64_t shingle)
{
	return weights->has_page_names && shingle_is_heavy(shingle)
		       ? 0
		       : DEFAULT_LEVEL;
}

static unsigned level_of(const struct shingle_weights *weights,
			 uint64_t shingle)
{
	size_t at = sorted_find(weights->shingles, weights->count, shingle);

	return at < weights->count ? weights->levels[at]
				   : other_level(weights, shingle);
}

static uint32_t units_at(uint32_t heavy_units, uint64_t shingle, unsigned level)
{
	return level * (shingle_is_heavy(shingle) ? heavy_units : 1);
}

uint32_t shingle_units(const struct shingle_weights *weights, uint64_t shingle)
{
	return weights->heavy_units == 0
		       ? 1
		       : units_at(weights->heavy_units, shingle,
				  level_of(weights, shingle));
}

uint64_t signature_units(const struct shingle_weights *weights,
			 struct signature signature)
{
	uint64_t units = 0;

	for (size_t i = 0; i < signature.count; i++)
		units += shingle_units(weights, signature.shingles[i]);
	return units;
}

uint64_t shingle_weights_max_units(const struct shingle_weights *weights,
				   struct signature signature)
{
	uint64_t heavy = 0;

	if (weights->heavy_units == 0)
		return signature.count;
	for (size_t i = 0; i < signature.count; i++)
		heavy += shingle_is_heavy(signature.shingles[i]);
	return SHINGLE_MAX_LEVEL *
	       (signature.count - heavy + heavy * weights->heavy_units);
}

/*
 * Return the level of a shingle that `count` of `pages` pages contain: the
 * largest k with 2 SHINGLE_MAX_LEVEL sqrt(p (1 - p)) >= k - 1/2.
 */
static unsigned level_from_count(uint64_t count, uint64_t pages)
{
	const uint64_t product = count * (pages - count) * 16 *
				 SHINGLE_MAX_LEVEL * SHINGLE_MAX_LEVEL;
	unsigned level = 0;

	assert(count <= pages);
	while (level < SHINGLE_MAX_LEVEL &&
	       product >= pages * pages * (2 * level + 1) * (2 * level + 1))
		level++;
	return level == 0 && 2 * count < pages ? DEFAULT_LEVEL : level;
}

/* Return the number of shingles of a leaf that are not heavy. */
static uint64_t count_light(const struct weighted_site *site,
			    const struct dendrogram_leaf *leaf)
{
	uint64_t count = 0;

	for (uint32_t k = 0; k < leaf->count; k++)
		count +=
			!shingle_is_heavy(site->shingles[leaf->shingle_ids[k]]);
	return count;
}

/* Return whether the pages of the leaf do not count, see SMALL. */
static bool is_small(const struct weighted_site *site,
		     const struct dendrogram_leaf *leaf, uint64_t median)
{
	return count_light(site, leaf) * SMALL < median;
}

/*
 * Return how many pages contain each shingle; the caller frees the array.
 * Ignore small pages; *pages_out is the number of the others.
 */
static uint32_t *count_pages(const struct weighted_site *site, uint64_t median,
			     uint64_t *pages_out)
{
	uint32_t *counts = mem_alloc(site->shingle_count + 1, sizeof(*counts));

	*pages_out = 0;
	for (size_t i = 0; i < site->leaf_count; i++) {
		const struct dendrogram_leaf *leaf = &site->leaves[i];

		if (is_small(site, leaf, median))
			continue;
		*pages_out += leaf->pages;
		for (uint32_t k = 0; k < leaf->count; k++) {
			assert(leaf->shingle_ids[k] < site->shingle_count);
			counts[leaf->shingle_ids[k]] += leaf->pages;
		}
	}
	return counts;
}

/*
 * Return whether at least half of the `pages` pages have a heavy shingle that
 * no other page has. `counts` are those of count_pages().
 */
static bool has_page_names(const struct weighted_site *site, uint64_t median,
			   const uint32_t *counts, uint64_t pages)
{
	uint64_t named = 0;

	for (size_t i = 0; i < site->leaf_count; i++) {
		const struct dendrogram_leaf *leaf = &site->leaves[i];
		bool is_named = false;

		for (uint32_t k = 0; k < leaf->count && !is_named; k++) {
			uint32_t id = leaf->shingle_ids[k];

			is_named = counts[id] == 1 &&
				   shingle_is_heavy(site->shingles[id]);
		}
		named += is_named && !is_small(site, leaf, median);
	}
	return named > 0 && 2 * named >= pages;
}

/* Return the number of shingles of the median page, without heavy ones. */
static uint64_t median_size(const struct weighted_site *site,
			    uint64_t *pages_out)
{
	struct leaf_size *sizes =
		mem_alloc(site->leaf_count + 1, sizeof(*sizes));
	uint64_t before = 0;
	uint64_t median = 0;

	*pages_out = 0;
	for (size_t i = 0; i < site->leaf_count; i++) {
		sizes[i] =
			(struct leaf_size){count_light(site, &site->leaves[i]),
					   site->leaves[i].pages};
		*pages_out += site->leaves[i].pages;
	}
	qsort(sizes, site->leaf_count, sizeof(*sizes), order_u64);
	for (size_t i = 0; i < site->leaf_count && 2 * before < *pages_out;
	     i++) {
		median = sizes[i].size;
		before += sizes[i].pages;
	}
	free(sizes);
	return median;
}

/*
 * Set the units of a heavy shingle from the size of the median page. Halve them
 * while the site would have too many units: new pages need room, too.
 */
static void set_heavy_units(struct shingle_weights *weights,
			    const struct weighted_site *site, uint64_t median)
{
	uint64_t normal = 0;
	uint64_t heavy = 0;
	uint64_t units = median / PARTS;

	for (size_t i = 0; i < site->shingle_count; i++) {
		unsigned level = level_of(weights, site->shingles[i]);

		if (shingle_is_heavy(site->shingles[i]))
			heavy += level;
		else
			normal += level;
	}
	if (units > SHINGLE_MAX_HEAVY_UNITS)
		units = SHINGLE_MAX_HEAVY_UNITS;
	while (units > 1 && normal + heavy * units > SHINGLE_MAX_UNITS / 2)
		units /= 2;
	weights->heavy_units = units < 1 ? 1 : (uint32_t)units;
}

struct shingle_weights shingle_weights_compute(enum measure measure,
					       const struct weighted_site *site)
{
	struct shingle_weights weights = {0};
	struct shingle_level *levels =
		mem_alloc(site->shingle_count + 1, sizeof(*levels));
	size_t count = 0;
	uint64_t all_pages;
	uint64_t pages;
	uint64_t median = median_size(site, &all_pages);
	uint32_t *counts = count_pages(site, median, &pages);

	weights.has_page_names = measure == MEASURE_WCAS &&
				 has_page_names(site, median, counts, pages);
	for (size_t i = 0; i < site->shingle_count; i++) {
		uint64_t shingle = site->shingles[i];
		unsigned other = other_level(&weights, shingle);
		unsigned level = counts[i] > 1 || other != 0
					 ? level_from_count(counts[i], pages)
					 : 0;

		if (level == 0 && measure == MEASURE_CAS)
			level = DEFAULT_LEVEL;
		if (counts[i] > 0 && level != other &&
		    shingle != SIGNATURE_ROOT)
			levels[count++] =
				(struct shingle_level){shingle, (uint8_t)level};
	}
	qsort(levels, count, sizeof(*levels), order_u64);
	weights_reserve(&weights, count);
	for (size_t i = 0; i < count; i++) {
		weights.shingles[i] = levels[i].shingle;
		weights.levels[i] = levels[i].level;
	}
	weights.pages = (uint32_t)all_pages;
	set_heavy_units(&weights, site, measure == MEASURE_CAS ? 0 : median);
	free(levels);
	free(counts);
	return weights;
}

struct shingle_weights shingle_weights_for(enum measure measure,
					   const struct weighted_site *site)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < site->leaf_count; i++)
		pages += site->leaves[i].pages;
	return measure == MEASURE_WCAS && pages >= SHINGLE_MIN_PAGES
		       ? shingle_weights_compute(measure, site)
		       : shingle_weights_default(measure);
}

struct signature shingle_weights_expand(struct arena *arena,
					const struct shingle_weights *weights,
					struct signature signature)
{
	uint64_t *units;
	size_t count = 0;

	if (weights->heavy_units == 0)
		return signature;
	units = ARENA_ROOM(arena, uint64_t,
			   signature_units(weights, signature));
	for (size_t i = 0; i < signature.count; i++) {
		uint64_t shingle = signature.shingles[i];
		uint32_t number = shingle_units(weights, shingle);

		for (uint32_t k = 0; k < number; k++)
			units[count++] = hash_chain(k, shingle);
	}
	if (count > 0)
		hash_sort(arena, units, count);
	return (struct signature){units, count};
}

/* The units of a shingle in weighted leaves. */
struct unit_range {
	uint32_t first;
	uint32_t count;
};

/* Number the units of all shingles; in `arena`. */
static struct unit_range *number_units(struct arena *arena,
				       const struct weighted_site *site,
				       const struct shingle_weights *weights)
{
	struct unit_range *ranges =
		ARENA_ROOM(arena, struct unit_range, site->shingle_count);
	uint32_t next = 0;

	for (size_t i = 0; i < site->shingle_count; i++) {
		uint32_t count = shingle_units(weights, site->shingles[i]);

		if (count > SHINGLE_MAX_UNITS - next)
			count = 0;
		ranges[i] = (struct unit_range){next, count};
		next += count;
	}
	return ranges;
}

static struct dendrogram_leaf weigh_leaf(struct arena *arena,
					 const struct dendrogram_leaf *leaf,
					 const struct unit_range *ranges)
{
	struct dendrogram_leaf weighted = {.pages = leaf->pages};
	uint32_t *units;

	for (uint32_t k = 0; k < leaf->count; k++)
		weighted.count += ranges[leaf->shingle_ids[k]].count;
	units = ARENA_ROOM(arena, uint32_t, weighted.count);
	weighted.shingle_ids = units;
	for (uint32_t k = 0; k < leaf->count; k++) {
		struct unit_range range = ranges[leaf->shingle_ids[k]];

		for (uint32_t i = 0; i < range.count; i++)
			*units++ = range.first + i;
	}
	return weighted;
}

const struct dendrogram_leaf *
weighted_leaves_make(struct arena *arena, const struct weighted_site *site,
		     const struct shingle_weights *weights)
{
	struct dendrogram_leaf *leaves;
	const struct unit_range *ranges;

	if (weights->heavy_units == 0)
		return site->leaves;
	ranges = number_units(arena, site, weights);
	leaves = ARENA_ROOM(arena, struct dendrogram_leaf, site->leaf_count);
	for (size_t i = 0; i < site->leaf_count; i++)
		leaves[i] = weigh_leaf(arena, &site->leaves[i], ranges);
	return leaves;
}

/*
 * The first bytes of encoded weights. Numbers are little-endian. The first one
 * is heavy_units, with PAGE_NAMES if has_page_names.
 */
enum {
	PAGE_NAMES = 1 << 30,
	HEAD_BYTES = 2 * sizeof(uint32_t),
	ENTRY_BYTES = sizeof(uint64_t) + 1,
};

void shingle_weights_encode(const struct shingle_weights *weights,
			    struct buffer *out)
{
	const uint32_t units = weights->heavy_units;
	const uint32_t head[] = {
		htole32(weights->has_page_names ? units | PAGE_NAMES : units),
		htole32(weights->pages)};

	buffer_append(out, head, sizeof(head));
	for (size_t i = 0; i < weights->count; i++) {
		uint64_t shingle = htole64(weights->shingles[i]);

		buffer_append(out, &shingle, sizeof(shingle));
		buffer_append(out, &weights->levels[i], 1);
	}
}

bool shingle_weights_decode(struct slice bytes,
			    struct shingle_weights *weights_out)
{
	const char *at = bytes.data;
	uint32_t head[2];
	bool is_valid;

	*weights_out = (struct shingle_weights){0};
	if (bytes.size < HEAD_BYTES ||
	    (bytes.size - HEAD_BYTES) % ENTRY_BYTES != 0)
		return false;
	memcpy(head, at, sizeof(head));
	weights_reserve(weights_out, (bytes.size - HEAD_BYTES) / ENTRY_BYTES);
	weights_out->heavy_units = le32toh(head[0]) & ~(uint32_t)PAGE_NAMES;
	weights_out->has_page_names = (le32toh(head[0]) & PAGE_NAMES) != 0;
	weights_out->pages = le32toh(head[1]);
	is_valid = weights_out->heavy_units <= SHINGLE_MAX_HEAVY_UNITS;
	at += HEAD_BYTES;
	for (size_t i = 0; i < weights_out->count; i++, at += ENTRY_BYTES) {
		uint64_t shingle;

		memcpy(&shingle, at, sizeof(shingle));
		weights_out->shingles[i] = le64toh(shingle);
		weights_out->levels[i] = (uint8_t)at[sizeof(shingle)];
		is_valid &= weights_out->levels[i] <= SHINGLE_MAX_LEVEL &&
			    weights_out->levels[i] !=
				    other_level(weights_out,
						weights_out->shingles[i]) &&
			    weights_out->shingles[i] != SIGNATURE_ROOT;
	}
	if (!is_valid ||
	    !u64_ascend(weights_out->shingles, weights_out->count)) {
		shingle_weights_free(weights_out);
		return false;
	}
	return true;
}
