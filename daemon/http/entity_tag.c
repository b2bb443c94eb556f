#include "daemon/http/entity_tag.h"

#include <string.h>

#include "base/hash.h"

void entity_tag_make(struct slice body, char tag_out[ENTITY_TAG_BYTES])
{
	static const char digits[] = "0123456789abcdef";
	const struct hash128 hash =
		hash128(body.data == NULL ? "" : body.data, body.size);
	char *at = tag_out;

	*at++ = '"';
	for (size_t i = 0; i < sizeof(hash.bytes); i++) {
		*at++ = digits[hash.bytes[i] >> 4];
		*at++ = digits[hash.bytes[i] & 0xf];
	}
	*at++ = '"';
	*at = '\0';
}

/* Only a closing quote ends a tag: it may contain commas. */
bool entity_tag_is_listed(const char *tag, const char *list)
{
	size_t length = strlen(tag);

	if (list == NULL)
		return false;
	list += strspn(list, " \t");
	if (strcmp(list, "*") == 0)
		return true;
	while (*list != '\0') {
		const char *end;

		list += strspn(list, " \t,");
		if (strncmp(list, "W/", 2) == 0)
			list += 2;
		end = *list == '"' ? strchr(list + 1, '"') : NULL;
		if (end == NULL)
			return false;
		if ((size_t)(end + 1 - list) == length &&
		    memcmp(list, tag, length) == 0)
			return true;
		list = end + 1;
	}
	return false;
}
