#include "extract/text/characters.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "extract/text/word.h"

#define M CHARACTER_MARK
#define S CHARACTER_SPACE
#define C CHARACTER_CLAUSE
#define O CHARACTER_COLON
#define P CHARACTER_STOP
#define Q CHARACTER_QUESTION
#define T CHARACTER_QUOTE
#define U CHARACTER_CURRENCY
#define L CHARACTER_LETTER
#define D CHARACTER_DIGIT

/* clang-format off */
const uint8_t character_class_of_byte[256] = {
	M, M, M, M, M, M, M, M,  M, S, S, S, S, S, M, M, /* 0x00 */
	M, M, M, M, M, M, M, M,  M, M, M, M, M, M, M, M, /* 0x10 */
	S, P, T, M, U, M, M, T,  M, T, M, M, C, M, P, M, /* !"#$%&'()*+,-./ */
	D, D, D, D, D, D, D, D,  D, D, O, C, M, M, M, Q, /* 0-9 :;<=>? */
	M, L, L, L, L, L, L, L,  L, L, L, L, L, L, L, L, /* @A-O */
	L, L, L, L, L, L, L, L,  L, L, L, M, M, T, M, M, /* P-Z [\]^_ */
	M, L, L, L, L, L, L, L,  L, L, L, L, L, L, L, L, /* `a-o */
	L, L, L, L, L, L, L, L,  L, L, L, M, M, M, M, M, /* p-z {|}~ */
};
/* clang-format on */

#undef M
#undef S
#undef C
#undef O
#undef P
#undef Q
#undef T
#undef U
#undef L
#undef D

struct character_range {
	uint32_t first;
	uint32_t last;
	enum character_class class;
};

/*
 * Ranges of characters in ascending order. The ranges of letters are only for
 * speed: for characters outside of all ranges, word_role() decides whether they
 * are letters.
 */
static const struct character_range ranges[] = {
	{0x00A2, 0x00A5, CHARACTER_CURRENCY},
	{0x00A9, 0x00A9, CHARACTER_RIGHTS},
	{0x00AB, 0x00AB, CHARACTER_QUOTE},
	{0x00AD, 0x00AD, CHARACTER_JOINT}, /* soft hyphen */
	{0x00BB, 0x00BB, CHARACTER_QUOTE},
	{0x00C0, 0x00D6, CHARACTER_LETTER}, /* Latin */
	{0x00D8, 0x00F6, CHARACTER_LETTER},
	{0x00F8, 0x02AF, CHARACTER_LETTER},
	{0x037E, 0x037E, CHARACTER_QUESTION}, /* Greek */
	{0x0387, 0x0387, CHARACTER_CLAUSE},
	{0x0388, 0x0556, CHARACTER_LETTER}, /* Greek, Cyrillic, Armenian */
	{0x0589, 0x0589, CHARACTER_FULL_STOP},
	{0x05D0, 0x05EA, CHARACTER_LETTER}, /* Hebrew */
	{0x060C, 0x060C, CHARACTER_CLAUSE}, /* Arabic */
	{0x061B, 0x061B, CHARACTER_CLAUSE},
	{0x061F, 0x061F, CHARACTER_FULL_QUESTION},
	{0x0620, 0x066A, CHARACTER_LETTER},
	{0x066E, 0x06D3, CHARACTER_LETTER},
	{0x06D4, 0x06D4, CHARACTER_FULL_STOP},
	{0x0900, 0x0963, CHARACTER_LETTER}, /* Devanagari */
	{0x0964, 0x0965, CHARACTER_FULL_STOP},
	{0x0E31, 0x0E31, CHARACTER_JOINT}, /* Thai */
	{0x0E34, 0x0E3A, CHARACTER_JOINT},
	{0x0E3F, 0x0E3F, CHARACTER_CURRENCY},
	{0x0E47, 0x0E4E, CHARACTER_JOINT},
	{0x0EB1, 0x0EBC, CHARACTER_JOINT}, /* Lao */
	{0x0EC8, 0x0ECE, CHARACTER_JOINT},
	{0x102B, 0x103E, CHARACTER_JOINT}, /* Burmese */
	{0x104A, 0x104A, CHARACTER_CLAUSE},
	{0x104B, 0x104B, CHARACTER_FULL_STOP},
	{0x1362, 0x1362, CHARACTER_FULL_STOP}, /* Ethiopic */
	{0x1363, 0x1366, CHARACTER_CLAUSE},
	{0x1367, 0x1367, CHARACTER_FULL_QUESTION},
	{0x17B4, 0x17D3, CHARACTER_JOINT}, /* Khmer */
	{0x17D4, 0x17D5, CHARACTER_FULL_STOP},
	{0x17DB, 0x17DB, CHARACTER_CURRENCY},
	{0x200C, 0x200F, CHARACTER_JOINT}, /* zero width */
	{0x2018, 0x201F, CHARACTER_QUOTE},
	{0x2026, 0x2026, CHARACTER_STOP}, /* three dots */
	{0x2039, 0x203A, CHARACTER_QUOTE},
	{0x203C, 0x203C, CHARACTER_STOP},
	{0x2047, 0x2048, CHARACTER_QUESTION},
	{0x2049, 0x2049, CHARACTER_STOP},
	{0x2060, 0x2060, CHARACTER_JOINT},
	{0x20A0, 0x20CF, CHARACTER_CURRENCY},
	{0x3001, 0x3001, CHARACTER_CLAUSE}, /* Chinese, Japanese */
	{0x3002, 0x3002, CHARACTER_FULL_STOP},
	{0x3008, 0x3011, CHARACTER_QUOTE},
	{0x3041, 0x30FA, CHARACTER_HAN},
	{0x4E00, 0x9FFF, CHARACTER_HAN},
	{0xAC00, 0xD7A3, CHARACTER_HANGUL},
	{0xFE00, 0xFE0F, CHARACTER_JOINT},     /* variants */
	{0xFF01, 0xFF01, CHARACTER_FULL_STOP}, /* full width */
	{0xFF04, 0xFF04, CHARACTER_CURRENCY},
	{0xFF08, 0xFF09, CHARACTER_QUOTE},
	{0xFF0C, 0xFF0C, CHARACTER_CLAUSE},
	{0xFF0E, 0xFF0E, CHARACTER_FULL_STOP},
	{0xFF1A, 0xFF1A, CHARACTER_COLON},
	{0xFF1B, 0xFF1B, CHARACTER_CLAUSE},
	{0xFF1F, 0xFF1F, CHARACTER_FULL_QUESTION},
	{0xFF61, 0xFF61, CHARACTER_FULL_STOP}, /* half width */
	{0xFF62, 0xFF63, CHARACTER_QUOTE},
	{0xFF64, 0xFF64, CHARACTER_CLAUSE},
	{0xFFE0, 0xFFE1, CHARACTER_CURRENCY},
	{0xFFE5, 0xFFE6, CHARACTER_CURRENCY},
};

enum { FIRST_HAN = 0x2E80 };

static enum character_class character_class_by_role(uint32_t code)
{
	switch (word_role(code)) {
	case ROLE_SPACE:
		return CHARACTER_SPACE;
	case ROLE_LETTER:
		return CHARACTER_LETTER;
	case ROLE_WORD:
		return code < FIRST_HAN ? CHARACTER_THAI : CHARACTER_HAN;
	case ROLE_MARK:
		break;
	}
	return CHARACTER_MARK;
}

enum character_class character_class_of(uint32_t code)
{
	size_t at;

	/*
	 * check the ranges of the most frequent characters outside of ASCII
	 * first, without a search
	 */
	if ((code >= 0x0388 && code <= 0x0556) ||
	    (code >= 0x00F8 && code <= 0x02AF))
		return CHARACTER_LETTER;
	if (code >= 0x4E00 && code <= 0x9FFF)
		return CHARACTER_HAN;
	LOWER_BOUND(at, sizeof(ranges) / sizeof(ranges[0]),
		    ranges[at].last < code);
	if (at < sizeof(ranges) / sizeof(ranges[0]) && code >= ranges[at].first)
		return ranges[at].class;
	return character_class_by_role(code);
}

struct capitals {
	uint16_t first;
	uint16_t last;
	uint16_t lower; /* lower case of `first`. 0: the range consists of
			   pairs, and the second character of a pair is the
			   lower case of the first */
};

/* The ranges that have capitals, in ascending order. */
static const struct capitals capitals[] = {
	{0x00C0, 0x00D6, 0x00E0}, /* Latin */
	{0x00D8, 0x00DE, 0x00F8}, {0x0100, 0x0137, 0},
	{0x0139, 0x0148, 0},      {0x014A, 0x0177, 0},
	{0x0178, 0x0178, 0x00FF}, {0x0179, 0x017E, 0},
	{0x0386, 0x0386, 0x03AC}, /* Greek */
	{0x0388, 0x038A, 0x03AD}, {0x038C, 0x038C, 0x03CC},
	{0x038E, 0x038F, 0x03CD}, {0x0391, 0x03AB, 0x03B1},
	{0x03C2, 0x03C2, 0x03C3}, {0x0400, 0x040F, 0x0450}, /* Cyrillic */
	{0x0410, 0x042F, 0x0430}, {0x0460, 0x0481, 0},
	{0x048A, 0x04BF, 0},      {0x04C1, 0x04CE, 0},
	{0x04D0, 0x052F, 0},      {0x0531, 0x0556, 0x0561}, /* Armenian */
};

uint32_t character_lower(uint32_t code)
{
	const size_t count = sizeof(capitals) / sizeof(capitals[0]);
	const struct capitals *range;
	size_t at;

	/*
	 * small letters: of Latin-1, of Greek without the final sigma, and of
	 * Cyrillic; these tests save a search
	 */
	if (code > capitals[count - 1].last ||
	    (code >= 0x0430 && code <= 0x045F) ||
	    (code >= 0x03C3 && code <= 0x03CE) ||
	    (code >= 0x03AC && code <= 0x03C1) ||
	    (code >= 0x00DF && code <= 0x00FF))
		return code;
	LOWER_BOUND(at, count, capitals[at].last < code);
	range = &capitals[at];
	if (code < range->first)
		return code;
	if (range->lower != 0)
		return range->lower + (code - range->first);
	return (code - range->first) % 2 == 0 ? code + 1 : code;
}

/*
 * Return the size in bytes of the entity that begins with the '&' at `bytes`,
 * or 1 if the '&' begins no entity.
 */
static size_t entity_size(const unsigned char *bytes, size_t size)
{
	enum { LONGEST_NAME = 32 };
	size_t i = 1;

	if (i < size && bytes[i] == '#')
		i++;
	while (i < size && i <= LONGEST_NAME && is_alphanumeric(bytes[i]))
		i++;
	return i > 1 && i < size && bytes[i] == ';' ? i + 1 : 1;
}

size_t character_size(const unsigned char *bytes, size_t size)
{
	size_t i = 1;

	if (bytes[0] == '&')
		return entity_size(bytes, size);
	while (i < size && utf8_continues(bytes[i]))
		i++;
	return i;
}
