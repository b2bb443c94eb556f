#include "page/page.h"

#include <assert.h>

#include "page/attribute.h"
#include "page/text.h"

/*
 * Return the length of the white space character at `at`, or 0 if there is
 * none.
 */
static size_t space_length(const char *at, const char *end)
{
	assert(at < end);
	if ((unsigned char)*at < 0x80)
		return is_space(*at) ? 1 : 0;
	if (end - at >= 2 && memcmp(at, "\xC2\xA0", 2) == 0)
		return 2;
	if (end - at < 3)
		return 0;
	if (memcmp(at, "\xE2\x80", 2) == 0 && (unsigned char)at[2] <= 0x8B)
		return 3;
	if (memcmp(at, "\xE3\x80\x80", 3) == 0 ||
	    memcmp(at, "\xEF\xBB\xBF", 3) == 0)
		return 3;
	return 0;
}

bool text_is_blank(struct slice text)
{
	const char *at = text.data;
	const char *end = at == NULL ? NULL : at + text.size;

	while (at < end) {
		size_t length = space_length(at, end);

		if (length == 0)
			return false;
		at += length;
	}
	return true;
}

size_t text_collapse(struct slice text, char *out)
{
	const char *at = text.data;
	const char *end = at == NULL ? NULL : at + text.size;
	size_t size = 0;
	bool is_pending = false;

	while (at < end) {
		size_t length = space_length(at, end);

		if (length > 0) {
			is_pending = size > 0;
			at += length;
			continue;
		}
		if (is_pending)
			out[size++] = ' ';
		is_pending = false;
		do {
			out[size++] = *at++;
		} while (at < end && (unsigned char)(*at - '!') < 0x5E);
	}
	assert(size <= text.size);
	return size;
}
