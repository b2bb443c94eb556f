/* extract/auto/shape.h - features of a passage from its own text. */
#ifndef EXTRACT_AUTO_SHAPE_H
#define EXTRACT_AUTO_SHAPE_H

#include "extract/text/passage.h"

/* name, definition; ln1(x) is ln(1 + x). struct passage defines the counts. */
/* clang-format off */
#define SHAPE_FEATURES(X) \
	X(words, "ln1(words)") \
	X(characters, "ln1(characters)") \
	X(link_ratio, "link characters / characters") \
	X(links, "links that begin inside it") \
	X(place, "0 plain, 1 noscript, 2 template, 3 choice, 4 textarea, " \
		 "5 svg, 6 media") \
	X(hiding, "0 no, 1 hidden, 2 aria-hidden, 3 style, 4 class") \
	X(tags_before, "elements that begin before it, at most 200") \
	X(markup_before, "ln1(bytes of their tags)") \
	X(inlines, "elements that begin inside it, except br") \
	X(bolds, "b and strong of them") \
	X(images, "img of them") \
	X(codes, "code of them") \
	X(breaks, "br inside it") \
	X(clauses, "marks between clauses") \
	X(sentences, "marks that end sentences") \
	X(words_per_clause, "words / (clauses + sentences + 1)") \
	X(words_per_sentence, "words / (sentences + 1)") \
	X(ends_sentence, "1: its last mark ends a sentence") \
	X(ends_colon, "1: its last mark is a colon") \
	X(ends_question, "1: its last mark is a question mark") \
	X(digit_ratio, "digits / characters") \
	X(mark_ratio, "punctuation / characters") \
	X(has_price, "1: a number is next to a currency sign") \
	X(has_date, "1: a number looks like a year, a time or a date") \
	X(has_rights, "1: it has the copyright sign") \
	X(copies, "passages with its words, at most 20") \
	X(is_copy, "1: a passage before it has its words")
/* clang-format on */

enum {
#define X(name, definition) SHAPE_##name,
	SHAPE_FEATURES(X)
#undef X
		SHAPE_COUNT
};

/* Write the row [SHAPE_COUNT] of a passage. */
void shape_row(const struct passage *passage, float *row);

#endif
