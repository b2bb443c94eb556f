#include "extract/text/passage.h"

#include <assert.h>

#include "base/arena.h"
#include "extract/core/hash_table.h"
#include "extract/core/ratio.h"
#include "extract/core/separator.h"
#include "extract/core/walk.h"
#include "extract/text/passage_scope.h"
#include "extract/text/passage_text.h"
#include "page/page.h"

/*
 * After MANY_PASSAGES passages, many times as many as a large page has, a
 * passage ends only after MANY_TEXTS texts, and texts of places other than
 * PLACE_PLAIN belong to no passage. This bounds the memory for passages by the
 * number of texts.
 */
enum { MANY_PASSAGES = 1 << 15, MANY_TEXTS = 16 };

static size_t max_passages(const struct page *page)
{
	size_t texts = page->text_count;

	return texts <= MANY_PASSAGES
		       ? texts
		       : MANY_PASSAGES + (texts - MANY_PASSAGES) / MANY_TEXTS +
				 1;
}

struct passage_maker {
	const struct page *page;
	struct passage *items; /* [count]; the last one may be open */
	uint32_t count;
	uint32_t *of_text;
	struct passage_scope_scope *scopes; /* [node_count] */
	struct passage_text reader;
	bool is_open;
	uint32_t tags; /* tags since the end of the last passage */
	uint32_t markup;
};

static struct passage_scope_scope scope_at(const struct passage_maker *maker,
					   uint32_t node)
{
	assert(node == NO_NODE || node < maker->page->node_count);
	return node == NO_NODE ? scope_of_page() : maker->scopes[node];
}

/*
 * Return the estimated size of both tags of an element, with quoted attributes.
 */
static uint32_t markup_of(const struct page *page, const struct node *node)
{
	const struct attribute *attributes =
		&page->attributes[node->first_attribute];
	size_t size = 2 * page_tag_name(page, node->tag).size + 5;

	for (uint16_t i = 0; i < node->attribute_count; i++)
		size += attributes[i].name.size + attributes[i].value.size + 4;
	return (uint32_t)size;
}

static void end_passage(struct passage_maker *maker)
{
	if (!maker->is_open)
		return;
	assert(maker->count > 0);
	passage_text_end(&maker->reader);
	maker->is_open = false;
	maker->tags = 0;
	maker->markup = 0;
}

static uint32_t texts_of_last(const struct passage_maker *maker)
{
	const struct passage *last = &maker->items[maker->count - 1];

	assert(maker->count > 0);
	return last->end_text - last->first_text;
}

/* Handle the start or the end of a block-level element. */
static void read_boundary(struct passage_maker *maker)
{
	if (maker->is_open && maker->count > MANY_PASSAGES &&
	    texts_of_last(maker) < MANY_TEXTS)
		passage_text_space(&maker->reader);
	else
		end_passage(maker);
}

static void passage_count_one(uint16_t *counter)
{
	*counter = (uint16_t)(*counter + (*counter < UINT16_MAX));
}

/* Count an element inside the open passage that is not a boundary. */
static void count_inline(struct passage_maker *maker, uint16_t tag)
{
	struct passage *passage = &maker->items[maker->count - 1];

	assert(maker->is_open && maker->count > 0);
	if (tag == TAG_br) {
		passage_count_one(&passage->breaks);
		passage_text_space(&maker->reader);
		return;
	}
	passage_count_one(&passage->inlines);
	if (tag == TAG_a)
		passage_count_one(&passage->links);
	else if (tag == TAG_b || tag == TAG_strong)
		passage_count_one(&passage->bolds);
	else if (tag == TAG_img)
		passage_count_one(&passage->images);
	else if (tag == TAG_code)
		passage_count_one(&passage->codes);
}

static void passage_open_element(struct passage_maker *maker, uint32_t index)
{
	const struct node *node = &maker->page->nodes[index];
	struct passage_scope_scope around = scope_at(maker, node->parent);

	assert(index < maker->page->node_count);
	maker->scopes[index] = scope_of_node(maker->page, index, &around);
	if (maker->scopes[index].is_boundary)
		read_boundary(maker);
	else if (maker->is_open)
		count_inline(maker, node->tag);
	if ((node->flags & TEXT_IS_TITLE) == 0 && !maker->is_open) {
		maker->tags++;
		maker->markup += markup_of(maker->page, node);
	}
}

static bool is_heading_node(const struct page *page, uint32_t node)
{
	return node != NO_NODE &&
	       (tag_flags(page->nodes[node].tag) & TAG_IS_HEADING) != 0;
}

static void begin_passage(struct passage_maker *maker, uint32_t text)
{
	uint32_t node = maker->page->texts[text].node;
	struct passage_scope_scope scope = scope_at(maker, node);
	struct passage_scope_scope block = scope_at(maker, scope.block);
	struct passage *passage = &maker->items[maker->count++];

	assert(!maker->is_open);
	assert(maker->count <= max_passages(maker->page));
	*passage = (struct passage){
		.first_text = text,
		.node = scope.block,
		.tags = maker->tags,
		.markup = maker->markup,
		.place = scope.place,
		.hiding = block.hiding,
		.is_heading = is_heading_node(maker->page, scope.block),
	};
	passage_text_begin(&maker->reader, passage);
	maker->is_open = true;
}

/*
 * Return true if the page has many passages and the text would begin or extend
 * one that is not PLACE_PLAIN.
 */
static bool is_left_out_text(const struct passage_maker *maker,
			     const struct text *text)
{
	return maker->count + !maker->is_open > MANY_PASSAGES &&
	       scope_at(maker, text->node).place != PLACE_PLAIN;
}

static void passage_add_text(struct passage_maker *maker, uint32_t index)
{
	const struct page *page = maker->page;
	const struct text *text = &page->texts[index];

	maker->of_text[index] = NO_PASSAGE;
	if ((text->flags & TEXT_IS_TITLE) != 0 || is_left_out_text(maker, text))
		return;
	if (!maker->is_open)
		begin_passage(maker, index);
	else if (separator_in_source(page, index).size > 0)
		passage_text_space(&maker->reader);
	passage_text_add(&maker->reader, page_text(page, index),
			 scope_at(maker, text->node).is_link);
	assert(maker->is_open && maker->count > 0);
	maker->items[maker->count - 1].end_text = index + 1;
	maker->of_text[index] = maker->count - 1;
}

static void passage_read_page(struct passage_maker *maker)
{
	struct page_walk walk = walk_begin(maker->page);
	uint32_t index;
	enum step step;

	while ((step = walk_next(&walk, &index)) != STEP_END) {
		if (step == STEP_OPEN)
			passage_open_element(maker, index);
		else if (step == STEP_TEXT)
			passage_add_text(maker, index);
		else if (maker->scopes[index].is_boundary)
			read_boundary(maker);
	}
	end_passage(maker);
	assert(!maker->is_open);
}

struct occurrence {
	uint64_t hash;
	uint32_t count; /* passages of PLACE_PLAIN */
	bool is_known;
};

static void count_repeats(struct arena *arena, struct passage *items,
			  uint32_t count)
{
	struct hash_table table =
		hash_table_make(arena, sizeof(struct occurrence));

	for (uint32_t i = 0; i < count; i++) {
		struct occurrence *found =
			hash_table_add(&table, items[i].hash);

		items[i].is_repeat = found->is_known;
		found->is_known = true;
		found->count += items[i].place == PLACE_PLAIN;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct occurrence *found =
			hash_table_find(&table, items[i].hash);
		uint32_t repeats = found == NULL ? 1 : found->count;

		items[i].repeats =
			(uint16_t)(repeats < UINT16_MAX ? repeats : UINT16_MAX);
	}
}

/*
 * Return true if the passage is long enough for running text and is not a list
 * of links.
 */
static bool is_running_text(const struct passage *passage)
{
	return passage->words >= 15 && passage_link_ratio(passage) < 0.5F;
}

static bool is_linked(const struct passage *passage)
{
	return 2 * (uint64_t)passage->link_characters >= passage->characters;
}

static void add_passage(struct passage_sums *sums,
			const struct passage *passage)
{
	sums->tags += passage->tags;
	if (passage->place != PLACE_PLAIN)
		return;
	sums->words += passage->words;
	sums->link_words += passage->link_words;
	sums->characters += passage->characters;
	sums->link_characters += passage->link_characters;
	sums->passages++;
	sums->sentences += passage->sentences;
	sums->ends += passage->ends_sentence;
	sums->prices += passage->has_price;
	sums->dates += passage->has_date;
	sums->headings += passage->is_heading;
	sums->linked_headings += passage->is_heading && is_linked(passage);
	if (is_running_text(passage))
		sums->long_words += passage->words;
}

static const struct passage_sums *
passage_sum_up(struct arena *arena, const struct passage *items, uint32_t count)
{
	struct passage_sums *sums =
		ARENA_NEW(arena, struct passage_sums, (size_t)count + 1);

	for (uint32_t i = 0; i < count; i++) {
		sums[i + 1] = sums[i];
		add_passage(&sums[i + 1], &items[i]);
	}
	return sums;
}

static const uint32_t *count_before(struct arena *arena,
				    const struct passage *items, uint32_t count,
				    uint32_t text_count)
{
	uint32_t *before = ARENA_NEW(arena, uint32_t, (size_t)text_count + 1);
	uint32_t passage = 0;

	for (uint32_t i = 0; i <= text_count; i++) {
		while (passage < count && items[passage].first_text < i)
			passage++;
		before[i] = passage;
	}
	assert(passage == count);
	return before;
}

struct passages passages_make(struct arena *arena, const struct page *page)
{
	const size_t max_terms = (page->text_bytes + page->text_count) / 2 + 1;
	struct arena *scratch = arena_create();
	struct passage_maker maker = {
		.page = page,
		.items = ARENA_NEW(arena, struct passage, max_passages(page)),
		.of_text = ARENA_NEW(arena, uint32_t, page->text_count),
		.scopes = ARENA_NEW(scratch, struct passage_scope_scope,
				    page->node_count),
		.reader.terms = (uint32_t *)(void *)arena_room(
			arena, max_terms * sizeof(uint32_t)),
	};

	passage_read_page(&maker);
	count_repeats(scratch, maker.items, maker.count);
	arena_destroy(scratch);
	return (struct passages){
		.page = page,
		.items = maker.items,
		.count = maker.count,
		.sums = passage_sum_up(arena, maker.items, maker.count),
		.before_text = count_before(arena, maker.items, maker.count,
					    page->text_count),
		.of_text = maker.of_text,
		.terms = maker.reader.terms,
	};
}

struct passage_range passages_inside(const struct passages *passages,
				     uint32_t node)
{
	const struct node *element;

	if (node == NO_NODE)
		return (struct passage_range){0, passages->count};
	assert(node < passages->page->node_count);
	element = &passages->page->nodes[node];
	return (struct passage_range){
		passages->before_text[element->first_text],
		passages->before_text[element->end_text],
	};
}

struct passage_sums passages_sum(const struct passages *passages,
				 struct passage_range range)
{
	const struct passage_sums *begin = &passages->sums[range.begin];
	const struct passage_sums *end = &passages->sums[range.end];

	assert(range.begin <= range.end && range.end <= passages->count);
	return (struct passage_sums){
		.words = end->words - begin->words,
		.link_words = end->link_words - begin->link_words,
		.characters = end->characters - begin->characters,
		.link_characters =
			end->link_characters - begin->link_characters,
		.passages = end->passages - begin->passages,
		.sentences = end->sentences - begin->sentences,
		.ends = end->ends - begin->ends,
		.prices = end->prices - begin->prices,
		.dates = end->dates - begin->dates,
		.long_words = end->long_words - begin->long_words,
		.headings = end->headings - begin->headings,
		.linked_headings =
			end->linked_headings - begin->linked_headings,
		.tags = end->tags - begin->tags,
	};
}

float passage_link_ratio(const struct passage *passage)
{
	return ratio(passage->link_characters, passage->characters);
}
