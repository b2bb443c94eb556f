#include "daemon/notify/hook_target.h"

#include <stdio.h>
#include <string.h>

#include "crawl/url.h"

#define COMMAND "exec:"

static bool hook_target_begins_with(struct slice text, const char *beginning)
{
	size_t length = strlen(beginning);

	return text.size >= length && memcmp(text.data, beginning, length) == 0;
}

bool hook_target_is_command(struct slice target)
{
	return hook_target_begins_with(target, COMMAND);
}

bool hook_target_split(struct slice target, struct command_words *words_out)
{
	size_t skip = strlen(COMMAND);
	size_t count = 0;
	char *rest = NULL;
	char *word;

	if (!hook_target_is_command(target) || target.size > MAX_TARGET_BYTES)
		return false;
	memcpy(words_out->text, (const char *)target.data + skip,
	       target.size - skip);
	words_out->text[target.size - skip] = '\0';
	word = strtok_r(words_out->text, " ", &rest);
	for (; word != NULL; word = strtok_r(NULL, " ", &rest)) {
		if (count == MAX_COMMAND_WORDS)
			return false;
		words_out->words[count++] = word;
	}
	words_out->words[count] = NULL;
	return count > 0;
}

static bool has_control(struct slice text)
{
	const unsigned char *bytes = text.data;

	for (size_t i = 0; i < text.size; i++)
		if (bytes[i] < ' ' || bytes[i] == 0x7f)
			return true;
	return false;
}

static bool check_command(struct slice target, char *message, size_t size)
{
	struct command_words words;

	if (hook_target_split(target, &words) && words.words[0][0] == '/')
		return true;
	snprintf(message, size,
		 "a command is exec:/ABSOLUTE/PATH and at most %d words",
		 MAX_COMMAND_WORDS - 1);
	return false;
}

bool hook_target_check(struct slice target, char *message, size_t size)
{
	struct url url;

	if (target.size == 0 || target.size > MAX_TARGET_BYTES ||
	    has_control(target)) {
		snprintf(message, size,
			 "must be a URL, or exec:/COMMAND, of at most %d bytes",
			 MAX_TARGET_BYTES);
		return false;
	}
	if (hook_target_is_command(target))
		return check_command(target, message, size);
	if ((hook_target_begins_with(target, "http://") ||
	     hook_target_begins_with(target, "https://")) &&
	    memchr(target.data, ' ', target.size) == NULL &&
	    url_parse(&url, target, NULL) == ERR_NONE)
		return true;
	snprintf(message, size,
		 "not an http:// or https:// URL, or exec:/COMMAND");
	return false;
}
