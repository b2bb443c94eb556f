/*
 * page/charset.h - converts a page of any encoding to UTF-8, repairs UTF-8 that
 * was encoded twice, and distinguishes pages from binary files.
 */
#ifndef PAGE_CHARSET_H
#define PAGE_CHARSET_H

#include <iconv.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

struct arena;
struct encoding;

struct decoded {
	struct slice text;    /* valid UTF-8 without NUL, in the arena */
	struct slice charset; /* name of the original encoding in upper case */
};

/*
 * Decode `body`. The encoding is the first of the following that is known and
 * matches the bytes: that of a BOM; `header`, the charset of the Content-Type
 * (may be empty); the one that charset_declared() finds; UTF-8; the guess of
 * uchardet; windows-1252. Names are labels of the WHATWG standard. If the body
 * has so many well-formed UTF-8 sequences that they are no coincidence, it is
 * UTF-8, whatever the labels are. A byte that cannot be decoded becomes U+FFFD,
 * a NUL becomes a space. Text that was encoded twice is decoded twice. Cannot
 * fail; linear.
 */
struct decoded charset_decode(struct arena *arena, struct slice body,
			      struct slice header);

/*
 * Return the encoding that a meta element or an XML declaration in the first
 * 1,024 bytes declares; NULL if none exists. If UTF-16 is declared, return
 * UTF-8.
 */
const struct encoding *charset_declared(struct slice body);

/*
 * Load the tables of all encodings, which are in shared libraries. This is for
 * a process that will lose the right to open files. Call it before other
 * threads start.
 */
void charset_load(void);

struct encoding {
	const char *name;   /* name in upper case */
	const char *iconv;  /* name for iconv */
	const char *labels; /* its labels in lower case; a space follows each */
};

/*
 * Return the encoding with this label, or NULL. Upper and lower case are equal;
 * white space at both ends is ignored. Source: WHATWG Encoding, section 4.2,
 * without its "replacement" encodings. All labels of ISO-8859-1 and ASCII mean
 * windows-1252.
 */
const struct encoding *encoding_of(struct slice label);

struct converter {
	iconv_t iconv; /* NULL: iconv does not support the encoding */
	bool is_wide;  /* the encoding has units of two bytes: UTF-16 */
};

/* Open a converter; close it with convert_end(). */
struct converter convert_begin(const struct encoding *encoding);
void convert_end(struct converter *converter);

/*
 * Decode `text` and append it to `out` as UTF-8; a unit that cannot be decoded
 * becomes U+FFFD. `text` becomes the part that was not read. Return false if
 * there are more than `max_errors` errors. Linear.
 */
bool convert(struct converter converter, size_t max_errors, struct slice *text,
	     struct buffer *out);

/*
 * Repair UTF-8 that was wrongly decoded as windows-1252 or ISO-8859-1 and then
 * encoded again. This is done in place; return the new size.
 *
 * A sequence is two to four characters whose bytes are a character of UTF-8. A
 * character may be written as a reference (&acirc;&euro;&trade;). All sequences
 * are decoded if three conditions hold: there are at least four; there are at
 * least three for each other character over U+007F (not counting U+00A0); and
 * at least half of them are certainly no coincidence. A sequence is certain if
 * it has three or more characters, follows another sequence, or is a capital
 * letter next to a small one. Sequences of three or more characters that
 * contain a control character (U+0080 to U+009F) are decoded in any text.
 * Linear.
 */
size_t mojibake_repair(char *text, size_t size);

/*
 * Return whether `body` is binary. It is if it begins like a known binary
 * format. It also is if there are many control characters in its first 4 KB,
 * unless a byte order mark or `charset` declares UTF-16.
 */
bool sniff_is_binary(struct slice body, struct slice charset);

#endif
