/* page/text.h - white space in text. Internal to page/. */
#ifndef PAGE_TEXT_H
#define PAGE_TEXT_H

#include <stdbool.h>

#include "base/slice.h"

/*
 * Return whether the text is only white space, so that text_collapse() would
 * make it empty.
 */
bool text_is_blank(struct slice text);

#endif
