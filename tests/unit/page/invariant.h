/* tests/unit/page/invariant.h - what holds for every page. */
#ifndef TESTS_UNIT_PAGE_INVARIANT_H
#define TESTS_UNIT_PAGE_INVARIANT_H

#include "page/page.h"

/*
 * The first thing that is wrong with the page, or NULL. Nodes: pre-order,
 * nested, in range, source spans too. Texts: in order, not blank, each of the
 * node that says so, and its span is exactly one TOKEN_TEXT of the scanner.
 */
const char *page_problem(const struct page *page);

#endif
