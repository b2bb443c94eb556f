#include "page/robots_word.h"

#include <string.h>
#include <strings.h>

static bool word_byte_is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\v' || byte == '\f';
}

struct slice word_skip(struct slice text, size_t count)
{
	if (count > 0)
		text.data = (const char *)text.data + count;
	text.size -= count;
	return text;
}

size_t word_find(struct slice text, char byte)
{
	const char *found =
		text.size == 0 ? NULL : memchr(text.data, byte, text.size);

	return found == NULL ? text.size
			     : (size_t)(found - (const char *)text.data);
}

size_t word_find_blank(struct slice text)
{
	size_t i = 0;

	while (i < text.size && !word_byte_is_blank(slice_byte(text, i)))
		i++;
	return i;
}

struct slice word_trim(struct slice text)
{
	while (text.size > 0 && word_byte_is_blank(slice_byte(text, 0)))
		text = word_skip(text, 1);
	while (text.size > 0 &&
	       word_byte_is_blank(slice_byte(text, text.size - 1)))
		text.size--;
	return text;
}

bool word_begins_with(struct slice text, const char *word)
{
	size_t size = strlen(word);

	return text.size >= size &&
	       (size == 0 || strncasecmp(text.data, word, size) == 0);
}

bool word_is(struct slice text, const char *word)
{
	return text.size == strlen(word) && word_begins_with(text, word);
}

struct slice word_product(struct slice agent)
{
	size_t size = 0;

	while (size < agent.size) {
		char byte = slice_byte(agent, size);
		char lower = (char)(byte | 0x20);

		if (!(lower >= 'a' && lower <= 'z') && byte != '-' &&
		    byte != '_')
			break;
		size++;
	}
	agent.size = size;
	return agent;
}
