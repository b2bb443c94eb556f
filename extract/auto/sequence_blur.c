#include "extract/auto/sequence_blur.h"

#include <math.h>
#include <string.h>

#include "extract/auto/sequence.h"
#include "extract/core/blur.h"
#include "extract/core/ln1.h"
#include "store/arena.h"

static const uint32_t radii[BLUR_WIDTHS] = {
	[NARROW_BLUR] = 1,
	[MIDDLE_BLUR] = 3,
	[WIDE_BLUR] = 8,
};

/* The value of a passage that is blurred. */
typedef float measure(const struct passage *passage);

static float characters(const struct passage *passage)
{
	return passage->place == PLACE_PLAIN ? (float)passage->characters : 0;
}

static float link_characters(const struct passage *passage)
{
	return passage->place == PLACE_PLAIN ? (float)passage->link_characters
					     : 0;
}

static float code(const struct passage *passage)
{
	return characters(passage) + (float)passage->markup;
}

static float tag_ratio(const struct passage *passage)
{
	uint32_t tags = passage->tags > 0 ? passage->tags : 1;

	return characters(passage) / (float)tags;
}

static float mass(const struct passage *passage)
{
	float words = (float)passage->words - (float)passage->link_words;

	return passage->place == PLACE_PLAIN ? fmaxf(words, 0) : 0;
}

static const float *blur_measure(struct arena *arena,
				 const struct passages *passages,
				 float *scratch, measure *of, uint32_t radius)
{
	const struct blur blur = {.radius = radius, .passes = 1};

	for (uint32_t i = 0; i < passages->count; i++)
		scratch[i] = of(&passages->items[i]);
	return blur_run(arena, scratch, passages->count, &blur);
}

/* The index of the highest value, of equal ones the first. */
static uint32_t highest(const float *values, uint32_t count)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < count; i++)
		if (values[i] > values[best])
			best = i;
	return best;
}

static float deviation(const struct passages *passages)
{
	double sum = 0;
	double squares = 0;
	double mean;

	if (passages->count == 0)
		return 0;
	for (uint32_t i = 0; i < passages->count; i++) {
		double ratio = (double)tag_ratio(&passages->items[i]);

		sum += ratio;
		squares += ratio * ratio;
	}
	mean = sum / passages->count;
	return (float)sqrt(fmax(squares / passages->count - mean * mean, 0));
}

static const float *valleys_around(struct arena *arena, const float *values,
				   uint32_t count, uint32_t peak)
{
	float *valleys = ARENA_NEW(arena, float, count);

	if (count == 0)
		return valleys;
	valleys[peak] = values[peak];
	for (uint32_t i = peak + 1; i < count; i++)
		valleys[i] = fminf(valleys[i - 1], values[i]);
	for (uint32_t i = peak; i > 0; i--)
		valleys[i - 1] = fminf(valleys[i], values[i - 1]);
	return valleys;
}

struct sequence_blurs sequence_blurs_make(struct arena *arena,
					  const struct passages *passages)
{
	const uint32_t count = passages->count;
	struct sequence_blurs blurs = {0};
	float *scratch = ARENA_NEW(arena, float, count);

	for (int i = 0; i < BLUR_WIDTHS; i++) {
		blurs.tag_ratios[i] = blur_measure(arena, passages, scratch,
						   tag_ratio, radii[i]);
		blurs.characters[i] = blur_measure(arena, passages, scratch,
						   characters, radii[i]);
		blurs.codes[i] =
			blur_measure(arena, passages, scratch, code, radii[i]);
		if (i != NARROW_BLUR)
			blurs.link_characters[i] =
				blur_measure(arena, passages, scratch,
					     link_characters, radii[i]);
	}
	blurs.mass = blur_measure(arena, passages, scratch, mass,
				  radii[MIDDLE_BLUR]);
	blurs.peak = highest(blurs.mass, count);
	blurs.valleys = valleys_around(arena, blurs.mass, count, blurs.peak);
	if (count > 0)
		blurs.highest_tag_ratio = blurs.tag_ratios[MIDDLE_BLUR][highest(
			blurs.tag_ratios[MIDDLE_BLUR], count)];
	blurs.tag_ratio_deviation = fmaxf(deviation(passages), 1);
	return blurs;
}

static void tag_ratio_row(const struct sequence_blurs *blurs, uint32_t index,
			  float *row)
{
	float middle = blurs->tag_ratios[MIDDLE_BLUR][index];
	float highest = ln1(fmaxf(blurs->highest_tag_ratio, 0));

	row[SEQUENCE_tag_ratio_1] =
		ln1(fmaxf(blurs->tag_ratios[NARROW_BLUR][index], 0));
	row[SEQUENCE_tag_ratio_3] = ln1(fmaxf(middle, 0));
	row[SEQUENCE_tag_ratio_8] =
		ln1(fmaxf(blurs->tag_ratios[WIDE_BLUR][index], 0));
	row[SEQUENCE_tag_ratio_ratio] =
		row[SEQUENCE_tag_ratio_3] / fmaxf(highest, 1e-6F);
	row[SEQUENCE_tag_ratio_deviations] =
		middle / blurs->tag_ratio_deviation;
}

/* The blurred part divided by the blurred whole. */
static float quotient(const float *part, const float *whole, uint32_t index)
{
	return part[index] / fmaxf(whole[index], 1);
}

static void ratio_row(const struct sequence_blurs *blurs, uint32_t index,
		      float *row)
{
	row[SEQUENCE_text_ratio_1] = quotient(blurs->characters[NARROW_BLUR],
					      blurs->codes[NARROW_BLUR], index);
	row[SEQUENCE_text_ratio_3] = quotient(blurs->characters[MIDDLE_BLUR],
					      blurs->codes[MIDDLE_BLUR], index);
	row[SEQUENCE_text_ratio_8] = quotient(blurs->characters[WIDE_BLUR],
					      blurs->codes[WIDE_BLUR], index);
	row[SEQUENCE_link_quota_3] =
		quotient(blurs->link_characters[MIDDLE_BLUR],
			 blurs->characters[MIDDLE_BLUR], index);
	row[SEQUENCE_link_quota_8] =
		quotient(blurs->link_characters[WIDE_BLUR],
			 blurs->characters[WIDE_BLUR], index);
}

static void ridge_row(const struct sequence_blurs *blurs,
		      const struct passages *passages, uint32_t index,
		      float *row)
{
	float peak = fmaxf(blurs->mass[blurs->peak], 1e-6F);
	int64_t distance = (int64_t)index - blurs->peak;
	int64_t words = (int64_t)passages->sums[index + 1].words -
			passages->sums[blurs->peak + 1].words;

	row[SEQUENCE_ridge_height] = blurs->mass[index] / peak;
	row[SEQUENCE_ridge_distance] = signed_ln1((float)distance);
	row[SEQUENCE_ridge_words] = signed_ln1((float)words);
	row[SEQUENCE_ridge_valley] = blurs->valleys[index] / peak;
}

void sequence_blurs_row(const struct sequence_blurs *blurs,
			const struct passages *passages, uint32_t index,
			float *row)
{
	tag_ratio_row(blurs, index, row);
	ratio_row(blurs, index, row);
	ridge_row(blurs, passages, index, row);
}
