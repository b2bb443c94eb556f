/* page/entity.h - decodes character references. */
#ifndef PAGE_ENTITY_H
#define PAGE_ENTITY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/*
 * Return the size that `size` bytes may have after decoding. Only the
 * references "&nLt;" and "&nGt;" become longer: from five bytes to six.
 */
static inline size_t entity_room(size_t size)
{
	return size + size / 5;
}

/*
 * Copy `text` to `out` [entity_room(text.size)] with its character references
 * decoded as in the HTML standard (sections 13.2.5.72 to 13.2.5.80); return the
 * length. All names of the standard are known. The numbers 128 to 159 are
 * characters of windows-1252; a number that is no character becomes U+FFFD. A
 * name that is valid without ";" is a reference even if letters follow it. But
 * in an attribute it is none if "=", a letter or a digit follows it. Line ends
 * become LF, as in line_ends(). Linear.
 */
size_t entity_decode(struct slice text, bool is_attribute, char *out);

/*
 * Copy `text` to `out` [text.size] with CR LF and CR replaced by LF; return the
 * length.
 */
size_t line_ends(struct slice text, char *out);

#endif
