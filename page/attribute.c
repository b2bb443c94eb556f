#include "page/attribute.h"

bool text_is(struct slice text, const char *word)
{
	const char *bytes = text.data;

	if (strlen(word) != text.size)
		return false;
	for (size_t i = 0; i < text.size; i++)
		if (lower(bytes[i]) != word[i])
			return false;
	return true;
}

bool text_has_word(struct slice text, const char *word)
{
	const char *at = text.data;
	const char *end = at == NULL ? NULL : at + text.size;

	while (at < end) {
		const char *begin = at;

		while (at < end && !is_space(*at) && *at != ',')
			at++;
		if (text_is((struct slice){begin, (size_t)(at - begin)}, word))
			return true;
		if (at < end)
			at++;
	}
	return false;
}

struct slice text_trim(struct slice text)
{
	const char *bytes = text.data;
	size_t begin = 0;
	size_t end = text.size;

	while (begin < end && is_space(bytes[begin]))
		begin++;
	while (end > begin && is_space(bytes[end - 1]))
		end--;
	return (struct slice){text.size == 0 ? bytes : bytes + begin,
			      end - begin};
}

static void skip_space(struct attribute_cursor *cursor)
{
	while (cursor->at < cursor->end && is_space(*cursor->at))
		cursor->at++;
}

static bool cut(struct attribute_cursor *cursor)
{
	cursor->at = cursor->end;
	cursor->is_cut = true;
	return false;
}

static bool read_quoted(struct attribute_cursor *cursor)
{
	const char quote = *cursor->at++;
	const char *close =
		memchr(cursor->at, quote, (size_t)(cursor->end - cursor->at));

	if (close == NULL)
		return cut(cursor);
	cursor->value =
		(struct slice){cursor->at, (size_t)(close - cursor->at)};
	cursor->at = close + 1;
	return true;
}

/* Read a value; the cursor is behind the "=". */
static bool read_value(struct attribute_cursor *cursor)
{
	const char *begin;

	skip_space(cursor);
	if (cursor->at == cursor->end)
		return cut(cursor);
	if (*cursor->at == '"' || *cursor->at == '\'')
		return read_quoted(cursor);
	begin = cursor->at;
	while (cursor->at < cursor->end && !is_space(*cursor->at) &&
	       *cursor->at != '>')
		cursor->at++;
	cursor->value = (struct slice){begin, (size_t)(cursor->at - begin)};
	return true;
}

static bool ends_name(char byte)
{
	return is_space(byte) || byte == '=' || byte == '>' || byte == '/';
}

bool attribute_next(struct attribute_cursor *cursor)
{
	const char *begin;

	cursor->is_empty = false;
	while (cursor->at < cursor->end &&
	       (is_space(*cursor->at) || *cursor->at == '/'))
		cursor->is_empty = *cursor->at++ == '/';
	if (cursor->at == cursor->end)
		return cut(cursor);
	if (*cursor->at == '>')
		return false;

	begin = cursor->at++; /* may be "=": it then begins the name */
	while (cursor->at < cursor->end && !ends_name(*cursor->at))
		cursor->at++;
	cursor->name = (struct slice){begin, (size_t)(cursor->at - begin)};
	cursor->value = (struct slice){"", 0};
	skip_space(cursor);
	if (cursor->at == cursor->end)
		return cut(cursor);
	if (*cursor->at != '=')
		return true;
	cursor->at++;
	return read_value(cursor);
}
