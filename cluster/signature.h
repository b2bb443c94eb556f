/* cluster/signature.h - the structure of a page as a set of hashes. */
#ifndef CLUSTER_SIGNATURE_H
#define CLUSTER_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct page;

/*
 * What the members of a signature stand for. Stored on disk: never renumber.
 * Source: Gottron, Bridging the Gap, 2008, section 4; cpc is ours.
 */
enum measure {
	MEASURE_CP,   /* root-to-leaf paths of element names (eq. 1) */
	MEASURE_CPS,  /* runs of 4 names in those paths (eq. 2) */
	MEASURE_CTSS, /* runs of 5 tags as written in the source (eq. 3) */
	MEASURE_CPC,  /* cp, each step with its normalised class attribute */
	MEASURE_COUNT
};

struct signature {
	const uint64_t *members; /* [count], strictly ascending */
	size_t count;            /* distinct members */
};

/* "cp", "cps", "ctss", "cpc"; NULL for others. */
const char *measure_name(unsigned measure);
bool measure_from_name(const char *name, enum measure *measure_out);

/* The paper's threshold, which tells sites apart: 700, 600, 850; cpc 700. */
unsigned measure_site_threshold(enum measure measure);

/* The cut that finds templates inside a site: cp 200, cpc 250, cps 150, ctss
 * 250. */
unsigned measure_template_threshold(enum measure measure);

/*
 * The signature of `page`; the members belong to `arena`. An empty page has
 * an empty signature. O(nodes) hashes, plus the sort; constant stack.
 */
struct signature signature_compute(struct arena *arena, const struct page *page,
				   enum measure measure);

/* |A n B|. O(|A| + |B|). */
size_t signature_common(struct signature a, struct signature b);

/* 1 - |A n B| / max(|A|, |B|); 0 for two empty sets. For people to read. */
double signature_distance(struct signature a, struct signature b);

/*
 * The link test of single linkage: distance <= threshold, `threshold` in
 * permille, in integers: |A n B| >= ceil(max * (1000 - threshold) / 1000).
 * Threshold >= 1000 links everything; an empty set below that links with an
 * empty set alone.
 */
bool signature_linked(struct signature a, struct signature b,
		      unsigned threshold);

#endif
