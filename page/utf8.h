/*
 * page/utf8.h - UTF-8: strict checks for foreign bytes, fast decoding for
 * checked ones.
 */
#ifndef PAGE_UTF8_H
#define PAGE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "store/slice.h"

#define UTF8_REPLACEMENT 0xFFFDu

struct utf8_count {
	size_t sequences; /* well-formed, of two bytes or more */
	size_t invalid;   /* invalid runs, each of which becomes a U+FFFD */
};

/* Overlong forms, surrogates and numbers over U+10FFFF are invalid. */
struct utf8_count utf8_check(struct slice text);

/*
 * Copy `text` to `out` [text.size + 2 * invalid] with U+FFFD for each invalid
 * run of bytes (the longest prefix of a sequence); returns the length.
 */
size_t utf8_repair(struct slice text, char *out);

/*
 * The character at *at, which is before `end`; moves behind it. For valid text,
 * such as that of a page; invalid bytes give any number, but nothing is read at
 * `end` or behind.
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
 * Return the first `max` bytes of `text`, or up to three fewer, so that no
 * character of UTF-8 is cut. No byte outside `text` is read. In another
 * encoding the last character may be cut.
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

/* Write `code`, at most U+10FFFF, in 1 to 4 bytes and return how many. */
size_t utf8_encode(uint32_t code, char *out);

/* The character of a byte in windows-1252, as the web has it. */
uint32_t utf8_from_windows_1252(unsigned char byte);

#endif
