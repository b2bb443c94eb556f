#include "page/robots_tag.h"

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

/*
 * Return whether `name`, which is before a colon, is a rule with a value.
 * Otherwise it may be the name of an agent.
 */
static bool has_value(struct slice name)
{
	return word_is(name, "unavailable_after") ||
	       word_begins_with(name, "max-");
}

/*
 * Return whether `name` is the name of an agent: a single word that does not
 * begin like a date or time. ("25 Jun 2010 15" and "00" are parts of an
 * unavailable_after.)
 */
static bool robots_tag_is_agent(struct slice name)
{
	return word_find_blank(name) == name.size &&
	       (name.size == 0 || word_is(name, "*") ||
		word_product(name).size > 0);
}

static unsigned robots_tag_flags_of(struct slice word)
{
	if (word_is(word, "none"))
		return ROBOTS_TAG_NOFOLLOW | ROBOTS_TAG_NOINDEX;
	if (word_is(word, "nofollow"))
		return ROBOTS_TAG_NOFOLLOW;
	if (word_is(word, "noindex"))
		return ROBOTS_TAG_NOINDEX;
	return 0;
}

/*
 * Return the flags of the rules between two commas. Some pages separate rules
 * with a space or ';' instead.
 */
static unsigned flags_of_words(struct slice words)
{
	unsigned flags = 0;

	while (words.size > 0) {
		struct slice word = words;
		size_t semicolon = word_find(words, ';');

		word.size = word_find_blank(words);
		if (word.size > semicolon)
			word.size = semicolon;
		flags |= robots_tag_flags_of(word);
		words = word_skip(words, word.size < words.size ? word.size + 1
								: word.size);
	}
	return flags;
}

/*
 * Skip the names of agents before a rule, and set *is_ours if the last one is
 * our agent. It applies until the next agent. Return false if the rule has a
 * value.
 */
static bool skip_agents(struct slice *item, const char *agent, bool *is_ours)
{
	size_t colon = word_find(*item, ':');

	while (colon < item->size) {
		struct slice name =
			word_trim((struct slice){item->data, colon});

		if (has_value(name) || !robots_tag_is_agent(name))
			return false;
		*is_ours = name.size == 0 || word_is(name, "*") ||
			   word_is(name, "robots") ||
			   word_is(word_product(name), agent);
		*item = word_skip(*item, colon + 1);
		colon = word_find(*item, ':');
	}
	return true;
}

unsigned robots_tag_parse(struct slice value, const char *agent)
{
	unsigned flags = 0;
	bool is_ours = true;

	while (value.size > 0) {
		struct slice item = {value.data, word_find(value, ',')};

		value = word_skip(value, item.size < value.size ? item.size + 1
								: item.size);
		if (skip_agents(&item, agent, &is_ours) && is_ours)
			flags |= flags_of_words(item);
	}
	return flags;
}
