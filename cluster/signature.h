/*
 * cluster/signature.h - the signature of a page: its structure as a set of
 * hashes (shingles) of paths and normalised classes.
 */
#ifndef CLUSTER_SIGNATURE_H
#define CLUSTER_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/limit.h"
#include "cluster/class_name.h"

struct arena;
struct page;

/*
 * The paths from the root of a page to its elements. A path consists of steps,
 * one for each element on it; each step is a hash.
 */

enum { PATH_MAX_BYTES = 1024 }; /* size of a human-readable path */

/* What a step of a path contains. */
enum path_steps {
	PATH_NAMES,   /* the tag name */
	PATH_CLASSES, /* the tag name and the normalised class attribute */
	/*
	 * as PATH_CLASSES, but for html and body only the tag name: their
	 * classes change from page to page and would change all paths
	 */
	PATH_INNER_CLASSES,
	PATH_STEPS_COUNT
};

/* The steps of a page, for each enum path_steps. */
struct path_table {
	const uint64_t *steps[PATH_STEPS_COUNT];
	const uint64_t *tags; /* hashes of the tag names, indexed by the numbers
				 in page->tags */
};

/*
 * Compute all steps of a page. This takes little more time than PATH_CLASSES
 * alone.
 */
struct path_table path_table_make(struct arena *arena, const struct page *page);

/*
 * Return for each element [node_count] the hash of its path: all steps from the
 * root, chained. The result is in `arena`. The paths of the elements that are
 * leaves or contain text are the shingles of cp (with PATH_NAMES) and of cpc
 * (with PATH_CLASSES).
 */
uint64_t *path_chains(struct arena *arena, const struct page *page,
		      const uint64_t *steps);

/*
 * Write the path to `node` as text to the end of `out` [PATH_MAX_BYTES], and
 * return the index at which it begins. With PATH_CLASSES the text is for
 * example "html>body>div.menu.menu-0>ul>li". If the path is too long, write
 * "...>" and its last steps. O(depth).
 */
size_t path_write(const struct page *page, uint32_t node, enum path_steps kind,
		  char *out);

/*
 * Return the hash of the last `width` (1 to SIGNATURE_MAX_WIDTH) of the `steps`
 * of the path to `node`. If the path is shorter, return the hash of all its
 * steps. O(width).
 */
uint64_t path_shingle(const struct page *page, const uint64_t *steps,
		      uint32_t node, unsigned width);

/*
 * Return path_shingle() with PATH_INNER_CLASSES, without a path_table; for a
 * single element, for example a link. The hash is stored in records, so it must
 * never change.
 */
uint64_t path_hash(const struct page *page, uint32_t node, unsigned width);

/*
 * The measures: the kinds of shingles that a signature can consist of. The
 * numbers are stored: never renumber. Source: Gottron, Bridging the Gap, 2008,
 * section 4; cpc, ccs, cas and wcas are ours.
 */
enum measure {
	MEASURE_CP,   /* root-to-leaf paths of element names (eq. 1) */
	MEASURE_CPS,  /* runs of 4 names in those paths (eq. 2) */
	MEASURE_CTSS, /* runs of 5 tags as written in the source (eq. 3) */
	MEASURE_CPC,  /* the paths of cp with the normalised class attribute in
			 each step */
	MEASURE_CCS,  /* common class shingles: below */
	MEASURE_CAS,  /* class and attribute shingles: below */
	MEASURE_WCAS, /* weighted class and attribute shingles: below */
	MEASURE_COUNT
};

/*
 * ccs is ours. It distinguishes the templates of one site, whose pages have
 * most of their frame in common. Its shingles are
 *   - runs of 2 steps in the paths of cps, with the normalised class in each
 *     step, except for html and body;
 *   - each class of html and of body (at most SIGNATURE_MAX_CLASSES of each),
 *     because generators often write the name of the template there;
 *   - the shape of the path of the URL (url_shape_of_path()).
 * A shingle of the last two kinds counts as much as 1 / SIGNATURE_PARTS of all
 * shingles of the first kind: it is replaced by this number of different
 * hashes, at least 1 and at most SIGNATURE_MAX_WEIGHT. The constants were
 * chosen by `tests/eval/clusters.py` with the labels of real sites.
 *
 * cas has the shingles of ccs and those of the attributes that state the role
 * of an element. These attributes distinguish templates with a common frame.
 *
 * wcas, the default, has the shingles of cas, but each class of html and body
 * and the shape are one shingle. These are called heavy: bit 0 of the hash is
 * set, and cleared in all others. How much each shingle counts depends on the
 * site (cluster/shingle_weights.h). Every page with an element also has the
 * shingle SIGNATURE_ROOT, whose weight is never 0.
 */
#define SIGNATURE_ROOT UINT64_C(0)

/*
 * Return the index of the measure's signature in struct record. A record
 * contains cp, cpc and the measure of its site, so ccs, cas and wcas share an
 * index.
 */
static inline unsigned signature_slot(unsigned measure)
{
	return measure == MEASURE_CAS || measure == MEASURE_WCAS ? MEASURE_CCS
								 : measure;
}

struct signature {
	const uint64_t *shingles; /* [count], strictly ascending */
	size_t count;             /* number of distinct shingles */
};

/*
 * Used instead of a threshold: the threshold is chosen from the pages of the
 * site.
 */
enum { THRESHOLD_AUTO = 1001 };

/*
 * measure_name() returns the name of a measure: "cp", "cps", "ctss", "cpc",
 * "ccs", "cas" or "wcas"; NULL for other numbers. measure_from_name() finds the
 * measure with a name; it returns false if the name is unknown.
 */
const char *measure_name(unsigned measure);
bool measure_from_name(const char *name, enum measure *measure_out);

/*
 * Return the threshold of the paper, which separates sites: cp 700, cps 600,
 * ctss 850; cpc, ccs, cas and wcas 700.
 */
unsigned measure_site_threshold(enum measure measure);

/*
 * Return the threshold that separates the templates of a site: cp 200, cps 150,
 * ctss 250, cpc 250, ccs, cas and wcas 200.
 */
unsigned measure_template_threshold(enum measure measure);

enum {
	SIGNATURE_MAX_WIDTH = 16,
	SIGNATURE_PARTS = 6,
	SIGNATURE_MAX_WEIGHT = LIMIT(
		64, 8), /* maximum number of hashes for one class or shape */
	SIGNATURE_MAX_CLASSES = 32, /* maximum number for html, and for body */
};

struct signature_rule {
	enum measure measure;
	unsigned width;    /* steps or tags per shingle, at most
			      SIGNATURE_MAX_WIDTH; 0 = default of the measure;
			      ignored for cp and cpc */
	struct slice path; /* path and query of the page's URL, used by ccs, cas
			      and wcas; empty: add no shape */
};

/*
 * Compute the signature of `page` in `arena`; it is empty for an empty page.
 * O(nodes * width), plus the time of sorting; constant stack.
 */
struct signature signature_compute(struct arena *arena, const struct page *page,
				   struct signature_rule rule);

/*
 * Return the same as signature_compute(), with the path_table of the page, so
 * that several measures can share it.
 */
struct signature signature_of_paths(struct arena *arena,
				    const struct page *page,
				    const struct path_table *paths,
				    struct signature_rule rule);

/* Return |A n B|. O(|A| + |B|). */
size_t signature_common(struct signature a, struct signature b);

/*
 * Return the distance of two signatures: 1 - |A n B| / max(|A|, |B|); 0 for two
 * empty sets. Use it only for output; decisions compare integers.
 */
double signature_distance(struct signature a, struct signature b);

/*
 * Return the minimum number of common shingles that two sets need for a
 * distance of at most `threshold` (permille). `larger` is the number of
 * shingles of the larger set. The result is ceil(larger * (1000 - threshold) /
 * 1000), and 0 from threshold 1000 on.
 */
size_t signature_need(size_t larger, unsigned threshold);

/*
 * Return the smallest threshold (permille) at which two sets are linked, when
 * the larger set has `larger` shingles and `common` are common: ceil(1000 *
 * (larger - common) / larger); 0 for two empty sets.
 */
unsigned signature_height(size_t larger, size_t common);

/*
 * Return whether single linkage links two pages: their distance is at most
 * `threshold` (permille). Uses only integers. From threshold 1000 on all pages
 * are linked; below it, an empty signature is linked only to empty ones.
 */
bool signature_linked(struct signature a, struct signature b,
		      unsigned threshold);

#endif
