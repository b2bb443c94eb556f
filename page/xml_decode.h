/*
 * page/xml_decode.h - XML of any encoding to UTF-8, as a stream. Internal to
 * page/xml_stream.c.
 */
#ifndef PAGE_XML_DECODE_H
#define PAGE_XML_DECODE_H

#include <stdbool.h>

#include <iconv.h>

#include "store/buffer.h"
#include "store/slice.h"

enum { XML_HEAD_BYTES = 1024 }; /* looked at for an XML declaration */

/* Begin with {0}; end with xml_decode_free(). */
struct xml_decode {
	struct buffer rest; /* not yet decoded: the beginning until the encoding
			       is known, later an incomplete character */
	bool is_known;
	bool is_wide;
	iconv_t converter; /* NULL: UTF-8 */
};

void xml_decode_free(struct xml_decode *decode);

/*
 * Append `bytes` to `out` as valid UTF-8, no character of it cut: by the BOM,
 * which is dropped, by the two bytes of the first '<' in UTF-16, by the XML
 * declaration (WHATWG labels; white space may stand before it), else UTF-8.
 * What does not decode becomes U+FFFD. Linear; holds XML_HEAD_BYTES and one
 * piece.
 */
void xml_decode_feed(struct xml_decode *decode, struct slice bytes,
		     struct buffer *out);

/* The end of the input: decode what was held back. */
void xml_decode_finish(struct xml_decode *decode, struct buffer *out);

#endif
