/* page/utf8.h - UTF-8, strict. Internal to page/. */
#ifndef PAGE_UTF8_H
#define PAGE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "store/slice.h"

#define UTF8_REPLACEMENT 0xFFFDu

struct utf8_count {
	size_t sequences; /* well-formed, of two bytes or more */
	size_t invalid;   /* what would become a U+FFFD */
};

/* Overlong forms, surrogates and numbers over U+10FFFF are invalid. */
struct utf8_count utf8_check(struct slice text);

/*
 * Copy `text` to `out` [text.size + 2 * invalid] with U+FFFD for each invalid
 * run of bytes (the longest prefix of a sequence); returns the length.
 */
size_t utf8_repair(struct slice text, char *out);

/* Write `code`, at most U+10FFFF, in 1 to 4 bytes and return how many. */
size_t utf8_encode(uint32_t code, char *out);

/* The character of a byte in windows-1252, as the web has it. */
uint32_t utf8_from_windows_1252(unsigned char byte);

#endif
