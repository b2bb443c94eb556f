/*
 * extract/text/passage.h - a page as a sequence of passages. A passage is the
 * text between one block-level boundary and the next. `auto` classifies
 * passages, because the best choice of passages is much nearer to the gold text
 * than the best single subtree (tests/eval/RESULTS.md, "What parameters were
 * chosen by").
 *
 * The start and the end of a block-level element are boundaries (TAG_IS_BLOCK,
 * button, canvas, datalist, iframe, object, option, select, svg, template,
 * textarea, audio, video, and every custom element, whose name has a "-"); br
 * and inline elements are not.
 */
#ifndef EXTRACT_TEXT_PASSAGE_H
#define EXTRACT_TEXT_PASSAGE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "extract/core/numeric.h"
#include "page/page.h"

struct arena;

#define NO_PASSAGE UINT32_MAX

/* Passages with fewer words, such as labels and numbers, may repeat. */
enum { MIN_REPEATED_WORDS = 5 };

/*
 * Elements of some tags may hide their content from readers. The place of a
 * passage is the innermost such element around it.
 */
enum passage_place {
	PLACE_PLAIN, /* no such element */
	PLACE_NOSCRIPT,
	PLACE_TEMPLATE,
	PLACE_CHOICE, /* select, option, datalist */
	PLACE_TEXTAREA,
	PLACE_SVG,
	PLACE_MEDIA, /* fallback content of audio, video, canvas, iframe, object
		      */
};

/*
 * How a passage is hidden. If several elements hide it (its block-level element
 * and the elements around that), the outermost of them counts.
 */
enum passage_hiding {
	HIDING_NONE,
	HIDING_ATTRIBUTE, /* attribute hidden, except hidden=until-found */
	HIDING_ARIA,      /* aria-hidden=true */
	HIDING_STYLE,     /* display: none, visibility: hidden */
	HIDING_CLASS,     /* a class name such as sr-only or d-none */
};

/*
 * Words are defined by extract/text/word.h; characters are Unicode characters
 * with collapsed white space. Text in scripts without spaces counts by its
 * length in translation: every 3 letters of Han and kana (rounded up, from
 * space to space) are 2 words, and every letter is 3 characters; every 4
 * letters of Thai, Lao, Khmer and Burmese are a word; a syllable of Hangul is 2
 * characters.
 *
 * A term is a run of letters and digits ("e-mail" is two), or one letter of a
 * script without spaces: lower-cased and hashed, so that the same words give
 * the same terms with any separators.
 *
 * An element counts where its start tag is: before the first text of the
 * passage (`tags`, `markup`), or after it and so inside the passage (`links`,
 * `inlines` and so on). Elements of head do not count. Counts stop at the
 * maximum of their type.
 */
struct passage {
	/*
	 * The passage has the texts [first_text, end_text), except texts with
	 * TEXT_IS_TITLE.
	 */
	uint32_t first_text;
	uint32_t end_text;
	uint32_t first_term; /* index in passages->terms */
	uint32_t end_term;
	uint32_t node;   /* nearest block-level element; NO_NODE: none */
	uint32_t tags;   /* elements that start between the previous passage and
			    this one */
	uint32_t markup; /* estimated bytes of the tags of these elements */
	uint32_t words;
	uint32_t link_words; /* words in a elements, with or without href */
	uint32_t characters;
	uint32_t link_characters;
	uint32_t digits;      /* 0-9 */
	uint32_t punctuation; /* other characters except letters, digits and
				 white space */
	uint64_t hash;        /* hash of the terms in their order; never 0 */
	uint16_t clauses;   /* commas, semicolons, colons, and their equivalents
			       in other scripts */
	uint16_t sentences; /* marks that end a sentence, such as . ! ?, in any
			       script */
	uint16_t links;     /* a elements inside it */
	uint16_t inlines;   /* elements inside it, except br */
	uint16_t bolds;     /* b, strong */
	uint16_t images;    /* img */
	uint16_t breaks;    /* br */
	uint16_t codes;     /* code elements */
	uint16_t repeats; /* number of passages of PLACE_PLAIN with this hash */
	uint8_t place;    /* enum passage_place */
	uint8_t hiding;   /* enum passage_hiding */
	bool is_repeat;   /* an earlier passage has the same hash */
	bool ends_sentence; /* its last character, except quotes, ends a
			       sentence */
	bool ends_colon;
	bool ends_question;
	bool has_price;  /* a number next to a currency sign */
	bool has_date;   /* 1900..2099, 12:30, 31.12. and so on, but no names of
			    months */
	bool has_rights; /* the copyright sign */
	bool is_heading; /* its element is h1..h6 */
};

/*
 * Sums over the passages of PLACE_PLAIN. `ends`, `prices` and `dates` are
 * numbers of passages that end a sentence, have a price or have a date.
 * `long_words` are the words of passages of >= 15 words with less than half of
 * their characters in links. `linked_headings` are headings with at least half
 * of their characters in links. `tags` is the sum over all passages, of any
 * place.
 */
/* clang-format off */
#define PASSAGE_SUMS(X) \
	X(words) X(link_words) X(characters) X(link_characters) X(passages) \
	X(sentences) X(ends) X(prices) X(dates) X(long_words) X(headings) \
	X(linked_headings) X(tags)
/* clang-format on */

struct passage_sums {
#define X(name) uint32_t name;
	PASSAGE_SUMS(X)
#undef X
};

struct passages {
	const struct page *page;
	const struct passage *items; /* [count], document order */
	uint32_t count;
	/*
	 * [count + 1]: prefix sums, so that the sums over the passages [a, b)
	 * are sums[b] - sums[a]
	 */
	const struct passage_sums *sums;
	/*
	 * [text_count + 1]: number of passages whose first text is before this
	 * text
	 */
	const uint32_t *before_text;
	/*
	 * [text_count]: the passage of each text; NO_PASSAGE for the title and
	 * for texts that passages_make() leaves out
	 */
	const uint32_t *of_text;
	const uint32_t *terms; /* the terms of all passages, in order */
};

/* A half-open range. */
struct passage_range {
	uint32_t begin;
	uint32_t end;
};

/*
 * Divide a page into passages. After the first 32,768 passages, passages are
 * merged: each ends only at the first boundary after 16 texts, and texts in a
 * place other than PLACE_PLAIN do not belong to a passage.
 *
 * Everything belongs to `arena`: 140 bytes a passage, 8 a text and 4 a term.
 * The call needs 100 more bytes a passage and 12 an element while it runs.
 * Linear in the page, constant stack. A page without text has no passages.
 */
struct passages passages_make(struct arena *arena, const struct page *page);

/*
 * Return the range of the passages that begin inside element `node`, or of all
 * passages for NO_NODE. O(1).
 */
static inline struct passage_range
passages_inside(const struct passages *passages, uint32_t node)
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

/* Return the sums over a range of passages. O(1). */
static inline struct passage_sums passages_sum(const struct passages *passages,
					       struct passage_range range)
{
	const struct passage_sums *begin = &passages->sums[range.begin];
	const struct passage_sums *end = &passages->sums[range.end];

	assert(range.begin <= range.end && range.end <= passages->count);
	return (struct passage_sums){
#define X(name) .name = end->name - begin->name,
		PASSAGE_SUMS(X)
#undef X
	};
}

/*
 * Return true if a text repeats the whole text before it for screen readers: a
 * class name hides an inline element around it, and it begins with that text.
 * "Details<span class=sr-only>Details of the price</span>" is read as two.
 */
bool passages_text_is_double(const struct passages *passages, uint32_t text);

/* Return the ratio of the passage's characters that are in links, 0..1. */
static inline float passage_link_ratio(const struct passage *passage)
{
	return ratio(passage->link_characters, passage->characters);
}

/*
 * The state of reading the texts of passages. Initialise with {.terms = ...}.
 */
struct passage_text {
	struct passage *passage; /* the current passage */
	/*
	 * The terms of all passages. A text has at most one term for every two
	 * bytes, rounded up.
	 */
	uint32_t *terms;
	uint32_t term_count;
	uint64_t term;  /* hash of the open term, or 0 */
	uint32_t dense; /* letters of scripts without spaces since the last
			   space */
	uint8_t last;   /* enum character_class of the last character except
			   spaces and quotes */
	uint8_t near;   /* enum near: part of a price immediately before */
	bool is_word_open;
	bool is_space_due; /* the next character is after white space, which is
			      not counted yet */
	bool is_sentence_open; /* a sentence with letters is open */
	bool follows_number;   /* the open term follows a number */
};

/*
 * Write the terms of a text that is in no passage to terms_out [(text.size + 1)
 * / 2]; return their number. Linear.
 */
uint32_t passage_text_terms(struct slice text, uint32_t *terms_out);

#endif
