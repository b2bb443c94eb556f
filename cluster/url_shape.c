#include "cluster/url_shape.h"

#include <stdbool.h>
#include <string.h>

static bool url_shape_is_number(const char *begin, const char *end)
{
	for (const char *at = begin; at < end; at++)
		if (*at < '0' || *at > '9')
			return false;
	return begin < end;
}

static bool is_index(const char *begin, const char *end)
{
	static const char word[] = "index.";
	const size_t length = sizeof(word) - 1;

	return begin == end || ((size_t)(end - begin) >= length &&
				memcmp(begin, word, length) == 0);
}

/* Return the first `byte` in [begin, end), or `end`. */
static const char *url_shape_find_byte(const char *begin, const char *end,
				       char byte)
{
	while (begin < end && *begin != byte)
		begin++;
	return begin;
}

size_t url_shape_of_path(struct slice path, char *out)
{
	const char *at = path.data;
	const char *end = at + path.size;
	const char *query = url_shape_find_byte(at, end, '?');
	const char *slash;
	size_t size = 0;

	if (at < query && *at == '/')
		at++;
	while ((slash = url_shape_find_byte(at, query, '/')) < query) {
		if (size < URL_SHAPE_MAX_DIRECTORIES)
			out[size++] =
				url_shape_is_number(at, slash) ? 'N' : 'W';
		at = slash + 1;
	}
	out[size++] = is_index(at, query) ? 'i' : 'f';
	if (end - query > 1)
		out[size++] = 'q';
	return size;
}
