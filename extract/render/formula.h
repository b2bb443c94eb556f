/*
 * extract/render/formula.h - finds formulas in a page, and writes them as TeX.
 * Tools print a formula two or three times: as MathML, as boxes for the screen,
 * as an image, and in an annotation.
 */
#ifndef EXTRACT_RENDER_FORMULA_H
#define EXTRACT_RENDER_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

struct page;
struct render_request;

/* Return true for a script of MathJax 2 that contains TeX. */
bool formula_is_script(const struct page *page, uint32_t node);

/* Return the TeX in an attribute such as data-math, or {NULL, 0}. */
struct slice formula_attribute(const struct page *page, uint32_t node);

/*
 * Append the TeX of the formula `node` in one line, and return true. It is the
 * first that exists of: an annotation in TeX; an attribute alttext, data-latex,
 * data-math or similar, or alt of an image; a script of MathJax; and the MathML
 * itself, translated. Otherwise append nothing and return false. Linear in the
 * formula.
 */
bool formula_append(const struct page *page, uint32_t node, struct buffer *out);

/*
 * Return true if the formula belongs to the kept text: a text inside is kept,
 * or a text next to it in the same block, or both texts next to it.
 */
bool formula_is_kept(const struct render_request *request, uint32_t node);

#endif
