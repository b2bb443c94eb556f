#include "extract/auto/sequence_blur.h"

#include <math.h>

#include "base/arena.h"
#include "extract/auto/sequence.h"
#include "extract/core/blur.h"
#include "extract/core/ln1.h"

/* A value of a passage, to be blurred. */
typedef float measure(const struct passage *passage);

static float blur_characters(const struct passage *passage)
{
	return passage->place == PLACE_PLAIN ? (float)passage->characters : 0;
}

static float link_characters(const struct passage *passage)
{
	return passage->place == PLACE_PLAIN ? (float)passage->link_characters
					     : 0;
}

static float blur_code(const struct passage *passage)
{
	return blur_characters(passage) + (float)passage->markup;
}

static float tag_ratio(const struct passage *passage)
{
	uint32_t tags = passage->tags > 0 ? passage->tags : 1;

	return blur_characters(passage) / (float)tags;
}

static float blur_mass(const struct passage *passage)
{
	float words = (float)passage->words - (float)passage->link_words;

	return passage->place == PLACE_PLAIN ? fmaxf(words, 0) : 0;
}

enum { MAX_READERS = 4 };

static const struct {
	measure *of;
	uint32_t radius;
	uint16_t readers[MAX_READERS]; /* features that need it; 0 ends the list
					*/
} plans[BLURRED_COUNT] = {
	[BLURRED_TAG_RATIO_1] = {tag_ratio, 1, {SEQUENCE_tag_ratio_1}},
	[BLURRED_TAG_RATIO_3] = {tag_ratio,
				 3,
				 {SEQUENCE_tag_ratio_3,
				  SEQUENCE_tag_ratio_ratio,
				  SEQUENCE_tag_ratio_deviations}},
	[BLURRED_TAG_RATIO_8] = {tag_ratio, 8, {SEQUENCE_tag_ratio_8}},
	[BLURRED_CHARACTERS_1] = {blur_characters, 1, {SEQUENCE_text_ratio_1}},
	[BLURRED_CHARACTERS_3] = {blur_characters,
				  3,
				  {SEQUENCE_text_ratio_3,
				   SEQUENCE_link_quota_3}},
	[BLURRED_CHARACTERS_8] = {blur_characters,
				  8,
				  {SEQUENCE_text_ratio_8,
				   SEQUENCE_link_quota_8}},
	[BLURRED_CODE_1] = {blur_code, 1, {SEQUENCE_text_ratio_1}},
	[BLURRED_CODE_3] = {blur_code, 3, {SEQUENCE_text_ratio_3}},
	[BLURRED_CODE_8] = {blur_code, 8, {SEQUENCE_text_ratio_8}},
	[BLURRED_LINKS_3] = {link_characters, 3, {SEQUENCE_link_quota_3}},
	[BLURRED_LINKS_8] = {link_characters, 8, {SEQUENCE_link_quota_8}},
	[BLURRED_MASS] = {blur_mass,
			  3,
			  {SEQUENCE_ridge_height, SEQUENCE_ridge_valley,
			   SEQUENCE_ridge_distance, SEQUENCE_ridge_words}},
};

static bool is_wanted_vector(const bool *wanted, enum blurred vector)
{
	const uint16_t *readers = plans[vector].readers;
	bool is_read = wanted == NULL;

	for (size_t i = 0; i < MAX_READERS && readers[i] != 0 && !is_read; i++)
		is_read = wanted[readers[i]];
	return is_read;
}

static const float *blur_measure(struct arena *arena,
				 const struct passages *passages,
				 float *scratch, enum blurred vector)
{
	const struct blur blur = {.radius = plans[vector].radius, .passes = 1};

	for (uint32_t i = 0; i < passages->count; i++)
		scratch[i] = plans[vector].of(&passages->items[i]);
	return blur_run(arena, scratch, passages->count, &blur);
}

/* Return the index of the highest value; of several, the first. */
static uint32_t index_of_highest(const float *values, uint32_t count)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < count; i++)
		if (values[i] > values[best])
			best = i;
	return best;
}

static float deviation_of_ratios(const struct passages *passages)
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
					  const struct passages *passages,
					  const bool *wanted)
{
	const uint32_t count = passages->count;
	struct sequence_blurs blurs = {0};
	float *scratch = ARENA_NEW(arena, float, count);
	const float *tag_ratios;
	const float *masses;

	for (enum blurred i = 0; i < BLURRED_COUNT; i++)
		if (is_wanted_vector(wanted, i))
			blurs.blurred[i] =
				blur_measure(arena, passages, scratch, i);
	tag_ratios = blurs.blurred[BLURRED_TAG_RATIO_3];
	masses = blurs.blurred[BLURRED_MASS];
	if (masses != NULL) {
		blurs.peak = index_of_highest(masses, count);
		blurs.valleys =
			valleys_around(arena, masses, count, blurs.peak);
	}
	if (tag_ratios != NULL && count > 0) {
		blurs.highest_tag_ratio = ln1(fmaxf(
			tag_ratios[index_of_highest(tag_ratios, count)], 0));
		blurs.tag_ratio_deviation =
			fmaxf(deviation_of_ratios(passages), 1);
	}
	return blurs;
}

static float ln1_at(const float *blurred, uint32_t index)
{
	return blurred == NULL ? 0 : ln1(fmaxf(blurred[index], 0));
}

static void tag_ratio_row(const struct sequence_blurs *blurs, uint32_t index,
			  float *row)
{
	const float *middle = blurs->blurred[BLURRED_TAG_RATIO_3];

	row[SEQUENCE_tag_ratio_1] =
		ln1_at(blurs->blurred[BLURRED_TAG_RATIO_1], index);
	row[SEQUENCE_tag_ratio_3] = ln1_at(middle, index);
	row[SEQUENCE_tag_ratio_8] =
		ln1_at(blurs->blurred[BLURRED_TAG_RATIO_8], index);
	row[SEQUENCE_tag_ratio_ratio] = row[SEQUENCE_tag_ratio_3] /
					fmaxf(blurs->highest_tag_ratio, 1e-6F);
	row[SEQUENCE_tag_ratio_deviations] =
		middle == NULL ? 0 : middle[index] / blurs->tag_ratio_deviation;
}

/* Return the blurred part divided by the blurred whole. */
static float blur_quotient(const struct sequence_blurs *blurs,
			   enum blurred part, enum blurred whole,
			   uint32_t index)
{
	const float *parts = blurs->blurred[part];
	const float *wholes = blurs->blurred[whole];

	if (parts == NULL || wholes == NULL)
		return 0;
	return parts[index] / fmaxf(wholes[index], 1);
}

static void blur_ratio_row(const struct sequence_blurs *blurs, uint32_t index,
			   float *row)
{
	row[SEQUENCE_text_ratio_1] = blur_quotient(blurs, BLURRED_CHARACTERS_1,
						   BLURRED_CODE_1, index);
	row[SEQUENCE_text_ratio_3] = blur_quotient(blurs, BLURRED_CHARACTERS_3,
						   BLURRED_CODE_3, index);
	row[SEQUENCE_text_ratio_8] = blur_quotient(blurs, BLURRED_CHARACTERS_8,
						   BLURRED_CODE_8, index);
	row[SEQUENCE_link_quota_3] = blur_quotient(blurs, BLURRED_LINKS_3,
						   BLURRED_CHARACTERS_3, index);
	row[SEQUENCE_link_quota_8] = blur_quotient(blurs, BLURRED_LINKS_8,
						   BLURRED_CHARACTERS_8, index);
}

static void ridge_row(const struct sequence_blurs *blurs,
		      const struct passages *passages, uint32_t index,
		      float *row)
{
	const float *masses = blurs->blurred[BLURRED_MASS];
	const uint32_t peak = blurs->peak;
	int64_t distance = (int64_t)index - peak;
	int64_t words = (int64_t)passages->sums[index + 1].words -
			passages->sums[peak + 1].words;
	float height;

	if (masses == NULL)
		return;
	height = fmaxf(masses[peak], 1e-6F);
	row[SEQUENCE_ridge_height] = masses[index] / height;
	row[SEQUENCE_ridge_distance] = signed_ln1((float)distance);
	row[SEQUENCE_ridge_words] = signed_ln1((float)words);
	row[SEQUENCE_ridge_valley] = blurs->valleys[index] / height;
}

void sequence_blurs_row(const struct sequence_blurs *blurs,
			const struct passages *passages, uint32_t index,
			float *row)
{
	tag_ratio_row(blurs, index, row);
	blur_ratio_row(blurs, index, row);
	ridge_row(blurs, passages, index, row);
}
