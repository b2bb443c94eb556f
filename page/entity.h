/* page/entity.h - character references. Internal to page/. */
#ifndef PAGE_ENTITY_H
#define PAGE_ENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/slice.h"

/*
 * Copy `text` to `out` [text.size] with its character references decoded, and
 * return the length: never more than text.size. Numbers are decoded as the
 * HTML standard does (section 13.2.5.80: windows-1252 for 128 to 159, U+FFFD
 * for what is no character); of its names those of HTML 4 and the common ones
 * of HTML 5. In an attribute, a name without ";" before "=", a letter or a
 * digit is no reference. Linear.
 */
size_t entity_decode(struct slice text, bool is_attribute, char *out);

#endif
