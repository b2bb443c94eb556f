/*
 * extract/auto/auto_claims.h - the claims of a page about itself in its head.
 * `auto` compares passages with their words.
 */
#ifndef EXTRACT_AUTO_AUTO_CLAIMS_H
#define EXTRACT_AUTO_AUTO_CLAIMS_H

#include "extract/auto/page_context.h"

struct page;

/*
 * Return the title, the descriptions of meta and Open Graph, and the first
 * MAX_CLAIMS texts of the JSON-LD: slices of the page or of `arena`. Linear,
 * constant stack.
 */
struct page_hints page_hints_of(struct arena *arena, const struct page *page);

#endif
