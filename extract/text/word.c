#include "extract/text/word.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/lower_bound.h"
#include "base/utf8.h"

struct word_range {
	uint32_t first;
	uint32_t last;
	enum word_role role;
};

/* Ascending. Characters outside of these ranges are letters. */
static const struct word_range ranges[] = {
	{0x80, 0x9F, ROLE_MARK},  /* control characters */
	{0xA0, 0xA0, ROLE_SPACE}, /* no-break space */
	{0xA1, 0xA9, ROLE_MARK},  /* Latin 1, except ordinals, */
	{0xAB, 0xB1, ROLE_MARK},  /* small digits and mu */
	{0xB4, 0xB4, ROLE_MARK},
	{0xB6, 0xB8, ROLE_MARK},
	{0xBB, 0xBB, ROLE_MARK},
	{0xBF, 0xBF, ROLE_MARK},
	{0xD7, 0xD7, ROLE_MARK},
	{0xF7, 0xF7, ROLE_MARK},
	{0x0E01, 0x0E30, ROLE_WORD}, /* Thai, between its marks */
	{0x0E31, 0x0E31, ROLE_MARK},
	{0x0E32, 0x0E33, ROLE_WORD},
	{0x0E34, 0x0E3F, ROLE_MARK},
	{0x0E40, 0x0E46, ROLE_WORD},
	{0x0E47, 0x0E4F, ROLE_MARK},
	{0x0E81, 0x0EB0, ROLE_WORD}, /* Lao */
	{0x0EB1, 0x0EBC, ROLE_MARK},
	{0x0EBD, 0x0EC6, ROLE_WORD},
	{0x0EC8, 0x0ECE, ROLE_MARK},
	{0x1000, 0x102A, ROLE_WORD}, /* Burmese */
	{0x102B, 0x103E, ROLE_MARK},
	{0x1780, 0x17B3, ROLE_WORD}, /* Khmer */
	{0x17B4, 0x17DB, ROLE_MARK},
	{0x2000, 0x200B, ROLE_SPACE}, /* spaces by width */
	{0x200C, 0x206F, ROLE_MARK},  /* general punctuation */
	{0x20A0, 0x20CF, ROLE_MARK},  /* currencies */
	{0x2190, 0x2BFF, ROLE_MARK},  /* arrows, boxes, pictures */
	{0x2E80, 0x2FFF, ROLE_WORD},  /* radicals of Han */
	{0x3000, 0x3000, ROLE_SPACE}, /* ideographic space */
	{0x3001, 0x3004, ROLE_MARK},  /* CJK punctuation */
	{0x3005, 0x3007, ROLE_WORD},  /* iteration, zero */
	{0x3008, 0x3040, ROLE_MARK},  /* brackets */
	{0x3041, 0x30FA, ROLE_WORD},  /* kana */
	{0x30FB, 0x30FB, ROLE_MARK},  /* katakana middle dot */
	{0x30FC, 0x312F, ROLE_WORD},  /* kana, bopomofo */
	{0x3400, 0x9FFF, ROLE_WORD},  /* Han */
	{0xE000, 0xF8FF, ROLE_MARK},  /* private use: icons */
	{0xF900, 0xFAFF, ROLE_WORD},  /* Han, for compatibility */
	{0xFE00, 0xFE6F, ROLE_MARK},  /* variants, small punctuation */
	{0xFEFF, 0xFEFF, ROLE_SPACE}, /* like text_collapse() */
	{0xFF01, 0xFF0F, ROLE_MARK},  /* full-width ASCII */
	{0xFF1A, 0xFF20, ROLE_MARK},
	{0xFF3B, 0xFF40, ROLE_MARK},
	{0xFF5B, 0xFF65, ROLE_MARK},
	{0xFF66, 0xFF9D, ROLE_WORD},   /* kana in half width */
	{0xFFE0, 0xFFFD, ROLE_MARK},   /* signs, U+FFFD */
	{0x1F000, 0x1FAFF, ROLE_MARK}, /* emoji */
	{0x20000, 0x3FFFF, ROLE_WORD}, /* Han, the rare ones */
	{0xE0000, 0x10FFFF, ROLE_MARK} /* tags, private use */
};

enum word_role word_role(uint32_t code)
{
	size_t at;

	LOWER_BOUND(at, sizeof(ranges) / sizeof(ranges[0]),
		    ranges[at].last < code);
	if (at == sizeof(ranges) / sizeof(ranges[0]) || code < ranges[at].first)
		return ROLE_LETTER;
	return ranges[at].role;
}

static enum word_role role_of_ascii(unsigned char byte)
{
	if (byte == ' ' || (byte >= '\t' && byte <= '\r'))
		return ROLE_SPACE;
	if ((byte >= '0' && byte <= '9') ||
	    ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z'))
		return ROLE_LETTER;
	return ROLE_MARK;
}

/* Return the role of the character at *at, and advance *at after it. */
static enum word_role next_role(const unsigned char **at,
				const unsigned char *end)
{
	return **at < 0x80 ? role_of_ascii(*(*at)++)
			   : word_role(utf8_next(at, end));
}

bool word_next(struct slice *text, struct slice *word_out)
{
	const unsigned char *at = text->data;
	const unsigned char *end = at == NULL ? NULL : at + text->size;
	const unsigned char *first = NULL;
	const unsigned char *last = at; /* end of its last letter */

	while (at < end) {
		const unsigned char *before = at;
		enum word_role role = next_role(&at, end);

		if (first != NULL &&
		    (role == ROLE_SPACE || role == ROLE_WORD)) {
			at = before;
			break;
		}
		if (role == ROLE_MARK || role == ROLE_SPACE)
			continue;
		if (first == NULL)
			first = before;
		last = at;
		if (role == ROLE_WORD)
			break;
	}
	*text = (struct slice){at, (size_t)(end - at)};
	*word_out = (struct slice){first,
				   first == NULL ? 0 : (size_t)(last - first)};
	return first != NULL;
}

uint32_t word_count(struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at == NULL ? NULL : at + text.size;
	bool is_open = false;
	uint32_t count = 0;

	while (at < end) {
		enum word_role role = next_role(&at, end);

		if (role == ROLE_WORD || (role == ROLE_LETTER && !is_open))
			count++;
		if (role != ROLE_MARK)
			is_open = role == ROLE_LETTER;
	}
	return count;
}
