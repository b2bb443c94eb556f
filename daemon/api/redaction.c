#include "daemon/api/redaction.h"

#include <string.h>

#include "store/buffer.h"
#include "template/json_value.h"

#define HIDDEN "***"

static json_t *take_json(struct buffer *text)
{
	json_t *value = json_text_or_null(buffer_slice(text));

	buffer_free(text);
	return value;
}

json_t *redacted_headers(struct slice lines)
{
	struct buffer out = {0};
	const char *next = lines.data;
	const char *end = next + lines.size;

	while (next < end) {
		size_t left = (size_t)(end - next);
		const char *line_end = memchr(next, '\n', left);
		size_t size =
			line_end == NULL ? left : (size_t)(line_end - next);
		const char *colon = memchr(next, ':', size);

		buffer_append(&out, next,
			      colon == NULL ? 0 : (size_t)(colon - next));
		buffer_append_text(&out, ": " HIDDEN "\n");
		next += size + (line_end != NULL);
	}
	return take_json(&out);
}

json_t *redacted_url(struct slice url)
{
	struct buffer out = {0};
	const char *text = url.data;
	const char *slashes =
		url.size == 0 ? NULL : memmem(text, url.size, "://", 3);
	const char *mark = NULL;
	const char *at = NULL;
	size_t size = url.size;
	size_t begin = 0;

	if (slashes == NULL)
		return json_text_or_null(url);
	begin = (size_t)(slashes + 3 - text);
	mark = memchr(text, '?', size);
	if (mark != NULL)
		size = (size_t)(mark - text);
	for (size_t i = begin; i < size && strchr("/\\#", text[i]) == NULL; i++)
		if (text[i] == '@')
			at = text + i;
	buffer_append(&out, text, begin);
	if (at != NULL) {
		buffer_append_text(&out, HIDDEN);
		begin = (size_t)(at - text);
	}
	buffer_append(&out, text + begin, size - begin);
	if (mark != NULL)
		buffer_append_text(&out, "?" HIDDEN);
	return take_json(&out);
}
