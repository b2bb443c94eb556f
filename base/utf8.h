/*
 * base/utf8.h - UTF-8: a strict check for untrusted bytes, and fast decoding of
 * bytes that passed it.
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
	size_t invalid; /* runs of invalid bytes; utf8_repair() replaces each by
			   U+FFFD */
};

/*
 * Count the sequences. Overlong forms, surrogates and characters over U+10FFFF
 * are invalid.
 */
struct utf8_count utf8_check(struct slice text);

/*
 * Copy `text` to `out` [text.size + 2 * invalid], with U+FFFD instead of each
 * invalid run: a byte that begins no sequence, or the longest prefix of an
 * incomplete one. Return the length.
 */
size_t utf8_repair(struct slice text, char *out);

/*
 * Return the character at *at and move *at to the next one; *at must be before
 * `end`. The text must be valid UTF-8, such as the text of a page. For invalid
 * bytes the function returns any number, but it reads no byte at or after
 * `end`.
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
 * Return the first `max` bytes of `text`, or up to three fewer, so that the
 * result does not end within a UTF-8 character. If the text is not UTF-8, its
 * last character may be incomplete. Reads no byte outside `text`.
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

/*
 * Write the character `code`, at most U+10FFFF, in 1 to 4 bytes to `out`, and
 * return their number.
 */
size_t utf8_encode(uint32_t code, char *out);

/* Return whether `byte` is a second or later byte of a character. */
static inline bool utf8_continues(int byte)
{
	return (byte & 0xC0) == 0x80;
}

/* Return the character of `byte` in windows-1252, as browsers decode it. */
uint32_t utf8_from_windows_1252(unsigned char byte);

/*
 * Classification of a byte, or of the number of a character, as ASCII in any
 * locale.
 */

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

/*
 * Return whether words contain the character; otherwise it is white space or a
 * sign. Beyond ASCII this is approximate.
 */
static inline bool is_word_code(uint32_t code)
{
	if (code < 0x80)
		return is_alphanumeric((int)code);
	return code >= 0xC0 && !(code >= 0x2000 && code < 0x2C00) &&
	       !(code >= 0x3000 && code < 0x3040) &&
	       !(code >= 0xFF00 && code < 0xFF10) &&
	       !(code >= 0xFF1A && code < 0xFF21);
}

static inline char lower(char byte)
{
	return (char)(byte + (is_upper(byte) ? 'a' - 'A' : 0));
}

/*
 * Return the value of a hexadecimal digit, 0 to 15; -1 if `code` is no digit.
 */
static inline int hex_digit(int code)
{
	const int letter = code | 0x20;

	if (is_digit(code))
		return code - '0';
	return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

#endif
