/*
 * page/head.h - reads the declarations of a page about itself. Internal to
 * page/.
 */
#ifndef PAGE_HEAD_H
#define PAGE_HEAD_H

#include "page/page.h"

/* Fill in title, language, description, base and the robots flags. */
void head_read(struct page *page);

/* Fill in the links; page->is_nofollow must be set. */
void links_read(struct page *page);

#endif
