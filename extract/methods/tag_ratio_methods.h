/*
 * extract/methods/tag_ratio_methods.h - deterministic k-means in one or two
 * dimensions, and the tag ratios of CETR. The first seed of k-means is the
 * point farthest from the mean (or from the origin, if the first centroid is
 * pinned); every next seed is the point farthest from all previous seeds.
 */
#ifndef EXTRACT_METHODS_TAG_RATIO_METHODS_H
#define EXTRACT_METHODS_TAG_RATIO_METHODS_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/core/extractor.h"
#include "extract/core/trace.h"

enum { MAX_CLUSTERS = 8 };

struct kmeans_point {
	float x;
	float y; /* 0 for all points in one dimension */
};

struct kmeans {
	/*
	 * number of clusters, <= k; at most the number of distinct points, plus
	 * a pinned origin
	 */
	uint32_t count;
	struct kmeans_point
		centroids[MAX_CLUSTERS]; /* in ascending order of distance from
					    the origin */
	const uint8_t *clusters; /* [points]: the cluster of each point */
};

/*
 * Run Lloyd's algorithm until nothing moves, at most 100 rounds: O(points * k)
 * a round. `pins_origin`: one of the k centroids stays at (0, 0) (Weninger,
 * Hsu, Han, CETR, WWW 2010). Of centroids at the same distance the first wins.
 * A coordinate that is not finite counts as 0; k is 1..MAX_CLUSTERS. The result
 * belongs to `arena`, 9 bytes a point.
 */
struct kmeans kmeans_run(struct arena *arena, const struct kmeans_point *points,
			 uint32_t point_count, uint32_t k, bool pins_origin);

/*
 * The text to tag ratio of every source line, for the three versions of CETR
 * (Weninger, Hsu, Han, CETR: Content Extraction via Tag Ratios, WWW 2010).
 */

/* The parameters of all versions, by their index in the table. */
enum {
	TAG_RATIO_RADIUS,
	TAG_RATIO_WIDTH,
	TAG_RATIO_LIMIT, /* lambda, or the number of clusters */
};

enum { MAX_TAG_RATIO_RADIUS = 20 };

/* Their rows; both defaults are from the source. */
#define TAG_RATIO_RADIUS_ROW                                   \
	{                                                      \
		"radius", "lines", 1, MAX_TAG_RATIO_RADIUS, 3, \
			"radius of the smoothing"              \
	}
#define TAG_RATIO_WIDTH_ROW                                    \
	{                                                      \
		"width", "characters", 10, 10000, 60,          \
			"of a line if the page has hardly any" \
	}

/* Characters of a text on one line. */
struct line_part {
	uint32_t text;
	uint32_t line;
	uint32_t characters;
};

struct tag_ratios {
	/*
	 * [count], of the lines that are not empty: characters / tags; without
	 * tags, the number of characters
	 */
	const float *ratios;
	const float *smoothed; /* [count] */
	bool *is_content;      /* [count]: false until a version sets it */
	uint32_t count;
	const struct line_part *parts; /* [part_count], document order */
	uint32_t part_count;
	const bool *is_visible; /* [page->text_count] */
};

/*
 * Return the lines of the input's page without script, style and comments, and
 * their smoothed ratios. Characters of visible texts count; a run of white
 * space and an entity each count as one; a tag counts in the line where it
 * begins. A page with hardly any line breaks is broken after `width`
 * characters, including tags, or at the end of the tag at that position.
 * Everything belongs to input->arena. Linear.
 */
struct tag_ratios tag_ratios_make(const struct extractor_input *input);

/*
 * Set the verdicts: a text is content if it is visible and more than half of
 * its characters are on lines with is_content; its score is the mean of the
 * smoothed ratios over its characters. Writes the trace. Linear.
 */
void tag_ratios_judge(const struct extractor_input *input,
		      const struct tag_ratios *ratios,
		      struct verdict *verdicts);

#endif
