#include "extract/auto/shape.h"

#include "extract/core/ln1.h"
#include "extract/core/ratio.h"

enum { MAX_TAGS = 200, MAX_COPIES = 20 };

static float shape_limit(uint32_t count, uint32_t limit)
{
	return (float)(count < limit ? count : limit);
}

static void write_markup(const struct passage *passage, float *row)
{
	row[SHAPE_link_ratio] = passage_link_ratio(passage);
	row[SHAPE_links] = passage->links;
	row[SHAPE_place] = passage->place;
	row[SHAPE_hiding] = passage->hiding;
	row[SHAPE_tags_before] = shape_limit(passage->tags, MAX_TAGS);
	row[SHAPE_markup_before] = ln1((float)passage->markup);
	row[SHAPE_inlines] = passage->inlines;
	row[SHAPE_bolds] = passage->bolds;
	row[SHAPE_images] = passage->images;
	row[SHAPE_codes] = passage->codes;
	row[SHAPE_breaks] = passage->breaks;
}

static void write_text_shape(const struct passage *passage, float *row)
{
	float words = (float)passage->words;
	float sentences = passage->sentences;

	row[SHAPE_words] = ln1((float)passage->words);
	row[SHAPE_characters] = ln1((float)passage->characters);
	row[SHAPE_clauses] = passage->clauses;
	row[SHAPE_sentences] = sentences;
	row[SHAPE_words_per_clause] =
		words / ((float)passage->clauses + sentences + 1);
	row[SHAPE_words_per_sentence] = words / (sentences + 1);
	row[SHAPE_ends_sentence] = passage->ends_sentence;
	row[SHAPE_ends_colon] = passage->ends_colon;
	row[SHAPE_ends_question] = passage->ends_question;
	row[SHAPE_digit_ratio] = ratio(passage->digits, passage->characters);
	row[SHAPE_mark_ratio] =
		ratio(passage->punctuation, passage->characters);
	row[SHAPE_has_price] = passage->has_price;
	row[SHAPE_has_date] = passage->has_date;
	row[SHAPE_has_rights] = passage->has_rights;
}

void shape_row(const struct passage *passage, float *row)
{
	write_markup(passage, row);
	write_text_shape(passage, row);
	row[SHAPE_copies] = shape_limit(passage->repeats, MAX_COPIES);
	row[SHAPE_is_copy] = passage->is_repeat;
}
