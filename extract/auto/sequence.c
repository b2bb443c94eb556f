#include "extract/auto/sequence.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "extract/auto/features.h"
#include "extract/core/numeric.h"
#include "extract/text/passage.h"
#include "extract/text/token_stream.h"
#include "page/page.h"

/*
 * A blurred vector: a value of each passage, and after the last "_" the radius.
 * The radius of BLURRED_MASS is 3.
 */
enum blurred {
	BLURRED_TAG_RATIO_1, /* characters per tag */
	BLURRED_TAG_RATIO_3,
	BLURRED_TAG_RATIO_8,
	BLURRED_CHARACTERS_1,
	BLURRED_CHARACTERS_3,
	BLURRED_CHARACTERS_8,
	BLURRED_CODE_1, /* characters plus bytes of markup */
	BLURRED_CODE_3,
	BLURRED_CODE_8,
	BLURRED_LINKS_3, /* characters in links */
	BLURRED_LINKS_8,
	BLURRED_MASS, /* the mass of a passage: its words outside of links */
	BLURRED_COUNT
};

/*
 * The blurred values. Each vector is [passages->count], or NULL if no wanted
 * feature needs it.
 */
struct sequence_blurs {
	const float *blurred[BLURRED_COUNT];
	const float *valleys; /* lowest blurred mass between the passage and the
				 peak */
	float highest_tag_ratio;   /* the highest of BLURRED_TAG_RATIO_3, as ln1
				    */
	float tag_ratio_deviation; /* standard deviation before the blur, at
				      least 1 */
	uint32_t peak; /* passage with the highest blurred mass; 0 without
			  passages */
};

/*
 * The runs of passages with the maximum sum of weights: body text extraction
 * (BTE), and maximum subsequence segmentation (MSS). The methods differ in the
 * weights.
 */

struct sequence_runs {
	struct passage_range bte;
	struct passage_range link_bte;
	struct passage_range mss;
	float mss_ratio; /* ratio of the page's words in `mss`, 0..1 */
};

struct passage_sequence {
	const struct passages *passages;
	const struct repetition *repetition;
	const bool *wanted; /* as in sequence_make() */
	struct sequence_blurs blurs;
	struct sequence_runs runs;
};

/* Return whether a model reads the feature; others may have any value. */
static bool is_wanted(const struct passage_sequence *sequence, uint16_t feature)
{
	return sequence->wanted == NULL || sequence->wanted[feature];
}

enum { MAX_TAGS = 200 };

/*
 * A passage before or after the current one, and the columns for its features.
 */
struct neighbour {
	int offset;
	uint16_t words, link_ratio, kind;
};

/* Write the features of a neighbour of the passage. */
static void neighbour_of_row(const struct passage_sequence *sequence,
			     uint32_t index, const struct neighbour *neighbour,
			     float *row)
{
	const struct passages *passages = sequence->passages;
	const int64_t at = (int64_t)index + neighbour->offset;
	const struct passage *passage =
		at >= 0 && at < passages->count ? &passages->items[at] : NULL;

	if (is_wanted(sequence, neighbour->words))
		row[neighbour->words] =
			passage == NULL ? 0 : ln1((float)passage->words);
	if (is_wanted(sequence, neighbour->link_ratio))
		row[neighbour->link_ratio] =
			passage == NULL ? -1 : passage_link_ratio(passage);
	if (is_wanted(sequence, neighbour->kind))
		row[neighbour->kind] = passage == NULL
					       ? -1
					       : (float)tag_kind(passages->page,
								 passage->node);
}

/* Write the features of the two passages before and of the two after. */
static void neighbours_of_row(const struct passage_sequence *sequence,
			      uint32_t index, float *row)
{
	static const struct neighbour rows[] = {
		{-1, SEQUENCE_previous_words, SEQUENCE_previous_link_ratio,
		 SEQUENCE_previous_kind},
		{-2, SEQUENCE_previous_2_words, SEQUENCE_previous_2_link_ratio,
		 SEQUENCE_previous_2_kind},
		{1, SEQUENCE_next_words, SEQUENCE_next_link_ratio,
		 SEQUENCE_next_kind},
		{2, SEQUENCE_next_2_words, SEQUENCE_next_2_link_ratio,
		 SEQUENCE_next_2_kind},
	};
	const struct passages *passages = sequence->passages;
	const uint64_t *paths = sequence->repetition->paths;
	const struct passage *own = &passages->items[index];
	const struct passage *previous = index > 0 ? own - 1 : NULL;
	const struct passage *next =
		index + 1 < passages->count ? own + 1 : NULL;
	bool has_same_path = false;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		neighbour_of_row(sequence, index, &rows[i], row);
	if (previous != NULL) /* compare the paths of elements and classes */
		has_same_path =
			previous->node == NO_NODE || own->node == NO_NODE
				? previous->node == own->node
				: paths[previous->node] == paths[own->node];
	row[SEQUENCE_previous_ends_sentence] =
		(float)(previous != NULL && previous->ends_sentence);
	row[SEQUENCE_previous_same_path] = has_same_path;
	row[SEQUENCE_next_ends_sentence] =
		(float)(next != NULL && next->ends_sentence);
	row[SEQUENCE_next_tags] =
		next == NULL ? -1 : limited(next->tags, MAX_TAGS);
}

/*
 * Return the weight of a passage for MSS. It is negative for short passages and
 * for passages of links.
 */
static double mss_weight(const struct passage *passage)
{
	enum { LONG_WORDS = 10 };
	float links = passage_link_ratio(passage);

	if (passage->place != PLACE_PLAIN)
		return -2;
	if (passage->words >= LONG_WORDS && links < .5F)
		return passage->words;
	return -6 - 3 * (double)links;
}

static struct sequence_runs sequence_runs_make(const struct passages *passages)
{
	struct maximum_run bte = {0};
	struct maximum_run link_bte = {0};
	struct maximum_run mss = {0};
	struct sequence_runs runs = {0};

	for (uint32_t i = 0; i < passages->count; i++) {
		const struct passage *passage = &passages->items[i];
		bool is_plain = passage->place == PLACE_PLAIN;
		double words = is_plain ? passage->words : 0;
		double link_words = is_plain ? passage->link_words : 0;
		double tags = passage->tags;

		maximum_run_add(&bte, words - tags);
		maximum_run_add(&link_bte, words - 2 * link_words - 2 * tags);
		maximum_run_add(&mss, mss_weight(passage));
	}
	runs.bte = (struct passage_range){bte.begin, bte.end};
	runs.link_bte = (struct passage_range){link_bte.begin, link_bte.end};
	runs.mss = (struct passage_range){mss.begin, mss.end};
	runs.mss_ratio = ratio(passages_sum(passages, runs.mss).words,
			       passages->sums[passages->count].words);
	return runs;
}

/*
 * Return the signed ln1 of the distance of passage `index` from the run in
 * passages: 0 inside, negative before the run, positive after it.
 */
static float run_distance(struct passage_range run, uint32_t index)
{
	int64_t distance = 0;

	if (index < run.begin)
		distance = (int64_t)index - run.begin;
	else if (index >= run.end)
		distance = (int64_t)index - run.end + 1;
	return signed_ln1((float)distance);
}

/*
 * Write the features about the maximum-sum runs to the row [SEQUENCE_COUNT] of
 * passage `index`.
 */
static void sequence_runs_row(const struct passage_sequence *sequence,
			      uint32_t index, float *row)
{
	const struct sequence_runs *runs = &sequence->runs;
	const struct {
		struct passage_range run;
		uint16_t inside, distance;
	} rows[] = {
		{runs->bte, SEQUENCE_bte, SEQUENCE_bte_distance},
		{runs->link_bte, SEQUENCE_link_bte, SEQUENCE_link_bte_distance},
		{runs->mss, SEQUENCE_mss, SEQUENCE_mss_distance},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		row[rows[i].inside] =
			index >= rows[i].run.begin && index < rows[i].run.end
				? 1
				: 0;
		if (is_wanted(sequence, rows[i].distance))
			row[rows[i].distance] =
				run_distance(rows[i].run, index);
	}
	row[SEQUENCE_mss_ratio] = runs->mss_ratio;
}

/*
 * A function that returns the value of a passage for one of the blurred
 * vectors.
 */
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

	return passage->place == PLACE_PLAIN ? float_larger(words, 0) : 0;
}

enum { MAX_READERS = 4 };

static const struct {
	measure *of;
	uint32_t radius;
	uint16_t readers[MAX_READERS]; /* the features that need this vector,
					  then 0 */
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

/* Return the index of the highest value, or the first of several. */
static uint32_t index_of_highest(const float *values, uint32_t count)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < count; i++)
		if (values[i] > values[best])
			best = i;
	return best;
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

/*
 * Compute the blurred vectors that the wanted features need; `wanted` is as in
 * sequence_make(). Everything belongs to `arena`: at most 60 bytes a passage.
 */
static struct sequence_blurs
sequence_blurs_make(struct arena *arena, const struct passages *passages,
		    const bool *wanted)
{
	const uint32_t count = passages->count;
	struct sequence_blurs blurs = {0};
	float *scratch = ARENA_NEW(arena, float, count);
	const float *tag_ratios;
	const float *masses;
	double sum = 0;
	double squares = 0;

	for (enum blurred i = 0; i < BLURRED_COUNT; i++) {
		const struct blur blur = {plans[i].radius, 1, false};

		if (!is_wanted_vector(wanted, i))
			continue;
		for (uint32_t k = 0; k < count; k++)
			scratch[k] = plans[i].of(&passages->items[k]);
		blurs.blurred[i] = blur_run(arena, scratch, count, &blur);
	}
	tag_ratios = blurs.blurred[BLURRED_TAG_RATIO_3];
	masses = blurs.blurred[BLURRED_MASS];
	if (masses != NULL) {
		blurs.peak = index_of_highest(masses, count);
		blurs.valleys =
			valleys_around(arena, masses, count, blurs.peak);
	}
	if (tag_ratios != NULL && count > 0) {
		blurs.highest_tag_ratio = ln1(float_larger(
			tag_ratios[index_of_highest(tag_ratios, count)], 0));
		for (uint32_t i = 0; i < count; i++) {
			double ratio = (double)tag_ratio(&passages->items[i]);

			sum += ratio;
			squares += ratio * ratio;
		}
		sum /= count;
		blurs.tag_ratio_deviation = float_larger(
			(float)sqrt(fmax(squares / count - sum * sum, 0)), 1);
	}
	return blurs;
}

static float ln1_at(const float *blurred, uint32_t index)
{
	return blurred == NULL ? 0 : ln1(float_larger(blurred[index], 0));
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
	row[SEQUENCE_tag_ratio_ratio] =
		row[SEQUENCE_tag_ratio_3] /
		float_larger(blurs->highest_tag_ratio, 1e-6F);
	row[SEQUENCE_tag_ratio_deviations] =
		middle == NULL ? 0 : middle[index] / blurs->tag_ratio_deviation;
}

static void blur_ratio_row(const struct sequence_blurs *blurs, uint32_t index,
			   float *row)
{
	static const struct {
		uint16_t feature;
		enum blurred part, whole;
	} rows[] = {
		{SEQUENCE_text_ratio_1, BLURRED_CHARACTERS_1, BLURRED_CODE_1},
		{SEQUENCE_text_ratio_3, BLURRED_CHARACTERS_3, BLURRED_CODE_3},
		{SEQUENCE_text_ratio_8, BLURRED_CHARACTERS_8, BLURRED_CODE_8},
		{SEQUENCE_link_quota_3, BLURRED_LINKS_3, BLURRED_CHARACTERS_3},
		{SEQUENCE_link_quota_8, BLURRED_LINKS_8, BLURRED_CHARACTERS_8},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const float *parts = blurs->blurred[rows[i].part];
		const float *wholes = blurs->blurred[rows[i].whole];

		row[rows[i].feature] =
			parts == NULL || wholes == NULL
				? 0
				: parts[index] / float_larger(wholes[index], 1);
	}
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
	height = float_larger(masses[peak], 1e-6F);
	row[SEQUENCE_ridge_height] = masses[index] / height;
	row[SEQUENCE_ridge_distance] = signed_ln1((float)distance);
	row[SEQUENCE_ridge_words] = signed_ln1((float)words);
	row[SEQUENCE_ridge_valley] = blurs->valleys[index] / height;
}

struct passage_sequence *sequence_make(struct arena *arena,
				       const struct passages *passages,
				       const struct repetition *repetition,
				       const bool *wanted)
{
	struct passage_sequence *sequence =
		ARENA_NEW(arena, struct passage_sequence, 1);

	*sequence = (struct passage_sequence){
		.passages = passages,
		.repetition = repetition,
		.wanted = wanted,
		.blurs = sequence_blurs_make(arena, passages, wanted),
		.runs = sequence_runs_make(passages),
	};
	return sequence;
}

static void position_row(const struct passages *passages, uint32_t index,
			 float *row)
{
	enum { MAX_PASSAGES = 300 };
	const uint32_t count = passages->count;
	const float before = (float)passages->sums[index].words;
	const float with = (float)passages->sums[index + 1].words;
	const float all = (float)passages->sums[count].words;

	assert(index < count);
	row[SEQUENCE_position] = (before + with) / 2 / (all > 0 ? all : 1);
	row[SEQUENCE_passage_position] = (float)index / (float)count;
	row[SEQUENCE_words_before] = ln1(before);
	row[SEQUENCE_words_after] = ln1(all - with);
	row[SEQUENCE_passages_before] = limited(index, MAX_PASSAGES);
	row[SEQUENCE_passages_after] = limited(count - index, MAX_PASSAGES);
}

/*
 * A window of `radius` passages on each side of the passage, and the columns
 * for its features.
 */
struct sequence_window {
	int radius;
	uint16_t slope, long_ratio, words, link_ratio, prices;
};

static void sequence_windows_row(const struct passage_sequence *sequence,
				 uint32_t index, float *row)
{
	const struct passages *passages = sequence->passages;
	static const struct sequence_window windows[] = {
		{5, SEQUENCE_slope_5, SEQUENCE_long_ratio_5, SEQUENCE_words_5,
		 SEQUENCE_link_ratio_5, SEQUENCE_prices_5},
		{20, SEQUENCE_slope_20, SEQUENCE_long_ratio_20,
		 SEQUENCE_words_20, SEQUENCE_link_ratio_20, SEQUENCE_prices_20},
	};

	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		const struct sequence_window *window = &windows[i];
		const struct passage_range range = window_at(
			passages, index, -window->radius, window->radius + 1);
		const struct passage_sums sums = passages_sum(passages, range);

		row[window->slope] = ratio(sums.words, sums.words + sums.tags);
		row[window->long_ratio] = ratio(sums.long_words, sums.words);
		if (is_wanted(sequence, window->words))
			row[window->words] = ln1((float)sums.words);
		row[window->link_ratio] = ratio(sums.link_words, sums.words);
		row[window->prices] =
			ratio(sums.prices, range.end - range.begin);
	}
}

void sequence_row(const struct passage_sequence *sequence, uint32_t index,
		  float *row)
{
	const struct passages *passages = sequence->passages;

	assert(index < passages->count);
	position_row(passages, index, row);
	sequence_windows_row(sequence, index, row);
	tag_ratio_row(&sequence->blurs, index, row);
	blur_ratio_row(&sequence->blurs, index, row);
	ridge_row(&sequence->blurs, passages, index, row);
	sequence_runs_row(sequence, index, row);
	neighbours_of_row(sequence, index, row);
}
