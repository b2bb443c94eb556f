#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "extract/core/hash_table.h"
#include "extract/core/sample.h"
#include "extract/core/trace.h"
#include "extract/core/visible.h"
#include "extract/methods/methods.h"
#include "extract/text/block_features.h"
#include "extract/text/term.h"
#include "page/page.h"

/*
 * Both have the highest mean word F1 over four sites whose templates have many
 * pages (tests/eval/RESULTS.md, "What parameters were chosen by").
 */
enum { SIMILARITY, MIN_IBDF };

static const struct parameter parameters[] = {
	[SIMILARITY] =
		{
			.name = "similarity",
			.unit = "cosine",
			.minimum = 0,
			.maximum = 1,
			.default_value = 0.8,
			.meaning = "blocks with at least this similarity are "
				   "the same",
		},
	[MIN_IBDF] =
		{
			.name = "min_ibdf",
			.unit = "",
			.minimum = 0,
			.maximum = 1,
			.default_value = 0.66,
			.meaning = "a block with a lower inverse block "
				   "document frequency is template",
		},
};

/*
 * The source compares all blocks of all pages. Here a block is compared only
 * with blocks that agree with it in one of MIN_HASHES min-hashes, with at most
 * MAX_CANDIDATES for each and with none MAX_RATIO times as large or as small.
 * For blocks with nine in ten words in common, this misses one pair in 10,000,
 * and a page costs at most MIN_HASHES * MAX_CANDIDATES * (MAX_RATIO + 1) steps
 * a word. Equal blocks are found by one hash.
 */
enum { MAX_CANDIDATES = MAX_SAMPLE_PAGES, MAX_RATIO = 4 };

/* A block of the sample, distinct by its features. */
struct sample_block {
	uint64_t key;   /* feature_vector.hash */
	uint32_t pages; /* the set of pages that hold it */
	uint32_t begin; /* index of its features */
	uint32_t count;
	float norm;
	uint32_t next[MIN_HASHES]; /* block + 1 in the same bucket, or 0 */
};

/* Blocks that agree in one min-hash. */
struct bucket {
	uint64_t key;
	uint32_t first; /* block + 1 */
	uint32_t count;
};

struct sample_block_index {
	struct sample_pages pages;
	struct hash_table blocks;  /* struct sample_block */
	struct hash_table buckets; /* struct bucket */
	struct feature *features;  /* [feature_count] */
	uint32_t feature_count;
	uint32_t feature_capacity;
};

/* The blocks of a page. */
struct page_blocks {
	struct block_tree tree;
	const struct feature_vector *vectors; /* [tree.count] */
};

static struct page_blocks page_blocks_of(struct arena *arena,
					 const struct page *page,
					 const bool *is_visible)
{
	struct block_tree tree = block_tree_make(arena, page, is_visible);
	struct term_list list = terms_of_page(arena, page, is_visible);

	return (struct page_blocks){
		.tree = tree,
		.vectors = block_features(arena, page, &tree, &list),
	};
}

/* Append the features of a new block. */
static void append_features(struct sample_block_index *known,
			    struct arena *arena,
			    const struct feature_vector *vector)
{
	uint32_t needed = known->feature_count + vector->count;

	if (needed > known->feature_capacity) {
		struct feature *larger =
			ARENA_NEW(arena, struct feature, (size_t)needed * 2);

		if (known->feature_count > 0)
			memcpy(larger, known->features,
			       known->feature_count * sizeof(*larger));
		known->features = larger;
		known->feature_capacity = needed * 2;
	}
	memcpy(known->features + known->feature_count, vector->features,
	       vector->count * sizeof(*vector->features));
	known->feature_count = needed;
}

/* Add a new block to its buckets. */
static void add_to_buckets(struct sample_block_index *known, uint32_t index,
			   const struct feature_vector *vector)
{
	struct sample_block *block = hash_table_entry(&known->blocks, index);
	uint64_t hashes[MIN_HASHES];

	feature_min_hashes(vector, hashes);
	for (uint32_t i = 0; i < MIN_HASHES; i++) {
		struct bucket *bucket =
			hash_table_add(&known->buckets, hashes[i]);

		if (bucket->count == MAX_CANDIDATES)
			continue;
		block->next[i] = bucket->first;
		bucket->first = index + 1;
		bucket->count++;
	}
}

static void sample_add_block(struct sample_block_index *known,
			     struct arena *arena,
			     const struct feature_vector *vector, uint32_t page)
{
	uint32_t index = known->blocks.count;
	struct sample_block *block =
		hash_table_add(&known->blocks, vector->hash);

	block->pages |= UINT32_C(1) << page;
	if (known->blocks.count == index)
		return;
	block->begin = known->feature_count;
	block->count = vector->count;
	block->norm = vector->norm;
	append_features(known, arena, vector);
	add_to_buckets(known, index, vector);
}

static void sample_add_page(struct sample_block_index *known,
			    struct arena *arena, const struct page *page,
			    uint32_t number)
{
	struct arena *scratch = arena_create();
	struct page_blocks blocks =
		page_blocks_of(scratch, page, visible_texts(scratch, page));

	for (uint32_t i = 0; i < blocks.tree.count; i++)
		if (blocks.vectors[i].count > 0)
			sample_add_block(known, arena, &blocks.vectors[i],
					 number);
	arena_destroy(scratch);
}

static const void *contentextractor_build_model(const struct sample *sample,
						const double *unused_parameters,
						struct arena *arena)
{
	struct sample_block_index *known =
		ARENA_NEW(arena, struct sample_block_index, 1);
	struct arena *scratch = arena_create();
	struct feature *features;

	(void)unused_parameters;
	known->pages = sample_pages_of(sample);
	known->blocks = hash_table_make(scratch, sizeof(struct sample_block));
	known->buckets = hash_table_make(scratch, sizeof(struct bucket));
	for (uint32_t i = 0; i < sample->count; i++)
		sample_add_page(known, scratch, sample->pages[i], i);
	known->blocks = hash_table_copy(arena, &known->blocks);
	known->buckets = hash_table_copy(arena, &known->buckets);
	features = ARENA_NEW(arena, struct feature, known->feature_count);
	if (known->feature_count > 0)
		memcpy(features, known->features,
		       known->feature_count * sizeof(*features));
	known->features = features;
	arena_destroy(scratch);
	return known;
}

static bool is_similar(const struct sample_block_index *known,
		       const struct sample_block *theirs,
		       const struct feature_vector *mine, double similarity)
{
	const struct feature_vector vector = {
		.features = known->features + theirs->begin,
		.count = theirs->count,
		.norm = theirs->norm,
	};

	return theirs->count / MAX_RATIO <= mine->count &&
	       mine->count / MAX_RATIO <= theirs->count &&
	       (double)feature_cosine(mine, &vector) >= similarity;
}

/* Return the pages of the sample with a block similar to this one. */
static uint32_t pages_with(const struct sample_block_index *known,
			   const struct feature_vector *mine, double similarity)
{
	const struct sample_block *same =
		hash_table_find(&known->blocks, mine->hash);
	uint32_t pages = same == NULL ? 0 : same->pages;
	uint64_t hashes[MIN_HASHES];

	feature_min_hashes(mine, hashes);
	for (uint32_t i = 0; i < MIN_HASHES; i++) {
		const struct bucket *bucket =
			hash_table_find(&known->buckets, hashes[i]);
		uint32_t next = bucket == NULL ? 0 : bucket->first;

		while (next != 0) {
			const struct sample_block *block =
				hash_table_entry(&known->blocks, next - 1);

			if ((block->pages & ~pages) != 0 &&
			    is_similar(known, block, mine, similarity))
				pages |= block->pages;
			next = block->next[i];
		}
	}
	return pages;
}

/*
 * Return for each block the number of pages of the sample that hold it, without
 * this page.
 */
static const uint32_t *count_block_pages(const struct extractor_input *input,
					 const struct page_blocks *blocks,
					 uint32_t own_bit)
{
	const struct sample_block_index *known = input->learned;
	uint32_t *counts =
		ARENA_NEW(input->arena, uint32_t, blocks->tree.count);

	for (uint32_t i = 0; i < blocks->tree.count; i++)
		if (blocks->tree.blocks[i].own.texts > 0)
			counts[i] = sample_size(
				pages_with(known, &blocks->vectors[i],
					   input->parameters[SIMILARITY]) &
				~own_bit);
	return counts;
}

/*
 * Return IBDF = f(1 / (|S| + 1)), where S is the set of other pages with such a
 * block (the source does not define f). Here it falls linearly from 1, if no
 * page has one, to 0, if all have one, so that the threshold does not depend on
 * the number of pages.
 */
static float inverse_block_frequency(uint32_t pages_with_it,
				     uint32_t other_pages)
{
	if (other_pages == 0)
		return 1;
	return 1 - (float)pages_with_it / (float)other_pages;
}

static void contentextractor_draw(const struct extractor_input *input,
				  const struct page_blocks *blocks,
				  const uint32_t *counts, uint32_t other_pages)
{
	const struct block_tree *tree = &blocks->tree;
	double *values = ARENA_NEW(input->arena, double, tree->count);

	for (uint32_t i = 0; i < tree->count; i++)
		values[i] = tree->blocks[i].own.texts > 0
				    ? (double)inverse_block_frequency(
					      counts[i], other_pages)
				    : (double)NAN;
	trace_histogram(input->trace,
			&(struct value_histogram){
				.title = "IBDF of the blocks",
				.x_label = "inverse block document frequency",
				.y_label = "blocks",
				.values = values,
				.count = tree->count,
				.threshold = input->parameters[MIN_IBDF],
				.keeps_high = true,
			});
}

static void contentextractor_run(const struct extractor_input *input,
				 struct verdict *verdicts)
{
	const struct sample_block_index *known = input->learned;
	const struct page *page = input->page;
	const bool *is_visible = visible_texts(input->arena, page);
	struct page_blocks blocks =
		page_blocks_of(input->arena, page, is_visible);
	uint32_t own_bit = sample_bit(&known->pages, page);
	uint32_t other_pages = known->pages.count - (own_bit != 0);
	const uint32_t *counts = count_block_pages(input, &blocks, own_bit);

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t block = blocks.tree.text_blocks[i];
		float score =
			inverse_block_frequency(counts[block], other_pages);

		verdicts[i] = (struct verdict){
			.score = score,
			.is_content =
				is_visible[i] &&
				(double)score >= input->parameters[MIN_IBDF],
		};
		if (input->trace != NULL)
			trace_reason(input->trace, i,
				     "%u of %u other pages have such a block, "
				     "IBDF %.2f, minimum %.2f",
				     counts[block], other_pages, (double)score,
				     input->parameters[MIN_IBDF]);
	}
	if (input->trace != NULL)
		contentextractor_draw(input, &blocks, counts, other_pages);
}

const struct extractor extractor_contentextractor = {
	.name = "contentextractor",
	.summary = "Blocks that are similar to blocks of only few other pages.",
	.source = "Debnath, Mitra, Pal and Giles, Automatic Identification of "
		  "Informative Sections of Web Pages, TKDE 2005, "
		  "ContentExtractor",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.needs = NEEDS_SAMPLE,
	.learn = contentextractor_build_model,
	.run = contentextractor_run,
};
