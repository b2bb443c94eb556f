#include "extract/auto/feature.h"

#include <assert.h>

#include "store/arena.h"

static const struct {
	const char *name;
	const char *definition;
} table[] = {
#define X(name, definition) {#name, definition},
	PAGE_FEATURES(X)
#undef X
};

/* A family after the other, as in PAGE_FEATURES. */
enum {
	ANCESTRY_BEGIN = SHAPE_COUNT,
	SEQUENCE_BEGIN = ANCESTRY_BEGIN + ANCESTRY_COUNT,
	SETTING_BEGIN = SEQUENCE_BEGIN + SEQUENCE_COUNT,
};

_Static_assert(SETTING_BEGIN + SETTING_COUNT == FEATURE_COUNT,
	       "the families are those of PAGE_FEATURES");

struct features {
	const struct passages *passages;
	struct ancestry *ancestry;
	const struct sequence *sequence;
	const struct setting *setting;
	uint32_t next;
};

const char *feature_name(size_t feature)
{
	return table[feature].name;
}

const char *feature_definition(size_t feature)
{
	return table[feature].definition;
}

struct features *features_make(struct arena *arena,
			       const struct passages *passages,
			       const struct page_claims *claims)
{
	struct features *features = ARENA_NEW(arena, struct features, 1);
	struct ancestry *ancestry = ancestry_make(arena, passages);

	*features = (struct features){
		.passages = passages,
		.ancestry = ancestry,
		.sequence = sequence_make(arena, passages,
					  ancestry_repetition(ancestry)),
		.setting = setting_make(arena, passages, claims),
	};
	return features;
}

void features_next(struct features *features, float *row)
{
	uint32_t index = features->next++;

	assert(index < features->passages->count);
	shape_row(&features->passages->items[index], row);
	ancestry_next(features->ancestry, row + ANCESTRY_BEGIN);
	sequence_row(features->sequence, index, row + SEQUENCE_BEGIN);
	setting_row(features->setting, index, row + SETTING_BEGIN);
}

const struct setting *features_setting(const struct features *features)
{
	return features->setting;
}

const struct repetition *features_repetition(const struct features *features)
{
	return ancestry_repetition(features->ancestry);
}
