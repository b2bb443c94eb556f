#include "extract/auto/template_slots.h"

#include <math.h>

#include "base/arena.h"
#include "base/hash.h"
#include "page/page.h"

enum { BEGIN_TERMS = 6 };

/* A passage is a link if its ratio of characters in links is above this. */
static const float link_ratio = 0.5F;

float limited_odds(double probability)
{
	static const double limit = 1e-4;
	double p = fmin(fmax(probability, limit), 1 - limit);

	return (float)log(p / (1 - p));
}

static const double fixed_one = 1 << 24;

int64_t fixed_of(double value)
{
	return llround(value * fixed_one);
}

double fixed_value(int64_t fixed)
{
	return (double)fixed / fixed_one;
}

struct template_slots template_slots_make(struct arena *arena)
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

uint64_t slot_key(const struct scored_page *page, uint32_t passage,
		  enum slot_level level)
{
	const struct page *tree = page->passages->page;
	uint32_t node = page->passages->items[passage].node;

	for (int i = 0; i < (int)level && node != NO_NODE; i++)
		node = tree->nodes[node].parent;
	return hash_chain(node == NO_NODE ? 1 : page->paths[node],
			  (uint64_t)level);
}

uint64_t begin_key(const struct passages *passages, uint32_t passage)
{
	const struct passage *item = &passages->items[passage];

	if (item->end_term - item->first_term < BEGIN_TERMS)
		return 0;
	return hash64(passages->terms + item->first_term,
		      BEGIN_TERMS * sizeof(passages->terms[0]), 0);
}

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

/* Add the sums of a page to the sums of all pages. */
static void merge_page_slots(struct hash_table *slots,
			     const struct passage_slot *own, uint32_t bits)
{
	struct passage_slot *slot = hash_table_add(slots, own->key);
	double mean = fixed_value(own->score_words) / (double)own->words;

	slot->words += own->words;
	slot->link_words += own->link_words;
	slot->passages += own->passages;
	slot->ends += own->ends;
	slot->dates += own->dates;
	slot->pages |= bits;
	slot->times++;
	slot->agreeing += mean > 0.5;
	slot->score_words += own->score_words;
	slot->means += fixed_of(mean);
	slot->squares += fixed_of(mean * mean);
}

struct template_sums template_sums_of(const struct scored_page *page)
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

void template_sums_add(struct template_sums *sums,
		       const struct template_sums *more)
{
	sums->words += more->words;
	sums->score_words += more->score_words;
	sums->sure_words += more->sure_words;
	sums->pages += more->pages;
}

void template_slots_add(struct template_slots *slots,
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
