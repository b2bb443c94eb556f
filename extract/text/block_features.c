#include "extract/text/block_features.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "extract/text/term.h"
#include "page/page.h"

/* Names of the features that are not words; small numbers instead of hashes. */
enum { NAME_IMAGES, NAME_SCRIPTS, NAME_LINKS, NAME_COUNT };

/* Return where the features of each block begin: [tree->count + 1]. */
static uint32_t *feature_offsets(struct arena *arena, const struct page *page,
				 const struct block_tree *tree,
				 const struct term_list *list)
{
	uint32_t *begin = ARENA_NEW(arena, uint32_t, tree->count + 1);

	for (uint32_t i = 0; i < page->text_count; i++)
		begin[tree->text_blocks[i] + 1] +=
			list->begin[i + 1] - list->begin[i];
	for (uint32_t i = 0; i < tree->count; i++)
		begin[i + 1] += begin[i] + NAME_COUNT;
	return begin;
}

static void feature_add(struct feature *features, uint32_t *used, uint32_t name,
			uint32_t count)
{
	if (count > 0)
		features[(*used)++] = (struct feature){name, count};
}

static int compare_features(const void *a, const void *b)
{
	const struct feature *x = a;
	const struct feature *y = b;

	return (x->name > y->name) - (x->name < y->name);
}

/* Sort the features and merge equal names. */
static struct feature_vector feature_vector_finish(struct feature *features,
						   uint32_t used)
{
	struct feature_vector vector = {.features = features};
	double squares = 0;

	if (used > 1)
		qsort(features, used, sizeof(*features), compare_features);
	for (uint32_t i = 0; i < used; i++) {
		struct feature feature = features[i];

		if (vector.count > 0 &&
		    features[vector.count - 1].name == feature.name)
			features[vector.count - 1].count += feature.count;
		else
			features[vector.count++] = feature;
	}
	for (uint32_t i = 0; i < vector.count; i++)
		squares += (double)features[i].count * features[i].count;
	vector.norm = (float)sqrt(squares);
	vector.hash = hash64(features, vector.count * sizeof(*features), 0);
	assert(vector.count <= used);
	return vector;
}

const struct feature_vector *block_features(struct arena *arena,
					    const struct page *page,
					    const struct block_tree *tree,
					    const struct term_list *list)
{
	struct feature_vector *vectors =
		ARENA_NEW(arena, struct feature_vector, tree->count);
	uint32_t *begin = feature_offsets(arena, page, tree, list);
	struct feature *features =
		ARENA_NEW(arena, struct feature, begin[tree->count]);
	uint32_t *used = ARENA_NEW(arena, uint32_t, tree->count);

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t block = tree->text_blocks[i];

		for (uint32_t k = list->begin[i]; k < list->begin[i + 1]; k++)
			feature_add(features + begin[block], &used[block],
				    (uint32_t)list->terms[k], 1);
	}
	for (uint32_t i = 0; i < tree->count; i++) {
		const struct block_counts *own = &tree->blocks[i].own;
		struct feature *mine = features + begin[i];

		feature_add(mine, &used[i], NAME_IMAGES, own->images);
		feature_add(mine, &used[i], NAME_SCRIPTS, own->scripts);
		feature_add(mine, &used[i], NAME_LINKS, own->links);
		assert(begin[i] + used[i] <= begin[i + 1]);
		vectors[i] = feature_vector_finish(mine, used[i]);
	}
	return vectors;
}

float feature_cosine(const struct feature_vector *a,
		     const struct feature_vector *b)
{
	double product = 0;
	uint32_t i = 0;
	uint32_t k = 0;

	while (i < a->count && k < b->count) {
		if (a->features[i].name < b->features[k].name) {
			i++;
		} else if (a->features[i].name > b->features[k].name) {
			k++;
		} else {
			product += (double)a->features[i++].count *
				   b->features[k++].count;
		}
	}
	assert(product == 0 || (a->norm > 0 && b->norm > 0));
	return product == 0 ? 0 : (float)(product / a->norm / b->norm);
}

void feature_min_hashes(const struct feature_vector *vector,
			uint64_t out[MIN_HASHES])
{
	for (uint32_t i = 0; i < MIN_HASHES; i++) {
		out[i] = UINT64_MAX;
		for (uint32_t k = 0; k < vector->count; k++) {
			uint64_t hash = hash_chain(vector->features[k].name, i);

			if (hash < out[i])
				out[i] = hash;
		}
		out[i] = hash_chain(out[i], i);
	}
}
