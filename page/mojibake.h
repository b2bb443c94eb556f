/*
 * page/mojibake.h - repairs UTF-8 that was read as windows-1252 or ISO-8859-1
 * and encoded again: an e with acute accent has become an A with tilde and a
 * copyright sign. Internal to page/.
 */
#ifndef PAGE_MOJIBAKE_H
#define PAGE_MOJIBAKE_H

#include <stddef.h>

/*
 * Decode such sequences of valid UTF-8 once more, in place; return the new
 * size.
 *
 * A sequence is two to four characters whose bytes are one character of UTF-8;
 * each may be a reference (&acirc;&euro;&trade;). Decode all of them if three
 * conditions hold: there are at least four; there are at least three per other
 * character over U+007F (except U+00A0); and at least half of them cannot be
 * chance, because they have three or more characters, follow another sequence,
 * or are a capital letter next to a small one. So a text that quotes broken
 * next to correct characters does not change. In any text, decode sequences of
 * three or more characters that contain a control character of ISO-8859-1
 * (U+0080..U+009F), which no valid text contains. Linear.
 */
size_t mojibake_repair(char *text, size_t size);

#endif
