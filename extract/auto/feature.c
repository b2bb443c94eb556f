#include "extract/auto/feature.h"

#include <assert.h>

#include "base/arena.h"

static const struct {
	const char *name;
	const char *definition;
} table[] = {
#define X(name, definition) {#name, definition},
	PAGE_FEATURES(X)
#undef X
};

/* The first feature of each family, in the order of PAGE_FEATURES. */
enum {
	DOM_PATH_BEGIN = SHAPE_COUNT,
	SEQUENCE_BEGIN = DOM_PATH_BEGIN + DOM_PATH_COUNT,
	PAGE_CONTEXT_BEGIN = SEQUENCE_BEGIN + SEQUENCE_COUNT,
};

_Static_assert(PAGE_CONTEXT_BEGIN + PAGE_CONTEXT_COUNT == FEATURE_COUNT,
	       "the families must be in the order of PAGE_FEATURES");

struct features {
	const struct passages *passages;
	struct dom_path *dom_path;
	const struct passage_sequence *sequence;
	const struct page_context *page_context;
	uint32_t next;
};

const char *feature_name(size_t feature)
{
	assert(feature < FEATURE_COUNT);
	return table[feature].name;
}

const char *feature_definition(size_t feature)
{
	assert(feature < FEATURE_COUNT);
	return table[feature].definition;
}

struct features *features_make(struct arena *arena,
			       const struct passages *passages,
			       const struct page_hints *claims,
			       const bool *wanted)
{
	struct features *features = ARENA_NEW(arena, struct features, 1);
	struct dom_path *dom_path = dom_path_make(arena, passages);

	*features = (struct features){
		.passages = passages,
		.dom_path = dom_path,
		.sequence = sequence_make(
			arena, passages, dom_path_repetition(dom_path),
			wanted == NULL ? NULL : wanted + SEQUENCE_BEGIN),
		.page_context = page_context_make(arena, passages, claims),
	};
	return features;
}

void features_next(struct features *features, float *row)
{
	uint32_t index = features->next++;

	assert(index < features->passages->count);
	shape_row(&features->passages->items[index], row);
	dom_path_next(features->dom_path, row + DOM_PATH_BEGIN);
	sequence_row(features->sequence, index, row + SEQUENCE_BEGIN);
	page_context_row(features->page_context, index,
			 row + PAGE_CONTEXT_BEGIN);
}

const struct page_context *
features_page_context(const struct features *features)
{
	return features->page_context;
}

const struct repetition *features_repetition(const struct features *features)
{
	return dom_path_repetition(features->dom_path);
}
