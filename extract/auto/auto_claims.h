/*
 * extract/auto/auto_claims.h - what a page claims about itself in its head, for
 * `auto`, which looks for passages with the same words.
 */
#ifndef EXTRACT_AUTO_AUTO_CLAIMS_H
#define EXTRACT_AUTO_AUTO_CLAIMS_H

#include "extract/auto/page_context.h"

struct page;

/*
 * The title, the descriptions of meta and Open Graph, and the first MAX_CLAIMS
 * texts of the JSON-LD: slices of the page or of `arena`. Linear, constant
 * stack.
 */
struct page_claims claims_of_page(struct arena *arena, const struct page *page);

#endif
