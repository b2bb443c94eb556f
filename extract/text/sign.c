#include "extract/text/sign.h"

#include <stddef.h>

#include "extract/text/word.h"

#define M SIGN_MARK
#define S SIGN_SPACE
#define C SIGN_CLAUSE
#define O SIGN_COLON
#define P SIGN_STOP
#define Q SIGN_QUESTION
#define T SIGN_QUOTE
#define U SIGN_CURRENCY
#define L SIGN_LETTER
#define D SIGN_DIGIT

/* clang-format off */
const uint8_t sign_of_byte[256] = {
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

struct range {
	uint32_t first;
	uint32_t last;
	enum sign sign;
};

/*
 * Ascending. The ranges of letters are there for speed; what lies between them
 * is what extract/text/word.h says.
 */
static const struct range ranges[] = {
	{0x00A2, 0x00A5, SIGN_CURRENCY},
	{0x00A9, 0x00A9, SIGN_RIGHTS},
	{0x00AB, 0x00AB, SIGN_QUOTE},
	{0x00AD, 0x00AD, SIGN_JOINT}, /* soft hyphen */
	{0x00BB, 0x00BB, SIGN_QUOTE},
	{0x00C0, 0x00D6, SIGN_LETTER}, /* Latin */
	{0x00D8, 0x00F6, SIGN_LETTER},
	{0x00F8, 0x02AF, SIGN_LETTER},
	{0x037E, 0x037E, SIGN_QUESTION}, /* Greek */
	{0x0387, 0x0387, SIGN_CLAUSE},
	{0x0388, 0x0556, SIGN_LETTER}, /* Greek, Cyrillic, Armenian */
	{0x0589, 0x0589, SIGN_FULL_STOP},
	{0x05D0, 0x05EA, SIGN_LETTER}, /* Hebrew */
	{0x060C, 0x060C, SIGN_CLAUSE}, /* Arabic */
	{0x061B, 0x061B, SIGN_CLAUSE},
	{0x061F, 0x061F, SIGN_FULL_QUESTION},
	{0x0620, 0x066A, SIGN_LETTER},
	{0x066E, 0x06D3, SIGN_LETTER},
	{0x06D4, 0x06D4, SIGN_FULL_STOP},
	{0x0900, 0x0963, SIGN_LETTER}, /* Devanagari */
	{0x0964, 0x0965, SIGN_FULL_STOP},
	{0x0E31, 0x0E31, SIGN_JOINT}, /* Thai */
	{0x0E34, 0x0E3A, SIGN_JOINT},
	{0x0E3F, 0x0E3F, SIGN_CURRENCY},
	{0x0E47, 0x0E4E, SIGN_JOINT},
	{0x0EB1, 0x0EBC, SIGN_JOINT}, /* Lao */
	{0x0EC8, 0x0ECE, SIGN_JOINT},
	{0x102B, 0x103E, SIGN_JOINT}, /* Burmese */
	{0x104A, 0x104A, SIGN_CLAUSE},
	{0x104B, 0x104B, SIGN_FULL_STOP},
	{0x1362, 0x1362, SIGN_FULL_STOP}, /* Ethiopic */
	{0x1363, 0x1366, SIGN_CLAUSE},
	{0x1367, 0x1367, SIGN_FULL_QUESTION},
	{0x17B4, 0x17D3, SIGN_JOINT}, /* Khmer */
	{0x17D4, 0x17D5, SIGN_FULL_STOP},
	{0x17DB, 0x17DB, SIGN_CURRENCY},
	{0x200C, 0x200F, SIGN_JOINT}, /* of no width */
	{0x2018, 0x201F, SIGN_QUOTE},
	{0x2026, 0x2026, SIGN_STOP}, /* three dots */
	{0x2039, 0x203A, SIGN_QUOTE},
	{0x203C, 0x203C, SIGN_STOP},
	{0x2047, 0x2048, SIGN_QUESTION},
	{0x2049, 0x2049, SIGN_STOP},
	{0x2060, 0x2060, SIGN_JOINT},
	{0x20A0, 0x20CF, SIGN_CURRENCY},
	{0x3001, 0x3001, SIGN_CLAUSE}, /* Chinese, Japanese */
	{0x3002, 0x3002, SIGN_FULL_STOP},
	{0x3008, 0x3011, SIGN_QUOTE},
	{0x3041, 0x30FA, SIGN_HAN},
	{0x4E00, 0x9FFF, SIGN_HAN},
	{0xAC00, 0xD7A3, SIGN_HANGUL},
	{0xFE00, 0xFE0F, SIGN_JOINT},     /* variants */
	{0xFF01, 0xFF01, SIGN_FULL_STOP}, /* full width */
	{0xFF04, 0xFF04, SIGN_CURRENCY},
	{0xFF08, 0xFF09, SIGN_QUOTE},
	{0xFF0C, 0xFF0C, SIGN_CLAUSE},
	{0xFF0E, 0xFF0E, SIGN_FULL_STOP},
	{0xFF1A, 0xFF1A, SIGN_COLON},
	{0xFF1B, 0xFF1B, SIGN_CLAUSE},
	{0xFF1F, 0xFF1F, SIGN_FULL_QUESTION},
	{0xFF61, 0xFF61, SIGN_FULL_STOP}, /* half width */
	{0xFF62, 0xFF63, SIGN_QUOTE},
	{0xFF64, 0xFF64, SIGN_CLAUSE},
	{0xFFE0, 0xFFE1, SIGN_CURRENCY},
	{0xFFE5, 0xFFE6, SIGN_CURRENCY},
};

enum { FIRST_HAN = 0x2E80 };

static enum sign sign_by_role(uint32_t code)
{
	switch (word_role(code)) {
	case ROLE_SPACE:
		return SIGN_SPACE;
	case ROLE_LETTER:
		return SIGN_LETTER;
	case ROLE_WORD:
		return code < FIRST_HAN ? SIGN_THAI : SIGN_HAN;
	case ROLE_MARK:
		break;
	}
	return SIGN_MARK;
}

enum sign sign_of(uint32_t code)
{
	size_t low = 0;
	size_t high = sizeof(ranges) / sizeof(ranges[0]);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges[middle].last < code)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < sizeof(ranges) / sizeof(ranges[0]) &&
	    code >= ranges[low].first)
		return ranges[low].sign;
	return sign_by_role(code);
}

struct capitals {
	uint16_t first;
	uint16_t last;
	uint16_t lower; /* that of `first`; 0: in each pair from it on the
			   second is that of the first */
};

/* Ascending. */
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

uint32_t sign_lower(uint32_t code)
{
	const size_t count = sizeof(capitals) / sizeof(capitals[0]);

	if (code > capitals[count - 1].last)
		return code;
	for (size_t i = 0; i < count && code >= capitals[i].first; i++) {
		const struct capitals *range = &capitals[i];

		if (code > range->last)
			continue;
		if (range->lower != 0)
			return range->lower + (code - range->first);
		return (code - range->first) % 2 == 0 ? code + 1 : code;
	}
	return code;
}
