/*
 * extract/render/code_language.h - finds the programming language of a code
 * block.
 */
#ifndef EXTRACT_RENDER_CODE_LANGUAGE_H
#define EXTRACT_RENDER_CODE_LANGUAGE_H

#include <stdint.h>

#include "base/slice.h"

struct page;

enum { MAX_CODE_LANGUAGE = 32 };

/*
 * Return the word after language-, lang-, highlight-source- or brush: in the
 * class of the pre `node`, of its first element, or of the two elements around
 * it. Only letters, digits and + # . _ -; empty if there is none.
 */
struct slice code_language(const struct page *page, uint32_t node);

#endif
