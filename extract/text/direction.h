/* extract/text/direction.h - which way a page is written. */
#ifndef EXTRACT_TEXT_DIRECTION_H
#define EXTRACT_TEXT_DIRECTION_H

#include "store/slice.h"

struct page;

enum direction { DIRECTION_LTR, DIRECTION_RTL };

/* "ltr", "rtl" */
const char *direction_name(enum direction direction);

/*
 * What the dir of html or body says; else that of most letters in `text`, from
 * the page, of which at most 64 KiB are read: those of Hebrew, Arabic, Syriac,
 * Thaana, N'Ko and their kin go to the left.
 */
enum direction direction_of(const struct page *page, struct slice text);

#endif
