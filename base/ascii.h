/*
 * base/ascii.h - classifies bytes, or the numbers of characters, as ASCII in
 * any locale.
 */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include <stdbool.h>

static inline bool is_digit(int code)
{
	return code >= '0' && code <= '9';
}

static inline bool is_letter(int code)
{
	return (unsigned)((code | 0x20) - 'a') < 26;
}

static inline bool is_alphanumeric(int code)
{
	return is_digit(code) || is_letter(code);
}

static inline char lower(char byte)
{
	return (char)(byte + (byte >= 'A' && byte <= 'Z' ? 'a' - 'A' : 0));
}

/* Return 0 to 15, or -1 if it is no hexadecimal digit. */
static inline int hex_digit(int code)
{
	const int letter = code | 0x20;

	if (is_digit(code))
		return code - '0';
	return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

#endif
