#include "extract/text/quantity.h"

#include <stddef.h>

#include "base/ascii.h"
#include "extract/text/character_class.h"

bool quantity_is_date(const unsigned char *at, const unsigned char *end)
{
	const unsigned char *behind = at;
	ptrdiff_t length;

	while (behind < end && is_digit(*behind))
		behind++;
	length = behind - at;
	if (length == 4)
		return ((at[0] == '1' && at[1] == '9') ||
			(at[0] == '2' && at[1] == '0')) &&
		       (behind == end ||
			character_class_of_byte[*behind] != CHARACTER_LETTER);
	if (length > 2 || end - behind < 3 || !is_digit(behind[1]) ||
	    !is_digit(behind[2]))
		return false;
	if (*behind == '.')
		return end - behind > 3 && behind[3] == '.';
	return (*behind == ':' || *behind == '/') &&
	       (end - behind == 3 || !is_digit(behind[3]));
}

enum unit quantity_unit(uint32_t code)
{
	switch (code) {
	case 0x5E74: /* Han: year, month, day */
	case 0x6708:
	case 0x65E5:
	case 0xB144: /* Hangul */
	case 0xC6D4:
	case 0xC77C:
		return UNIT_DATE;
	case 0x5143: /* yuan, yen, won */
	case 0x5186:
	case 0xC6D0:
		return UNIT_MONEY;
	default:
		return UNIT_NONE;
	}
}
