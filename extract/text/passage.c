#include "extract/text/passage.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "extract/core/document_walk.h"
#include "extract/core/numeric.h"
#include "extract/text/characters.h"
#include "extract/text/word.h"
#include "page/page.h"
#include "page/scanner.h"

/*
 * What passages that begin in an element get from it and from the elements
 * around it.
 */
struct passage_scope {
	uint32_t block;   /* the nearest block-level element, or NO_NODE */
	uint8_t place;    /* enum passage_place */
	uint8_t hiding;   /* enum passage_hiding; not set for elements without
			     text */
	bool is_link;     /* the element is an a or inside one */
	bool is_boundary; /* the element is a boundary between passages */
};

/*
 * HASHED() adds a character or a term to a hash. MULTIPLIER is odd and has
 * random bits, so the multiplication spreads the character over the upper half.
 */
#define MULTIPLIER         UINT64_C(0x9E3779B97F4A7C15)
#define SEED               UINT64_C(0xD1B54A32D192ED03)
#define HASHED(hash, code) (((hash) ^ (uint64_t)(code)) * MULTIPLIER)

/*
 * The hashes of currency signs that consist of letters: kr, and z with the
 * letter l with stroke.
 */
#define KRONA HASHED(HASHED(SEED, 'k'), 'r')
#define ZLOTY HASHED(HASHED(SEED, 'z'), 0x142)

/*
 * What is immediately before the current character and could be part of a
 * price.
 */
enum near {
	NEAR_NOTHING,
	NEAR_NUMBER,
	NEAR_CURRENCY,
};

enum {
	/*
	 * With these values, a Chinese sentence counts as about as long as its
	 * English translation. For Han, 3 letters are 2 words, and each letter
	 * is 3 characters.
	 */
	HAN_PERIOD = 3,
	HAN_CHARACTERS = 3,
	HANGUL_CHARACTERS = 2,
	THAI_PERIOD =
		4, /* letters that are one word; vowel signs do not count */
};

static void saturating_increment(uint16_t *counter)
{
	*counter = (uint16_t)(*counter + (*counter < UINT16_MAX));
}

static void end_sentence(struct passage_text *reader)
{
	if (reader->is_sentence_open)
		saturating_increment(&reader->passage->sentences);
	reader->is_sentence_open = false;
}

static void end_term(struct passage_text *reader)
{
	struct passage *passage = reader->passage;
	uint64_t term = reader->term;

	if (term == 0)
		return;
	reader->terms[reader->term_count++] = (uint32_t)(term >> 32);
	passage->hash = HASHED(passage->hash, term ^ term >> 32);
	passage->hash ^= passage->hash >> 32;
	reader->term = 0;
	if (term == KRONA || term == ZLOTY) {
		passage->has_price |= reader->follows_number;
		reader->near = NEAR_CURRENCY;
	}
}

static void open_term(struct passage_text *reader)
{
	if (reader->term != 0)
		return;
	reader->term = SEED;
	reader->follows_number = reader->near == NEAR_NUMBER;
	reader->near = NEAR_NOTHING;
}

static void open_word(struct passage_text *reader)
{
	reader->passage->words += !reader->is_word_open;
	reader->is_word_open = true;
	reader->is_sentence_open = true;
	reader->last = CHARACTER_LETTER;
	reader->dense = 0;
}

/*
 * Count a character as `weight` characters, and count white space before it as
 * one.
 */
static void passage_count_characters(struct passage_text *reader,
				     uint32_t weight)
{
	struct passage *passage = reader->passage;

	passage->characters +=
		weight + (reader->is_space_due && passage->characters > 0);
	reader->is_space_due = false;
}

/*
 * Read the run of ASCII letters and digits at `at`; return the position after
 * it.
 */
static const unsigned char *passage_read_run(struct passage_text *reader,
					     const unsigned char *at,
					     const unsigned char *end)
{
	const unsigned char *begin = at;
	unsigned char all = 0xFF; /* the bits that all bytes have */
	uint64_t term;

	if (reader->term == 0 &&
	    character_class_of_byte[*at] == CHARACTER_DIGIT) {
		reader->passage->has_date |= quantity_is_date(at, end);
		reader->passage->has_price |= reader->near == NEAR_CURRENCY;
	}
	open_term(reader);
	open_word(reader);
	term = reader->term;
	do {
		term = HASHED(term, *at | 0x20); /* lower case; in digits the
						    bit is set already */
		all &= *at++;
	} while (at < end && character_class_of_byte[*at] >= CHARACTER_LETTER);
	reader->term = term;
	passage_count_characters(reader, (uint32_t)(at - begin));
	/* all letters have bit 0x40, and no digit has it */
	for (; (all & 0x40) == 0 && begin < at; begin++)
		reader->passage->digits += *begin <= '9';
	if (at[-1] <= '9')
		reader->near = NEAR_NUMBER;
	return at;
}

static void read_letter(struct passage_text *reader, uint32_t code,
			uint32_t weight)
{
	open_term(reader);
	open_word(reader);
	passage_count_characters(reader, weight);
	reader->term = HASHED(reader->term, character_lower(code));
	reader->near = NEAR_NOTHING;
}

/*
 * Read a letter of a script without spaces, which is a term by itself. Count
 * words by the number of such letters since the last space.
 */
static void read_dense(struct passage_text *reader, uint32_t code,
		       enum character_class class)
{
	uint32_t at = reader->dense;

	end_term(reader);
	reader->passage->words += class == CHARACTER_HAN
					  ? at % HAN_PERIOD != 2
					  : at % THAI_PERIOD == 0;
	reader->term = HASHED(SEED, code);
	end_term(reader);
	reader->dense = at + 1;
	reader->is_word_open = false;
	reader->is_sentence_open = true;
	reader->last = CHARACTER_LETTER;
	reader->near = NEAR_NOTHING;
	passage_count_characters(reader,
				 class == CHARACTER_HAN ? HAN_CHARACTERS : 1);
}

/* Read a character that is no letter, no digit and no white space. */
static void read_mark(struct passage_text *reader, enum character_class class)
{
	struct passage *passage = reader->passage;

	end_term(reader);
	passage_count_characters(reader, 1);
	passage->punctuation++;
	if (class == CHARACTER_QUOTE)
		return;
	reader->last = (uint8_t) class;
	if (class == CHARACTER_CURRENCY) {
		passage->has_price |= reader->near == NEAR_NUMBER;
		reader->near = NEAR_CURRENCY;
		return;
	}
	if (class !=
	    CHARACTER_STOP) /* a full stop may follow "kr" within a price */
		reader->near = NEAR_NOTHING;
	if (class == CHARACTER_CLAUSE || class == CHARACTER_COLON)
		saturating_increment(&passage->clauses);
	else if (class == CHARACTER_FULL_STOP ||
		 class == CHARACTER_FULL_QUESTION)
		end_sentence(reader);
	else if (class == CHARACTER_RIGHTS)
		passage->has_rights = true;
}

/* Read white space or a line break. */
static void passage_text_space(struct passage_text *reader)
{
	end_term(reader);
	if (reader->last == CHARACTER_STOP ||
	    reader->last == CHARACTER_QUESTION)
		end_sentence(reader);
	reader->is_space_due = true;
	reader->is_word_open = false;
	reader->dense = 0;
}

static void passage_read_character(struct passage_text *reader, uint32_t code)
{
	enum character_class class = character_class_of(code);

	if (class >= CHARACTER_LETTER && reader->near == NEAR_NUMBER) {
		enum unit unit = quantity_unit(code);

		reader->passage->has_date |= unit == UNIT_DATE;
		reader->passage->has_price |= unit == UNIT_MONEY;
	}
	switch (class) {
	case CHARACTER_LETTER:
		read_letter(reader, code, 1);
		break;
	case CHARACTER_HANGUL:
		read_letter(reader, code, HANGUL_CHARACTERS);
		break;
	case CHARACTER_HAN:
	case CHARACTER_THAI:
		read_dense(reader, code, class);
		break;
	case CHARACTER_SPACE:
		passage_text_space(reader);
		break;
	case CHARACTER_JOINT:
		passage_count_characters(reader, 1);
		break;
	default:
		read_mark(reader, class);
		break;
	}
}

static void passage_read_text(struct passage_text *reader, struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at == NULL ? NULL : at + text.size;

	while (at < end) {
		enum character_class class = character_class_of_byte[*at];

		if (*at >= 0x80) {
			passage_read_character(reader, utf8_next(&at, end));
		} else if (class >= CHARACTER_LETTER) {
			at = passage_read_run(reader, at, end);
		} else {
			at++;
			if (class == CHARACTER_SPACE)
				passage_text_space(reader);
			else
				read_mark(reader, class);
		}
	}
}

/* Add a text to the passage. This function adds no space before the text. */
static void passage_text_add(struct passage_text *reader, struct slice text,
			     bool is_link)
{
	struct passage *passage = reader->passage;
	uint32_t words = passage->words;
	uint32_t characters = passage->characters;

	passage_read_text(reader, text);
	if (!is_link)
		return;
	passage->link_words += passage->words - words;
	passage->link_characters += passage->characters - characters;
}

/*
 * End the passage: set `hash` and the fields that depend on the last character.
 */
static void passage_text_end(struct passage_text *reader)
{
	struct passage *passage = reader->passage;
	uint8_t last;

	passage_text_space(reader);
	last = reader->last;
	passage->end_term = reader->term_count;
	passage->ends_question =
		last == CHARACTER_QUESTION || last == CHARACTER_FULL_QUESTION;
	passage->ends_sentence = last == CHARACTER_STOP ||
				 last == CHARACTER_FULL_STOP ||
				 passage->ends_question;
	passage->ends_colon = last == CHARACTER_COLON;
	if (passage->hash == 0)
		passage->hash = 1;
}

uint32_t passage_text_terms(struct slice text, uint32_t *terms_out)
{
	struct passage passage = {0};
	struct passage_text reader = {.passage = &passage};

	reader.terms = terms_out;
	passage_read_text(&reader, text);
	end_term(&reader);
	return reader.term_count;
}

/*
 * After MANY_PASSAGES passages (a large page has far fewer), a passage ends
 * only after MANY_TEXTS texts, and texts of places other than PLACE_PLAIN
 * belong to no passage. This limits the memory for passages to a fraction of
 * the memory for texts.
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
	struct passage_scope *scopes; /* [node_count] */
	struct passage_text reader;
	bool is_open;
	uint32_t tags; /* elements since the end of the last passage */
	uint32_t markup;
};

/* The elements that are boundaries although they are not block-level. */
static const bool boundaries[TAG_COUNT] = {
	[TAG_audio] = true,    [TAG_button] = true, [TAG_canvas] = true,
	[TAG_datalist] = true, [TAG_iframe] = true, [TAG_object] = true,
	[TAG_select] = true,   [TAG_svg] = true,    [TAG_template] = true,
	[TAG_textarea] = true, [TAG_video] = true,
};

/*
 * The place of passages in an element of this tag. For 0 (PLACE_PLAIN), it is
 * the place of the element around that.
 */
static const uint8_t places[TAG_COUNT] = {
	[TAG_noscript] = PLACE_NOSCRIPT, [TAG_template] = PLACE_TEMPLATE,
	[TAG_datalist] = PLACE_CHOICE,   [TAG_option] = PLACE_CHOICE,
	[TAG_select] = PLACE_CHOICE,     [TAG_textarea] = PLACE_TEXTAREA,
	[TAG_svg] = PLACE_SVG,           [TAG_audio] = PLACE_MEDIA,
	[TAG_canvas] = PLACE_MEDIA,      [TAG_iframe] = PLACE_MEDIA,
	[TAG_object] = PLACE_MEDIA,      [TAG_video] = PLACE_MEDIA,
};

static bool is_boundary(const struct page *page, uint16_t tag)
{
	struct slice name;

	if (tag < TAG_COUNT)
		return boundaries[tag] || (tag_flags(tag) & TAG_IS_BLOCK) != 0;
	name = page_tag_name(page, tag);
	return memchr(name.data, '-', name.size) != NULL;
}

enum {
	MAX_INLINES = 8, /* elements between a text and its block */
	MAX_NAME = 18,
	MIN_NAME = 4,
	/*
	 * the first letters of the names, one bit each; they save most
	 * comparisons
	 */
	HIDING_LETTERS = 1 << ('a' - 'a') | 1 << ('c' - 'a') |
			 1 << ('d' - 'a') | 1 << ('e' - 'a') |
			 1 << ('h' - 'a') | 1 << ('i' - 'a') |
			 1 << ('s' - 'a') | 1 << ('u' - 'a') | 1 << ('v' - 'a'),
};

/*
 * Class names with which common CSS frameworks hide elements, padded with zeros
 * so that each is compared as a whole.
 */
static const char hiding_names[][MAX_NAME + 1] = {
	"a-offscreen",
	"clipped",
	"d-none",
	"element-invisible",
	"hidden",
	"hide",
	"invisible",
	"is-hidden",
	"screen-reader-only",
	"screen-reader-text",
	"screenreader",
	"sr-clipped",
	"sr-only",
	"u-hidden",
	"visuallyhidden",
	"visually-hidden",
};

/* Return whether the name, of MIN_NAME to MAX_NAME bytes, hides an element. */
static bool name_hides(const char *name, size_t length)
{
	char folded[MAX_NAME + 1] = {0};

	if (!is_letter(*name) ||
	    (HIDING_LETTERS >> ((*name | 0x20) - 'a') & 1) == 0)
		return false;
	for (size_t i = 0; i < length; i++)
		folded[i] = lower(name[i]);
	for (size_t i = 0; i < sizeof(hiding_names) / sizeof(hiding_names[0]);
	     i++)
		if (hiding_names[i][0] == folded[0] &&
		    memcmp(folded, hiding_names[i], sizeof(folded)) == 0)
			return true;
	return false;
}

static bool classes_hide(struct slice classes)
{
	const char *at = classes.data;
	const char *end = at + classes.size;

	while (at < end) {
		const char *begin = at;
		size_t length;

		while (at < end && (unsigned char)*at > ' ')
			at++;
		length = (size_t)(at++ - begin);
		if (length >= MIN_NAME && length <= MAX_NAME &&
		    name_hides(begin, length))
			return true;
	}
	return false;
}

static inline bool name_is(struct slice name, const char *word)
{
	return slice_equal(name, slice_of(word));
}

/*
 * Return how the attributes of an element hide it. `is_hidden` is true if the
 * parser marked the element as hidden by style, but not its parent.
 */
static uint8_t hiding_of(const struct page *page, const struct node *node,
			 bool is_hidden)
{
	const struct attribute *attributes =
		&page->attributes[node->first_attribute];
	uint8_t hiding = is_hidden ? HIDING_STYLE : HIDING_NONE;

	for (uint16_t i = 0; i < node->attribute_count; i++) {
		struct slice name = attributes[i].name;
		struct slice value = attributes[i].value;

		if (is_hidden && name_is(name, "hidden"))
			return name_is(value, "until-found") ? HIDING_NONE
							     : HIDING_ATTRIBUTE;
		if (is_hidden && name_is(name, "aria-hidden") &&
		    name_is(value, "true"))
			hiding = HIDING_ARIA;
		if (hiding == HIDING_NONE && name_is(name, "class") &&
		    classes_hide(value))
			hiding = HIDING_CLASS;
	}
	return hiding;
}

/* Return the scope of element `node`; `around` is the scope of its parent. */
static struct passage_scope scope_of_node(const struct page *page,
					  uint32_t node,
					  const struct passage_scope *around)
{
	const struct node *element = &page->nodes[node];
	struct passage_scope scope = *around;

	scope.is_boundary = is_boundary(page, element->tag);
	if (scope.is_boundary)
		scope.block = node;
	if (element->tag < TAG_COUNT && places[element->tag] != PLACE_PLAIN)
		scope.place = places[element->tag];
	scope.is_link |= element->tag == TAG_a;
	if (around->hiding == HIDING_NONE && element->attribute_count > 0 &&
	    element->first_text < element->end_text) {
		uint32_t parent = element->parent;
		unsigned inherited =
			parent == NO_NODE ? 0 : page->nodes[parent].flags;

		scope.hiding = hiding_of(
			page, element,
			(element->flags & ~inherited & TEXT_IS_HIDDEN) != 0);
	}
	return scope;
}

static struct passage_scope scope_at(const struct passage_maker *maker,
				     uint32_t node)
{
	if (node == NO_NODE)
		return (struct passage_scope){.block = NO_NODE};
	return maker->scopes[node];
}

static void end_passage(struct passage_maker *maker)
{
	if (!maker->is_open)
		return;
	passage_text_end(&maker->reader);
	maker->is_open = false;
	maker->tags = 0;
	maker->markup = 0;
}

/*
 * Handle the start or the end of a boundary element: end the open passage,
 * unless there are too many passages.
 */
static void read_boundary(struct passage_maker *maker)
{
	if (maker->is_open && maker->count > MANY_PASSAGES &&
	    maker->items[maker->count - 1].end_text -
			    maker->items[maker->count - 1].first_text <
		    MANY_TEXTS)
		passage_text_space(&maker->reader);
	else
		end_passage(maker);
}

/* Count an element that is inside the open passage and is not a boundary. */
static void count_inline(struct passage_maker *maker, uint16_t tag)
{
	struct passage *passage = &maker->items[maker->count - 1];

	if (tag == TAG_br) {
		saturating_increment(&passage->breaks);
		passage_text_space(&maker->reader);
		return;
	}
	saturating_increment(&passage->inlines);
	if (tag == TAG_a)
		saturating_increment(&passage->links);
	else if (tag == TAG_b || tag == TAG_strong)
		saturating_increment(&passage->bolds);
	else if (tag == TAG_img)
		saturating_increment(&passage->images);
	else if (tag == TAG_code)
		saturating_increment(&passage->codes);
}

static void passage_open_element(struct passage_maker *maker, uint32_t index)
{
	const struct node *node = &maker->page->nodes[index];
	const struct attribute *attributes =
		&maker->page->attributes[node->first_attribute];
	struct passage_scope around = scope_at(maker, node->parent);
	size_t markup;

	maker->scopes[index] = scope_of_node(maker->page, index, &around);
	if (maker->scopes[index].is_boundary)
		read_boundary(maker);
	else if (maker->is_open)
		count_inline(maker, node->tag);
	if ((node->flags & TEXT_IS_TITLE) == 0 && !maker->is_open) {
		maker->tags++;
		/*
		 * estimate the size of the start tag and the end tag, with
		 * quoted attributes
		 */
		markup = 2 * page_tag_name(maker->page, node->tag).size + 5;
		for (uint16_t i = 0; i < node->attribute_count; i++)
			markup += attributes[i].name.size +
				  attributes[i].value.size + 4;
		maker->markup += (uint32_t)markup;
	}
}

static void begin_passage(struct passage_maker *maker, uint32_t text)
{
	uint32_t node = maker->page->texts[text].node;
	struct passage_scope scope = scope_at(maker, node);
	struct passage_scope block = scope_at(maker, scope.block);
	struct passage *passage = &maker->items[maker->count++];

	assert(maker->count <= max_passages(maker->page));
	*passage = (struct passage){
		.first_text = text,
		.node = scope.block,
		.tags = maker->tags,
		.markup = maker->markup,
		.place = scope.place,
		.hiding = block.hiding,
		.is_heading = scope.block != NO_NODE &&
			      (tag_flags(maker->page->nodes[scope.block].tag) &
			       TAG_IS_HEADING) != 0,
	};
	maker->reader = (struct passage_text){
		.passage = passage,
		.terms = maker->reader.terms,
		.term_count = maker->reader.term_count,
	};
	passage->first_term = maker->reader.term_count;
	maker->is_open = true;
}

static void passage_add_text(struct passage_maker *maker, uint32_t index)
{
	const struct page *page = maker->page;
	const struct text *text = &page->texts[index];

	maker->of_text[index] = NO_PASSAGE;
	if ((text->flags & TEXT_IS_TITLE) != 0)
		return;
	/* if there are too many passages, ignore texts of other places */
	if (maker->count + !maker->is_open > MANY_PASSAGES &&
	    scope_at(maker, text->node).place != PLACE_PLAIN)
		return;
	if (!maker->is_open)
		begin_passage(maker, index);
	else if (separator_in_source(page, index).size > 0)
		passage_text_space(&maker->reader);
	passage_text_add(&maker->reader, page_text(page, index),
			 scope_at(maker, text->node).is_link);
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
}

/* Counts the passages with the same hash. */
struct occurrence {
	uint64_t hash;
	uint32_t count; /* number of these passages in PLACE_PLAIN */
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

static const struct passage_sums *
passage_sum_up(struct arena *arena, const struct passage *items, uint32_t count)
{
	struct passage_sums *sums =
		ARENA_NEW(arena, struct passage_sums, (size_t)count + 1);

	for (uint32_t i = 0; i < count; i++) {
		const struct passage *passage = &items[i];
		struct passage_sums *sum = &sums[i + 1];

		*sum = sums[i];
		sum->tags += passage->tags;
		if (passage->place != PLACE_PLAIN)
			continue;
		sum->words += passage->words;
		sum->link_words += passage->link_words;
		sum->characters += passage->characters;
		sum->link_characters += passage->link_characters;
		sum->passages++;
		sum->sentences += passage->sentences;
		sum->ends += passage->ends_sentence;
		sum->prices += passage->has_price;
		sum->dates += passage->has_date;
		sum->headings += passage->is_heading;
		sum->linked_headings +=
			passage->is_heading &&
			2 * (uint64_t)passage->link_characters >=
				passage->characters;
		if (passage->words >= 15 && passage_link_ratio(passage) < 0.5F)
			sum->long_words += passage->words;
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
		.scopes = ARENA_NEW(scratch, struct passage_scope,
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

bool passages_text_is_double(const struct passages *passages, uint32_t text)
{
	const struct page *page = passages->page;
	uint32_t passage = passages->of_text[text];
	uint32_t node = page->texts[text].node;
	struct slice before;
	struct slice own;

	if (passage == NO_PASSAGE || text == 0 ||
	    passages->of_text[text - 1] != passage)
		return false;
	before = text_trim(page_text(page, text - 1));
	own = text_trim(page_text(page, text));
	if (own.size < before.size ||
	    memcmp(own.data, before.data, before.size) != 0)
		return false;
	for (unsigned i = 0; i < MAX_INLINES && node != NO_NODE &&
			     node != passages->items[passage].node;
	     i++) {
		struct slice classes = page_attribute(page, node, "class");

		if (classes.size > 0 && classes_hide(classes))
			return true;
		node = page->nodes[node].parent;
	}
	return false;
}
