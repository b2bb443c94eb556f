#include "extract/auto/auto_template.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "extract/auto/auto_score.h"
#include "extract/auto/forest.h"
#include "extract/core/extractor.h"
#include "extract/core/numeric.h"
#include "extract/text/fragment.h"
#include "extract/text/passage.h"
#include "page/page.h"

/*
 * A passage is counted at three levels: in the slot of its element, in the
 * group of the element around that, and in the section of the next element.
 * Within this file, "slot" means any of the three.
 */
enum slot_level { LEVEL_SLOT, LEVEL_GROUP, LEVEL_SECTION, LEVEL_COUNT };

/*
 * The occurrences of a text on the pages, either anywhere or within one slot.
 */
struct passage_occurrence {
	uint64_t key;
	/* key of the slot; 0 if occurrences anywhere are counted */
	uint64_t slot;
	uint64_t words; /* sum over all occurrences */
	uint32_t pages; /* a set of pages, one bit each */
	/* the pages on which most of the text is a link */
	uint32_t pages_as_link;
};

/*
 * Sums over the passages in a slot. For a page that is not in the sample, an
 * extra struct has the differences that this page makes, so unique_words may be
 * below 0.
 */
struct passage_slot {
	uint64_t key;
	int64_t words;
	int64_t unique_words; /* in texts that only one page has in this slot */
	uint64_t link_words;
	uint32_t passages;
	uint32_t ends;     /* passages that end a sentence */
	uint32_t dates;    /* passages with a date */
	uint32_t pages;    /* a set of pages, one bit each */
	uint32_t times;    /* number of pages that have the slot */
	uint32_t agreeing; /* number of these pages whose mean score in the slot
			      is over 1/2 */
	int64_t score_words; /* sum of words times score, fixed point */
	int64_t means; /* sum of each page's mean score in the slot, fixed point
			*/
	int64_t squares; /* sum of the squares of these means, fixed point */
};

/* Sums over all passages of one or more pages. */
struct template_sums {
	int64_t words;
	int64_t score_words; /* fixed point */
	int64_t sure_words; /* sum of words times absolute log odds, fixed point
			     */
	uint32_t pages;
};

/* The counts of texts and slots over several pages. */
struct template_slots {
	struct hash_table
		texts; /* of struct passage_occurrence: anywhere on the pages */
	struct hash_table begins; /* of struct passage_occurrence, by the first
				     BEGIN_TERMS terms */
	struct hash_table
		placed; /* of struct passage_occurrence: within one slot */
	struct hash_table slots; /* of struct passage_slot */
	struct template_sums sums;
};

/* The passages of a page with their scores. */
struct scored_page {
	const struct passages *passages;
	const uint64_t *paths; /* node_paths() of its elements */
	const float *scores;   /* [passages->count] */
};

/* A passage without words (a price, an arrow) has the weight of one word. */
static inline uint32_t passage_weight(const struct passage *passage)
{
	return passage->words == 0 ? 1 : passage->words;
}

enum { BEGIN_TERMS = 6 };

/*
 * A passage counts as a link if more than this ratio of its characters is in
 * links.
 */
static const float link_ratio = 0.5F;

/*
 * Return the log odds of `probability`, which is first limited to .0001 ..
 * .9999.
 */
static float limited_odds(double probability)
{
	static const double limit = 1e-4;
	double p = fmin(fmax(probability, limit), 1 - limit);

	return (float)log(p / (1 - p));
}

static const double fixed_one = 1 << 24;

/*
 * Convert to fixed point, in units of 2^-24. Sums of integers do not depend on
 * the order of the pages; sums of floats would.
 */
static int64_t fixed_of(double value)
{
	return llround(value * fixed_one);
}

static double fixed_value(int64_t fixed)
{
	return (double)fixed / fixed_one;
}

static struct template_slots template_slots_make(struct arena *arena)
{
	return (struct template_slots){
		.texts = hash_table_make(arena,
					 sizeof(struct passage_occurrence)),
		.begins = hash_table_make(arena,
					  sizeof(struct passage_occurrence)),
		.placed = hash_table_make(arena,
					  sizeof(struct passage_occurrence)),
		.slots = hash_table_make(arena, sizeof(struct passage_slot)),
	};
}

/*
 * Return the key of the passage's slot at `level`. The keys of different levels
 * differ even for the same path.
 */
static uint64_t slot_key(const struct scored_page *page, uint32_t passage,
			 enum slot_level level)
{
	const struct page *tree = page->passages->page;
	uint32_t node = page->passages->items[passage].node;

	for (int i = 0; i < (int)level && node != NO_NODE; i++)
		node = tree->nodes[node].parent;
	return hash_chain(node == NO_NODE ? 1 : page->paths[node],
			  (uint64_t)level);
}

/*
 * Return the hash of the first BEGIN_TERMS terms of a passage, or 0 if it has
 * fewer terms.
 */
static uint64_t begin_key(const struct passages *passages, uint32_t passage)
{
	const struct passage *item = &passages->items[passage];

	if (item->end_term - item->first_term < BEGIN_TERMS)
		return 0;
	return hash64(passages->terms + item->first_term,
		      BEGIN_TERMS * sizeof(passages->terms[0]), 0);
}

/*
 * Count an occurrence of a text with `key` on the page that is the set `bits`.
 */
static struct passage_occurrence *note_standing(struct hash_table *table,
						uint64_t key,
						const struct passage *passage,
						uint32_t bits)
{
	struct passage_occurrence *text = hash_table_add(table, key);

	text->words += passage_weight(passage);
	text->pages |= bits;
	if (passage_link_ratio(passage) > link_ratio)
		text->pages_as_link |= bits;
	return text;
}

/*
 * Count passage `i` in its slot, group and section: in `own`, the sums of this
 * page, and as a text in slots->placed.
 */
static void note_passage(struct template_slots *slots,
			 const struct scored_page *page, uint32_t i,
			 uint32_t bits, struct hash_table *own)
{
	const struct passage *passage = &page->passages->items[i];
	uint32_t weight = passage_weight(passage);

	for (int level = 0; level < LEVEL_COUNT; level++) {
		uint64_t key = slot_key(page, i, (enum slot_level)level);
		struct passage_slot *slot = hash_table_add(own, key);

		slot->words += weight;
		slot->link_words += passage->link_words;
		slot->passages++;
		slot->ends += passage->ends_sentence;
		slot->dates += passage->has_date;
		slot->score_words += fixed_of((double)page->scores[i]) * weight;
		note_standing(&slots->placed, hash_chain(passage->hash, key),
			      passage, bits)
			->slot = key;
	}
}

/* Add the sums of `more` to `slot`, but not the set of pages. */
static void slot_add(struct passage_slot *slot, const struct passage_slot *more)
{
	slot->words += more->words;
	slot->unique_words += more->unique_words;
	slot->link_words += more->link_words;
	slot->passages += more->passages;
	slot->ends += more->ends;
	slot->dates += more->dates;
	slot->times += more->times;
	slot->agreeing += more->agreeing;
	slot->score_words += more->score_words;
	slot->means += more->means;
	slot->squares += more->squares;
}

/*
 * Add one page's sums over a slot, `own`, to the sums over all pages in
 * `slots`. `bits` is the page as a set.
 */
static void merge_page_slots(struct hash_table *slots, struct passage_slot *own,
			     uint32_t bits)
{
	struct passage_slot *slot = hash_table_add(slots, own->key);
	double mean = fixed_value(own->score_words) / (double)own->words;

	own->times = 1;
	own->agreeing = mean > 0.5;
	own->means = fixed_of(mean);
	own->squares = fixed_of(mean * mean);
	slot->pages |= bits;
	slot_add(slot, own);
}

/* Return the sums over all passages of a page. */
static struct template_sums template_sums_of(const struct scored_page *page)
{
	struct template_sums sums = {.pages = 1};

	for (uint32_t i = 0; i < page->passages->count; i++) {
		int64_t weight = passage_weight(&page->passages->items[i]);
		double score = (double)page->scores[i];

		sums.words += weight;
		sums.score_words += fixed_of(score) * weight;
		sums.sure_words +=
			fixed_of(fabs((double)limited_odds(score))) * weight;
	}
	return sums;
}

static void template_sums_add(struct template_sums *sums,
			      const struct template_sums *more)
{
	sums->words += more->words;
	sums->score_words += more->score_words;
	sums->sure_words += more->sure_words;
	sums->pages += more->pages;
}

/*
 * Count the passages of a page, but leave unique_words at 0. `bits` is the page
 * as a set of pages. Linear; at most 800 bytes a passage while the tables grow.
 */
static void template_slots_add(struct template_slots *slots,
			       const struct scored_page *page, uint32_t bits)
{
	struct arena *scratch = arena_create();
	struct hash_table own =
		hash_table_make(scratch, sizeof(struct passage_slot));
	const struct template_sums sums = template_sums_of(page);

	for (uint32_t i = 0; i < page->passages->count; i++) {
		const struct passage *passage = &page->passages->items[i];
		uint64_t begin = begin_key(page->passages, i);

		note_passage(slots, page, i, bits, &own);
		note_standing(&slots->texts, passage->hash, passage, bits);
		if (begin != 0)
			note_standing(&slots->begins, begin, passage, bits);
	}
	for (uint32_t i = 0; i < own.count; i++)
		merge_page_slots(&slots->slots, hash_table_entry(&own, i),
				 bits);
	template_sums_add(&slots->sums, &sums);
	arena_destroy(scratch);
}

/*
 * Number of passages on each side over which near_odds and near_slot_odds are
 * means.
 */
enum { NEAR = 3 };

/*
 * The weight of the forest's margin if all other pages have the slot or the
 * text. On sites without training data, the weight 1 is not better on average,
 * and it is worse on some templates.
 */
static const float trust = 0.7F;

struct passage_model {
	struct sample_pages pages;
	struct template_slots slots;
};

static float *copy_scores(struct arena *arena, const float *scores,
			  uint32_t count)
{
	float *copy = ARENA_ROOM(arena, float, count);

	memcpy(copy, scores, count * sizeof(*copy));
	return copy;
}

/*
 * Score the passages with a scratch arena, and copy only the scores to `arena`,
 * because their inputs need several times as much memory.
 */
static struct passage_scores
score_without_inputs(struct arena *arena, const struct passages *passages,
		     enum preference_scope scope)
{
	struct arena *scratch = arena_create();
	const struct page_hints claims = page_hints_of(scratch, passages->page);
	struct passage_scores scores =
		passage_scores_make(scratch, passages, &claims, scope, false);

	scores.page = copy_scores(arena, scores.page, passages->count);
	scores.scores = copy_scores(arena, scores.scores, passages->count);
	arena_destroy(scratch);
	return scores;
}

const struct prepared_page *prepared_page_make(struct arena *arena,
					       const struct page *page,
					       enum preference_scope scope)
{
	struct prepared_page *prepared =
		ARENA_NEW(arena, struct prepared_page, 1);

	prepared->passages = passages_make(arena, page);
	prepared->scores =
		score_without_inputs(arena, &prepared->passages, scope);
	prepared->paths = node_paths(arena, page, true);
	return prepared;
}

/* Set unique_words of each slot, and copy the tables into `arena`. */
static const struct passage_model *
passage_model_finish(const struct passage_model *growing, struct arena *arena)
{
	struct passage_model *known = ARENA_NEW(arena, struct passage_model, 1);
	const struct template_slots *slots = &growing->slots;

	known->pages = growing->pages;
	known->slots = (struct template_slots){
		.texts = hash_table_copy(arena, &slots->texts),
		.begins = hash_table_copy(arena, &slots->begins),
		.placed = hash_table_copy(arena, &slots->placed),
		.slots = hash_table_copy(arena, &slots->slots),
		.sums = slots->sums,
	};
	for (uint32_t i = 0; i < slots->placed.count; i++) {
		const struct passage_occurrence *text =
			hash_table_entry(&slots->placed, i);
		struct passage_slot *slot =
			hash_table_find(&known->slots.slots, text->slot);

		if (slot != NULL && sample_size(text->pages) == 1)
			slot->unique_words += (int64_t)text->words;
	}
	return known;
}

/*
 * Build the model from scores [sample->count][number of passages], or from
 * scores that this function computes if `scores` is NULL.
 */
static const struct passage_model *
build_passage_model(const struct sample *sample, enum preference_scope scope,
		    const float *const *scores, struct arena *arena)
{
	struct arena *scratch = arena_create();
	struct passage_model growing = {
		.pages = sample_pages_of(sample),
		.slots = template_slots_make(scratch),
	};
	const struct passage_model *known;

	for (uint32_t i = 0; i < sample->count; i++) {
		struct arena *own = arena_create();
		struct scored_page page;
		struct passages passages;

		if (scores != NULL) {
			passages = passages_make(own, sample->pages[i]);
			page = (struct scored_page){
				&passages,
				node_paths(own, sample->pages[i], true),
				scores[i]};
		} else {
			const struct prepared_page *prepared =
				sample->prepared != NULL
					? sample->prepared[i]
					: prepared_page_make(
						  own, sample->pages[i], scope);

			page = (struct scored_page){&prepared->passages,
						    prepared->paths,
						    prepared->scores.scores};
		}
		template_slots_add(&growing.slots, &page, 1U << i);
		arena_destroy(own);
	}
	known = passage_model_finish(&growing, arena);
	arena_destroy(scratch);
	return known;
}

const struct passage_model *passage_model_build(const struct sample *sample,
						enum preference_scope scope,
						struct arena *arena)
{
	return build_passage_model(sample, scope, NULL, arena);
}

const struct passage_model *passage_model_of_scores(const struct sample *sample,
						    const float *const *scores,
						    struct arena *arena)
{
	return build_passage_model(sample, SCOPE_NONE, scores, arena);
}

/*
 * The counts of the template as seen from the page that is scored ("this
 * page"). If this page is in the sample, `theirs` has counted it. Otherwise
 * `mine` has what must be added to `theirs`.
 */
struct model_view {
	const struct template_slots *theirs;
	struct template_slots mine; /* empty if this page is in the sample */
	struct scored_page page;
	uint32_t other_pages; /* a set of pages, one bit each */
	uint32_t others;
	struct template_sums sums; /* over all pages, including this page */
	struct template_sums own;
};

/*
 * Set unique_words in the slots of a page that is not in the sample. If no page
 * of the sample has a text of this page in the same slot, the text is unique.
 * If exactly one page of the sample has the text there, the text was unique
 * before, but now it is not.
 */
static void count_unique(const struct template_slots *theirs,
			 struct template_slots *mine)
{
	for (uint32_t i = 0; i < mine->placed.count; i++) {
		const struct passage_occurrence *own =
			hash_table_entry(&mine->placed, i);
		const struct passage_occurrence *other =
			hash_table_find(&theirs->placed, own->key);
		struct passage_slot *slot =
			hash_table_find(&mine->slots, own->slot);

		if (slot == NULL)
			continue;
		if (other == NULL)
			slot->unique_words += (int64_t)own->words;
		else if (sample_size(other->pages) == 1)
			slot->unique_words -= (int64_t)other->words;
	}
}

static struct model_view make_view(const struct passage_model *known,
				   struct arena *arena,
				   const struct scored_page *page)
{
	uint32_t own = sample_bit(&known->pages, page->passages->page);
	struct model_view view = {
		.theirs = &known->slots,
		.mine = template_slots_make(arena),
		.page = *page,
		.other_pages = ~own,
		.others = known->pages.count - sample_size(own),
		.sums = known->slots.sums,
		.own = template_sums_of(page),
	};

	if (own != 0)
		return view; /* the sample has already counted this page */
	template_slots_add(&view.mine, page, 0);
	count_unique(&known->slots, &view.mine);
	template_sums_add(&view.sums, &view.own);
	return view;
}

static float clamped_ratio(double part, double whole)
{
	if (whole <= 0 || part <= 0)
		return 0;
	return part >= whole ? 1 : (float)(part / whole);
}

/* Return the mean over `words` words of the sum `fixed`, in fixed point. */
static float mean_of(int64_t fixed, int64_t words)
{
	return (float)(fixed_value(fixed) / fmax((double)words, 1));
}

/*
 * Return the sums over the slot of passage `i` at `level`, on all pages
 * including this page.
 */
static struct passage_slot sum_slot(const struct model_view *view, uint32_t i,
				    enum slot_level level)
{
	uint64_t key = slot_key(&view->page, i, level);
	const struct passage_slot *theirs =
		hash_table_find(&view->theirs->slots, key);
	const struct passage_slot *mine =
		hash_table_find(&view->mine.slots, key);
	struct passage_slot both =
		theirs == NULL ? (struct passage_slot){.key = key} : *theirs;

	if (mine != NULL)
		slot_add(&both, mine);
	return both;
}

static float slot_odds(const struct passage_slot *slot)
{
	return limited_odds((double)clamped_ratio(
		fixed_value(slot->score_words), (double)slot->words));
}

static void view_texts(const struct model_view *view, uint32_t i, float *values)
{
	const struct passages *passages = view->page.passages;
	uint64_t hash = passages->items[i].hash;
	uint64_t slot = slot_key(&view->page, i, LEVEL_SLOT);
	static const struct passage_occurrence nowhere;
	const struct passage_occurrence *text =
		hash_table_find(&view->theirs->texts, hash);
	const struct passage_occurrence *placed =
		hash_table_find(&view->theirs->placed, hash_chain(hash, slot));
	const struct passage_occurrence *begins =
		hash_table_find(&view->theirs->begins, begin_key(passages, i));
	uint32_t anywhere = (text == NULL ? &nowhere : text)->pages;
	uint32_t here = (placed == NULL ? &nowhere : placed)->pages;
	uint32_t alike = (begins == NULL ? &nowhere : begins)->pages;
	uint32_t linked = (text == NULL ? &nowhere : text)->pages_as_link;
	uint32_t all = view->other_pages;

	values[TEMPLATE_frequency] =
		clamped_ratio(sample_size(anywhere & all), view->others);
	values[TEMPLATE_frequency_in_slot] =
		clamped_ratio(sample_size(here & all), view->others);
	values[TEMPLATE_frequency_elsewhere] = clamped_ratio(
		sample_size(anywhere & ~here & all), view->others);
	values[TEMPLATE_frequency_as_link] =
		clamped_ratio(sample_size(linked & all), view->others);
	values[TEMPLATE_frequency_of_begin] = clamped_ratio(
		sample_size(alike & ~anywhere & all), view->others);
}

static void view_slot(const struct model_view *view, uint32_t i, float *values)
{
	const struct passage_slot slot = sum_slot(view, i, LEVEL_SLOT);
	double times = slot.times;
	double mean = fixed_value(slot.means) / fmax(times, 1);
	double variance =
		fixed_value(slot.squares) / fmax(times, 1) - mean * mean;

	values[TEMPLATE_slot_odds] = slot_odds(&slot);
	values[TEMPLATE_slot_spread] = (float)sqrt(fmax(variance, 0));
	values[TEMPLATE_slot_agreement] = clamped_ratio(slot.agreeing, times);
	values[TEMPLATE_slot_variability] =
		clamped_ratio((double)slot.unique_words, (double)slot.words);
	values[TEMPLATE_slot_presence] = clamped_ratio(
		sample_size(slot.pages & view->other_pages), view->others);
	values[TEMPLATE_slot_share] = clamped_ratio(
		(double)slot.score_words, (double)view->sums.score_words);
	values[TEMPLATE_slot_words] =
		ln1((float)slot.words / fmaxf((float)times, 1));
	values[TEMPLATE_slot_passages] =
		ln1((float)slot.passages / fmaxf((float)times, 1));
	values[TEMPLATE_slot_links] =
		clamped_ratio((double)slot.link_words, (double)slot.words);
	values[TEMPLATE_slot_ends] = clamped_ratio(slot.ends, slot.passages);
	values[TEMPLATE_slot_dates] = clamped_ratio(slot.dates, slot.passages);
}

/*
 * Write to values_out [4] the odds, variability, presence and share of the
 * group or section of passage `i`.
 */
static void view_around(const struct model_view *view, uint32_t i,
			enum slot_level level, float *values_out)
{
	const struct passage_slot slot = sum_slot(view, i, level);

	values_out[0] = slot_odds(&slot);
	values_out[1] =
		clamped_ratio((double)slot.unique_words, (double)slot.words);
	values_out[2] = clamped_ratio(
		sample_size(slot.pages & view->other_pages), view->others);
	values_out[3] = clamped_ratio((double)slot.score_words,
				      (double)view->sums.score_words);
}

static void view_passage(const struct model_view *view, uint32_t i,
			 float *values)
{
	const struct passage *passage = &view->page.passages->items[i];
	const struct template_sums *sums = &view->sums;

	values[TEMPLATE_odds] = limited_odds((double)view->page.scores[i]);
	values[TEMPLATE_sureness] =
		mean_of(view->own.sure_words, view->own.words);
	values[TEMPLATE_others] = ln1((float)view->others);
	values[TEMPLATE_words] = ln1((float)passage->words);
	values[TEMPLATE_links] = passage_link_ratio(passage);
	values[TEMPLATE_has_date] = passage->has_date;
	values[TEMPLATE_ends_sentence] = passage->ends_sentence;
	values[TEMPLATE_template_sureness] =
		mean_of(sums->sure_words, sums->words);
	values[TEMPLATE_template_words] =
		ln1((float)sums->words / fmaxf((float)sums->pages, 1));
	values[TEMPLATE_template_content] =
		mean_of(sums->score_words, sums->words);
}

/*
 * Set near_odds of passage `i` to the mean of `odds` of up to NEAR passages on
 * each side, weighted by words; near_slot_odds likewise from `slot_odds`. If
 * these passages have no words, copy the passage's own values.
 */
static void view_near(const struct model_view *view, uint32_t i,
		      struct passage_evidence *evidence)
{
	const struct passages *passages = view->page.passages;
	uint32_t from = i < NEAR ? 0 : i - NEAR;
	uint32_t to =
		passages->count - i <= NEAR ? passages->count : i + NEAR + 1;
	float *values = evidence[i].values;
	double words = 0;
	double odds = 0;
	double slots = 0;

	for (uint32_t k = from; k < to; k++) {
		double weight = passage_weight(&passages->items[k]);

		if (k == i)
			continue;
		words += weight;
		odds += weight * (double)evidence[k].values[TEMPLATE_odds];
		slots +=
			weight * (double)evidence[k].values[TEMPLATE_slot_odds];
	}
	values[TEMPLATE_near_odds] =
		words > 0 ? (float)(odds / words) : values[TEMPLATE_odds];
	values[TEMPLATE_near_slot_odds] =
		words > 0 ? (float)(slots / words) : values[TEMPLATE_slot_odds];
}

const struct passage_evidence *
passage_model_view(const struct passage_model *known, struct arena *arena,
		   const struct passages *passages, const float *scores,
		   const uint64_t *paths)
{
	const struct scored_page page = {
		.passages = passages,
		.paths = paths != NULL
				 ? paths
				 : node_paths(arena, passages->page, true),
		.scores = scores,
	};
	const struct model_view view = make_view(known, arena, &page);
	struct passage_evidence *evidence =
		ARENA_NEW(arena, struct passage_evidence, passages->count);

	if (view.others < 2)
		return NULL;
	for (uint32_t i = 0; i < passages->count; i++) {
		float *values = evidence[i].values;

		view_texts(&view, i, values);
		view_slot(&view, i, values);
		view_around(&view, i, LEVEL_GROUP,
			    values + TEMPLATE_group_odds);
		view_around(&view, i, LEVEL_SECTION,
			    values + TEMPLATE_section_odds);
		view_passage(&view, i, values);
	}
	for (uint32_t i = 0; i < passages->count; i++)
		view_near(&view, i, evidence);
	return evidence;
}

void evidence_apply(const struct passage_evidence *evidence, uint32_t count,
		    float *scores)
{
	for (uint32_t at = 0; at < count; at += FOREST_ROWS) {
		const struct forest_rows rows = {
			.values = evidence[at].values,
			.count = count - at < FOREST_ROWS ? count - at
							  : FOREST_ROWS,
			.stride = TEMPLATE_COUNT,
		};
		float margins[FOREST_ROWS];

		forest_margins(&auto_template_forest, &rows, margins);
		for (uint32_t i = 0; i < rows.count; i++) {
			/*
			 * The fewer other pages have the slot or the text, the
			 * lower the weight is.
			 */
			const float *values = evidence[at + i].values;
			const float weight =
				trust *
				sqrtf(fmaxf(values[TEMPLATE_slot_presence],
					    values[TEMPLATE_frequency]));

			scores[at + i] = forest_probability(
				values[TEMPLATE_odds] + weight * margins[i]);
		}
	}
}
