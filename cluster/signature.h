/* cluster/signature.h - the structure of a page as a set of hashes. */
#ifndef CLUSTER_SIGNATURE_H
#define CLUSTER_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/path.h"
#include "store/limit.h"
#include "store/slice.h"

struct arena;
struct page;

/*
 * What the shingles of a signature stand for. Stored on disk: never renumber.
 * Source: Gottron, Bridging the Gap, 2008, section 4; cpc, ccs and cas are
 * ours.
 */
enum measure {
	MEASURE_CP,   /* root-to-leaf paths of element names (eq. 1) */
	MEASURE_CPS,  /* runs of 4 names in those paths (eq. 2) */
	MEASURE_CTSS, /* runs of 5 tags as written in the source (eq. 3) */
	MEASURE_CPC,  /* cp, each step with its normalised class attribute */
	MEASURE_CCS,  /* common class shingles: below */
	MEASURE_CAS,  /* class and attribute shingles: below */
	MEASURE_COUNT
};

/*
 * ccs is ours. It is for the templates of one site, which have most of their
 * frame in common, so that their differences must get more weight. Its shingles
 * are
 *   - runs of 2 steps in the paths of cps, each with its normalised class, but
 *     html and body by their names alone: short runs keep one difference near
 *     the root from changing all that is below it;
 *   - each class of html and of body (SIGNATURE_MAX_CLASSES of each): what a
 *     generator writes there is often the name of the template;
 *   - the shape of the URL's path (shape.h).
 * Each of the last two has the weight of one in SIGNATURE_PARTS of the first:
 * it is in the set so many times (as different hashes), at least once and at
 * most SIGNATURE_MAX_WEIGHT times. The constants were chosen by
 * `tests/eval/clusters.py`, which measures the agreement with the labels of
 * real sites.
 *
 * cas, the default, is ccs with the shingles of role.h: what attributes say
 * that an element is for tells templates apart that have their frame in common,
 * and seldom changes from page to page.
 */

/*
 * A record keeps the signatures by cp and cpc, and that by its site's measure:
 * the place in struct record, where ccs and cas have the same one.
 */
static inline unsigned signature_slot(unsigned measure)
{
	return measure == MEASURE_CAS ? MEASURE_CCS : measure;
}

struct signature {
	const uint64_t *shingles; /* [count], strictly ascending */
	size_t count;             /* distinct shingles */
};

/* In place of a threshold: it is chosen from the pages. */
enum { THRESHOLD_AUTO = 1001 };

/* "cp", "cps", "ctss", "cpc", "ccs", "cas"; NULL for others. */
const char *measure_name(unsigned measure);
bool measure_from_name(const char *name, enum measure *measure_out);

/*
 * The paper's threshold, which distinguishes sites: 700, 600, 850; cpc, ccs and
 * cas 700.
 */
unsigned measure_site_threshold(enum measure measure);

/* The cut that finds templates inside a site: cp 200, cpc 250, cps 150, ctss
 * 250, ccs 200, cas 200. */
unsigned measure_template_threshold(enum measure measure);

enum {
	SIGNATURE_MAX_WIDTH = 16,
	SIGNATURE_PARTS = 6,
	SIGNATURE_MAX_WEIGHT = LIMIT(64, 8), /* shingles */
	SIGNATURE_MAX_CLASSES = 32, /* of html, and of body, that count */
};

struct signature_rule {
	enum measure measure;
	unsigned width;    /* names or tags of a shingle, at most
			      SIGNATURE_MAX_WIDTH; 0: the measure's own. cp and
			      cpc have none */
	struct slice path; /* and query of the page's URL, for ccs and cas;
			      empty: of no shape */
};

/*
 * The signature of `page`; the shingles belong to `arena`. An empty page has
 * an empty signature. O(nodes * width), plus the sort; constant stack.
 */
struct signature signature_compute(struct arena *arena, const struct page *page,
				   struct signature_rule rule);

/* The same where the steps of the page have been made: for several measures. */
struct signature signature_of_paths(struct arena *arena,
				    const struct page *page,
				    const struct path_table *paths,
				    struct signature_rule rule);

/* |A n B|. O(|A| + |B|). */
size_t signature_common(struct signature a, struct signature b);

/*
 * 1 - |A n B| / max(|A|, |B|); 0 for two empty sets. Only for output; decisions
 * use integers.
 */
double signature_distance(struct signature a, struct signature b);

/*
 * The integer form of distance: `common` shingles suffice for the threshold
 * (permille) when common >= signature_need(larger, threshold), which is
 * ceil(larger * (1000 - threshold) / 1000); 0 from threshold 1000 on.
 */
size_t signature_need(size_t larger, unsigned threshold);

/*
 * The smallest threshold in permille that links two sets, of which the larger
 * has `larger` shingles and which have `common` in common:
 * ceil(1000 * (larger - common) / larger); 0 for two empty sets.
 */
unsigned signature_height(size_t larger, size_t common);

/*
 * The link test of single linkage: distance <= threshold, `threshold` in
 * permille, in integers: |A n B| >= ceil(max * (1000 - threshold) / 1000).
 * Threshold >= 1000 links everything; an empty set below that links with an
 * empty set alone.
 */
bool signature_linked(struct signature a, struct signature b,
		      unsigned threshold);

#endif
