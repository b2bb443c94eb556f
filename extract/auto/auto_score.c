#include "extract/auto/auto_score.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "extract/auto/features.h"
#include "extract/auto/forest.h"
#include "extract/auto/page_context.h"
#include "extract/core/numeric.h"
#include "extract/text/passage.h"
#include "extract/text/word.h"
#include "page/json_ld.h"
#include "page/page.h"

/* Return the content of the Open Graph property `name`, or an empty slice. */
static struct slice graph_property(const struct page *page, const char *name)
{
	const struct slice wanted = slice_of(name);

	for (uint32_t i = 0; i < page->node_count; i++)
		if (page->nodes[i].tag == TAG_meta &&
		    slice_equal(page_attribute(page, i, "property"), wanted))
			return page_attribute(page, i, "content");
	return (struct slice){NULL, 0};
}

static void add_bodies(struct page_hints *claims, const struct json_ld *ld,
		       uint32_t object)
{
	static const char *const keys[] = {"articleBody", "description",
					   "text"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct slice body = json_ld_text(ld, object, keys[i]);

		if (body.size > 0 && claims->body_count < MAX_CLAIMS)
			claims->bodies[claims->body_count++] = body;
	}
}

/*
 * Words that occur in types of schema.org and in og:type. The first entry that
 * matches counts; for example, a page of a forum may also state that it is an
 * article.
 */
static const struct {
	enum claimed_kind kind;
	const char *parts;
} kinds[] = {
	{CLAIMS_FORUM, "DiscussionForumPosting|QAPage"},
	{CLAIMS_COLLECTION, "CollectionPage|ItemList|SearchResultsPage"},
	{CLAIMS_PRODUCT, "Product|product"},
	{CLAIMS_ARTICLE, "Article|BlogPosting|article"},
	{CLAIMS_WEBSITE, "website|WebSite"},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/*
 * Return the index of the first entry of `kinds` with a word that occurs in
 * `type`, or KINDS if no entry has one.
 */
static size_t find_claimed_kind(struct slice type)
{
	for (size_t i = 0; type.size > 0 && i < KINDS; i++) {
		const char *parts = kinds[i].parts;
		struct slice part;

		while (list_next(&parts, &part))
			if (memmem(type.data, type.size, part.data,
				   part.size) != NULL)
				return i;
	}
	return KINDS;
}

static enum claimed_kind claimed_kind_of(const struct page *page,
					 const struct json_ld *ld)
{
	size_t best = find_claimed_kind(graph_property(page, "og:type"));

	for (uint32_t i = 0; i < ld->object_count; i++) {
		size_t found = find_claimed_kind(json_ld_type(ld, i));

		if (found < best)
			best = found;
	}
	return best == KINDS ? CLAIMS_NO_KIND : kinds[best].kind;
}

struct page_hints page_hints_of(struct arena *arena, const struct page *page)
{
	const struct json_ld ld = json_ld_of_page(arena, page);
	struct page_hints claims = {
		.title = page->title,
		.kind = claimed_kind_of(page, &ld),
		.descriptions = {page->description,
				 graph_property(page, "og:description")},
	};

	for (uint32_t i = 0; i < ld.object_count; i++)
		add_bodies(&claims, &ld, i);
	return claims;
}

enum {
	MAX_CLAIM_BYTES = 64 * 1024,
	MAX_TERMS = 4000,
	FILTER_BITS = 4096,
};

/* The sorts of hints with which passages are compared. */
enum claim_words_claim {
	CLAIM_TITLE,
	CLAIM_DESCRIPTION,
	CLAIM_BODY,
	CLAIM_COUNT,
};

/* A term of the hints. */
struct claimed_term {
	uint64_t key;
	uint32_t visit; /* number of the last comparison that counted this term
			 */
	bool is_in[CLAIM_COUNT];
};

struct markup_hints {
	/*
	 * Passages are compared one after another; `visit` is the number of the
	 * current comparison.
	 */
	struct hash_table terms; /* of struct claimed_term */
	/* a bit for each term that is in `terms`, by its first bits */
	uint64_t filter[FILTER_BITS / 64];
	uint32_t counts[CLAIM_COUNT];
	uint32_t visit;
};

static size_t claim_bytes(struct slice text)
{
	return text.size < MAX_CLAIM_BYTES ? text.size : MAX_CLAIM_BYTES;
}

/*
 * Add the terms of a hint of sort `claim`. `scratch` has room for the terms of
 * the longest hint.
 */
static void add_claim(struct markup_hints *words, enum claim_words_claim claim,
		      struct slice text, uint32_t *scratch)
{
	uint32_t count;

	text.size = claim_bytes(text);
	count = passage_text_terms(text, scratch);
	for (uint32_t i = 0; i < count && words->terms.count < MAX_TERMS; i++) {
		struct claimed_term *term =
			hash_table_add(&words->terms, scratch[i]);
		const uint32_t bit = scratch[i] % FILTER_BITS;

		words->filter[bit / 64] |= UINT64_C(1) << bit % 64;
		words->counts[claim] += !term->is_in[claim];
		term->is_in[claim] = true;
	}
}

struct markup_hints *markup_hints_make(struct arena *arena,
				       const struct page_hints *claims)
{
	struct markup_hints *words = ARENA_NEW(arena, struct markup_hints, 1);
	size_t longest = claim_bytes(claims->title);
	uint32_t *scratch;

	for (size_t i = 0; i < 2; i++)
		if (claim_bytes(claims->descriptions[i]) > longest)
			longest = claim_bytes(claims->descriptions[i]);
	for (size_t i = 0; i < claims->body_count; i++)
		if (claim_bytes(claims->bodies[i]) > longest)
			longest = claim_bytes(claims->bodies[i]);
	scratch = ARENA_NEW(arena, uint32_t, longest / 2 + 1);
	words->terms = hash_table_make(arena, sizeof(struct claimed_term));
	add_claim(words, CLAIM_TITLE, claims->title, scratch);
	for (size_t i = 0; i < 2; i++)
		add_claim(words, CLAIM_DESCRIPTION, claims->descriptions[i],
			  scratch);
	for (size_t i = 0; i < claims->body_count; i++)
		add_claim(words, CLAIM_BODY, claims->bodies[i], scratch);
	return words;
}

struct hint_overlap markup_hints_compare(struct markup_hints *words,
					 const struct passages *passages,
					 uint32_t index)
{
	const struct passage *passage = &passages->items[index];
	uint32_t all = passage->end_term - passage->first_term;
	uint32_t common[CLAIM_COUNT] = {0};
	uint32_t covered = 0;
	float ratios[CLAIM_COUNT];

	words->visit++;
	for (uint32_t i = passage->first_term; i < passage->end_term; i++) {
		const uint32_t bit = passages->terms[i] % FILTER_BITS;
		struct claimed_term *term = NULL;

		if ((words->filter[bit / 64] >> bit % 64 & 1) != 0)
			term = hash_table_find(&words->terms,
					       passages->terms[i]);
		if (term == NULL)
			continue;
		for (unsigned j = 0; j < CLAIM_COUNT; j++)
			common[j] += term->is_in[j];
		covered +=
			term->is_in[CLAIM_TITLE] && term->visit != words->visit;
		term->visit = words->visit;
	}
	for (unsigned i = 0; i < CLAIM_COUNT; i++)
		ratios[i] = words->counts[i] == 0 ? -1 : ratio(common[i], all);
	return (struct hint_overlap){
		.title = ratios[CLAIM_TITLE],
		.description = ratios[CLAIM_DESCRIPTION],
		.body = ratios[CLAIM_BODY],
		.title_covered = ratio(covered, words->counts[CLAIM_TITLE]),
	};
}

/*
 * The bins of those page features that the second forest (for content or for
 * comments) reads, one byte each. The first forest needs the features first,
 * and the second forest can run only after the first has scored the whole page,
 * so the bins are stored until then.
 */
struct second_forest_bins {
	size_t begin; /* the half-open range of the columns of page features in
			 `forest` */
	size_t end;
	int8_t *bins; /* [number of blocks][end - begin][FOREST_ROWS] */
	/* the second forest */
	const struct forest *forest;
};

/*
 * Find the columns of the page features, and allocate the bins. Columns are in
 * the order of the features, and context features are before page features.
 */
static struct second_forest_bins
make_kept(struct arena *arena, uint32_t passages, const struct forest *forest)
{
	struct second_forest_bins kept = {.end = forest->column_count,
					  .forest = forest};

	while (kept.begin < kept.end &&
	       forest->columns[kept.begin].feature < CONTEXT_COUNT)
		kept.begin++;
	kept.bins = (int8_t *)arena_room(
		arena, ((size_t)passages + FOREST_ROWS - 1) / FOREST_ROWS *
			       (kept.end - kept.begin) * FOREST_ROWS);
	return kept;
}

/*
 * Copy the stored bins of the block that begins with passage `first_passage`
 * from `kept` if is_load, and otherwise to `kept`.
 */
static void copy_bins(const struct second_forest_bins *kept,
		      uint32_t first_passage, struct forest_block *block,
		      bool is_load)
{
	const size_t bytes = (kept->end - kept->begin) * FOREST_ROWS;
	int8_t *bins = kept->bins + first_passage / FOREST_ROWS * bytes;

	assert(first_passage % FOREST_ROWS == 0);
	if (is_load)
		memcpy(block->bins[kept->begin], bins, bytes);
	else
		memcpy(bins, block->bins[kept->begin], bytes);
}

static void insert_move(struct strongest_moves *strongest, uint16_t feature,
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

static struct strongest_moves find_moves(const struct forest_block *block,
					 size_t row)
{
	struct strongest_moves strongest = {.moves = {0}};
	float moves[FOREST_COLUMNS];

	forest_moves(&auto_page_forest, block, row, moves);
	for (size_t i = 0; i < auto_page_forest.column_count; i++)
		insert_move(&strongest, auto_page_forest.columns[i].feature,
			    moves[i]);
	return strongest;
}

/* The buffers for one block of FOREST_ROWS passages. Both forests use them. */
struct scorer {
	struct second_forest_bins kept;
	float rows[FOREST_ROWS][AUTO_FEATURE_COUNT];
	struct forest_block block; /* of the first forest, then of the second */
	struct forest_block second; /* of the second, until it is stored */
	float margins[FOREST_ROWS];
};

static uint32_t height_at(uint32_t begin, uint32_t count)
{
	return count - begin < FOREST_ROWS ? count - begin : FOREST_ROWS;
}

/*
 * Return the first `height` rows of the block, without the columns before
 * feature `first`.
 */
static struct forest_rows rows_from(const struct scorer *scorer, size_t first,
				    uint32_t height)
{
	return (struct forest_rows){
		.values = &scorer->rows[0][first],
		.count = height,
		.stride = AUTO_FEATURE_COUNT,
	};
}

/*
 * Return the first column whose feature is the same for the whole page:
 * claimed_kind and the features after it.
 */
static size_t constant_columns(const struct forest *forest)
{
	size_t at;

	LOWER_BOUND(at, forest->column_count,
		    forest->columns[at].feature < FEATURE_claimed_kind);
	return at;
}

/*
 * Score the passages by the first forest, and store the bins for the second.
 * The block keeps the bins of the constant columns. `moves` may be NULL.
 */
static void score_by_page(struct scorer *scorer, struct features *features,
			  uint32_t count, float *scores,
			  struct strongest_moves *moves)
{
	const struct forest *forest = &auto_page_forest;
	size_t columns = forest->column_count;

	for (uint32_t begin = 0; begin < count; begin += FOREST_ROWS) {
		const uint32_t height = height_at(begin, count);
		const struct forest_rows page =
			rows_from(scorer, CONTEXT_COUNT, height);
		const struct forest_rows all = rows_from(scorer, 0, height);

		for (uint32_t i = 0; i < height; i++)
			features_next(features,
				      scorer->rows[i] + CONTEXT_COUNT);
		forest_bin(scorer->kept.forest, &all, scorer->kept.begin,
			   scorer->kept.end, &scorer->second);
		copy_bins(&scorer->kept, begin, &scorer->second, false);
		forest_bin(forest, &page, 0, columns, &scorer->block);
		columns = constant_columns(forest);
		forest_block_margins(forest, &scorer->block, scorer->margins);
		for (uint32_t i = 0; i < height; i++)
			scores[begin + i] =
				forest_probability(scorer->margins[i]);
		for (uint32_t i = 0; moves != NULL && i < height; i++)
			moves[begin + i] = find_moves(&scorer->block, i);
	}
}

static void score_by_context(struct scorer *scorer, struct context *context,
			     uint32_t count, float *scores)
{
	const struct forest *forest = scorer->kept.forest;

	for (uint32_t begin = 0; begin < count; begin += FOREST_ROWS) {
		const uint32_t height = height_at(begin, count);
		const struct forest_rows rows = rows_from(scorer, 0, height);

		for (uint32_t i = 0; i < height; i++)
			context_next(context, scorer->rows[i]);
		copy_bins(&scorer->kept, begin, &scorer->block, true);
		forest_bin(forest, &rows, 0, scorer->kept.begin,
			   &scorer->block);
		forest_block_margins(forest, &scorer->block, scorer->margins);
		for (uint32_t i = 0; i < height; i++)
			scores[begin + i] =
				forest_probability(scorer->margins[i]);
	}
}

static const bool *wanted_by(struct arena *arena, const struct forest *second)
{
	const struct forest *page = &auto_page_forest;
	bool *wanted = ARENA_NEW(arena, bool, FEATURE_COUNT);

	for (size_t i = 0; i < page->column_count; i++)
		wanted[page->columns[i].feature] = true;
	for (size_t i = 0; i < second->column_count; i++)
		if (second->columns[i].feature >= CONTEXT_COUNT)
			wanted[second->columns[i].feature - CONTEXT_COUNT] =
				true;
	return wanted;
}

const bool *auto_wanted(struct arena *arena)
{
	return wanted_by(arena, &auto_context_forest);
}

/*
 * Score the passages by the first forest and by the forest `second`. `moves`
 * may be NULL.
 */
static struct passage_scores score_by(struct arena *arena,
				      const struct passages *passages,
				      const struct page_hints *claims,
				      const struct forest *second,
				      struct strongest_moves *moves)
{
	uint32_t count = passages->count;
	struct features *features = features_make(arena, passages, claims,
						  wanted_by(arena, second));
	struct scorer scorer;
	float *page = ARENA_NEW(arena, float, count);
	float *scores = ARENA_NEW(arena, float, count);

	scorer.kept = make_kept(arena, count, second);
	score_by_page(&scorer, features, count, page, moves);
	score_by_context(&scorer,
			 context_make(arena, passages,
				      features_page_context(features),
				      features_repetition(features), page),
			 count, scores);
	return (struct passage_scores){.passages = passages,
				       .page = page,
				       .scores = scores,
				       .moves = moves};
}

struct passage_scores passage_scores_make(struct arena *arena,
					  const struct passages *passages,
					  const struct page_hints *claims,
					  enum preference_scope scope,
					  bool needs_moves)
{
	static const struct forest *const seconds[SCOPE_COUNT] = {
		[SCOPE_NONE] = &auto_context_forest,
		[SCOPE_BODY] = &auto_scope_body_forest,
		[SCOPE_PAGE] = &auto_scope_page_forest,
	};
	struct strongest_moves *moves =
		needs_moves ? ARENA_NEW(arena, struct strongest_moves,
					passages->count)
			    : NULL;

	return score_by(arena, passages, claims, seconds[scope], moves);
}

const float *comment_scores(struct arena *arena,
			    const struct passages *passages,
			    const struct page_hints *claims)
{
	return score_by(arena, passages, claims, &auto_comments_forest, NULL)
		.scores;
}
