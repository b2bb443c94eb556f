#include "extract/auto/auto_score.h"

#include <assert.h>
#include <math.h>

#include "extract/auto/auto_model.h"
#include "store/arena.h"

/*
 * Of the rows of page features only the columns that the second forest reads
 * are kept, so that memory depends on the model and not on the number of
 * features.
 */
struct kept {
	uint16_t features[FOREST_COLUMNS];
	size_t count;
	float *values; /* [passages][count] */
};

static struct kept make_kept(struct arena *arena, uint32_t passages)
{
	struct kept kept = {.count = 0};

	for (size_t i = 0; i < auto_context_forest.column_count; i++)
		if (auto_context_forest.columns[i] >= CONTEXT_COUNT)
			kept.features[kept.count++] =
				auto_context_forest.columns[i] - CONTEXT_COUNT;
	kept.values = ARENA_NEW(arena, float, passages *kept.count);
	return kept;
}

static void keep(struct kept *kept, uint32_t passage, const float *row)
{
	float *values = kept->values + passage * kept->count;

	for (size_t i = 0; i < kept->count; i++)
		values[i] = row[kept->features[i]];
}

static void recall(const struct kept *kept, uint32_t passage, float *row)
{
	const float *values = kept->values + passage * kept->count;

	for (size_t i = 0; i < kept->count; i++)
		row[kept->features[i]] = values[i];
}

static void insert(struct strongest_moves *strongest, uint16_t feature,
		   float move)
{
	size_t at = MAX_MOVES;

	while (at > 0 && fabsf(move) > fabsf(strongest->moves[at - 1]))
		at--;
	if (at == MAX_MOVES)
		return;
	for (size_t i = MAX_MOVES - 1; i > at; i--) {
		strongest->features[i] = strongest->features[i - 1];
		strongest->moves[i] = strongest->moves[i - 1];
	}
	strongest->features[at] = feature;
	strongest->moves[at] = move;
	assert(at < MAX_MOVES);
}

static struct strongest_moves find_moves(const float *row)
{
	struct strongest_moves strongest = {.moves = {0}};
	float moves[FOREST_COLUMNS];

	forest_moves(&auto_page_forest, row, moves);
	for (size_t i = 0; i < auto_page_forest.column_count; i++)
		insert(&strongest, auto_page_forest.columns[i], moves[i]);
	return strongest;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void make_probabilities(float *margins, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		margins[i] = forest_probability(margins[i]);
}

/* `moves` may be NULL. */
static void score_by_page(struct features *features, uint32_t count,
			  struct kept *kept, float *scores,
			  struct strongest_moves *moves)
{
	float rows[FOREST_ROWS][FEATURE_COUNT];

	for (uint32_t begin = 0; begin < count; begin += FOREST_ROWS) {
		uint32_t height = smaller(count - begin, FOREST_ROWS);

		for (uint32_t i = 0; i < height; i++) {
			features_next(features, rows[i]);
			keep(kept, begin + i, rows[i]);
			if (moves != NULL)
				moves[begin + i] = find_moves(rows[i]);
		}
		assert(height > 0 && height <= FOREST_ROWS);
		forest_margins(&auto_page_forest, rows[0], height,
			       FEATURE_COUNT, scores + begin);
	}
	make_probabilities(scores, count);
}

static void score_by_context(struct context *context, uint32_t count,
			     const struct kept *kept, float *scores)
{
	float rows[FOREST_ROWS][AUTO_FEATURE_COUNT];

	for (uint32_t begin = 0; begin < count; begin += FOREST_ROWS) {
		uint32_t height = smaller(count - begin, FOREST_ROWS);

		for (uint32_t i = 0; i < height; i++) {
			recall(kept, begin + i, rows[i] + CONTEXT_COUNT);
			context_next(context, rows[i]);
		}
		assert(height > 0 && height <= FOREST_ROWS);
		forest_margins(&auto_context_forest, rows[0], height,
			       AUTO_FEATURE_COUNT, scores + begin);
	}
	make_probabilities(scores, count);
}

struct passage_scores passage_scores_make(struct arena *arena,
					  const struct passages *passages,
					  const struct page_claims *claims,
					  bool needs_moves)
{
	uint32_t count = passages->count;
	struct features *features = features_make(arena, passages, claims);
	struct kept kept = make_kept(arena, count);
	float *page = ARENA_NEW(arena, float, count);
	float *scores = ARENA_NEW(arena, float, count);
	struct strongest_moves *moves =
		needs_moves ? ARENA_NEW(arena, struct strongest_moves, count)
			    : NULL;

	score_by_page(features, count, &kept, page, moves);
	score_by_context(context_make(arena, passages,
				      features_page_context(features),
				      features_repetition(features), page),
			 count, &kept, scores);
	return (struct passage_scores){.passages = passages,
				       .page = page,
				       .scores = scores,
				       .moves = moves};
}
