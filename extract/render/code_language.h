/* extract/render/code_language.h - the language that a block of code is written
 * in. */
#ifndef EXTRACT_RENDER_CODE_LANGUAGE_H
#define EXTRACT_RENDER_CODE_LANGUAGE_H

#include <stdint.h>

#include "store/slice.h"

struct page;

enum { MAX_CODE_LANGUAGE = 32 };

/*
 * The word behind language-, lang-, highlight-source- or brush: in the class of
 * the pre `node`, of the element that it begins with, or of the two around it:
 * letters, digits and + # . _ - alone; empty when there is none.
 */
struct slice code_language(const struct page *page, uint32_t node);

#endif
