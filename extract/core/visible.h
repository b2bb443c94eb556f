/* extract/core/visible.h - which text nodes of the page a reader sees. */
#ifndef EXTRACT_CORE_VISIBLE_H
#define EXTRACT_CORE_VISIBLE_H

#include <stdbool.h>

struct arena;
struct page;

/*
 * Return [page->text_count], owned by `arena`: false for the title, text hidden
 * by style, text in template, svg or iframe, and the choices and contents of
 * form fields (select, option, datalist, textarea). Every extractor starts from
 * the visible texts; other texts are never content. Linear.
 */
const bool *visible_texts(struct arena *arena, const struct page *page);

/* Return the same, but true for text hidden by style: a script may show it. */
const bool *showable_texts(struct arena *arena, const struct page *page);

#endif
