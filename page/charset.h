/* page/charset.h - converting a page of any encoding to UTF-8. */
#ifndef PAGE_CHARSET_H
#define PAGE_CHARSET_H

#include "store/slice.h"

struct arena;
struct encoding;

struct decoded {
	struct slice text;    /* valid UTF-8 without NUL, owned by the arena */
	struct slice charset; /* upper-case name of what it was */
};

/*
 * Decode `body`: BOM, else `header` (charset of the Content-Type, or empty),
 * else the meta prescan of the first 1,024 bytes, else UTF-8 when it is valid,
 * else uchardet (when there are enough bytes to tell), else windows-1252. Names
 * are WHATWG labels in any case (iso-8859-1 means windows-1252, gb2312 means
 * gb18030, ...); when one is unknown or plainly wrong, the next in this order
 * is used. What does not decode becomes U+FFFD, and a NUL becomes a space.
 * Bytes that are well-formed UTF-8 beyond chance are UTF-8, whatever the labels
 * say. What was encoded twice is decoded twice (page/mojibake.h). Cannot fail;
 * linear.
 */
struct decoded charset_decode(struct arena *arena, struct slice body,
			      struct slice header);

/*
 * What a meta or XML declaration in the first 1,024 bytes declares, or NULL:
 * what is read as bytes and declares UTF-16 is UTF-8.
 */
const struct encoding *charset_declared(struct slice body);

/*
 * Load the tables of all encodings, which are libraries, and keep them: for a
 * process that soon will be able to open no file. Call it before there are
 * threads; a few milliseconds.
 */
void charset_load(void);

#endif
