/*
 * extract/auto/auto_comments.h - readers' comments, also where no class names
 * them: what a forest of its own holds for comments, by the features of `auto`
 * and by what the first forest holds for content around them.
 */
#ifndef EXTRACT_AUTO_AUTO_COMMENTS_H
#define EXTRACT_AUTO_AUTO_COMMENTS_H

#include <stdbool.h>

struct arena;
struct page;

/*
 * [page->text_count], owned by `arena`: visible texts of comments, whatever a
 * method chooses as content. As dear as `auto`, constant stack.
 */
const bool *auto_comments(struct arena *arena, const struct page *page);

#endif
