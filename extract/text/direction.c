#include "extract/text/direction.h"

#include <stdbool.h>
#include <stdint.h>
#include <strings.h>

#include "base/utf8.h"
#include "extract/text/word.h"
#include "page/page.h"

enum { MAX_READ = 1 << 16 };

const char *direction_name(enum direction direction)
{
	return direction == DIRECTION_RTL ? "rtl" : "ltr";
}

/*
 * Return true for blocks of right-to-left scripts (Unicode 15, classes R and
 * AL).
 */
static bool is_to_the_left(uint32_t code)
{
	return (code >= 0x590 && code <= 0x8FF) ||
	       (code >= 0xFB1D && code <= 0xFDFF) ||
	       (code >= 0xFE70 && code <= 0xFEFC) ||
	       (code >= 0x10800 && code <= 0x10FFF) ||
	       (code >= 0x1E800 && code <= 0x1EFFF);
}

static bool is_letter_of_any(uint32_t code)
{
	enum word_role role;

	if (code < 0x80)
		return (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
	role = word_role(code);
	return role == ROLE_LETTER || role == ROLE_WORD;
}

static enum direction direction_of_text(struct slice text)
{
	const unsigned char *at = text.data;
	size_t size = text.size < MAX_READ ? text.size : MAX_READ;
	const unsigned char *end = at == NULL ? NULL : at + size;
	size_t to_left = 0;
	size_t letters = 0;

	while (at < end) {
		uint32_t code = utf8_next(&at, end);

		letters += is_letter_of_any(code);
		to_left += is_to_the_left(code) && is_letter_of_any(code);
	}
	return to_left > letters / 2 ? DIRECTION_RTL : DIRECTION_LTR;
}

static bool is_direction_word(struct slice text, const char *word)
{
	return text.size == 3 && strncasecmp(text.data, word, 3) == 0;
}

enum direction direction_of(const struct page *page, struct slice text)
{
	for (uint32_t i = 0; i < page->node_count; i++) {
		uint16_t tag = page->nodes[i].tag;
		struct slice dir;

		if (tag != TAG_html && tag != TAG_body)
			continue;
		dir = page_attribute(page, i, "dir");
		if (is_direction_word(dir, "rtl"))
			return DIRECTION_RTL;
		if (is_direction_word(dir, "ltr"))
			return DIRECTION_LTR;
		if (tag == TAG_body)
			break;
	}
	return direction_of_text(text);
}
