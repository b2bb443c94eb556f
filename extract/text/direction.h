/* extract/text/direction.h - the writing direction of a page. */
#ifndef EXTRACT_TEXT_DIRECTION_H
#define EXTRACT_TEXT_DIRECTION_H

#include "base/slice.h"

struct page;

enum direction { DIRECTION_LTR, DIRECTION_RTL };

/* Return "ltr" or "rtl". */
const char *direction_name(enum direction direction);

/*
 * Return the dir attribute of html or body; without one, the direction of most
 * letters in `text`, of which at most 64 KiB are read. `text` is from the page.
 * Hebrew, Arabic, Syriac, Thaana, N'Ko and related scripts are written from
 * right to left.
 */
enum direction direction_of(const struct page *page, struct slice text);

#endif
