#include "extract/auto/auto_template.h"

#include <math.h>

#include "extract/auto/auto_claims.h"
#include "extract/auto/auto_score.h"
#include "extract/auto/forest.h"
#include "extract/core/hash_table.h"
#include "extract/core/sample.h"
#include "extract/text/node_path.h"
#include "page/page.h"
#include "store/arena.h"
#include "store/hash.h"

/* "in more than a third of the documents" (Gottron 2008, section 6). */
static const double max_frequency = 1.0 / 3;

/* The occurrences of a text on the sample, in any place or in one slot. */
struct standing {
	uint64_t key;
	uint64_t slot;
	uint64_t words; /* of all times that it stands there */
	uint32_t pages; /* of the sample, a bit each */
};

/*
 * Sums over the passages in a slot. A page that is not in the sample adds
 * differences, so unique_words may be below 0.
 */
struct slot {
	uint64_t key;
	int64_t words;
	int64_t unique_words; /* in texts that one page alone has there */
	double score_words;   /* sum of words times score */
	uint32_t pages;
};

struct known_passages {
	struct sample_pages pages;
	struct hash_table texts;  /* of struct standing, in any place */
	struct hash_table placed; /* of struct standing, in one slot */
	struct hash_table slots;  /* of struct slot */
};

static uint64_t slot_of(const uint64_t *paths, const struct passage *passage)
{
	return passage->node == NO_NODE ? 1 : paths[passage->node];
}

/* A passage without words (a price, an arrow) weighs as one of one word. */
static uint32_t weight_of(const struct passage *passage)
{
	return passage->words == 0 ? 1 : passage->words;
}

/*
 * Add the passages of a page to the slots of `known`; `bits` is the page as a
 * set of pages of the sample.
 */
static void note_slots(const struct passages *passages, const uint64_t *paths,
		       const float *scores, uint32_t bits,
		       struct known_passages *known)
{
	for (uint32_t i = 0; i < passages->count; i++) {
		const struct passage *passage = &passages->items[i];
		uint32_t weight = weight_of(passage);
		uint64_t key = slot_of(paths, passage);
		struct slot *slot = hash_table_add(&known->slots, key);
		struct standing *text = hash_table_add(
			&known->placed, hash_chain(passage->hash, key));

		slot->words += weight;
		slot->score_words += (double)scores[i] * weight;
		slot->pages |= bits;
		text->slot = key;
		text->words += weight;
		text->pages |= bits;
	}
}

static void learn_page(struct known_passages *known, const struct page *page,
		       enum scope scope, uint32_t bit)
{
	struct arena *own = arena_create();
	const struct page_claims claims = claims_of_page(own, page);
	const struct passages passages = passages_make(own, page);
	const struct passage_scores scores =
		passage_scores_make(own, &passages, &claims, scope, false);

	note_slots(&passages, node_paths(own, page, true), scores.scores, bit,
		   known);
	for (uint32_t i = 0; i < passages.count; i++) {
		struct standing *text =
			hash_table_add(&known->texts, passages.items[i].hash);

		text->pages |= bit;
	}
	arena_destroy(own);
}

const struct known_passages *known_passages_learn(const struct sample *sample,
						  enum scope scope,
						  struct arena *arena)
{
	struct known_passages *known =
		ARENA_NEW(arena, struct known_passages, 1);
	struct arena *scratch = arena_create();
	struct known_passages growing = {
		.pages = sample_pages_of(sample),
		.texts = hash_table_make(scratch, sizeof(struct standing)),
		.placed = hash_table_make(scratch, sizeof(struct standing)),
		.slots = hash_table_make(scratch, sizeof(struct slot)),
	};

	for (uint32_t i = 0; i < sample->count; i++)
		learn_page(&growing, sample->pages[i], scope, 1U << i);
	for (uint32_t i = 0; i < growing.placed.count; i++) {
		const struct standing *text =
			hash_table_entry(&growing.placed, i);

		if (sample_size(text->pages) == 1) {
			struct slot *slot =
				hash_table_add(&growing.slots, text->slot);

			slot->unique_words += (int64_t)text->words;
		}
	}
	known->pages = growing.pages;
	known->texts = hash_table_copy(arena, &growing.texts);
	known->placed = hash_table_copy(arena, &growing.placed);
	known->slots = hash_table_copy(arena, &growing.slots);
	arena_destroy(scratch);
	return known;
}

/*
 * The change of the slots by a page that is not in the sample: its texts that
 * no page of the sample has in the slot are unique, and those that a single
 * page has are no longer unique.
 */
static struct hash_table own_slots(const struct known_passages *known,
				   struct arena *arena,
				   const struct passages *passages,
				   const uint64_t *paths, const float *scores)
{
	struct known_passages own = {
		.placed = hash_table_make(arena, sizeof(struct standing)),
		.slots = hash_table_make(arena, sizeof(struct slot)),
	};

	note_slots(passages, paths, scores, 0, &own);
	for (uint32_t i = 0; i < own.placed.count; i++) {
		const struct standing *mine = hash_table_entry(&own.placed, i);
		const struct standing *other =
			hash_table_find(&known->placed, mine->key);
		struct slot *slot = hash_table_add(&own.slots, mine->slot);

		if (other == NULL)
			slot->unique_words += (int64_t)mine->words;
		else if (sample_size(other->pages) == 1)
			slot->unique_words -= (int64_t)other->words;
	}
	return own.slots;
}

static float ratio(double part, double whole)
{
	if (whole <= 0 || part <= 0)
		return 0;
	return part >= whole ? 1 : (float)(part / whole);
}

static struct passage_evidence weigh_slot(const struct slot *theirs,
					  const struct slot *mine,
					  uint32_t other_pages, uint32_t others)
{
	static const struct slot nothing;
	const struct slot *a = theirs == NULL ? &nothing : theirs;
	const struct slot *b = mine == NULL ? &nothing : mine;
	double words = (double)(a->words + b->words);

	return (struct passage_evidence){
		.slot_score = ratio(a->score_words + b->score_words, words),
		.variability = ratio(
			(double)(a->unique_words + b->unique_words), words),
		.presence = ratio(sample_size(a->pages & other_pages), others),
	};
}

const struct passage_evidence *
known_passages_view(const struct known_passages *known, struct arena *arena,
		    const struct passages *passages, const float *scores)
{
	const struct page *page = passages->page;
	uint32_t own = sample_bit(&known->pages, page);
	uint32_t other_pages = ~own;
	uint32_t others = known->pages.count - sample_size(own);
	const uint64_t *paths = node_paths(arena, page, true);
	struct passage_evidence *evidence =
		ARENA_NEW(arena, struct passage_evidence, passages->count);
	struct hash_table mine = hash_table_make(arena, sizeof(struct slot));

	if (others < 2)
		return NULL;
	if (own == 0)
		mine = own_slots(known, arena, passages, paths, scores);
	for (uint32_t i = 0; i < passages->count; i++) {
		const struct passage *passage = &passages->items[i];
		const struct standing *text =
			hash_table_find(&known->texts, passage->hash);
		uint64_t slot = slot_of(paths, passage);

		evidence[i] = weigh_slot(hash_table_find(&known->slots, slot),
					 hash_table_find(&mine, slot),
					 other_pages, others);
		if (text != NULL)
			evidence[i].frequency = ratio(
				sample_size(text->pages & other_pages), others);
	}
	return evidence;
}

static double log_odds(float probability)
{
	static const double limit = 1e-4;
	double p = fmin(fmax((double)probability, limit), 1 - limit);

	return log(p / (1 - p));
}

void evidence_apply(const struct passage_evidence *evidence, uint32_t count,
		    const struct evidence_weights *weights, float *scores)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct passage_evidence *now = &evidence[i];
		double odds = weights->page * log_odds(scores[i]) +
			      (1 - weights->page) * log_odds(now->slot_score) +
			      weights->slot * ((double)now->variability - 0.5);

		if ((double)now->frequency > max_frequency)
			odds -= weights->repetition;
		scores[i] = forest_probability((float)odds);
	}
}
