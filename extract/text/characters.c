#include "extract/text/characters.h"

#include "base/ascii.h"

/*
 * Return the size in bytes of the entity that begins with the '&' at `bytes`,
 * or 1 if there is none.
 */
static size_t entity_size(const unsigned char *bytes, size_t size)
{
	enum { LONGEST_NAME = 32 };
	size_t i = 1;

	if (i < size && bytes[i] == '#')
		i++;
	while (i < size && i <= LONGEST_NAME && is_alphanumeric(bytes[i]))
		i++;
	return i > 1 && i < size && bytes[i] == ';' ? i + 1 : 1;
}

size_t character_size(const unsigned char *bytes, size_t size)
{
	size_t i = 1;

	if (bytes[0] == '&')
		return entity_size(bytes, size);
	while (i < size && (bytes[i] & 0xc0) == 0x80)
		i++;
	return i;
}
