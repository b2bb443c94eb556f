#include "template/extras.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *word;
	enum extra extra;
} words[] = {
	{"comments", EXTRA_COMMENTS},
	{"comments-apart", EXTRA_COMMENTS_APART},
	{"images", EXTRA_IMAGES},
	{"links", EXTRA_LINKS},
	{"front-matter", EXTRA_FRONT_MATTER},
};

enum { WORDS = sizeof(words) / sizeof(words[0]) };

static bool extras_read_word(const char *word, size_t length, uint32_t *extras)
{
	for (size_t i = 0; i < WORDS; i++)
		if (strlen(words[i].word) == length &&
		    memcmp(words[i].word, word, length) == 0) {
			*extras |= words[i].extra;
			return true;
		}
	return false;
}

bool extras_read(const char *list, uint32_t *extras)
{
	for (;;) {
		size_t length = strcspn(list, ",");

		if (!extras_read_word(list, length, extras))
			return false;
		if (list[length] == '\0')
			return true;
		list += length + 1;
	}
}

const char *extra_word(enum extra extra)
{
	for (size_t i = 0; i < WORDS; i++)
		if (words[i].extra == extra)
			return words[i].word;
	return NULL;
}
