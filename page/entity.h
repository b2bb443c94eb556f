/* page/entity.h - decodes character references. */
#ifndef PAGE_ENTITY_H
#define PAGE_ENTITY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/*
 * Return the size that `size` bytes may grow to. Only the references "&nLt;"
 * and "&nGt;" grow, from five bytes to six.
 */
static inline size_t entity_room(size_t size)
{
	return size + size / 5;
}

/*
 * Copy `text` to `out` [entity_room(text.size)], decode its character
 * references as the HTML standard does (sections 13.2.5.72 to 13.2.5.80), and
 * return the length. Decode all names of the standard; the numbers 128 to 159
 * as windows-1252; numbers of no character as U+FFFD. A name that needs no ";"
 * is a reference wherever it ends, but in an attribute not before "=", a letter
 * or a digit. Line ends become LF, as in line_ends(). Linear.
 */
size_t entity_decode(struct slice text, bool is_attribute, char *out);

/*
 * Copy `text` to `out` [text.size] with CR LF and CR replaced by LF; return the
 * length.
 */
size_t line_ends(struct slice text, char *out);

#endif
