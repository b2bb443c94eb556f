#include "extract/methods/slot.h"

#include <assert.h>

#include "base/arena.h"
#include "base/hash.h"
#include "extract/core/hash_table.h"
#include "extract/core/sample.h"
#include "extract/core/visible.h"
#include "extract/text/fragment.h"
#include "extract/text/node_path.h"
#include "extract/text/word.h"
#include "page/page.h"

/* The text of a block in its slot, or a fragment in its slot. */
struct slot_occurrence {
	uint64_t key; /* of the text and the slot */
	uint64_t slot;
	uint64_t words; /* over all its occurrences */
	uint32_t pages; /* a set of pages of the sample, one bit each */
};

/*
 * Sums over the blocks in a slot. A page that is not in the sample adds
 * differences, which may be below 0.
 */
struct block_slot {
	uint64_t key;
	int64_t words;
	int64_t unique_words; /* in texts that only one page has in this slot */
};

struct slot_model {
	struct sample_pages pages;
	struct hash_table fragments; /* of struct slot_occurrence */
	struct hash_table blocks;    /* of struct slot_occurrence */
	struct hash_table slots;     /* of struct block_slot */
};

/* The texts and blocks of a page, by slot. */
struct page_slots {
	const bool *is_visible;        /* [text_count] */
	const uint32_t *words;         /* [text_count] */
	struct slot_occurrence *texts; /* [text_count] */
	struct block_tree tree;
	struct slot_occurrence *blocks; /* [tree.count] */
};

static uint64_t slot_path(const uint64_t *paths, uint32_t node)
{
	return node == NO_NODE ? 1 : paths[node];
}

static struct page_slots find_page_slots(struct arena *arena,
					 const struct page *page)
{
	const struct fragment *fragments = fragments_of_page(arena, page);
	const uint64_t *paths = node_paths(arena, page, true);
	const bool *is_visible = visible_texts(arena, page);
	uint32_t *words = ARENA_NEW(arena, uint32_t, page->text_count);
	struct page_slots places = {
		.is_visible = is_visible,
		.words = words,
		.texts = ARENA_NEW(arena, struct slot_occurrence,
				   page->text_count),
		.tree = block_tree_make(arena, page, is_visible),
	};

	places.blocks =
		ARENA_NEW(arena, struct slot_occurrence, places.tree.count);
	for (uint32_t i = 0; i < places.tree.count; i++)
		places.blocks[i].slot =
			slot_path(paths, places.tree.blocks[i].node);
	for (uint32_t i = 0; i < page->text_count; i++) {
		struct slot_occurrence *text = &places.texts[i];
		struct slot_occurrence *block =
			&places.blocks[places.tree.text_blocks[i]];

		words[i] = word_count(page_text(page, i));
		text->slot = slot_path(paths, page->texts[i].node);
		text->key = hash_chain(fragments[i].hash, text->slot);
		text->words = is_visible[i] ? words[i] : 0;
		if (is_visible[i])
			block->key = hash_chain(fragments[i].hash, block->key);
		block->words += text->words;
	}
	for (uint32_t i = 0; i < places.tree.count; i++)
		places.blocks[i].key =
			hash_chain(places.blocks[i].key, places.blocks[i].slot);
	return places;
}

/*
 * Add all entries with words to the table; `bits` is the page as a set of pages
 * of the sample.
 */
static void note_occurrences(struct hash_table *table,
			     const struct slot_occurrence *standings,
			     uint32_t count, uint32_t bits)
{
	for (uint32_t i = 0; i < count; i++) {
		struct slot_occurrence *standing;

		if (standings[i].words == 0)
			continue;
		assert(bits != 0);
		standing = hash_table_add(table, standings[i].key);
		standing->slot = standings[i].slot;
		standing->words += standings[i].words;
		standing->pages |= bits;
	}
}

static void sum_slots(struct slot_model *known)
{
	for (uint32_t i = 0; i < known->blocks.count; i++) {
		const struct slot_occurrence *block =
			hash_table_entry(&known->blocks, i);
		struct block_slot *slot =
			hash_table_add(&known->slots, block->slot);

		slot->words += (int64_t)block->words;
		if (sample_size(block->pages) == 1)
			slot->unique_words += (int64_t)block->words;
	}
}

const struct slot_model *slot_model_build(const struct sample *sample,
					  struct arena *arena)
{
	struct slot_model *known = ARENA_NEW(arena, struct slot_model, 1);
	struct arena *scratch = arena_create();
	struct hash_table fragments =
		hash_table_make(scratch, sizeof(struct slot_occurrence));
	struct hash_table blocks =
		hash_table_make(scratch, sizeof(struct slot_occurrence));

	assert(sample->count >= 1 && sample->count <= MAX_SAMPLE_PAGES);
	known->pages = sample_pages_of(sample);
	known->slots = hash_table_make(arena, sizeof(struct block_slot));
	for (uint32_t i = 0; i < sample->count; i++) {
		const struct page *page = sample->pages[i];
		struct arena *own = arena_create();
		struct page_slots places = find_page_slots(own, page);

		note_occurrences(&fragments, places.texts, page->text_count,
				 1U << i);
		note_occurrences(&blocks, places.blocks, places.tree.count,
				 1U << i);
		arena_destroy(own);
	}
	known->fragments = hash_table_copy(arena, &fragments);
	known->blocks = hash_table_copy(arena, &blocks);
	sum_slots(known);
	arena_destroy(scratch);
	return known;
}

/*
 * Return the change of the slots for a page that is not in the sample. Its
 * words count; words in texts that no page of the sample has in the slot are
 * unique; words in texts that exactly one page of the sample has there are no
 * longer unique.
 */
static struct hash_table sum_own_slots(const struct slot_model *known,
				       const struct page_slots *places,
				       struct arena *arena)
{
	struct hash_table blocks =
		hash_table_make(arena, sizeof(struct slot_occurrence));
	struct hash_table slots =
		hash_table_make(arena, sizeof(struct block_slot));

	note_occurrences(&blocks, places->blocks, places->tree.count, 1);
	for (uint32_t i = 0; i < blocks.count; i++) {
		const struct slot_occurrence *mine =
			hash_table_entry(&blocks, i);
		const struct slot_occurrence *other =
			hash_table_find(&known->blocks, mine->key);
		struct block_slot *slot = hash_table_add(&slots, mine->slot);

		slot->words += (int64_t)mine->words;
		if (other == NULL)
			slot->unique_words += (int64_t)mine->words;
		else if (sample_size(other->pages) == 1)
			slot->unique_words -= (int64_t)other->words;
	}
	return slots;
}

static float block_slot_variability(const struct slot_model *known,
				    const struct hash_table *own_slots,
				    uint64_t key)
{
	const struct block_slot *slots[] = {hash_table_find(&known->slots, key),
					    hash_table_find(own_slots, key)};
	int64_t words = 0;
	int64_t unique_words = 0;

	for (int i = 0; i < 2; i++) {
		words += slots[i] == NULL ? 0 : slots[i]->words;
		unique_words += slots[i] == NULL ? 0 : slots[i]->unique_words;
	}
	if (words <= 0 || unique_words <= 0)
		return 0;
	return unique_words >= words ? 1 : (float)unique_words / (float)words;
}

static uint32_t slot_frequency(const struct slot_model *known, uint64_t key,
			       bool is_in_sample)
{
	const struct slot_occurrence *found =
		hash_table_find(&known->fragments, key);
	uint32_t pages = found == NULL ? 0 : sample_size(found->pages);

	return is_in_sample && pages > 0 ? pages : pages + 1;
}

struct slot_view slots_view(const struct slot_model *known,
			    const struct page *page, struct arena *arena)
{
	bool is_in_sample = sample_bit(&known->pages, page) != 0;
	struct page_slots places = find_page_slots(arena, page);
	uint32_t *frequencies = ARENA_NEW(arena, uint32_t, page->text_count);
	float *variabilities = ARENA_NEW(arena, float, places.tree.count);
	struct hash_table own =
		hash_table_make(arena, sizeof(struct block_slot));

	if (!is_in_sample)
		own = sum_own_slots(known, &places, arena);
	for (uint32_t i = 0; i < page->text_count; i++)
		frequencies[i] = slot_frequency(known, places.texts[i].key,
						is_in_sample);
	for (uint32_t i = 0; i < places.tree.count; i++)
		variabilities[i] = block_slot_variability(
			known, &own, places.blocks[i].slot);
	assert(places.tree.count >= 1);
	return (struct slot_view){
		.page_count = known->pages.count + (is_in_sample ? 0 : 1),
		.is_visible = places.is_visible,
		.words = places.words,
		.frequencies = frequencies,
		.tree = places.tree,
		.variabilities = variabilities,
	};
}
