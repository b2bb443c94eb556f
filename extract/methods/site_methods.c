#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "extract/core/document_walk.h"
#include "extract/core/extractor.h"
#include "extract/core/numeric.h"
#include "extract/core/trace.h"
#include "extract/methods/block_methods.h"
#include "extract/methods/plain.h"
#include "extract/text/block.h"
#include "extract/text/word.h"
#include "page/page.h"

/*
 * A host with one of these labels, such as "ads" in ads.example.com, serves
 * advertisements. These few labels replace the long lists of the source, which
 * would be out of date in a year.
 */
static const char ad_labels[] =
	"ad|ads|adclick|adserver|adserv|adnxs|atdmt|criteo|doubleclick|"
	"outbrain|taboola|googleadservices|googlesyndication";

/*
 * Return the host of a URL, which is the text between "//" and the path, or an
 * empty slice.
 */
static struct slice host_of_link(struct slice href)
{
	const char *text = href.data;
	size_t begin = 0;
	size_t end;

	while (begin < href.size && text[begin] != '/')
		begin++;
	if (href.size - begin < 2 || text[begin + 1] != '/')
		return (struct slice){"", 0};
	begin += 2;
	for (end = begin; end < href.size; end++)
		if (strchr("/?#:", text[end]) != NULL)
			break;
	return (struct slice){text + begin, end - begin};
}

/*
 * Return true if the host of the URL `href` has one of the labels. Return false
 * for a relative URL.
 */
static bool ad_server_has(struct slice href)
{
	struct slice host = host_of_link(href);
	const char *text = host.data;
	size_t begin = 0;

	for (size_t i = 0; i <= host.size; i++) {
		if (i < host.size && text[i] != '.')
			continue;
		if (list_has_in_any_case(
			    ad_labels, (struct slice){text + begin, i - begin}))
			return true;
		begin = i + 1;
	}
	return false;
}

/*
 * The parameters of contentextractor. The default values have the highest mean
 * word F1 over four sites whose templates have many pages
 * (tests/eval/RESULTS.md, "What parameters were chosen by").
 */
enum { SIMILARITY, MIN_IBDF };

static const struct parameter contentextractor_parameters[] = {
	[SIMILARITY] = {"similarity", "cosine", 0, 1, 0.8,
			"blocks with at least this similarity are the same"},
	[MIN_IBDF] = {"min_ibdf", "", 0, 1, 0.66,
		      "a block with a lower inverse block document frequency "
		      "is template"},
};

/*
 * The source compares all blocks of all pages. Here, two blocks are compared
 * only if they have one of MIN_HASHES min-hashes in common, and if the larger
 * one is at most MAX_RATIO times as large as the smaller one. For each
 * min-hash, a block is compared with at most MAX_CANDIDATES blocks. If blocks
 * have nine in ten words in common, one pair in 10,000 is missed. A page costs
 * at most MIN_HASHES * MAX_CANDIDATES * (MAX_RATIO + 1) steps a word. Equal
 * blocks are found by the hash of all features.
 */
enum { MAX_CANDIDATES = MAX_SAMPLE_PAGES, MAX_RATIO = 4 };

/* A block of the sample. Blocks with equal features are one entry. */
struct sample_block {
	uint64_t key;   /* feature_vector.hash */
	uint32_t pages; /* the set of pages that contain it */
	uint32_t begin; /* index of its first feature */
	uint32_t count;
	float norm;
	uint32_t next[MIN_HASHES]; /* for each min-hash: the next block in the
				      same bucket + 1, or 0 */
};

/* The blocks that have the same value of one min-hash. */
struct bucket {
	uint64_t key;
	uint32_t first; /* first block + 1 */
	uint32_t count;
};

/* The model of contentextractor: the blocks of the sample. */
struct sample_block_index {
	struct sample_pages pages;
	struct hash_table blocks;  /* struct sample_block */
	struct hash_table buckets; /* struct bucket */
	struct feature *features;  /* [feature_count] */
	uint32_t feature_count;
	uint32_t feature_capacity;
};

/* The blocks of a page with their feature vectors. */
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

/* Append the features of a new block to known->features. */
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

/* Add a new block to the bucket of each of its min-hashes. */
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
	for (uint32_t i = 0; i < sample->count; i++) {
		const struct page *page = sample->pages[i];
		struct arena *of_page = arena_create();
		struct page_blocks blocks = page_blocks_of(
			of_page, page, visible_texts(of_page, page));

		for (uint32_t k = 0; k < blocks.tree.count; k++)
			if (blocks.vectors[k].count > 0)
				sample_add_block(known, scratch,
						 &blocks.vectors[k], i);
		arena_destroy(of_page);
	}
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

/*
 * Return the set of the pages of the sample that have a block similar to
 * `mine`.
 */
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
 * Return for each block of the page the number of other pages of the sample
 * that have a similar block: [tree.count]. own_bit is the page as a set.
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
 * Return the inverse block document frequency, IBDF = f(1 / (|S| + 1)), where S
 * is the set of the other pages that have the block. The source does not define
 * f. Here the IBDF is 1 if no other page has the block, 0 if all other pages
 * have the block, and linear in between, so that the threshold does not depend
 * on the number of pages.
 */
static float inverse_block_frequency(uint32_t pages_with_it,
				     uint32_t other_pages)
{
	if (other_pages == 0)
		return 1;
	return 1 - (float)pages_with_it / (float)other_pages;
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
	double *values = ARENA_NEW(input->arena, double, blocks.tree.count);

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
	if (input->trace == NULL)
		return;
	for (uint32_t i = 0; i < blocks.tree.count; i++)
		values[i] = blocks.tree.blocks[i].own.texts > 0
				    ? (double)inverse_block_frequency(
					      counts[i], other_pages)
				    : (double)NAN;
	trace_histogram(input->trace,
			&(struct value_histogram){
				.title = "IBDF of the blocks",
				.x_label = "inverse block document frequency",
				.y_label = "blocks",
				.values = values,
				.count = blocks.tree.count,
				.threshold = input->parameters[MIN_IBDF],
				.keeps_high = true,
			});
}

const struct extractor extractor_contentextractor = {
	.name = "contentextractor",
	.summary = "Blocks that are similar to blocks of only few other pages.",
	.source = "Debnath, Mitra, Pal and Giles, Automatic Identification of "
		  "Informative Sections of Web Pages, TKDE 2005, "
		  "ContentExtractor",
	PARAMETERS(contentextractor_parameters),
	.needs = NEEDS_SAMPLE,
	.learn = contentextractor_build_model,
	.run = contentextractor_run,
};

/*
 * The method crunch. The source removes from a DOM tree scripts and styles,
 * links to ad servers, link lists, text lists and empty tables. Here, scripts
 * and styles are not text. In the source, link lists are table cells with a
 * high ratio of links to words outside of links. Here every block is checked,
 * because the layout of pages does not use tables any longer. A link list must
 * have at least two links, so that a linked headline is kept.
 *
 * In the source, the user sets the limits. The default values have the highest
 * mean word F1 over five sets; of equally good values, they are the ones that
 * drop less. The ratio has a large effect, and the other two limits have hardly
 * any (tests/eval/RESULTS.md, "What parameters were chosen by").
 */
enum { LINKS_PER_WORD, ITEM_WORDS, TABLE_CHARACTERS };

static const struct parameter crunch_parameters[] = {
	[LINKS_PER_WORD] = {"ratio", "links per word outside of links", 0, 100,
			    0.1, "a block with more is a list of links"},
	[ITEM_WORDS] = {"item_words", "words", 0, 1000, 2,
			"a list whose items have fewer on average is dropped"},
	[TABLE_CHARACTERS] = {"table_characters", "characters", 0, 10000, 100,
			      "a table with fewer is empty"},
};

/*
 * Apply the first filter. Return for each text whether it is visible and
 * outside of links to ad servers: [page->text_count].
 */
static const bool *drop_ads(struct arena *arena, const struct page *page,
			    const bool *is_visible)
{
	bool *is_left = ARENA_NEW(arena, bool, page->text_count);
	uint32_t next = 0; /* the first text that is not handled yet */

	for (uint32_t i = 0; i < page->text_count; i++)
		is_left[i] = is_visible[i];
	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct node *node = &page->nodes[i];

		if (node->tag != TAG_a || node->end_text <= next ||
		    !ad_server_has(page_attribute(page, i, "href")))
			continue;
		if (next < node->first_text)
			next = node->first_text;
		while (next < node->end_text)
			is_left[next++] = false;
	}
	return is_left;
}

enum filter {
	FILTER_NONE,
	FILTER_AD,
	FILTER_LINK_LIST,
	FILTER_TEXT_LIST,
	FILTER_EMPTY_TABLE,
};

/*
 * Counts of what remains of a block after the blocks inside it were filtered.
 */
struct crunch_block {
	uint32_t links;
	uint32_t items;
	uint32_t words; /* words outside of links */
	uint32_t characters;
	enum filter filter; /* the filter that drops the block, if any */
};

static bool is_crunch_list(uint16_t tag)
{
	return tag == TAG_ul || tag == TAG_ol || tag == TAG_dl ||
	       tag == TAG_dir || tag == TAG_menu;
}

/*
 * Return the number of links divided by the number of words outside of links;
 * without such words, the number of links.
 */
static double link_ratio(const struct crunch_block *rest)
{
	return (double)rest->links / (rest->words > 0 ? rest->words : 1);
}

static double words_per_item(const struct crunch_block *rest)
{
	return (double)rest->words / rest->items;
}

static enum filter filter_of(const struct crunch_block *rest, uint16_t tag,
			     const double *limits)
{
	if (rest->links > 1 && link_ratio(rest) > limits[LINKS_PER_WORD])
		return FILTER_LINK_LIST;
	if (is_crunch_list(tag) && rest->items > 1 &&
	    words_per_item(rest) < limits[ITEM_WORDS])
		return FILTER_TEXT_LIST;
	if (tag == TAG_table && rest->characters < limits[TABLE_CHARACTERS])
		return FILTER_EMPTY_TABLE;
	return FILTER_NONE;
}

static void crunch_add(struct crunch_block *sum,
		       const struct crunch_block *rest)
{
	sum->links += rest->links;
	sum->items += rest->items;
	sum->words += rest->words;
	sum->characters += rest->characters;
}

/*
 * Apply the filters to all blocks: [tree->count]. The innermost blocks are
 * first, so that a table is filtered after its cells.
 */
static const struct crunch_block *filter_blocks(struct arena *arena,
						const struct page *page,
						const struct block_tree *tree,
						const double *limits)
{
	struct crunch_block *rests =
		ARENA_NEW(arena, struct crunch_block, tree->count);

	for (uint32_t i = tree->count; i-- > 1;) {
		const struct block *block = &tree->blocks[i];
		const struct block_counts *own = &block->own;

		crunch_add(&rests[i],
			   &(struct crunch_block){
				   .links = own->links,
				   .items = own->items,
				   .words = own->words - own->link_words,
				   .characters = own->characters,
			   });
		rests[i].filter = filter_of(
			&rests[i], page->nodes[block->node].tag, limits);
		if (rests[i].filter == FILTER_NONE)
			crunch_add(&rests[block->parent], &rests[i]);
	}
	return rests;
}

static void crunch_explain(struct trace *trace, uint32_t text, bool is_ad_text,
			   const struct crunch_block *rest)
{
	switch (is_ad_text ? FILTER_AD : rest->filter) {
	case FILTER_AD:
		trace_reason(trace, text, "link to an advertisement server");
		break;
	case FILTER_LINK_LIST:
		trace_reason(trace, text,
			     "list of %u links to %u words outside of links",
			     rest->links, rest->words);
		break;
	case FILTER_TEXT_LIST:
		trace_reason(trace, text, "list of %u items of %.1f words",
			     rest->items, words_per_item(rest));
		break;
	case FILTER_EMPTY_TABLE:
		trace_reason(trace, text, "table of %u characters",
			     rest->characters);
		break;
	case FILTER_NONE:
		trace_reason(trace, text, "no filter dropped it");
		break;
	}
}

/*
 * Crunch has no scores. Here, the score of a text is lower if the highest link
 * ratio of the blocks around it is higher.
 */
static void crunch_run(const struct extractor_input *input,
		       struct verdict *verdicts)
{
	const struct page *page = input->page;
	const bool *is_visible = visible_texts(input->arena, page);
	const bool *is_left = drop_ads(input->arena, page, is_visible);
	struct block_tree tree = block_tree_make(input->arena, page, is_left);
	const struct crunch_block *rests =
		filter_blocks(input->arena, page, &tree, input->parameters);
	/*
	 * for each block, the outermost block dropped by a filter that is the
	 * block itself or around it; 0 = the block is kept
	 */
	uint32_t *dropped = ARENA_NEW(input->arena, uint32_t, tree.count);
	double *highest = ARENA_NEW(input->arena, double, tree.count);

	for (uint32_t i = 0; i < tree.count; i++)
		highest[i] = link_ratio(&rests[i]);
	block_tree_inherit(&tree, highest);
	for (uint32_t i = 1; i < tree.count; i++)
		dropped[i] = rests[i].filter == FILTER_NONE
				     ? dropped[tree.blocks[i].parent]
				     : i;
	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t block = tree.text_blocks[i];
		bool is_kept = is_left[i] && dropped[block] == 0;

		verdicts[i] = (struct verdict){
			.score =
				is_kept ? (float)(1 / (1 + highest[block])) : 0,
			.is_content = is_kept,
		};
		if (input->trace != NULL)
			crunch_explain(input->trace, i,
				       is_visible[i] && !is_left[i],
				       &rests[dropped[block]]);
	}
}

const struct extractor extractor_crunch = {
	.name = "crunch",
	.summary = "The page without links to ads, lists of links, bare lists "
		   "and empty tables.",
	.source = "Gupta, Kaiser, Neistadt, Grimm, DOM-Based Content "
		  "Extraction of HTML Documents, WWW 2003",
	PARAMETERS(crunch_parameters),
	.run = crunch_run,
};

/*
 * The source chooses a threshold for each site. This threshold has the highest
 * mean word F1 over four sites whose templates have many pages. It is compared
 * with the mean entropy of the distinct words of a block, which is better than
 * the mean over all words (tests/eval/RESULTS.md, "What parameters were chosen
 * by").
 */
enum { MAX_ENTROPY };

static const struct parameter infodiscoverer_parameters[] = {
	[MAX_ENTROPY] =
		{"max_entropy", "", 0, 1, 0.75,
		 "a block with a higher mean entropy of its words is template"},
};

struct term {
	uint64_t key;
	struct entropy entropy;
};

struct knowledge_of_terms {
	struct sample_pages pages;
	struct hash_table terms; /* struct term */
};

static const void *infodiscoverer_build_model(const struct sample *sample,
					      const double *unused_parameters,
					      struct arena *arena)
{
	struct knowledge_of_terms *known =
		ARENA_NEW(arena, struct knowledge_of_terms, 1);
	struct arena *scratch = arena_create();
	struct hash_table table = hash_table_make(scratch, sizeof(struct term));

	(void)unused_parameters;
	for (uint32_t i = 0; i < sample->count; i++) {
		const struct page *page = sample->pages[i];
		struct arena *of_page = arena_create();
		struct term_list list = terms_of_page(
			of_page, page, visible_texts(of_page, page));

		for (uint32_t k = 0; k < list.begin[page->text_count]; k++) {
			struct term *term =
				hash_table_add(&table, list.terms[k]);

			entropy_add(&term->entropy, i);
		}
		arena_destroy(of_page);
	}
	known->pages = sample_pages_of(sample);
	known->terms = hash_table_copy(arena, &table);
	arena_destroy(scratch);
	return known;
}

/* The entropy of the words of a block. */
struct judged_block {
	double entropy; /* first the sum over the terms, at the end the mean */
	uint32_t terms; /* number of distinct terms */
};

/*
 * Return the entropy of every term in `list`, over the pages of the sample and
 * this page: [list->begin[text_count]].
 */
static const double *term_entropies(const struct extractor_input *input,
				    const struct term_list *list)
{
	const struct knowledge_of_terms *known = input->learned;
	uint32_t count = list->begin[input->page->text_count];
	bool is_new = sample_bit(&known->pages, input->page) == 0;
	struct hash_table own =
		hash_table_make(input->arena, sizeof(struct term));
	double *entropies = ARENA_NEW(input->arena, double, count);

	for (uint32_t i = 0; i < count; i++) {
		struct term *mine = hash_table_add(&own, list->terms[i]);
		const struct term *theirs =
			hash_table_find(&known->terms, list->terms[i]);

		if (mine->entropy.total == 0 && theirs != NULL)
			mine->entropy = theirs->entropy;
		if (is_new)
			entropy_add(&mine->entropy, known->pages.count);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct term *term = hash_table_find(&own, list->terms[i]);

		if (term != NULL)
			entropies[i] = entropy_value(
				&term->entropy, known->pages.count + is_new);
	}
	return entropies;
}

/*
 * Return the mean entropy of each block: [tree->count]. A term counts only once
 * in a block, because the features of a block are a set.
 */
static const struct judged_block *
judge_blocks(const struct extractor_input *input, const struct block_tree *tree,
	     const struct term_list *list)
{
	const double *entropies = term_entropies(input, list);
	struct judged_block *blocks =
		ARENA_NEW(input->arena, struct judged_block, tree->count);
	struct hash_table seen =
		hash_table_make(input->arena, sizeof(uint64_t));

	for (uint32_t i = 0; i < input->page->text_count; i++) {
		uint32_t block = tree->text_blocks[i];

		for (uint32_t k = list->begin[i]; k < list->begin[i + 1]; k++) {
			uint32_t before = seen.count;

			hash_table_add(&seen,
				       hash_chain(list->terms[k], block));
			if (seen.count == before)
				continue;
			blocks[block].terms++;
			blocks[block].entropy += entropies[k];
		}
	}
	for (uint32_t i = 0; i < tree->count; i++)
		if (blocks[i].terms > 0)
			blocks[i].entropy /= blocks[i].terms;
	return blocks;
}

static void infodiscoverer_run(const struct extractor_input *input,
			       struct verdict *verdicts)
{
	const struct page *page = input->page;
	const bool *is_visible = visible_texts(input->arena, page);
	struct block_tree tree =
		block_tree_make(input->arena, page, is_visible);
	struct term_list list = terms_of_page(input->arena, page, is_visible);
	const struct judged_block *blocks = judge_blocks(input, &tree, &list);
	double threshold = input->parameters[MAX_ENTROPY];
	double *values = ARENA_NEW(input->arena, double, tree.count);

	for (uint32_t i = 0; i < page->text_count; i++) {
		const struct judged_block *block = &blocks[tree.text_blocks[i]];

		verdicts[i] = (struct verdict){
			.score = (float)(1 - block->entropy),
			.is_content =
				is_visible[i] && block->entropy <= threshold,
		};
		if (input->trace != NULL)
			trace_reason(input->trace, i,
				     "its block's %u words have the entropy "
				     "%.2f, maximum %.2f",
				     block->terms, block->entropy, threshold);
	}
	if (input->trace == NULL)
		return;
	for (uint32_t i = 0; i < tree.count; i++)
		values[i] =
			blocks[i].terms > 0 ? blocks[i].entropy : (double)NAN;
	trace_histogram(input->trace,
			&(struct value_histogram){
				.title = "Entropy of the blocks",
				.x_label = "mean entropy of the block's words",
				.y_label = "blocks",
				.values = values,
				.count = tree.count,
				.threshold = threshold,
			});
}

const struct extractor extractor_infodiscoverer = {
	.name = "infodiscoverer",
	.summary = "Blocks whose words are not spread evenly over the pages.",
	.source = "Lin and Ho, Discovering Informative Content Blocks from Web "
		  "Documents, KDD 2002",
	PARAMETERS(infodiscoverer_parameters),
	.needs = NEEDS_SAMPLE,
	.learn = infodiscoverer_build_model,
	.run = infodiscoverer_run,
};
