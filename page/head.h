/* page/head.h - what a page declares about itself. Internal to page/. */
#ifndef PAGE_HEAD_H
#define PAGE_HEAD_H

#include "page/page.h"

/* Fill title, language, description, base and the robots flags. */
void head_read(struct page *page);

/* Fill the links; is_nofollow is set. */
void links_read(struct page *page);

#endif
