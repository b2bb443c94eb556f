/*
 * page/charset.h - converts a page of any encoding to UTF-8, repairs UTF-8 that
 * was encoded twice, and tells pages from binary files.
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
	struct slice text;    /* valid UTF-8 without NUL, owned by the arena */
	struct slice charset; /* upper-case name of the original encoding */
};

/*
 * Decode `body` with the first of these encodings that is known and fits the
 * bytes: a BOM; `header` (charset of the Content-Type, or empty); the meta
 * prescan of the first 1,024 bytes; UTF-8; the guess of uchardet; windows-1252.
 * Names are WHATWG labels. Bytes with too many well-formed UTF-8 sequences for
 * chance are UTF-8, whatever the labels declare. Bytes that do not decode
 * become U+FFFD, a NUL becomes a space. Text that was encoded twice is decoded
 * twice. Cannot fail; linear.
 */
struct decoded charset_decode(struct arena *arena, struct slice body,
			      struct slice header);

/*
 * Return the encoding that a meta element or XML declaration in the first 1,024
 * bytes declares, or NULL; UTF-8 for a declared UTF-16.
 */
const struct encoding *charset_declared(struct slice body);

/*
 * Load the tables of all encodings, which are shared libraries, for a process
 * that will lose the right to open files. Call it before other threads start.
 */
void charset_load(void);

struct encoding {
	const char *name;   /* upper case */
	const char *iconv;  /* name for iconv */
	const char *labels; /* lower case, each followed by a space */
};

/*
 * Return the encoding of a label, in any case and with white space around it,
 * or NULL. Source: WHATWG Encoding, section 4.2, without its "replacement"
 * encodings. All labels of ISO-8859-1 and ASCII mean windows-1252.
 */
const struct encoding *encoding_of(struct slice label);

struct converter {
	iconv_t iconv; /* NULL: iconv does not support the encoding */
	bool is_wide;  /* units of two bytes: UTF-16 */
};

/* Open a converter; close it with convert_end(). */
struct converter convert_begin(const struct encoding *encoding);
void convert_end(struct converter *converter);

/*
 * Append `text` to `out` as UTF-8, with U+FFFD for each unit that does not
 * decode. `text` becomes the unread rest. Return false after more than
 * `max_errors` errors. Linear.
 */
bool convert(struct converter converter, size_t max_errors, struct slice *text,
	     struct buffer *out);

/*
 * Repair UTF-8 that was read as windows-1252 or ISO-8859-1 and encoded again,
 * in place; return the new size.
 *
 * A sequence is two to four characters whose bytes are one character of UTF-8;
 * each may be a reference (&acirc;&euro;&trade;). Decode all of them if there
 * are at least four, at least three per other character over U+007F (except
 * U+00A0), and at least half of them cannot be chance, because they have three
 * or more characters, follow another sequence, or are a capital letter next to
 * a small one. In any text, decode sequences of three or more characters that
 * contain a control character (U+0080..U+009F). Linear.
 */
size_t mojibake_repair(char *text, size_t size);

/*
 * Return whether `body` begins like a known binary format, or its first 4 KB
 * are full of control characters and neither a byte order mark nor `charset`
 * declares UTF-16.
 */
bool sniff_is_binary(struct slice body, struct slice charset);

#endif
