/*
 * extract/render/markdown_emphasis.h - decides whether a CommonMark parser
 * recognises emphasis, which depends on the characters on both sides of its
 * marks.
 */
#ifndef EXTRACT_RENDER_MARKDOWN_EMPHASIS_H
#define EXTRACT_RENDER_MARKDOWN_EMPHASIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "extract/render/markdown_escape.h"

struct markdown_line;

/* Return true for b, strong, em, i. */
bool markdown_is_emphasis(uint16_t tag);

/*
 * Return true for sub and sup, which are written as tags: CommonMark has no
 * other mark for them.
 */
bool markdown_is_tag(uint16_t tag);

/*
 * Return the mark of the emphasis that run `at` of a line opens, '*' or '_';
 * '\0' if a parser would not recognise it. `before` is the class of the
 * character written before it; `last_mark` is this character if it is a mark,
 * otherwise '\0'. Strong is always **, and emphasis is _ where possible, so
 * that adjacent marks never merge. Inside words, where a parser ignores _,
 * emphasis around one text is *. Source: CommonMark 0.31, 6.2, "left-flanking
 * delimiter run". O(1).
 */
char markdown_emphasis_mark(const struct markdown_line *line, size_t at,
			    enum markdown_class before, char last_mark);

#endif
