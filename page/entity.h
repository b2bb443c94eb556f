/* page/entity.h - character references. */
#ifndef PAGE_ENTITY_H
#define PAGE_ENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/slice.h"

/*
 * Room for what `size` bytes may become: of all references "&nLt;" and "&nGt;"
 * alone grow, from five bytes to six.
 */
static inline size_t entity_room(size_t size)
{
	return size + size / 5;
}

/*
 * Copy `text` to `out` [entity_room(text.size)] with its character references
 * decoded, and return the length, as the HTML standard does (sections 13.2.5.72
 * to 13.2.5.80): all of its names; windows-1252 for the numbers 128 to 159,
 * U+FFFD for those that are no character. A name without ";" that may be so is
 * one wherever it ends; in an attribute it is none before "=", a letter or a
 * digit. Line ends become LF, as in line_ends(). Linear.
 */
size_t entity_decode(struct slice text, bool is_attribute, char *out);

/* Copy `text` to `out` [text.size] with CR LF and CR made LF; returns the
 * length. */
size_t line_ends(struct slice text, char *out);

#endif
