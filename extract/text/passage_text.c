#include "extract/text/passage_text.h"

#include "base/utf8.h"
#include "extract/text/character_class.h"
#include "extract/text/passage.h"
#include "extract/text/quantity.h"

/*
 * Odd, of random bits: a multiplication spreads a character over the upper
 * half.
 */
#define MULTIPLIER         UINT64_C(0x9E3779B97F4A7C15)
#define SEED               UINT64_C(0xD1B54A32D192ED03)
#define HASHED(hash, code) (((hash) ^ (uint64_t)(code)) * MULTIPLIER)

/* Currency signs that consist of letters: kr, and z and l with stroke. */
#define KRONA HASHED(HASHED(SEED, 'k'), 'r')
#define ZLOTY HASHED(HASHED(SEED, 'z'), 0x142)

enum near {
	NEAR_NOTHING,
	NEAR_NUMBER,
	NEAR_CURRENCY,
};

enum {
	/*
	 * With these values a Chinese sentence is about as long as its English
	 * translation: 3 characters are 2 words, and each counts as 3
	 * characters.
	 */
	HAN_PERIOD = 3,
	HAN_CHARACTERS = 3,
	HANGUL_CHARACTERS = 2,
	THAI_PERIOD = 4, /* letters of a word, without marks */
};

static void saturating_increment(uint16_t *counter)
{
	*counter = (uint16_t)(*counter + (*counter < UINT16_MAX));
}

static bool is_soft_stop(uint8_t class)
{
	return class == CHARACTER_STOP || class == CHARACTER_QUESTION;
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

/* Count a character of `weight`, and the white space before it. */
static void passage_count_characters(struct passage_text *reader,
				     uint32_t weight)
{
	struct passage *passage = reader->passage;

	passage->characters +=
		weight + (reader->is_space_due && passage->characters > 0);
	reader->is_space_due = false;
}

/* Read the number at the start of a term at `at`. */
static void note_number(struct passage_text *reader, const unsigned char *at,
			const unsigned char *end)
{
	reader->passage->has_date |= quantity_is_date(at, end);
	reader->passage->has_price |= reader->near == NEAR_CURRENCY;
}

/*
 * Read ASCII letters and digits from `at` on; return the position after them.
 */
static const unsigned char *passage_read_run(struct passage_text *reader,
					     const unsigned char *at,
					     const unsigned char *end)
{
	const unsigned char *begin = at;
	uint32_t digits = 0;
	uint64_t term;

	if (reader->term == 0 &&
	    character_class_of_byte[*at] == CHARACTER_DIGIT)
		note_number(reader, at, end);
	open_term(reader);
	open_word(reader);
	term = reader->term;
	do {
		term = HASHED(term, *at | 0x20); /* digits have this bit */
		digits += *at <= '9';
		at++;
	} while (at < end && character_class_of_byte[*at] >= CHARACTER_LETTER);
	reader->term = term;
	passage_count_characters(reader, (uint32_t)(at - begin));
	reader->passage->digits += digits;
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

/* Check whether a letter after a number is a unit. */
static void note_unit(struct passage *passage, uint32_t code)
{
	enum unit unit = quantity_unit(code);

	passage->has_date |= unit == UNIT_DATE;
	passage->has_price |= unit == UNIT_MONEY;
}

/*
 * Read a letter that is a term by itself; `period` such letters count as one
 * unit of words.
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

static void read_currency(struct passage_text *reader)
{
	reader->passage->has_price |= reader->near == NEAR_NUMBER;
	reader->near = NEAR_CURRENCY;
}

/* Read a character other than letters, digits and white space. */
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
		read_currency(reader);
		return;
	}
	if (class != CHARACTER_STOP) /* a full stop may follow kr */
		reader->near = NEAR_NOTHING;
	if (class == CHARACTER_CLAUSE || class == CHARACTER_COLON)
		saturating_increment(&passage->clauses);
	else if (class == CHARACTER_FULL_STOP ||
		 class == CHARACTER_FULL_QUESTION)
		end_sentence(reader);
	else if (class == CHARACTER_RIGHTS)
		passage->has_rights = true;
}

void passage_text_space(struct passage_text *reader)
{
	end_term(reader);
	if (is_soft_stop(reader->last))
		end_sentence(reader);
	reader->is_space_due = true;
	reader->is_word_open = false;
	reader->dense = 0;
}

static void passage_read_character(struct passage_text *reader, uint32_t code)
{
	enum character_class class = character_class_of(code);

	if (class >= CHARACTER_LETTER && reader->near == NEAR_NUMBER)
		note_unit(reader->passage, code);
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

void passage_text_begin(struct passage_text *reader, struct passage *passage)
{
	*reader = (struct passage_text){
		.passage = passage,
		.terms = reader->terms,
		.term_count = reader->term_count,
	};
	passage->first_term = reader->term_count;
}

void passage_text_add(struct passage_text *reader, struct slice text,
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

void passage_text_end(struct passage_text *reader)
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
