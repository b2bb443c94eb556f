/* extract/text/characters.h - the characters of HTML source text. */
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
 * Return the number of bytes, of `size` >= 1, of the first character: a UTF-8
 * character, or an entity with its semicolon ("&amp;"). An entity without its
 * semicolon counts as single characters.
 */
size_t character_size(const unsigned char *bytes, size_t size);

#endif
