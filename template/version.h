/*
 * template/version.h - a version of a template: the paths and texts that its
 * pages have in common at one time, and the elements that hold their content.
 */
#ifndef TEMPLATE_VERSION_H
#define TEMPLATE_VERSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/limit.h"
#include "cluster/signature.h"
#include "store/record.h"
#include "template/change_detector.h"

struct arena;
struct page;

enum {
	VERSION_FORMAT = 1,
	VERSION_MAX_PATHS = LIMIT(4000, 16),     /* the most common ones */
	VERSION_MAX_FRAGMENTS = LIMIT(4000, 16), /* the same */
	VERSION_MAX_RECORDS = 256,               /* to count paths in */
	VERSION_MAX_SAMPLES = 16,                /* pages to parse for texts */
};

/* A path of elements from the root to a leaf or to text, or a fragment. */
struct version_item {
	uint64_t hash;     /* first: the key of an order */
	float ratio;       /* ratio of pages with it, 0..1 */
	struct slice text; /* a path, or a fragment's text, truncated; empty: no
			      sampled page has it */
};

/* An element that holds content, by the default method. */
struct version_region {
	struct slice path;
	float ratio; /* of the pages that have content there */
	float words; /* ratio of the words of content on those pages */
};

struct version {
	uint32_t page_count; /* of the template */
	uint64_t generation; /* of the site */
	bool has_classes;    /* paths are members of cpc, otherwise of cp */
	struct version_item *paths; /* [path_count], most common first */
	uint32_t path_count;
	struct version_item *fragments; /* [fragment_count] */
	uint32_t fragment_count;
	struct version_region *regions; /* [region_count], most words first */
	uint32_t region_count;
	struct slice *samples; /* [sample_count], URLs */
	uint32_t sample_count;
};

/* The input of a version: pages of one template. */
struct version_input {
	uint32_t page_count;
	uint64_t generation;
	const struct record *records; /* [record_count] of its pages */
	uint32_t record_count;        /* 1..VERSION_MAX_RECORDS */
	/* some of these pages, parsed, with their URLs: [sample_count] */
	const struct page *const *pages;
	const struct slice *urls;
	uint32_t sample_count; /* 1..VERSION_MAX_SAMPLES */
};

/*
 * Compute the version: the items that more than VERSION_STABLE (permille) of
 * the records have, in `arena`. O(n log n) in the records' members.
 */
enum { VERSION_STABLE = 500 };

struct version *version_make(struct arena *arena,
			     const struct version_input *input);

/*
 * Append the version as compact JSON; decode it (ERR_MALFORMED, ERR_VERSION).
 * Hashes are 16 hexadecimal digits.
 */
void version_encode(const struct version *version, struct buffer *out);
enum error version_decode(struct arena *arena, struct slice json,
			  struct version **version_out);

/*
 * The removed and new items of two versions, most common first; they point into
 * the versions.
 */
struct version_diff {
	const struct version_item **gone_paths; /* [gone_path_count] */
	uint32_t gone_path_count;
	const struct version_item **come_paths;
	uint32_t come_path_count;
	const struct version_item **gone_fragments;
	uint32_t gone_fragment_count;
	const struct version_item **come_fragments;
	uint32_t come_fragment_count;
	double paths_moved;     /* (gone + come) / (all of both), by ratio */
	double fragments_moved; /* the same */
};

/* If only one of them has_classes, no paths are equal. */
void version_compare(struct arena *arena, const struct version *before,
		     const struct version *after,
		     struct version_diff *diff_out);

/* The items of a record to merge. */
enum items {
	ITEMS_CPC, /* paths with classes */
	ITEMS_CP,  /* paths without classes */
	ITEMS_FRAGMENTS,
};

/*
 * Return the kind of paths to compare these pages by: with classes, unless
 * fewer than half as many of them are stable as without, because html or body
 * have a class that differs from page to page.
 */
enum items stable_paths(struct arena *arena, const struct record *records,
			uint32_t count);

/*
 * Find the items (paths or fragments) that several pages had in common, and the
 * items lost or gained in common since; k of n pages must agree on each.
 */

/* Bit i of a mask is page i. */
struct pages {
	uint32_t count; /* <= MAX_TEMPLATE_SAMPLE */
	uint32_t seen;  /* mask: pages with a record `after` */
	uint32_t votes; /* pages with `after`, now or later */
	/* before [count]; from index MAX_TEMPLATE_SAMPLE: after */
	struct record records[2 * MAX_TEMPLATE_SAMPLE];
	unsigned min_pages; /* k of n */
	unsigned agreement;
};

/*
 * Return how many of `votes` pages must agree: the ratio `agreement`, but at
 * least min_pages, or all if there are fewer.
 */
uint32_t quorum(const struct pages *pages, uint32_t votes);

uint32_t count_pages(uint32_t mask);

/* Results are in the arena. */
struct common_items {
	uint32_t stable;      /* items that were stable before */
	const uint64_t *gone; /* [gone_count], ascending: stable ones */
	uint32_t gone_count;
	const uint64_t *come; /* [come_count], ascending: others */
	uint32_t come_count;
	double moved; /* (gone + come) / (stable + come), 0..1 */
	/* of each seen page */
	double lost[MAX_TEMPLATE_SAMPLE];  /* ratio of its stable items that it
					      lost, 0..1 */
	double joins[MAX_TEMPLATE_SAMPLE]; /* ratio of removed and new items
					      that changed on it, 0..1 */
};

void common_items_compare(struct arena *arena, const struct pages *pages,
			  enum items items, struct common_items *balance_out);

enum { VERSION_MAX_TEXT = 200 }; /* bytes of a fragment to copy */

/* Return the text of path_write() for `node`. */
struct slice text_of_path(struct arena *arena, const struct page *page,
			  uint32_t node, enum path_steps kind);

#endif
