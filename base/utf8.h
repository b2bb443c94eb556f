/*
 * base/utf8.h - UTF-8: strict checks for untrusted bytes, fast decoding of
 * checked bytes.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

#define UTF8_REPLACEMENT 0xFFFDu

struct utf8_count {
	size_t sequences; /* well-formed sequences of two or more bytes */
	size_t invalid;   /* invalid runs; each becomes a U+FFFD */
};

/*
 * Count the sequences. Overlong forms, surrogates and numbers over U+10FFFF are
 * invalid.
 */
struct utf8_count utf8_check(struct slice text);

/*
 * Copy `text` to `out` [text.size + 2 * invalid] with U+FFFD for each invalid
 * run of bytes (the longest prefix of a sequence); return the length.
 */
size_t utf8_repair(struct slice text, char *out);

/*
 * Return the character at *at and move *at after it; *at must be before `end`.
 * Requires valid text, such as the text of a page. Invalid bytes give any
 * number, but nothing at `end` or after it is read.
 */
static inline uint32_t utf8_next(const unsigned char **at,
				 const unsigned char *end)
{
	uint32_t lead = *(*at)++;
	uint32_t code = lead;

	if (lead < 0x80)
		return lead;
	code &= lead < 0xE0 ? 0x1F : lead < 0xF0 ? 0x0F : 0x07;
	while (*at < end && (**at & 0xC0) == 0x80)
		code = (code << 6 | (*(*at)++ & 0x3F)) & 0x1FFFFF;
	return code;
}

/*
 * Return the first `max` bytes of `text`, or up to three fewer so that the last
 * character of UTF-8 is whole. In another encoding the last character may be
 * truncated. Reads no byte outside `text`.
 */
static inline struct slice utf8_truncate(struct slice text, size_t max)
{
	const unsigned char *bytes = text.data;
	size_t size = max;

	if (text.size <= max)
		return text;
	while (size > 0 && max - size < 3 && (bytes[size] & 0xC0) == 0x80)
		size--;
	return (struct slice){bytes, size};
}

/* Write `code`, at most U+10FFFF, in 1 to 4 bytes and return their number. */
size_t utf8_encode(uint32_t code, char *out);

/* Return whether `byte` continues a character: it is not its first. */
static inline bool utf8_continues(int byte)
{
	return (byte & 0xC0) == 0x80;
}

/* Return the character of a byte in windows-1252, as the web uses it. */
uint32_t utf8_from_windows_1252(unsigned char byte);

/* Classifies bytes, or the numbers of characters, as ASCII in any locale. */

static inline bool is_digit(int code)
{
	return code >= '0' && code <= '9';
}

static inline bool is_upper(int code)
{
	return code >= 'A' && code <= 'Z';
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
	return (char)(byte + (is_upper(byte) ? 'a' - 'A' : 0));
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
