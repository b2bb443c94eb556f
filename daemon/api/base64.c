#include "daemon/api/base64.h"

#include <stdint.h>
#include <string.h>

/* The value of a digit; 64 when it is none. */
static uint32_t value_of(char digit)
{
	if (digit >= 'A' && digit <= 'Z')
		return (uint32_t)(digit - 'A');
	if (digit >= 'a' && digit <= 'z')
		return (uint32_t)(digit - 'a') + 26;
	if (digit >= '0' && digit <= '9')
		return (uint32_t)(digit - '0') + 52;
	if (digit == '+')
		return 62;
	return digit == '/' ? 63 : 64;
}

bool base64_decode(struct slice text, struct buffer *out)
{
	size_t size = text.size;
	uint32_t bits = 0;
	unsigned count = 0;

	if (size % 4 == 0)
		for (int i = 0; i < 2 && slice_byte(text, size - 1) == '='; i++)
			size--;
	if (size % 4 == 1)
		return false;
	buffer_reserve(out, size / 4 * 3 + 3);
	for (size_t i = 0; i < size; i++) {
		uint32_t value = value_of(slice_byte(text, i));

		if (value == 64)
			return false;
		bits = bits << 6 | value;
		count += 6;
		if (count >= 8) {
			count -= 8;
			out->data[out->size++] = (char)(bits >> count & 0xFF);
		}
	}
	out->data[out->size] = '\0';
	/* the digits stand for whole bytes: what is left of them is 0 */
	return (bits & ((1U << count) - 1)) == 0;
}
