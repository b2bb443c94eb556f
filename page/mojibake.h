/*
 * page/mojibake.h - text that was UTF-8, was read as windows-1252 or
 * ISO-8859-1, and was encoded again: an e with acute accent has become an A
 * with tilde and the sign of copyright. Internal to page/.
 */
#ifndef PAGE_MOJIBAKE_H
#define PAGE_MOJIBAKE_H

#include <stddef.h>

/*
 * Decode such sequences of valid UTF-8 once more, in place; returns the size.
 *
 * A sequence is two to four characters whose bytes are a character of UTF-8,
 * each of which may be a reference (&acirc;&euro;&trade;). All of them are
 * decoded when the text has at least four, three for each other character over
 * U+007F (but U+00A0), and half of them cannot be chance: they have three
 * characters or more, follow another, or are a capital letter beside a small
 * one. So a text that names what is wrong beside what is right stays as it is.
 * In any text are decoded sequences of three characters or more with a control
 * character of ISO-8859-1 (U+0080..U+009F), which no text has. Linear.
 */
size_t mojibake_repair(char *text, size_t size);

#endif
