#include "extract/auto/sequence.h"

#include <assert.h>

#include "base/arena.h"
#include "extract/auto/sequence_blur.h"
#include "extract/auto/sequence_neighbour.h"
#include "extract/auto/sequence_run.h"
#include "extract/auto/window.h"
#include "extract/core/ln1.h"
#include "extract/core/ratio.h"

struct passage_sequence {
	const struct passages *passages;
	const struct repetition *repetition;
	struct sequence_blurs blurs;
	struct sequence_runs runs;
};

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
		.blurs = sequence_blurs_make(arena, passages, wanted),
		.runs = sequence_runs_make(passages),
	};
	return sequence;
}

static float sequence_limit(uint32_t value, uint32_t limit)
{
	return (float)(value < limit ? value : limit);
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
	row[SEQUENCE_passages_before] = sequence_limit(index, MAX_PASSAGES);
	row[SEQUENCE_passages_after] =
		sequence_limit(count - index, MAX_PASSAGES);
}

/* The features of one window around the passage. */
enum {
	WINDOW_SLOPE,
	WINDOW_LONG_RATIO,
	WINDOW_WORDS,
	WINDOW_LINK_RATIO,
	WINDOW_PRICES,
	WINDOW_COUNT
};

static void window_features(const struct passages *passages,
			    struct passage_range range,
			    float features[WINDOW_COUNT])
{
	const struct passage_sums sums = passages_sum(passages, range);

	assert(range.begin <= range.end);
	features[WINDOW_SLOPE] = ratio(sums.words, sums.words + sums.tags);
	features[WINDOW_LONG_RATIO] = ratio(sums.long_words, sums.words);
	features[WINDOW_WORDS] = ln1((float)sums.words);
	features[WINDOW_LINK_RATIO] = ratio(sums.link_words, sums.words);
	features[WINDOW_PRICES] = ratio(sums.prices, range.end - range.begin);
}

static void sequence_windows_row(const struct passages *passages,
				 uint32_t index, float *row)
{
	float near[WINDOW_COUNT];
	float far[WINDOW_COUNT];

	window_features(passages, window_at(passages, index, -5, 6), near);
	window_features(passages, window_at(passages, index, -20, 21), far);
	row[SEQUENCE_slope_5] = near[WINDOW_SLOPE];
	row[SEQUENCE_slope_20] = far[WINDOW_SLOPE];
	row[SEQUENCE_long_ratio_5] = near[WINDOW_LONG_RATIO];
	row[SEQUENCE_long_ratio_20] = far[WINDOW_LONG_RATIO];
	row[SEQUENCE_words_5] = near[WINDOW_WORDS];
	row[SEQUENCE_words_20] = far[WINDOW_WORDS];
	row[SEQUENCE_link_ratio_5] = near[WINDOW_LINK_RATIO];
	row[SEQUENCE_link_ratio_20] = far[WINDOW_LINK_RATIO];
	row[SEQUENCE_prices_5] = near[WINDOW_PRICES];
	row[SEQUENCE_prices_20] = far[WINDOW_PRICES];
}

void sequence_row(const struct passage_sequence *sequence, uint32_t index,
		  float *row)
{
	const struct passages *passages = sequence->passages;

	assert(index < passages->count);
	position_row(passages, index, row);
	sequence_windows_row(passages, index, row);
	sequence_blurs_row(&sequence->blurs, passages, index, row);
	sequence_runs_row(&sequence->runs, index, row);
	sequence_neighbours_row(passages, sequence->repetition, index, row);
}
