#include "extract/render/code_language.h"

#include <string.h>

#include "extract/text/characters.h"
#include "page/page.h"

/* Return true for a word such as "none", which is not a language. */
static bool is_no_language(struct slice word)
{
	static const char *const names[] = {"none", "plaintext", "text",
					    "nohighlight", "auto"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (slice_equal(word, slice_of(names[i])))
			return true;
	return false;
}

static bool is_part(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') ||
	       (byte != '\0' && strchr("+#._-", byte) != NULL);
}

static bool is_code_language(struct slice word)
{
	const char *bytes = word.data;

	if (word.size == 0 || word.size > MAX_CODE_LANGUAGE)
		return false;
	for (size_t i = 0; i < word.size; i++)
		if (!is_part(bytes[i]))
			return false;
	return !is_no_language(word);
}

static struct slice language_of_word(const char *word, size_t size)
{
	static const char *const prefixes[] = {"language-", "lang-",
					       "highlight-source-", "brush:"};

	for (unsigned i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t length = strlen(prefixes[i]);
		struct slice rest = {word + length, size - length};

		if (size > length && memcmp(word, prefixes[i], length) == 0 &&
		    is_code_language(rest))
			return rest;
	}
	return (struct slice){"", 0};
}

static struct slice language_of_node(const struct page *page, uint32_t node)
{
	struct slice classes = page_attribute(page, node, "class");
	const char *bytes = classes.data;
	struct slice language = {"", 0};
	size_t at = 0;

	while (at < classes.size && language.size == 0) {
		size_t begin = at;

		while (at < classes.size &&
		       !character_is_space((unsigned char)bytes[at]))
			at++;
		language = language_of_word(bytes + begin, at - begin);
		at++;
	}
	return language;
}

struct slice code_language(const struct page *page, uint32_t node)
{
	struct slice language = {"", 0};

	if (node == NO_NODE)
		return language;
	language = language_of_node(page, node);
	if (language.size == 0 && page->nodes[node].end > node + 1)
		language = language_of_node(page, node + 1);
	for (unsigned i = 0; i < 2 && language.size == 0; i++) {
		node = page->nodes[node].parent;
		if (node == NO_NODE)
			break;
		language = language_of_node(page, node);
	}
	return language;
}
