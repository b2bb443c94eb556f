/*
 * extract/methods/tag_ratio_methods.h - deterministic k-means in one or two
 * dimensions, and the tag ratios of CETR. The seeds of k-means are not random:
 * the first is the point farthest from the mean (or, if a centroid is pinned at
 * the origin, farthest from the origin), and every next seed is the point
 * farthest from all previous seeds.
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
	 * Number of clusters: at most k, and at most the number of distinct
	 * points plus 1 for a pinned centroid.
	 */
	uint32_t count;
	struct kmeans_point
		centroids[MAX_CLUSTERS]; /* in ascending order of distance from
					    the origin */
	const uint8_t *clusters; /* [point_count]: the cluster of each point */
};

/*
 * Run Lloyd's algorithm until no centroid moves, for at most 100 rounds of
 * O(points * k) each. If pins_origin, one of the k centroids stays at (0, 0)
 * (Weninger, Hsu, Han, CETR, WWW 2010). If several centroids are equally near
 * to a point, the point belongs to the first. A coordinate that is not finite
 * counts as 0. k must be 1..MAX_CLUSTERS. The result belongs to `arena`, 9
 * bytes a point.
 */
struct kmeans kmeans_run(struct arena *arena, const struct kmeans_point *points,
			 uint32_t point_count, uint32_t k, bool pins_origin);

/*
 * The ratio of text to tags in every line of the source, for the three versions
 * of CETR (Weninger, Hsu, Han, CETR: Content Extraction via Tag Ratios, WWW
 * 2010).
 */

/* The indexes of the parameters, which are the same for all versions. */
enum {
	TAG_RATIO_RADIUS,
	TAG_RATIO_WIDTH,
	TAG_RATIO_LIMIT, /* lambda for cetr_tm, the number of clusters for the
			    other versions */
};

enum { MAX_TAG_RATIO_RADIUS = 20 };

/* The rows of the first two parameters. Both defaults are from the source. */
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

/* The part of a text that is on one line. */
struct line_part {
	uint32_t text;
	uint32_t line;
	uint32_t characters;
};

struct tag_ratios {
	/*
	 * [count], for each line that is not empty: characters / tags, or the
	 * number of characters if the line has no tags
	 */
	const float *ratios;
	const float *smoothed; /* [count] */
	bool *is_content; /* [count]: all false at first; each version of the
			     method sets it */
	uint32_t count;
	const struct line_part *parts; /* [part_count], document order */
	uint32_t part_count;
	const bool *is_visible; /* [page->text_count] */
};

/*
 * Divide the source of the page into lines, without script, style and comments,
 * and compute the ratios. Only characters of visible texts count; a run of
 * white space counts as one character, and so does an entity. A tag counts in
 * the line where it begins. If the page has hardly any line breaks, its lines
 * are broken after `width` characters, including tags, or at the end of the tag
 * at that position. Everything belongs to input->arena. Linear.
 */
struct tag_ratios tag_ratios_make(const struct extractor_input *input);

/*
 * Set the verdicts, and the reasons in the trace. A text is content if it is
 * visible and more than half of its characters are on lines with is_content.
 * Its score is the mean of the smoothed ratios of its lines, weighted by its
 * characters on them. Linear.
 */
void tag_ratios_judge(const struct extractor_input *input,
		      const struct tag_ratios *ratios,
		      struct verdict *verdicts);

#endif
