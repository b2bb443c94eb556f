/*
 * cluster/signature.h - the structure of a page as a set of hashes: paths,
 * normalised classes and shingles.
 */
#ifndef CLUSTER_SIGNATURE_H
#define CLUSTER_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/limit.h"

struct arena;
struct page;

/* The paths to the elements of a page, as hashes of their steps. */

enum { PATH_MAX_BYTES = 1024 }; /* size of a human-readable path */

/* The parts of a step of a path. */
enum path_steps {
	PATH_NAMES,   /* only the tag name */
	PATH_CLASSES, /* also the class attribute, normalised */
	/*
	 * also the class attribute, except of html and body: their classes
	 * change from page to page, and would change all paths
	 */
	PATH_INNER_CLASSES,
	PATH_STEPS_COUNT
};

/* The steps of a page of all kinds, see path_steps(). */
struct path_table {
	const uint64_t *steps[PATH_STEPS_COUNT];
	const uint64_t *tags; /* hashes of the names by tag, for the tags in
				 page->tags */
};

/* Compute them together; this costs little more than the steps with classes. */
struct path_table path_table_make(struct arena *arena, const struct page *page);

/*
 * Return for each element [node_count], in `arena`, its `steps` from the root,
 * chained. The paths of elements that are leaves or contain text are the
 * shingles of cp (PATH_NAMES) and of cpc (PATH_CLASSES).
 */
uint64_t *path_chains(struct arena *arena, const struct page *page,
		      const uint64_t *steps);

/*
 * Write a path to `node`, with PATH_CLASSES for example
 * "html>body>div.menu.menu-0>ul>li", to the end of `out` [PATH_MAX_BYTES] and
 * return its begin. Of a long path write the last steps, after "...>".
 * O(depth).
 */
size_t path_write(const struct page *page, uint32_t node, enum path_steps kind,
		  char *out);

/*
 * Return the hash of the last `width` (1 to SIGNATURE_MAX_WIDTH) of `steps` on
 * the path to `node`, or of all of a shorter path. O(width).
 */
uint64_t path_shingle(const struct page *page, const uint64_t *steps,
		      uint32_t node, unsigned width);

/*
 * The same with PATH_INNER_CLASSES for one element, such as a link. Stored in
 * analysis records: it must never change.
 */
uint64_t path_hash(const struct page *page, uint32_t node, unsigned width);

/*
 * The kinds of shingles. Stored on disk: never renumber. Source: Gottron,
 * Bridging the Gap, 2008, section 4; cpc, ccs and cas are ours.
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
 * ccs is ours, for the templates of one site, which have most of their frame in
 * common. Its shingles are
 *   - runs of 2 steps in the paths of cps, each with its normalised class,
 * except html and body, which have only their names;
 *   - each class of html and of body (SIGNATURE_MAX_CLASSES of each):
 * generators often write the name of the template there;
 *   - the shape of the URL's path.
 * Each of the last two has the weight of one in SIGNATURE_PARTS of the first:
 * it is repeated as different hashes, at least once and at most
 * SIGNATURE_MAX_WEIGHT times. `tests/eval/clusters.py` chose the constants by
 * the labels of real sites.
 *
 * cas, the default, is ccs and the attributes that state the role of an
 * element, which distinguish templates with a common frame.
 */

/*
 * Return the index in struct record of the signature of a measure; ccs and cas
 * share one, since a record has cp, cpc and its site's measure.
 */
static inline unsigned signature_slot(unsigned measure)
{
	return measure == MEASURE_CAS ? MEASURE_CCS : measure;
}

struct signature {
	const uint64_t *shingles; /* [count], strictly ascending */
	size_t count;             /* number of distinct shingles */
};

/* Instead of a threshold: choose it from the pages. */
enum { THRESHOLD_AUTO = 1001 };

/* Return "cp", "cps", "ctss", "cpc", "ccs", "cas"; NULL for other numbers. */
const char *measure_name(unsigned measure);
bool measure_from_name(const char *name, enum measure *measure_out);

/*
 * Return the paper's threshold, which separates sites: 700, 600, 850; cpc, ccs
 * and cas 700.
 */
unsigned measure_site_threshold(enum measure measure);

/*
 * Return the threshold that finds templates inside a site: cp 200, cpc 250, cps
 * 150, ctss 250, ccs and cas 200.
 */
unsigned measure_template_threshold(enum measure measure);

enum {
	SIGNATURE_MAX_WIDTH = 16,
	SIGNATURE_PARTS = 6,
	SIGNATURE_MAX_WEIGHT = LIMIT(64, 8), /* maximum number of shingles */
	SIGNATURE_MAX_CLASSES = 32,          /* of html, and of body */
};

struct signature_rule {
	enum measure measure;
	unsigned width;    /* names or tags per shingle, at most
			      SIGNATURE_MAX_WIDTH; 0 = default of the measure. cp
			      and cpc have none */
	struct slice path; /* path and query of the page's URL, for ccs and cas;
			      empty: no shape */
};

/*
 * Return the signature of `page`, in `arena`; empty for an empty page. O(nodes
 * * width), plus the sort; constant stack.
 */
struct signature signature_compute(struct arena *arena, const struct page *page,
				   struct signature_rule rule);

/* The same with the steps of the page, which several measures can share. */
struct signature signature_of_paths(struct arena *arena,
				    const struct page *page,
				    const struct path_table *paths,
				    struct signature_rule rule);

/* Return |A n B|. O(|A| + |B|). */
size_t signature_common(struct signature a, struct signature b);

/*
 * Return 1 - |A n B| / max(|A|, |B|); 0 for two empty sets. Only for output;
 * decisions use integers.
 */
double signature_distance(struct signature a, struct signature b);

/*
 * The integer form of the distance: `common` shingles suffice for the threshold
 * (permille) if common >= signature_need(larger, threshold), which is
 * ceil(larger * (1000 - threshold) / 1000); 0 from threshold 1000 on.
 */
size_t signature_need(size_t larger, unsigned threshold);

/*
 * Return the smallest threshold in permille that links two sets: ceil(1000 *
 * (larger - common) / larger); 0 for two empty sets.
 */
unsigned signature_height(size_t larger, size_t common);

/*
 * Return whether single linkage links two pages: distance <= threshold
 * (permille), in integers. Threshold >= 1000 links everything; below that an
 * empty set links only with an empty set.
 */
bool signature_linked(struct signature a, struct signature b,
		      unsigned threshold);

enum {
	CLASS_MAX_NAMES = 8,  /* names of one element that are used */
	CLASS_MAX_BYTES = 64, /* bytes of one name that are used */
};

/*
 * Normalise a class name into `out` [CLASS_MAX_BYTES] and return its length.
 * Only the first CLASS_MAX_BYTES bytes count. Every run of digits becomes "0".
 * A part of five or more bytes after "-" or "_" counts as generated and becomes
 * "*" if a letter follows a digit in it (css-1x2y3z, Header__3fGhK), or it
 * changes from lower to upper case at least twice, and at least once in three
 *   bytes (sc-aBcDe, but not nav-mainMenuItem).
 */
size_t class_normalise(struct slice name, char *out);

/*
 * Return the distinct normalised names of a class attribute as ascending
 * hashes, at most the `max` smallest, and their number. O(size + names * max).
 */
size_t class_tokens(struct slice classes, uint64_t *hashes_out, size_t max);

/*
 * Return the hash of CLASS_MAX_NAMES class_tokens() chained by `seed`; `seed`
 * if there are no names.
 */
uint64_t class_hash(struct slice classes, uint64_t seed);

#endif
