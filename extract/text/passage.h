/*
 * extract/text/passage.h - a page as a sequence of passages: the text between
 * one block-level boundary and the next. What `auto` classifies: the best
 * choice of passages comes much nearer to the gold text than the best single
 * subtree (tests/eval/RESULTS.md, "What parameters were chosen by").
 *
 * The begin and the end of a block-level element is a boundary (TAG_IS_BLOCK,
 * button, canvas, datalist, iframe, object, option, select, svg, template,
 * textarea, audio, video, and every element of the page's own whose name has a
 * "-"); br is none, nor is an inline element.
 */
#ifndef EXTRACT_TEXT_PASSAGE_H
#define EXTRACT_TEXT_PASSAGE_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct page;

#define NO_PASSAGE UINT32_MAX

/* The innermost element that may hide a passage from readers by its kind. */
enum passage_place {
	PLACE_PLAIN, /* nowhere special */
	PLACE_NOSCRIPT,
	PLACE_TEMPLATE,
	PLACE_CHOICE, /* select, option, datalist */
	PLACE_TEXTAREA,
	PLACE_SVG,
	PLACE_MEDIA, /* audio, video, canvas, iframe, object: fallback content
		      */
};

/* How a passage is hidden, by its block-level element or one around it: the
   outermost of them. */
enum passage_hiding {
	HIDING_NONE,
	HIDING_ATTRIBUTE, /* hidden, but not until-found */
	HIDING_ARIA,      /* aria-hidden=true */
	HIDING_STYLE,     /* display: none, visibility: hidden */
	HIDING_CLASS,     /* sr-only, d-none, ... */
};

/*
 * Words are those of extract/text/word.h, and characters Unicode's with white
 * space collapsed, but text in scripts without spaces counts as long as it
 * would be in translation: of Han and kana every 3 letters (rounded up, from
 * space to space) are 2 words and every letter 3 characters, of Thai, Lao,
 * Khmer and Burmese every 4 letters are a word; a syllable of Hangul is 2
 * characters.
 *
 * A term is a run of letters and digits ("e-mail" is two), or one letter of a
 * script without spaces: lower-cased and hashed, so that the same words give
 * the same terms whatever stands between them.
 *
 * Elements count where they begin: before the passage's first text, or inside
 * it, behind that. Those of head do not count. Counts stop at the highest
 * number of their type.
 */
struct passage {
	/* Its texts are those of [first_text, end_text) that have not
	   TEXT_IS_TITLE. */
	uint32_t first_text;
	uint32_t end_text;
	uint32_t first_term; /* in passages->terms */
	uint32_t end_term;
	uint32_t node;   /* nearest block-level element; NO_NODE: none */
	uint32_t tags;   /* elements between it and the passage before it */
	uint32_t markup; /* estimated bytes of their tags */
	uint32_t words;
	uint32_t link_words; /* in a, with or without href */
	uint32_t characters;
	uint32_t link_characters;
	uint32_t digits;      /* 0-9 */
	uint32_t punctuation; /* neither letter, digit nor white space */
	uint64_t hash;        /* of its terms in their order; never 0 */
	uint16_t clauses;     /* , ; : and those of other scripts */
	uint16_t sentences;   /* . ! ? ... that end one, of any script */
	uint16_t links;       /* a inside it */
	uint16_t inlines;     /* elements inside it, but br */
	uint16_t bolds;       /* b, strong */
	uint16_t images;      /* img */
	uint16_t breaks;      /* br */
	uint16_t codes;       /* code elements */
	uint16_t repeats;     /* passages of PLACE_PLAIN with its hash */
	uint8_t place;        /* enum passage_place */
	uint8_t hiding;       /* enum passage_hiding */
	bool is_repeat;       /* one before it has the same hash */
	bool ends_sentence;   /* its last character ends a sentence, quotes
				 aside */
	bool ends_colon;
	bool ends_question;
	bool has_price;  /* a number beside a currency sign */
	bool has_date;   /* 1900..2099, 12:30, 31.12., ... no names of months */
	bool has_rights; /* the sign of copyright */
	bool is_heading; /* its element is h1..h6 */
};

/* Prefix sums over the passages of PLACE_PLAIN. */
struct passage_sums {
	uint32_t words;
	uint32_t link_words;
	uint32_t characters;
	uint32_t link_characters;
	uint32_t passages;
	uint32_t sentences;
	uint32_t ends;       /* passages that end a sentence */
	uint32_t prices;     /* passages with a price */
	uint32_t dates;      /* passages with a date */
	uint32_t long_words; /* words of passages of >= 15 words, less than
				half of their characters in links */
	uint32_t headings;
	uint32_t linked_headings; /* half of their characters, or more, in
				     links */
	uint32_t tags;            /* of all passages */
};

struct passages {
	const struct page *page;
	const struct passage *items; /* [count], document order */
	uint32_t count;
	/* [count + 1]: sums[b] - sums[a] is that of passages a..b-1 */
	const struct passage_sums *sums;
	/* [text_count + 1]: passages whose first text stands before it */
	const uint32_t *before_text;
	/* [text_count]: the passage of each text; NO_PASSAGE for the title and
	   what passages_make() leaves out */
	const uint32_t *of_text;
	const uint32_t *terms; /* of all passages, see struct passage */
};

/* Half open. */
struct passage_range {
	uint32_t begin;
	uint32_t end;
};

/*
 * Of a page with more than 32,768 passages those that follow are put together:
 * they end at the first boundary behind 16 texts, and texts in another place
 * than PLACE_PLAIN are in none.
 *
 * Everything belongs to `arena`: 140 bytes a passage, 8 a text and 4 a term;
 * and 100 a passage and 12 an element while it reads. Linear in the page,
 * constant stack. A page without text has no passages.
 */
struct passages passages_make(struct arena *arena, const struct page *page);

/* The passages that begin inside element `node` (NO_NODE: all). O(1). */
struct passage_range passages_inside(const struct passages *passages,
				     uint32_t node);

/* The sums of a range of passages. O(1). */
struct passage_sums passages_sum(const struct passages *passages,
				 struct passage_range range);

/* Share of its characters that are in links, 0..1. */
float passage_link_ratio(const struct passage *passage);

#endif
