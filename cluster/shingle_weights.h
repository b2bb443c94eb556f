/*
 * cluster/shingle_weights.h - the weights of the shingles of a site. A shingle
 * that nearly all pages contain does not tell which template printed a page,
 * and neither does a shingle that only one page contains. So if a part p of the
 * pages contains a shingle, its weight is sqrt(p (1 - p)). This is our rule.
 *
 * The weight is rounded to a level, an integer from 0 to SHINGLE_MAX_LEVEL. A
 * shingle counts as that many units. The distance of two weighted signatures is
 * the distance of the sets of their units. So the linkage and the dendrogram
 * compare sets of integers, with and without weights.
 *
 * A heavy shingle is a class of html or body, or the shape of a URL
 * (MEASURE_WCAS). Generators often write the name of the template there, so a
 * heavy shingle has several units for each level (heavy_units).
 *
 * Some generators, for example MediaWiki, also write the name of the page
 * there. If at least half of the pages have a heavy shingle that no other page
 * has, the site has page names. Then a heavy shingle of one page has level 0,
 * and so has one of a page that came after the weights were computed: else each
 * page would be a cluster of its own. A new template whose only difference is
 * such a shingle is found when the weights are computed again.
 *
 * Sites of cas, the former default, have weights, too, if their threshold is
 * "auto". A signature of cas has no heavy shingles, because it has several
 * shingles for each class and shape. It has no root either, so the level of its
 * shingles is at least 1.
 *
 * The weights of a site are a table. The table stays the same while pages come
 * and go, so clusters never depend on the order of arrival. The daemon replaces
 * it only when it chooses the threshold.
 */
#ifndef CLUSTER_SHINGLE_WEIGHTS_H
#define CLUSTER_SHINGLE_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cluster/signature.h"

struct arena;
struct dendrogram_leaf;

enum {
	/* the largest level of a shingle, that of p = 0.5 */
	SHINGLE_MAX_LEVEL = 5,
	/* default of heavy_units, for sites with few pages; and its maximum */
	SHINGLE_HEAVY_UNITS = 32,
	SHINGLE_MAX_HEAVY_UNITS = 128,
	/* a site with fewer pages has the default weights */
	SHINGLE_MIN_PAGES = 10,
	/* maximum number of units of all shingles of a site */
	SHINGLE_MAX_UNITS = 1 << 27,
};

/* Return whether the shingle of MEASURE_WCAS is heavy. */
static inline bool shingle_is_heavy(uint64_t shingle)
{
	return (shingle & 1) != 0;
}

/* Return whether sites of this measure can have weights. */
static inline bool measure_has_weights(enum measure measure)
{
	return measure == MEASURE_WCAS || measure == MEASURE_CAS;
}

/*
 * The weights of a site. A shingle that is not in the table has level 1, or, if
 * it is heavy and the site has page names, level 0.
 */
struct shingle_weights {
	uint64_t *shingles; /* [count], strictly ascending; owned */
	/* [count], 0 to SHINGLE_MAX_LEVEL but not that of others; owned */
	uint8_t *levels;
	size_t count;
	/*
	 * units of a heavy shingle for each level; 0: the measure has no
	 * weights, every shingle is one unit
	 */
	uint32_t heavy_units;
	uint32_t pages; /* number of pages that the weights were computed from;
			   0 = they are the default */
	bool has_page_names;
};

/*
 * Return the weights of a site with few pages. They are {0} for all measures
 * except wcas: every shingle is one unit.
 */
struct shingle_weights shingle_weights_default(enum measure measure);

/* Copy the weights; free them and reset them to {0}. */
struct shingle_weights
shingle_weights_copy(const struct shingle_weights *weights);
void shingle_weights_free(struct shingle_weights *weights);

/* Return the number of units of a shingle. O(log count). */
uint32_t shingle_units(const struct shingle_weights *weights, uint64_t shingle);

/* Return the number of units of all shingles of the signature. */
uint64_t signature_units(const struct shingle_weights *weights,
			 struct signature signature);

/* Return an upper bound for the units of all shingles of the signature. */
uint64_t shingle_weights_max_units(const struct shingle_weights *weights,
				   struct signature signature);

/* The unique signatures of a site. */
struct weighted_site {
	const struct dendrogram_leaf *leaves; /* [leaf_count] */
	size_t leaf_count;
	const uint64_t *shingles; /* [shingle_count], the shingle of each number
				     in the leaves */
	size_t shingle_count;
};

/*
 * Compute the weights from the pages of a site. Ignore pages with less than a
 * quarter of the shingles of the median page. With p as above, the level of a
 * shingle is 2 SHINGLE_MAX_LEVEL sqrt(p (1 - p)), rounded. It is at least 1 if
 * fewer than half of the pages contain the shingle, but 0 for a heavy shingle
 * of one page if the site has page names. heavy_units is the number of shingles
 * of the median page / 12, at least 1 and at most SHINGLE_MAX_HEAVY_UNITS; it
 * is less if the site would have too many units. The result depends only on the
 * pages. O(shingles of all leaves).
 */
struct shingle_weights
shingle_weights_compute(enum measure measure, const struct weighted_site *site);

/*
 * Return the weights of a site for this measure: computed from its pages, or
 * the default if the measure has no weights or the site has fewer than
 * SHINGLE_MIN_PAGES pages.
 */
struct shingle_weights shingle_weights_for(enum measure measure,
					   const struct weighted_site *site);

/*
 * Return the units of a signature as hashes in `arena`: a signature whose
 * distances are weighted.
 */
struct signature shingle_weights_expand(struct arena *arena,
					const struct shingle_weights *weights,
					struct signature signature);

/*
 * Return the leaves of a site [leaf_count] with units instead of shingles, in
 * `arena`. Without weights these are the leaves themselves.
 */
const struct dendrogram_leaf *
weighted_leaves_make(struct arena *arena, const struct weighted_site *site,
		     const struct shingle_weights *weights);

/*
 * Encode the weights for the store. shingle_weights_decode() returns false if
 * the bytes are damaged; otherwise the caller frees the weights.
 */
void shingle_weights_encode(const struct shingle_weights *weights,
			    struct buffer *out);
bool shingle_weights_decode(struct slice bytes,
			    struct shingle_weights *weights_out);

#endif
