/* page/charset.h - converts a page of any encoding to UTF-8. */
#ifndef PAGE_CHARSET_H
#define PAGE_CHARSET_H

#include "base/slice.h"

struct arena;
struct encoding;

struct decoded {
	struct slice text;    /* valid UTF-8 without NUL, owned by the arena */
	struct slice charset; /* upper-case name of the original encoding */
};

/*
 * Decode `body`. Use the first encoding that is found in this order: a BOM;
 * `header` (charset of the Content-Type, or empty); the meta prescan of the
 * first 1,024 bytes; UTF-8 if `body` is valid UTF-8; the guess of uchardet, if
 * there are enough bytes for one; windows-1252. Names are WHATWG labels in any
 * case (iso-8859-1 means windows-1252, gb2312 means gb18030, ...); skip an
 * encoding that is unknown or does not fit the bytes. Bytes with too many
 * well-formed UTF-8 sequences for chance are UTF-8, whatever the labels
 * declare. Bytes that do not decode become U+FFFD, and a NUL becomes a space.
 * Text that was encoded twice is decoded twice (page/mojibake.h). Cannot fail;
 * linear.
 */
struct decoded charset_decode(struct arena *arena, struct slice body,
			      struct slice header);

/*
 * Return the encoding that a meta element or XML declaration in the first 1,024
 * bytes declares, or NULL. UTF-8 for a declared UTF-16, because the declaration
 * was read as single bytes.
 */
const struct encoding *charset_declared(struct slice body);

/*
 * Load the tables of all encodings, which are shared libraries, and keep them
 * loaded, for a process that will lose the right to open files. Call it before
 * other threads start. Takes a few milliseconds.
 */
void charset_load(void);

#endif
