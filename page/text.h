/* page/text.h - white space of text. Internal to page/. */
#ifndef PAGE_TEXT_H
#define PAGE_TEXT_H

#include <stdbool.h>

#include "store/slice.h"

/* Whether the text is only white space: text_collapse() would leave nothing. */
bool text_is_blank(struct slice text);

#endif
