/* extract/text/characters.h - the characters of HTML text as it is written. */
#ifndef EXTRACT_TEXT_CHARACTERS_H
#define EXTRACT_TEXT_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>

/* White space of HTML: space, tab, LF, FF, CR. */
static inline bool character_is_space(unsigned char byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r' && byte != '\v');
}

/*
 * The bytes, of `size` >= 1, of the character that begins there: one of UTF-8,
 * or an entity with its semicolon ("&amp;"). Without it, the entity is read as
 * it is written.
 */
size_t character_size(const unsigned char *bytes, size_t size);

#endif
