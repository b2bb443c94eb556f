/*
 * extract/render/markdown_emphasis.h - whether a CommonMark parser recognises
 * emphasis, which depends on the characters on both sides of its marks.
 */
#ifndef EXTRACT_RENDER_MARKDOWN_EMPHASIS_H
#define EXTRACT_RENDER_MARKDOWN_EMPHASIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "extract/render/markdown_escape.h"

struct markdown_line;

/* b, strong, em, i. */
bool markdown_is_emphasis(uint16_t tag);

/* sub or sup, which are written as tags: CommonMark has no other mark. */
bool markdown_is_tag(uint16_t tag);

/*
 * The mark of the emphasis that run `at` of a line opens, '*' or '_', or '\0'
 * when it would not be read as one. `before` is the class of what is written
 * before it, `last_mark` the mark when that is one. Strong is always **, and
 * emphasis _ where it can be, so that two marks beside each other are never
 * one; inside of words, where _ is none, it is * around one text.
 * Source: CommonMark 0.31, 6.2, "left-flanking delimiter run". O(1).
 */
char markdown_emphasis_mark(const struct markdown_line *line, size_t at,
			    enum markdown_class before, char last_mark);

#endif
