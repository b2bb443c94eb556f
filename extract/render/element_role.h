/*
 * extract/render/element_role.h - recognises what publishing tools mean by
 * their markup: which elements readers should not get as text, and which
 * elements stand for another element of HTML. The rules are about names that
 * many pages have in common, not about single sites.
 */
#ifndef EXTRACT_RENDER_ELEMENT_ROLE_H
#define EXTRACT_RENDER_ELEMENT_ROLE_H

#include <stdbool.h>
#include <stdint.h>

struct page;

enum element_kind {
	ELEMENT_PLAIN,
	ELEMENT_IGNORED, /* line numbers, copy buttons and similar: neither the
			    element nor its content is written */
	/* the outermost element of a formula: extract/render/formula.h */
	ELEMENT_FORMULA,
	ELEMENT_DISPLAY_FORMULA, /* a formula that is a line of its own */
	ELEMENT_SIGNATURE,       /* a dt that is code */
	ELEMENT_CALLOUT,         /* a box beside the text: element_callout() */
};

struct element_role {
	enum element_kind kind;
	uint16_t tag; /* the tag as which the element is written; TAG_rt for
			 text that is written in brackets */
};

/* What is around an element. */
struct role_context {
	uint32_t pre;        /* the pre around the element, or NO_NODE */
	uint32_t pre_code;   /* the code that `pre` contains, or NO_NODE */
	uint32_t numbers;    /* line_numbers_inside() of `pre` */
	uint32_t code_table; /* the outermost table around the element that is
				not written as a table, or NO_NODE */
};

/*
 * Return the role of element `node`. O(1), except for its attributes and, where
 * a name was recognised, its texts.
 */
struct element_role element_role_of(const struct page *page, uint32_t node,
				    struct role_context context);

/*
 * Return the kind of a callout as GitHub's Markdown names it: "NOTE", "TIP",
 * "IMPORTANT", "WARNING" or "CAUTION"; NULL for other elements.
 */
const char *element_callout(const struct page *page, uint32_t node);

/* Return true if the class or the role says that the link leads to a note. */
bool element_is_note_mark(const struct page *page, uint32_t node);

/*
 * Return true for a cite or footer that is the last text of the quote around it
 * and not the only one: the source of the quote.
 */
bool element_is_source(const struct page *page, uint32_t node);

/* Return false for an element that is never written as a table. */
bool element_may_be_table(const struct page *page, uint32_t node);

/*
 * Return the code element that contains the text of pre `node`, or NO_NODE if
 * the pre has text without one.
 */
uint32_t code_inside(const struct page *page, uint32_t node);

/*
 * Return the first of the line numbers in pre `node` whose class is unknown, or
 * NO_NODE. Each line of code begins with an element of the same tag and class,
 * whose only text is a number that is one higher than the previous one. Linear
 * in the pre.
 */
uint32_t line_numbers_inside(const struct page *page, uint32_t node);

#endif
