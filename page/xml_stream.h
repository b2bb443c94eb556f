/*
 * page/xml_stream.h - XML as a stream of elements and text (libxml2's push
 * parser), hardened: no network, no entities but XML's five, no DTD is read,
 * bounded depth and sizes.
 *
 * Broken XML is read as far as it can be. Before libxml2 sees it,
 * - bytes become UTF-8 (BOM, XML declaration, else UTF-8), and what does not
 *   decode U+FFFD; white space and BOMs before the first '<' are skipped;
 * - comments, instructions and DOCTYPE are dropped, so that no entity is ever
 *   declared; CDATA becomes text;
 * - an '&' that begins no reference of a character or of XML's five entities is
 *   an ampersand ("?a=1&b=2", "&nbsp;" are text as they stand), a '<' before
 *   what is no name is text, with the tag it would begin, a control character
 * is a space;
 * - attributes are read as HTML's are: with quotes or without, twice (both are
 *   told), without a value; one whose name is none is dropped;
 * - an end tag ends the elements left open inside its own, and does nothing
 *   when there is no start;
 * - a '<' in a tag, quoted or not, ends that tag, and so does XML_MAX_TAG;
 *   attributes over XML_MAX_ATTRIBUTES are dropped, and tags deeper than
 *   XML_MAX_DEPTH: what stands in them stands in the deepest element;
 * - what follows the root is not read.
 * References of characters that XML does not allow (&#0;) give nothing.
 */
#ifndef PAGE_XML_STREAM_H
#define PAGE_XML_STREAM_H

#include <stdbool.h>

#include "store/error.h"
#include "store/slice.h"

struct xml_stream;

enum {
	XML_MAX_DEPTH = 64,
	XML_MAX_TEXT = 16 * 1024, /* bytes of an element's */
	XML_MAX_TAG = 16 * 1024,  /* bytes */
	XML_MAX_ATTRIBUTES = 64,  /* of a tag */
};

/* Slices are valid during the call; text is UTF-8. */
struct xml_handler {
	/* `name` is without prefix; `space` is the namespace, or the prefix
	 * when it stands for none, or empty */
	void (*start)(void *context, struct slice name, struct slice space);
	/* `text` is what stood in the element itself, without white space at
	 * its ends, at most XML_MAX_TEXT bytes of it */
	void (*end)(void *context, struct slice name, struct slice text);
	/* an attribute of the element that has just begun; not xmlns */
	void (*attribute)(void *context, struct slice name, struct slice value);
	void *context;
};

/*
 * The handler is copied. Takes some 60 KB; hostile input can make it take 2 MB:
 * XML_MAX_DEPTH * XML_MAX_TEXT, and names.
 */
struct xml_stream *xml_stream_create(const struct xml_handler *handler);
void xml_stream_destroy(struct xml_stream *stream); /* NULL is a no-op */

/*
 * ERR_MALFORMED as soon as the input is not XML: text before the first element,
 * or over 64 KB of different names; later calls do nothing. Linear.
 */
enum error xml_stream_feed(struct xml_stream *stream, struct slice bytes);

/*
 * End the input. ERR_MALFORMED: the root has not ended; `end` is not called for
 * open elements.
 */
enum error xml_stream_finish(struct xml_stream *stream);

#endif
