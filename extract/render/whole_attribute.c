#include "extract/render/whole_attribute.h"

#include "base/ascii.h"
#include "extract/text/characters.h"
#include "page/page.h"

uint32_t whole_attribute(const struct page *page, uint32_t node,
			 const char *name, uint32_t otherwise)
{
	struct slice value;
	const char *bytes;
	size_t at = 0;
	uint64_t number = 0;

	if (node == NO_NODE)
		return otherwise;
	value = page_attribute(page, node, name);
	bytes = value.data;
	while (at < value.size && character_is_space((unsigned char)bytes[at]))
		at++;
	if (at < value.size && bytes[at] == '+')
		at++;
	if (at == value.size || !is_digit(bytes[at]))
		return otherwise;
	for (; at < value.size && is_digit(bytes[at]); at++) {
		number = 10 * number + (uint64_t)(bytes[at] - '0');
		if (number > MAX_WHOLE_ATTRIBUTE)
			return otherwise;
	}
	return (uint32_t)number;
}
