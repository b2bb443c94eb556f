/*
 * extract/methods/tag_ratio.h - the text to tag ratio of every source line, for
 * the three versions of CETR (Weninger, Hsu, Han, CETR: Content Extraction via
 * Tag Ratios, WWW 2010).
 */
#ifndef EXTRACT_METHODS_TAG_RATIO_H
#define EXTRACT_METHODS_TAG_RATIO_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/core/extractor.h"
#include "extract/core/trace.h"

/* The parameters of all versions, by their index in the table. */
enum {
	TAG_RATIO_RADIUS,
	TAG_RATIO_WIDTH,
	TAG_RATIO_LIMIT, /* lambda, or the number of clusters */
};

enum { MAX_TAG_RATIO_RADIUS = 20 };

/* Their rows; both defaults are from the source. */
#define TAG_RATIO_RADIUS_ROW                                         \
	{                                                            \
		.name = "radius", .unit = "lines", .minimum = 1,     \
		.maximum = MAX_TAG_RATIO_RADIUS, .default_value = 3, \
		.meaning = "radius of the smoothing",                \
	}
#define TAG_RATIO_WIDTH_ROW                                           \
	{                                                             \
		.name = "width", .unit = "characters", .minimum = 10, \
		.maximum = 10000, .default_value = 60,                \
		.meaning = "of a line if the page has hardly any",    \
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

/*
 * Draw the smoothed ratios over the lines, with a line across at `threshold`.
 */
void tag_ratios_draw(const struct extractor_input *input,
		     const struct tag_ratios *ratios, float threshold);

#endif
