/* tests/unit/page/invariant.h - what holds for every page. */
#ifndef TESTS_UNIT_PAGE_INVARIANT_H
#define TESTS_UNIT_PAGE_INVARIANT_H

#include "page/page.h"

/*
 * The first broken invariant of the page, or NULL. Nodes: pre-order, nested, in
 * range, source spans too. Texts: in order, not blank, each in the node that
 * refers to it, and its span is exactly one TOKEN_TEXT of the scanner.
 */
const char *page_problem(const struct page *page);

#endif
