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
	VERSION_MAX_PATHS = LIMIT(
		4000, 16), /* if there are more, only the most common ones */
	VERSION_MAX_FRAGMENTS = LIMIT(
		4000, 16), /* if there are more, only the most common ones */
	/* records whose paths and fragments are counted */
	VERSION_MAX_RECORDS = 256,
	VERSION_MAX_SAMPLES = 16, /* pages that are parsed to find the texts */
};

/*
 * An item of a version: a fragment, or a path of elements from the root to a
 * leaf or to text.
 */
struct version_item {
	uint64_t hash; /* must be the first member: order_u64() compares it */
	float ratio;   /* ratio of the pages that have the item, 0..1 */
	struct slice text; /* the path, or the truncated text of the fragment;
			      empty if no parsed page has the item */
};

/* An element that contains content according to the default method. */
struct version_region {
	struct slice path;
	float ratio; /* ratio of the pages whose content is there */
	float words; /* ratio of the words of the content on these pages */
};

struct version {
	uint32_t page_count; /* number of pages of the template */
	uint64_t generation; /* generation of the site */
	bool has_classes;    /* paths are with classes (cpc; without those of
				html and body if all records have outlines),
				otherwise without (cp) */
	struct version_item *paths; /* [path_count], most common first */
	uint32_t path_count;
	/* [fragment_count], most common first */
	struct version_item *fragments;
	uint32_t fragment_count;
	struct version_region *regions; /* [region_count], most words first */
	uint32_t region_count;
	struct slice *samples; /* [sample_count], URLs of the parsed pages */
	uint32_t sample_count;
};

/* The input of a version: pages of one template. */
struct version_input {
	uint32_t page_count;
	uint64_t generation;
	const struct record *records; /* [record_count], records of pages */
	uint32_t record_count;        /* 1..VERSION_MAX_RECORDS */
	/* [sample_count], some of the pages, parsed, and their URLs */
	const struct page *const *pages;
	const struct slice *urls;
	uint32_t sample_count; /* 1..VERSION_MAX_SAMPLES */
};

/*
 * Compute the version of a template in `arena`. Its items are those that more
 * than VERSION_STABLE (permille) of the records contain. O(n log n) for n items
 * in all records.
 */
enum { VERSION_STABLE = 500 };

struct version *version_make(struct arena *arena,
			     const struct version_input *input);

/*
 * version_encode() appends the version as compact JSON; hashes are 16
 * hexadecimal digits. version_decode() reads it. ERR_MALFORMED, ERR_VERSION.
 */
void version_encode(const struct version *version, struct buffer *out);
enum error version_decode(struct arena *arena, struct slice json,
			  struct version **version_out);

/*
 * The differences between two versions: removed and new items, the most common
 * first. The pointers refer to items of the versions.
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
	double paths_moved; /* ratio of moved paths, weighted by their ratios:
			       (gone + come) / (all of both versions) */
	double fragments_moved; /* the same ratio for fragments */
};

/*
 * Compare two versions. If only one of them has_classes, no path of it equals a
 * path of the other.
 */
void version_compare(struct arena *arena, const struct version *before,
		     const struct version *after,
		     struct version_diff *diff_out);

/*
 * Return whether two states of a template have the same design: their paths
 * differ no more than change_rules_default allows for one template, up to
 * generated class names. O(n log n). Return false if the paths of only one
 * state have classes, or if their texts are unknown.
 */
bool version_is_same_design(struct arena *arena, const struct version *before,
			    const struct version *now);

/*
 * Return the same for a state of a template and one of its pages. Return false
 * if the record has no outline.
 */
bool version_has_page(struct arena *arena, const struct version *version,
		      const struct record *page);

/* The kinds of items that can be merged. */
enum items {
	ITEMS_CPC, /* paths with classes */
	ITEMS_CP,  /* paths without classes */
	ITEMS_FRAGMENTS,
};

/*
 * Return which kind of paths must be compared on these pages. This is ITEMS_CPC
 * unless html or body have a class that differs from page to page. Sign of such
 * a class: fewer than half as many paths are stable with classes as without.
 */
enum items stable_paths(struct arena *arena, const struct record *records,
			uint32_t count);

/*
 * Comparison of several pages before and after: finds the items (paths or
 * fragments) that several pages had in common, and those that several of them
 * lost or gained.
 */

/* The pages to compare. In a mask, bit i is page i. */
struct pages {
	uint32_t count; /* <= MAX_TEMPLATE_SAMPLE */
	uint32_t seen;  /* mask: pages that have a record `after` */
	uint32_t votes; /* number of pages that have such a record, or may have
			   one later */
	/*
	 * [count] records before; from index MAX_TEMPLATE_SAMPLE on, records
	 * after
	 */
	struct record records[2 * MAX_TEMPLATE_SAMPLE];
	unsigned min_pages; /* minimum of k, see struct change_rules */
	unsigned agreement;
};

/*
 * Return k, the number of pages that must agree if `votes` pages vote: the
 * ratio `agreement` of `votes`, but at least min_pages; all pages if there are
 * fewer.
 */
uint32_t quorum(const struct pages *pages, uint32_t votes);

uint32_t count_pages(uint32_t mask);

/*
 * Which sample pages had an item before, and which have it now. Bit i of a mask
 * is page i.
 */
struct item_turn {
	uint32_t before; /* mask: pages that had it before, if they are in
			    pages->seen */
	uint32_t after;  /* mask: pages that have it now */
	bool was_stable;
	bool is_gone;
	bool is_come;
};

/*
 * Return the turn of an item that the pages in the mask `had` had before, and
 * those in `has` have now.
 */
struct item_turn item_turn_of(const struct pages *pages, uint32_t had,
			      uint32_t has);

/* The result of a comparison; its arrays are in the arena. */
struct common_items {
	uint32_t stable;      /* number of items that were stable before */
	const uint64_t *gone; /* [gone_count], ascending: stable items that were
				 removed */
	uint32_t gone_count;
	const uint64_t *come; /* [come_count], ascending: new items */
	uint32_t come_count;
	double moved; /* (gone + come) / (stable + come), 0..1 */
	/* For each page in pages.seen: */
	double lost[MAX_TEMPLATE_SAMPLE];  /* ratio of its stable items that it
					      has lost, 0..1 */
	double joins[MAX_TEMPLATE_SAMPLE]; /* ratio of the removed and new items
					      that changed on it, 0..1 */
};

void common_items_compare(struct arena *arena, const struct pages *pages,
			  enum items items, struct common_items *balance_out);

enum { VERSION_MAX_TEXT = 200 }; /* maximum bytes of the text of a fragment */

/* Return the text of path_write() for `node`. */
struct slice text_of_path(struct arena *arena, const struct page *page,
			  uint32_t node, enum path_steps kind);

#endif
