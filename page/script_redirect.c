#include "page/script_redirect.h"

#include <stdbool.h>

#include "page/attribute.h"

enum { MAX_SCRIPT = 1024 };

static const struct slice nowhere = {NULL, 0};

static bool script_byte_is_name(char byte)
{
	return is_letter(byte) || (byte >= '0' && byte <= '9') || byte == '_' ||
	       byte == '$';
}

static void script_skip_space(const char **at, const char *end)
{
	while (*at < end && is_space(**at))
		(*at)++;
}

static bool script_skip_word(const char **at, const char *end, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(end - *at) < length || memcmp(*at, word, length) != 0)
		return false;
	*at += length;
	return true;
}

/* Return the string literal at `at`. */
static struct slice read_string(const char *at, const char *end)
{
	const char *close;

	if (at == end || (*at != '"' && *at != '\''))
		return nowhere;
	close = memchr(at + 1, *at, (size_t)(end - at) - 1);
	if (close == NULL)
		return nowhere;
	return (struct slice){at + 1, (size_t)(close - at) - 1};
}

/*
 * Return whether a string that is assigned to `location` is a URL: "Berlin" may
 * be the location of another object, and "#top" and "" do not leave the page.
 */
static bool script_text_is_url(struct slice text)
{
	return text.size > 0 && *(const char *)text.data != '#' &&
	       (memchr(text.data, '/', text.size) != NULL ||
		memchr(text.data, '.', text.size) != NULL ||
		*(const char *)text.data == '?');
}

/*
 * Return the target of an assignment or call; `at` is after the word
 * "location".
 */
static struct slice script_read_target(const char *at, const char *end)
{
	bool is_call = false;

	if (script_skip_word(&at, end, ".replace") ||
	    script_skip_word(&at, end, ".assign"))
		is_call = true;
	else
		(void)script_skip_word(&at, end, ".href");
	script_skip_space(&at, end);
	if (!script_skip_word(&at, end, is_call ? "(" : "="))
		return nowhere;
	script_skip_space(&at, end);
	return read_string(at, end);
}

/* Return whether the script contains `name` as a whole word. */
static bool script_has_name(struct slice script, const char *name)
{
	const char *at = script.data;
	const char *end = at + script.size;
	size_t length = strlen(name);

	for (; (at = memmem(at, (size_t)(end - at), name, length)) != NULL;
	     at += length)
		if ((at == script.data || !script_byte_is_name(at[-1])) &&
		    (at + length == end || !script_byte_is_name(at[length])))
			return true;
	return false;
}

/*
 * Return whether the script contains conditions or waits for events, such as a
 * click.
 */
static bool script_has_condition(struct slice script)
{
	if (script_has_name(script, "if") ||
	    script_has_name(script, "switch") ||
	    script_has_name(script, "confirm"))
		return true;
	return script_has_name(script, "function") &&
	       !script_has_name(script, "setTimeout") &&
	       !script_has_name(script, "onload");
}

struct slice script_redirect(struct slice script)
{
	const char *at = script.data;
	const char *end = at == NULL ? NULL : at + script.size;
	static const char word[] = "location";

	if (script.size > MAX_SCRIPT)
		return nowhere;
	while (at < end && (at = memmem(at, (size_t)(end - at), word,
					sizeof(word) - 1)) != NULL) {
		bool is_whole =
			at == script.data || !script_byte_is_name(at[-1]);
		struct slice target;

		at += sizeof(word) - 1;
		target = is_whole ? script_read_target(at, end) : nowhere;
		if (script_text_is_url(target))
			return script_has_condition(script) ? nowhere : target;
	}
	return nowhere;
}
