/*
 * extract/auto/auto_comments.h - finds readers' comments, also without telling
 * class names. A separate forest scores them by the features of `auto` and by
 * the content scores of the first forest around them.
 */
#ifndef EXTRACT_AUTO_AUTO_COMMENTS_H
#define EXTRACT_AUTO_AUTO_COMMENTS_H

#include <stdbool.h>

struct arena;
struct page;

/*
 * Return [page->text_count], owned by `arena`: true for visible texts of
 * comments, independent of the method's choice of content. Costs as much as
 * `auto`, constant stack.
 */
const bool *auto_comments(struct arena *arena, const struct page *page);

#endif
