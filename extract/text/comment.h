/* extract/text/comment.h - readers' comments below the content of a page. */
#ifndef EXTRACT_TEXT_COMMENT_H
#define EXTRACT_TEXT_COMMENT_H

#include <stdbool.h>

struct arena;
struct page;

/*
 * [page->text_count], owned by `arena`: visible text in an element whose class
 * or id names it comments (GROUP_COMMENT), or whose itemtype or itemprop does;
 * not its forms. Linear, constant stack.
 */
const bool *comment_texts(struct arena *arena, const struct page *page);

#endif
